# Households as the R package NestedCategBayesImpute draws them: 300 simulated households of two to four members.
#
#     Rscript data/reference/nested_households.R [output folder]
#
# Writes nested_households.csv. For each place of the head (a member like the others, or at the household level), each chain
# and each statistic: the mean over the kept iterations, or over the synthetic datasets. The package has its rules for sex,
# age and relation in C++, so the columns get its names and codes: race is education, hisp is work, ownership is tenure.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressMessages(library(NestedCategBayesImpute))

number <- 300; F <- 8; S <- 5; burn <- 500; kept <- 1000; every <- 10; seeds <- 1:2

people <- stand_in("households_simulated.csv")
partner_sex <- with(people[people$relation == "partner", ], setNames(sex, hhid))
head_sex <- with(people[people$relation == "head", ], setNames(sex, hhid))
same_sex <- names(partner_sex)[partner_sex == head_sex[names(partner_sex)]]
others <- people$hhid[people$relation %in% c("parent", "other")]
chosen <- with(people, people[hhsize %in% 2:4 & !hhid %in% c(same_sex, others), ])
chosen <- chosen[order(chosen$hhid, match(chosen$relation, c("head", "partner", "child")), -chosen$age), ]
chosen <- chosen[chosen$hhid %in% head(unique(chosen$hhid), number), ]
file <- with(chosen, data.frame(
  Hhindex = match(hhid, unique(hhid)), pernum = ave(hhid, hhid, FUN = seq_along), sex = match(sex, c("female", "male")),
  race = educ, hisp = 1 + (status == "working"), age = age + 1,
  relate = match(relation, c("head", "partner", "child")), ownership = match(tenure, unique(people$tenure)),
  householdsize = hhsize
))

# Education of all members equal, the ages of couples, and the composition, in a synthetic dataset in the format of `file`.
statistics <- function(made) {
  by_unit <- split(made, made$Hhindex)
  size <- vapply(by_unit, nrow, 0)
  same <- vapply(by_unit, function(u) length(unique(u$race)) == 1, NA)
  couple <- vapply(by_unit, function(u) any(u$relate == 2), NA)
  gap <- vapply(by_unit[couple], function(u) u$age[u$relate == 1] - u$age[u$relate == 2], 0)
  children <- vapply(by_unit, function(u) sum(u$relate == 3), 0)
  c(setNames(vapply(2:4, function(s) mean(same[size == s]), 0), paste("same education in size", 2:4)),
    "couples" = mean(couple), "mean age difference of couples" = mean(gap), "mean absolute age difference of couples" = mean(abs(gap)),
    setNames(vapply(0:3, function(k) mean(children == k), 0), paste("households with children", 0:3)),
    "mean age of children" = mean(made$age[made$relate == 3]))
}

run <- function(by_head, seed) {
  set.seed(seed)
  household <- file
  if (by_head) {
    own <- c("sex", "race", "hisp", "age")
    heads <- file[file$relate == 1, ]
    household <- file[file$relate != 1, ]
    household$relate <- household$relate - 1L
    household[paste0("head", own)] <- heads[match(household$Hhindex, heads$Hhindex), own]
    household$householdsize <- household$householdsize - 1
    household <- household[c(names(file)[1:8], paste0("head", own), "householdsize")]
  }
  members <- 3:7
  outer <- if (by_head) 8:13 else 8:9
  quiet <- file(nullfile(), "w"); sink(quiet)
  on.exit({ sink(); close(quiet) })
  missing <- initMissing(list(household = household, individual_variable_index = members, household_variable_index = outer),
                         struc_zero_variables = c("sex", "age", "relate", "headsex", "headage"), miss_batch = 10)
  missing$prop_batch <- 1.2
  orig <- initData(missing)
  levels <- vapply(outer, function(j) max(household[[j]]), 0)
  if (!by_head) levels[2] <- levels[2] - 1
  hyper <- list(FF = F, SS = S, aa = .25, ab = .25, ba = .25, bb = .25, dHH = levels, blocksize = 2000)
  mc <- list(nrun = burn + kept, burn = burn, thin = 5)
  mc$eff.sam <- kept / mc$thin
  drawn <- seq(burn + every, burn + kept, by = every)
  result <- RunModel(orig, mc, hyper, initParameters(orig, hyper, by_head), initOutput(orig, hyper, mc), drawn, members, outer,
                     by_head, FALSE, rep(1, length(orig$n_star_h)), missing, Parallel = FALSE)
  extra <- result$output$extrasize[(burn + 1):(burn + kept), , drop = FALSE]
  share <- colMeans(extra / sweep(extra, 2, orig$n_star_h, "+"))
  tables <- vapply(result$synData, function(one) statistics(as_file(as.data.frame(one), by_head)), numeric(11))
  c(setNames(share, paste("impossible in size", 2:4)), rowMeans(tables))
}

# A synthetic dataset of the package in the format of `file`; its numbers of households are not unique.
as_file <- function(one, by_head) {
  names(one)[1:8] <- names(file)[1:8]
  one$Hhindex <- cumsum(one$pernum == 1)
  if (!by_head) return(one)
  heads <- one[!duplicated(one$Hhindex), ]
  heads[c("sex", "race", "hisp", "age")] <- heads[9:12]
  heads$relate <- 0
  all <- rbind(heads, one)
  all$relate <- all$relate + 1
  all
}

result <- do.call(rbind, lapply(c(FALSE, TRUE), function(by_head) {
  chains <- vapply(seeds, function(seed) run(by_head, seed), numeric(14))
  data.frame(head = if (by_head) "household" else "member", statistic = rownames(chains),
             chain_1 = digits15(chains[, 1]), chain_2 = digits15(chains[, 2]))
}))
write_table(result, "nested_households.csv")
write_session()
