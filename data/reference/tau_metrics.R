# The tau metrics under twelve settings from the published numbers of cells of size 0 to 10, by gamlss.dist.
#
#     Rscript data/reference/tau_metrics.R [output folder]
#
# Writes tau_metrics_esc_cells_0_to_10.csv. Jackson, Mitra, Francis and Dove, table 2; the sizes above 10 are not
# published, so tau1 and tau4 leave out what arrives from them. Zeros are synthesized with the mean 0.01.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressMessages(library(gamlss.dist))

cells <- c(3134980, 119917, 51412, 25952, 19450, 13076, 10345, 7947, 7077, 5809, 5163)
above <- 67512
share <- cells / (sum(cells) + above)
means <- c(0.01, 1:10)

pmf <- function(family, k, mu, sigma, nu) {
  if (family == "NBI") dNBI(k, mu, sigma) else pGAF(k + 0.5, mu, sigma, nu) - pGAF(k - 0.5, mu, sigma, nu)
}
gaf <- expand.grid(nu = c(0, -0.25, -0.5), sigma = c(0.5, 1, 2))
settings <- rbind(data.frame(family = "GAF", sigma = gaf$sigma, nu = gaf$nu),
                  data.frame(family = "NBI", sigma = c(0.5, 1, 2), nu = NA))
rows <- list()
for (s in seq_len(nrow(settings))) for (k in 1:10) {
  setting <- settings[s, ]
  arrivals <- vapply(means, function(mu) pmf(setting$family, k, mu, setting$sigma, setting$nu), 0)
  tau1 <- sum(share * arrivals)
  tau2 <- share[k + 1]
  tau3 <- arrivals[k + 1]
  rows[[length(rows) + 1]] <- data.frame(setting, k, tau1_from_cells_0_to_10 = digits15(tau1), tau2 = digits15(tau2),
                                         tau3 = digits15(tau3), tau4_from_cells_0_to_10 = digits15(tau2 * tau3 / tau1))
}
write_table(do.call(rbind, rows), "tau_metrics_esc_cells_0_to_10.csv")
write_session()
