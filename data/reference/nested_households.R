# The nested Dirichlet process mixture of NestedCategBayesImpute 1.2.1 for 150 simulated households of two or three members.
#
#     Rscript data/reference/nested_households.R [output folder]
#
# Writes nested_households.csv: for each statistic, the mean over the kept iterations (shares of impossible households) or over
# the synthetic datasets, one column per chain of the corrected package, and one column for the package as released. Two
# functions of the package are corrected, because they do not draw from the distributions of the model:
# - sampleM uses the probabilities of the first person class for all person classes, so that the class does not depend on the person;
# - GetImpossibleHouseholds uses the probabilities of the person classes as if they were cumulative, in the wrong order.
# The gamma variables of the package are seeded with the clock, so the numbers differ between runs. The rules for sex, age and
# relation are fixed in its C++ code, so the columns have its names and codes: race is education, hisp is work, ownership is
# tenure, and age is in groups of two years.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressMessages(library(NestedCategBayesImpute))

number <- 150; sizes <- 2:3; oldest <- 42; adult <- 16; gap <- 7
F <- 4; S <- 3; burn <- 200; kept <- 1000; every <- 10; seeds <- 1:2

people <- stand_in("households_simulated.csv")
people$age <- people$age %/% 2 + 1
heads <- people[people$relation == "head", ]
heads <- heads[match(people$hhid, heads$hhid), ]
excluded <- with(people, !hhsize %in% sizes | !relation %in% c("head", "partner", "child") | age > oldest |
  (relation != "child" & age < adult) | (relation == "partner" & sex == heads$sex) | (relation == "child" & heads$age - age < gap))
chosen <- people[!people$hhid %in% people$hhid[excluded], ]
chosen <- chosen[order(chosen$hhid, match(chosen$relation, c("head", "partner", "child")), -chosen$age), ]
chosen <- chosen[chosen$hhid %in% head(unique(chosen$hhid), number), ]
file <- with(chosen, data.frame(
  Hhindex = match(hhid, unique(hhid)), pernum = ave(hhid, hhid, FUN = seq_along), sex = match(sex, c("female", "male")),
  race = educ + 1, hisp = 1 + (status == "working"), age = age, relate = match(relation, c("head", "partner", "child")),
  ownership = match(tenure, c("owner", "tenant", "free")), householdsize = hhsize
))

statistics <- function(made) {
  unit <- made$Hhindex
  size <- tapply(unit, unit, length)
  same <- tapply(made$race, unit, function(x) length(unique(x)) == 1)
  children <- tapply(made$relate == 3, unit, sum)
  head <- made[made$relate == 1, ]
  partner <- made[made$relate == 2, ]
  of_partner <- head[match(partner$Hhindex, head$Hhindex), ]
  child <- made$relate == 3
  c(setNames(vapply(sizes, function(s) mean(same[size == s]), 0), paste("same education in size", sizes)),
    setNames(vapply(sizes, function(s) mean(head$ownership[size[as.character(head$Hhindex)] == s] == 1), 0), paste("owners in size", sizes)),
    "couples" = nrow(partner) / nrow(head), "couples with the same education" = mean(of_partner$race == partner$race),
    "couples who both work" = mean(of_partner$hisp == 2 & partner$hisp == 2),
    setNames(vapply(0:2, function(k) mean(children == k), 0), paste("households with children", 0:2)),
    "women among heads" = mean(head$sex == 1), "working children" = mean(made$hisp[child] == 2), "working heads" = mean(head$hisp == 2),
    "mean age of heads" = mean(head$age), "mean age of children" = mean(made$age[child]),
    "mean absolute age difference of couples" = mean(abs(of_partner$age - partner$age)))
}

# A synthetic dataset of the package in the format of `file`; its numbers of households are not unique.
as_file <- function(one) {
  one <- setNames(as.data.frame(one)[1:8], names(file)[1:8])
  one$Hhindex <- cumsum(one$pernum == 1)
  one
}

run <- function(seed) {
  set.seed(seed)
  quiet <- file(nullfile(), "w"); sink(quiet)
  on.exit({ sink(); close(quiet) })
  members <- 3:7; outer <- 8:9
  data <- list(household = file, individual_variable_index = members, household_variable_index = outer, hasMissingData = FALSE)
  orig <- initData(data)
  hyper <- list(FF = F, SS = S, aa = .25, ab = .25, ba = .25, bb = .25, dHH = c(max(file$ownership), max(sizes) - 1), blocksize = 1000)
  mc <- list(nrun = burn + kept, burn = burn, thin = every, eff.sam = kept / every)
  para <- initParameters(orig, hyper, FALSE)
  for (column in seq_len(ncol(para$phi))) for (j in seq_len(orig$p)) {  # start from different classes
    rows <- (j - 1) * orig$maxd + seq_len(orig$d[j])
    drawn <- rgamma(length(rows), .5 + 10 * para$phi[rows, column])
    para$phi[rows, column] <- drawn / sum(drawn)
  }
  synthetic <- seq(burn + every, burn + kept, by = every)
  result <- RunModel(orig, mc, hyper, para, initOutput(orig, hyper, mc), synthetic, members, outer, FALSE, FALSE,
                     rep(1, length(sizes)), data, Parallel = FALSE)
  extra <- result$output$extrasize[(burn + 1):(burn + kept), , drop = FALSE]
  share <- colMeans(extra / sweep(extra, 2, orig$n_star_h, "+"))
  tables <- vapply(result$synData, function(one) statistics(as_file(one)), statistics(file))
  c(setNames(share, paste("impossible in size", sizes)), rowMeans(tables))
}

released <- run(max(seeds) + 1)

draw_member_classes <- function(phi, data, omega, G, serial, parallel) {
  household <- G[serial]
  most <- nrow(phi) / nrow(data)
  p <- omega[household, , drop = FALSE]
  for (m in seq_len(S)) for (j in seq_len(nrow(data))) {
    p[, m] <- p[, m] * phi[cbind((j - 1) * most + data[j, ], (household - 1) * S + m)]
  }
  for (m in seq_len(S)[-1]) p[, m] <- p[, m] + p[, m - 1]
  1L + as.integer(rowSums(runif(nrow(p)) * p[, S] > p[, -S, drop = FALSE]))
}
add_impossible <- GetImpossibleHouseholds
add_impossible_corrected <- function(d, n_star_h, lambda, omega, ...) {
  add_impossible(d, n_star_h, lambda, matrix(apply(omega, 1, cumsum), nrow(omega)), ...)
}
assignInNamespace("sampleM", draw_member_classes, "NestedCategBayesImpute")
assignInNamespace("GetImpossibleHouseholds", add_impossible_corrected, "NestedCategBayesImpute")

chains <- vapply(seeds, run, released)
result <- data.frame(statistic = rownames(chains), apply(chains, 2, digits15), digits15(released))
names(result) <- c("statistic", paste0("chain_", seeds), "released")
write_table(result, "nested_households.csv")
write_session()
