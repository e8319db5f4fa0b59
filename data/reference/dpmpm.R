# A Dirichlet process mixture of products of multinomials, by blocked Gibbs sampling in base R.
#
#     Rscript data/reference/dpmpm.R [output folder]
#
# Writes dpmpm.csv: posterior means of the one-way and two-way probabilities of four variables of the first 1,500
# people of the ACS stand-in, one column a chain. Pr(x) = sum_k pi_k prod_j psi_kj[x_j]; pi by truncated stick-breaking
# with V_k ~ Beta(1, alpha), alpha ~ Gamma(0.25, rate 0.25), psi_kj ~ Dirichlet(1, ..., 1).
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))

variables <- c("SEX", "RACE", "MAR", "DIS")
people <- stand_in("acs_simulated.csv")[1:1500, variables]
sizes <- vapply(people, max, 0)
K <- 12; burn <- 1500; kept <- 3000; seeds <- 1:2

# Records with the same answers are one row with a count.
patterns <- aggregate(list(count = rep(1, nrow(people))), people, sum)
x <- as.matrix(patterns[variables])
count <- patterns$count
pairs <- combn(length(variables), 2)

draw_dirichlet <- function(shape) { g <- rgamma(length(shape), shape); g / sum(g) }

margins <- function(pi, psi) {
  one <- lapply(psi, function(p) c(p %*% pi))
  two <- lapply(seq_len(ncol(pairs)), function(q) c(psi[[pairs[2, q]]] %*% (pi * t(psi[[pairs[1, q]]]))))
  c(unlist(one), unlist(two))
}

run <- function(seed) {
  set.seed(seed)
  alpha <- 1
  pi <- rep(1 / K, K)
  psi <- lapply(sizes, function(d) replicate(K, draw_dirichlet(rep(1, d))))
  total <- 0
  for (step in seq_len(burn + kept)) {
    log_p <- matrix(log(pi), nrow(x), K, byrow = TRUE)
    for (j in seq_along(psi)) log_p <- log_p + log(psi[[j]][x[, j], ])
    p <- exp(log_p - apply(log_p, 1, max))
    z <- t(vapply(seq_len(nrow(x)), function(i) rmultinom(1, count[i], p[i, ])[, 1], numeric(K)))  # patterns x K
    n <- colSums(z)
    after <- rev(cumsum(rev(n))) - n
    v <- pmin(rbeta(K, 1 + n, alpha + after), 1 - 1e-12)
    v[K] <- 1
    pi <- pmax(v * c(1, cumprod(1 - v[-K])), 1e-300)
    alpha <- rgamma(1, 0.25 + K - 1, 0.25 - sum(log1p(-v[-K])))
    for (j in seq_along(psi)) {
      seen <- rowsum(z, factor(x[, j], seq_len(sizes[j])))
      full <- matrix(0, sizes[j], K)
      full[as.integer(rownames(seen)), ] <- seen
      psi[[j]] <- apply(full, 2, function(column) draw_dirichlet(1 + column))
    }
    if (step > burn) total <- total + margins(pi, psi)
  }
  total / kept
}

one_names <- do.call(rbind, lapply(seq_along(variables), function(j) {
  data.frame(one = variables[j], level = seq_len(sizes[j]), other = "", other_level = "")
}))
two_names <- do.call(rbind, lapply(seq_len(ncol(pairs)), function(q) {
  i <- pairs[1, q]; j <- pairs[2, q]
  cells <- expand.grid(other_level = seq_len(sizes[j]), level = seq_len(sizes[i]))
  data.frame(one = variables[i], level = cells$level, other = variables[j], other_level = cells$other_level)
}))
result <- rbind(one_names, two_names)
for (s in seeds) result[[paste0("chain_", s)]] <- digits15(run(s))
write_table(result, "dpmpm.csv")
write_session()
