# Values of R's gamlss.dist for the count distributions, on the grids of the gamlss_dist_*.csv files beside this script.
#
#     Rscript data/reference/make_gamlss_dist.R [folder]
#
# Writes gamlss_dist_GAF.csv, gamlss_dist_qGAF.csv, gamlss_dist_NBI_PIG_PO.csv and gamlss_dist_draws.csv (draws by
# inversion with the uniform numbers they come from) into the folder, and the session to gamlss_dist_session.txt.
# One mean at a time: dPIG recycles a vector of means wrongly.

suppressMessages(library(gamlss.dist))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments)) arguments[1] else "."
show <- function(x) formatC(x, digits = 14, format = "e")

write_rows <- function(rows, name) {
  write.csv(do.call(rbind, rows), file.path(folder, name), row.names = FALSE, quote = FALSE)
}

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
    dPIG = show(dPIG(y, mu, sigma)), dPO = show(dPO(y, mu)))
}
write_rows(rows, "gamlss_dist_NBI_PIG_PO.csv")

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

writeLines(c(R.version.string, paste("gamlss.dist", packageVersion("gamlss.dist")), format(Sys.Date())),
           file.path(folder, "gamlss_dist_session.txt"))
