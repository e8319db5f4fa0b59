# Identification probabilities and risk weights by their definitions, record by record and group by group, in base R.
#
#     Rscript data/reference/weights.R [output folder]
#
# Writes weights.csv: per record (place) of the first records of the stand-ins, or of the simulation study's values.
# Hu, Savitsky and Williams (2021): IR_i is the share of the records of i's pattern outside the ball round i, if i's own
# value is inside; the weight of order k is one minus the mean, over all groups of k with i in them, of the share of the
# pattern outside all k balls. Nothing is sorted and nothing is counted twice: every group is visited.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))

# inside[h, i]: is value h in the closed ball round y[i]?
inside <- function(values, y, radius, relative) {
  half <- if (relative) radius * abs(y) else rep(radius, length(y))
  outer(values, seq_along(y), function(v, i) v >= y[i] - half[i] & v <= y[i] + half[i])
}

probability <- function(pattern, y, synthetic, radius, relative = TRUE) {
  ir <- numeric(length(y))
  for (i in seq_along(y)) {
    h <- which(pattern == pattern[i])
    within <- inside(synthetic[h], y[i], radius, relative)[, 1]
    ir[i] <- if (within[match(i, h)]) sum(!within) / length(h) else 0
  }
  ir
}

weight <- function(pattern, y, radius, order, relative = TRUE) {
  alpha <- numeric(length(y))
  for (p in unique(pattern)) {
    members <- which(pattern == p)
    outside <- !inside(y[members], y[members], radius, relative)
    n <- length(members)
    for (a in seq_len(n)) {
      others <- setdiff(seq_len(n), a)
      groups <- if (order == 1) matrix(integer(), 0, 1) else utils::combn(length(others), order - 1)
      shares <- apply(groups, 2, function(g) {
        left <- outside[, a]
        for (b in others[g]) left <- left & outside[, b]
        sum(left) / n
      })
      alpha[members[a]] <- 1 - mean(shares)
    }
  }
  alpha
}

ce <- stand_in("ce_simulated.csv")[1:300, ]
synthetic <- lapply(sprintf("ce_simulated_synthetic_%d.csv", 1:3), function(name) stand_in(name)[1:300, ])
pattern <- ce$Marital
record("IR confidential", "ce", probability(pattern, ce$Income, ce$Income, 0.2))
record("IR synthetic", "ce", rowMeans(sapply(synthetic, function(s) probability(pattern, ce$Income, s$Income, 0.2))))
record("IR synthetic", "ce-fixed-radius",
       rowMeans(sapply(synthetic, function(s) probability(pattern, ce$Income, s$Income, 5000, FALSE))))
record("weight 1", "ce", weight(pattern, ce$Income, 0.2, 1))
record("weight 2", "ce", weight(pattern, ce$Income, 0.2, 2))
record("weight 2 scaled and shifted", "ce", pmin(1, pmax(0, 1.5 * weight(pattern, ce$Income, 0.2, 2) - 0.4)))

values <- stand_in("nb_mixture_paper.csv")$outcome
record("weight 1", "nb-mixture", weight(rep(1, 300), values[1:300], 0.2, 1))
record("weight 2", "nb-mixture", weight(rep(1, 300), values[1:300], 0.2, 2))
record("weight 3", "nb-mixture", weight(rep(1, 60), values[1:60], 0.2, 3))
record("weight 4", "nb-mixture", weight(rep(1, 24), values[1:24], 0.2, 4))

write_answers("weights.csv")
write_session()
