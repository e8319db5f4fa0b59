# Values of R's gamlss.dist for the count distributions, on the grids of the gamlss_dist_*.csv files beside this script.
#
#     Rscript data/reference/make_gamlss_dist.R [output folder]
#
# Writes gamlss_dist_GAF.csv, gamlss_dist_qGAF.csv, gamlss_dist_NBI_PIG_PO.csv, gamlss_dist_quantiles.csv,
# gamlss_dist_DEL_SICHEL.csv, gamlss_dist_qDEL_qSICHEL.csv, gamlss_dist_continuous.csv, gamlss_dist_draws.csv (draws by
# inversion with the uniform numbers they come from), and gamlss_dist_edges.csv (what is particular to these functions).
# One mean at a time: dPIG recycles a vector of means wrongly.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressMessages(library(gamlss.dist))
show <- function(x) formatC(x, digits = 14, format = "e")
write_rows <- function(rows, name) write_table(do.call(rbind, rows), name)

counts <- c(0:12, 15, 20, 50, 100)
means <- c(0.01, 0.5, 1, 2, 5, 10, 20, 50, 100)

rows <- list()
for (nu in c(0, -0.25, -0.5, 1, 2)) for (sigma in c(0.5, 1, 2)) for (mu in means) for (y in counts) {
  lower <- if (y == 0) 0 else pGAF(y - 0.5, mu, sigma, nu)
  rows[[length(rows) + 1]] <- data.frame(
    y = y, mu = mu, sigma = sigma, nu = nu, dGAF = show(dGAF(y, mu, sigma, nu)),
    pGAF = show(if (y == 0) 0 else pGAF(y, mu, sigma, nu)), pmf_discretised = show(pGAF(y + 0.5, mu, sigma, nu) - lower))
}
write_rows(rows, "gamlss_dist_GAF.csv")

rows <- list()
for (nu in c(0, -0.25, -0.5, 2)) for (sigma in c(0.5, 1, 2)) for (mu in c(0.01, 1, 5, 10, 100)) {
  for (p in c(1e-6, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999999)) {
    rows[[length(rows) + 1]] <- data.frame(
      p = formatC(p, digits = 6, format = "f"), mu = mu, sigma = sigma, nu = nu, qGAF = show(qGAF(p, mu, sigma, nu)))
  }
}
write_rows(rows, "gamlss_dist_qGAF.csv")

rows <- list()
for (sigma in c(0.1, 0.5, 1, 2, 10)) for (mu in means) for (y in counts) {
  rows[[length(rows) + 1]] <- data.frame(
    y = y, mu = mu, sigma = sigma, dNBI = show(dNBI(y, mu, sigma)), pNBI = show(pNBI(y, mu, sigma)),
    dPIG = show(dPIG(y, mu, sigma)), pPIG = show(pPIG(y, mu, sigma)), dPO = show(dPO(y, mu)), pPO = show(pPO(y, mu)))
}
write_rows(rows, "gamlss_dist_NBI_PIG_PO.csv")

rows <- list()
for (sigma in c(0.1, 0.5, 1, 2)) for (mu in means) for (p in c(0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)) {
  rows[[length(rows) + 1]] <- data.frame(
    p = p, mu = mu, sigma = sigma, qNBI = qNBI(p, mu, sigma), qPIG = qPIG(p, mu, sigma), qPO = qPO(p, mu))
}
write_rows(rows, "gamlss_dist_quantiles.csv")

shapes <- list(DEL = c(0.1, 0.5, 0.9), SICHEL = c(-2, -0.5, 0, 1.5))
rows <- list()
for (family in names(shapes)) for (nu in shapes[[family]]) for (sigma in c(0.1, 1, 10)) for (mu in c(0.01, 1, 10, 100)) {
  d <- get(paste0("d", family))
  p <- get(paste0("p", family))
  for (y in c(0:6, 10, 20, 50, 100)) {
    rows[[length(rows) + 1]] <- data.frame(
      family = family, y = y, mu = mu, sigma = sigma, nu = nu, d = show(d(y, mu, sigma, nu)), p = show(p(y, mu, sigma, nu)))
  }
}
write_rows(rows, "gamlss_dist_DEL_SICHEL.csv")

# The uniform numbers of rDEL and rSICHEL after set.seed(1), and the draws; then quantiles.
rows <- list()
for (family in names(shapes)) for (nu in shapes[[family]]) for (sigma in c(0.5, 2)) for (mu in c(0.5, 5, 20)) {
  set.seed(1)
  u <- runif(6)
  set.seed(1)
  r <- get(paste0("r", family))(6, mu, sigma, nu)
  p <- c(0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
  rows[[length(rows) + 1]] <- data.frame(
    family = family, mu = mu, sigma = sigma, nu = nu, u = formatC(u, digits = 17, format = "g"), r = r, p = p,
    q = get(paste0("q", family))(p, mu, sigma, nu))
}
write_rows(rows, "gamlss_dist_qDEL_qSICHEL.csv")

# Continuous distributions with mean m and standard deviation s, at the ends of the cells of counts.
rows <- list()
for (m in c(0.5, 2, 10, 100, 5000)) for (s in m * c(0.01, 0.1, 0.5, 1, 3)) for (y in unique(round(m * c(0, 0.2, 0.8, 1, 1.2, 3)))) {
  spread <- log1p((s / m)^2)
  cv <- function(k) log(gamma(1 + 2 / k)) - 2 * log(gamma(1 + 1 / k)) - spread
  k <- uniroot(cv, c(0.2, 170), tol = 1e-14)$root
  w <- y + 0.5
  rows[[length(rows) + 1]] <- data.frame(
    y = y, mean = m, sd = show(s), pLOGNO = show(pLOGNO(w, log(m) - spread / 2, sqrt(spread))),
    pIG = show(pIG(w, m, s / m^1.5)), pWEI = show(pWEI(w, m / gamma(1 + 1 / k), k)))
}
write_rows(rows, "gamlss_dist_continuous.csv")

set.seed(20240807)
rows <- list()
for (mu in c(0.01, 1, 5, 20, 100, 2500)) for (sigma in c(0.5, 2)) {
  u <- runif(40)
  rows[[length(rows) + 1]] <- data.frame(
    u = formatC(u, digits = 17, format = "g"), mu = mu, sigma = sigma,
    rGAF_nu_0 = show(qGAF(u, mu, sigma, 0)), rGAF_nu_minus_half = show(qGAF(u, mu, sigma, -0.5)),
    rNBI = qNBI(u, mu, sigma), rPIG = if (mu <= 100) qPIG(u, mu, sigma) else NA)
}
# rGAF, rNBI and rPIG are these quantile functions of runif: shown here once.
set.seed(1); drawn <- rGAF(5, 10, 2, -0.5); set.seed(1); stopifnot(identical(drawn, qGAF(runif(5), 10, 2, -0.5)))
set.seed(1); drawn <- rNBI(5, 10, 2); set.seed(1); stopifnot(all(drawn == qNBI(runif(5), 10, 2)))
set.seed(1); drawn <- rPIG(5, 10, 2); set.seed(1); stopifnot(all(drawn == qPIG(runif(5), 10, 2)))
write_rows(rows, "gamlss_dist_draws.csv")

# One count, three means: with a vector of means dPIG gives something else than one mean at a time.
three <- c(1, 5, 10)
record("dPIG one mean at a time", "count 2; means 1 and 5 and 10", vapply(three, function(mu) dPIG(2, mu, 1), 0))
record("dPIG with a vector of means", "count 2; means 1 and 5 and 10", dPIG(2, mu = three, sigma = 1))
# qPIG looks no further than 10,000; the quantile by halving the interval in pPIG itself.
halve <- function(p, mu, sigma) {
  low <- 0
  high <- 1e6
  while (high - low > 1) {
    middle <- floor((low + high) / 2)
    if (pPIG(middle, mu, sigma) >= p) high <- middle else low <- middle
  }
  high
}
record("qPIG", "p 0.99999; mean 300; sigma 10", qPIG(0.99999, 300, 10))
record("quantile by pPIG", "p 0.99999; mean 300; sigma 10", halve(0.99999, 300, 10))
# Draws above 2^31 - 1 are NA; the quantiles are not.
set.seed(1)
record("rNBI", "mean 1e10; sigma 0.1", suppressWarnings(rNBI(3, 1e10, 0.1)))
record("qNBI", "mean 1e10; sigma 0.1", qNBI(c(0.1, 0.5, 0.9), 1e10, 0.1))
# The uniform numbers and the draws after set.seed(1).
set.seed(1)
record("runif", "set.seed(1)", runif(5))
set.seed(1)
record("rNBI after set.seed", "mean 10; sigma 2", rNBI(5, 10, 2))
# A mean of 0 is an error: 1 where the call fails.
record("dNBI fails", "mean 0", as.numeric(inherits(try(dNBI(0, 0, 1), silent = TRUE), "try-error")))
# rPO draws by rpois, which is not the quantile function of runif: shares of 100,000 draws that are at most each count.
set.seed(1)
for (mu in c(0.5, 4, 50)) {
  drawn <- rPO(1e5, mu)
  at <- unique(qPO(c(0.1, 0.25, 0.5, 0.75, 0.9), mu))
  record("rPO at most", paste("mean", mu), at)
  record("rPO share", paste("mean", mu), vapply(at, function(y) mean(drawn <= y), 0))
}
# dDEL is the Poisson up to sigma 0.0001; dSICHEL is the NBI above sigma 10,000 if nu > 0, and fails if besselK underflows.
record("dDEL of a small sigma", "count 30; mean 10; sigma 0.0001; nu 0.5", dDEL(30, 10, 1e-4, 0.5))
record("dPO", "count 30; mean 10; sigma 0.0001; nu 0.5", dPO(30, 10))
record("dSICHEL of a large sigma", "count 30; mean 10; sigma 20000; nu 0.1", dSICHEL(30, 10, 2e4, 0.1))
record("dNBI", "count 30; mean 10; sigma 20000; nu 0.1", dNBI(30, 10, 10))
record("dSICHEL fails", "sigma 0.001", as.numeric(inherits(try(dSICHEL(30, 10, 1e-3, 1), silent = TRUE), "try-error")))
write_answers("gamlss_dist_edges.csv")
write_session()
