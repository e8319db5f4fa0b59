# What the R package IdentificationRiskCalculation says of the simulated stand-ins, and of cases of one or a few records
# where conventions differ.
#
#     Rscript data/reference/match_risk.R [output folder]
#
# Writes match_risk.csv. Per synthetic dataset (place): sums over the records of c, of record number times c (any
# exchange between records shows), of T where c > 0, of K and of F; how many records match nothing; and the four summaries.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressPackageStartupMessages(library(IdentificationRiskCalculation))

# A single radius makes the package print a warning of its own about its length; the radius is used.
ask <- function(confidential, synthetic, known, synthesized, radius = NULL, percentage = TRUE, euclidean = FALSE) {
  capture.output(answer <- if (is.null(radius)) {
    IdentificationRiskCategorical(confidential, synthetic, known, synthesized)
  } else {
    IdentificationRisk(confidential, synthetic, known, synthesized, r = radius, percentage = percentage,
                       euclideanDist = euclidean)
  })
  answer
}

put <- function(case, answer) {
  c <- answer$c_vector
  n <- nrow(c)
  record("sum of c", case, colSums(c))
  record("sum of i c", case, colSums(seq_len(n) * c))
  record("sum of T", case, colSums(answer$T_vector * (c > 0)))
  record("sum of i T", case, colSums(seq_len(n) * answer$T_vector * (c > 0)))
  record("sum of K", case, colSums(answer$K_vector))
  record("sum of F", case, colSums(answer$F_vector))
  record("records without a match", case, colSums(c == 0))
  record("unique matches", case, answer$s_vector)
  record("expected match risk", case, answer$exp.risk_vector)
  record("true match rate", case, answer$true.rate_vector)
  record("false match rate", case, answer$false.rate_vector)
}

# ---- the stand-ins --------------------------------------------------------------------------
run <- function(case, confidential, synthetic, known, synthesized, radius = NULL, percentage = TRUE) {
  frames <- lapply(c(confidential, synthetic), stand_in)
  used <- c(known, synthesized)
  frames <- lapply(frames, function(f) f[, names(f) %in% used])  # in the order of the columns of the file
  frames <- as_factors(frames, setdiff(used, names(radius)))
  order <- intersect(names(frames[[1]]), names(radius))
  put(case, ask(frames[[1]], frames[-1], known, synthesized, if (length(radius)) unname(radius[order]), percentage))
}
acs <- c("acs_simulated_synthetic_lecture.csv", "acs_simulated_synthetic_2.csv", "acs_simulated_synthetic_3.csv")
ce <- sprintf("ce_simulated_synthetic_%d.csv", 1:3)
run("acs-lecture", "acs_simulated.csv", acs[1], c("SEX", "RACE", "MAR"), c("LANX", "WAOB", "DIS", "HICOV"))
run("acs-confidential", "acs_simulated.csv", "acs_simulated.csv", c("SEX", "RACE", "MAR"), c("DIS", "HICOV"))
run("acs-three", "acs_simulated.csv", acs, c("SEX", "RACE", "MAR"), c("LANX", "WAOB", "DIS", "HICOV"))
run("ce-income", "ce_simulated.csv", ce, c("Educ", "Marital"), "Income", c(Income = 0.1))
run("ce-income-fixed-radius", "ce_simulated.csv", ce, c("Educ", "Marital"), "Income", c(Income = 2000), FALSE)
run("ce-several", "ce_simulated.csv", ce, c("Age", "Marital"), c("Tenure", "Expenditure", "Income"),
    c(Income = 0.2, Age = 0.1, Expenditure = 0.3))

# Every option for the first 120 households: percentage, euclideanDist, several radii or one radius for all variables.
used <- c("Age", "Marital", "Tenure", "Expenditure", "Income")
few <- lapply(c("ce_simulated.csv", ce), function(name) { f <- head(stand_in(name), 120); f[, names(f) %in% used] })
few <- as_factors(few, c("Marital", "Tenure"))
numbers <- setdiff(names(few[[1]]), c("Marital", "Tenure"))
radii <- list(percentage = c(Age = 0.1, Expenditure = 0.3, Income = 0.2), absolute = c(Age = 5, Expenditure = 3000, Income = 10000))
for (kind in names(radii)) for (euclidean in c(FALSE, TRUE)) for (several in c(TRUE, FALSE)) {
  radius <- if (several) unname(radii[[kind]][numbers]) else if (kind == "percentage") 0.25 else 2000
  case <- paste0(kind, if (euclidean) "; euclideanDist", if (several) "; three radii" else "; one radius")
  put(case, ask(few[[1]], few[-1], used[1:2], used[3:5], radius, kind == "percentage", euclidean))
}

# ---- where conventions differ ---------------------------------------------------------------
edges <- read.csv(file.path(here, "match_risk_edges.csv"))
edge <- function(case, radius, percentage = TRUE) {
  one <- function(side) {
    d <- edges[edges$case == case & edges$dataset == side, c("g", "y")]
    d$g <- factor(d$g)
    d
  }
  answer <- ask(one("confidential"), list(one("synthetic")), "g", "y", radius, percentage)
  record("c", case, answer$c_vector)
  record("T", case, answer$T_vector)
  record("false match rate", case, answer$false.rate_vector)
}
edge("end of the interval", c(0.1, 0.1))
edge("a zero", c(0.1, 0.1))
edge("a negative value", c(0.1, 0.1))
edge("fixed radius 0", c(0, 0), FALSE)
edge("nobody matches", c(0.1, 0.1))

# Ten per cent above and below 1, 2, ..., 1000: y + .1 y is not always 1.1 y, nor y - .1 y always .9 y.
y <- 1:1000
frame <- function(y) data.frame(g = factor(1:1000), y = y)
record("c", "one tenth above", sum(ask(frame(y), list(frame(1.1 * y)), "g", "y", 0.1)$c_vector))
record("c", "one tenth below", sum(ask(frame(y), list(frame(0.9 * y)), "g", "y", 0.1)$c_vector))

# Missing values: a missing measurement matches everything, a missing category nothing.
three <- data.frame(g = factor(c(1, 1, 1)), y = c(10, 20, 30))
gap <- three; gap$y[1] <- NA
record("c", "a missing measurement in the confidential data", ask(gap, list(three), "g", "y", 0.1)$c_vector[1])
gap <- three; gap$g[1] <- NA
record("c", "a missing category on both sides", ask(gap, list(gap), "g", "y", 0.1)$c_vector[1])

# Radii in the order of the columns of the data (x, y), whatever the order of the arguments.
two <- data.frame(x = c(100, 100), y = c(100, 100))
moved <- data.frame(x = c(105, 100), y = c(100, 125))
record("c", "radii in the order of the columns", ask(two, list(moved), "y", "x", c(0.1, 0.3))$c_vector[1])

# "Euclidean": half-width sqrt(10 + 1) for y, where x, known, has the radius 10 and y the radius 1. Four releases of one
# record: inside the ball; in a corner of the box, outside the ball; beyond the radius of y; beyond sqrt(11).
one <- data.frame(x = 100, y = 50)
near <- data.frame(x = c(106, 108, 100, 100), y = c(50.6, 50.8, 53, 53.5))
euclidean <- function(i) ask(one, list(near[i, ]), "x", "y", c(10, 1), FALSE, TRUE)$c_vector[1]
record("c", "euclideanDist", sapply(seq_len(nrow(near)), euclidean))

write_answers("match_risk.csv")
write_session()
