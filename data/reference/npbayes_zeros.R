# What the R package NPBayesImputeCat says about structural zeros: a Dirichlet process mixture of products of
# multinomials on four variables of the first 500 people of the ACS stand-in who are in none of five impossible boxes.
#
#     Rscript data/reference/npbayes_zeros.R [output folder]
#
# Writes npbayes_zeros.csv: the posterior mean of the probability of every cell, given that it is possible, one column
# a chain; 0 where it is impossible.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressMessages(library(NPBayesImputeCat))

K <- 6; a <- 2; b <- 2; burn <- 2000; kept <- 6000; thin <- 5; seeds <- 1:2
variables <- c("SEX", "MAR", "DIS", "SCH")
boxes <- data.frame(  # NA: any level
  SEX = c(NA, NA, NA, 1, 2), MAR = c(5, 2, 2, 3, 4), DIS = c(NA, NA, NA, 1, 2), SCH = c(1, 2, 3, NA, 1)
)
inside <- function(people, box) {
  Reduce(`&`, lapply(variables, function(v) is.na(box[[v]]) | people[[v]] == box[[v]]))
}
impossible <- function(people) Reduce(`|`, lapply(seq_len(nrow(boxes)), function(r) inside(people, boxes[r, ])))

people <- stand_in("acs_simulated.csv")[variables]
people <- head(people[!impossible(people), ], 500)
sizes <- vapply(people, max, 0)
for (v in variables) {
  people[[v]] <- factor(people[[v]], seq_len(sizes[[v]]))
  boxes[[v]] <- factor(boxes[[v]], seq_len(sizes[[v]]))
}
cells <- do.call(expand.grid, lapply(sizes, seq_len))
possible <- !impossible(cells)

run <- function(seed) {
  model <- CreateModel(people, boxes, K, 200000, a, b, seed = seed)
  model$Run(0, burn, 1, TRUE)
  total <- 0
  for (s in seq_len(kept)) {
    model$Run(0, thin, 1, TRUE)
    state <- model$snapshot
    inside <- matrix(as.numeric(state$nu), nrow(cells), K, byrow = TRUE)
    for (j in seq_along(variables)) inside <- inside * state$psi[cells[[j]], , j]
    p <- rowSums(inside) * possible
    total <- total + p / sum(p)
  }
  total / kept
}
result <- cells
for (s in seeds) result[[paste0("chain_", s)]] <- digits15(run(s))
write_table(result, "npbayes_zeros.csv")
write_session()
