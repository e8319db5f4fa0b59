# nnet::multinom stopped before it is done, on 200 records made by a rule, the last ten of a category of their own that a
# predictor separates: the likelihood has no maximum, and the coefficients are those where the optimiser was stopped.
#
#     Rscript data/reference/multinom.R [output folder]
#
# Writes multinom.csv; case: the iterations allowed. Coefficients by category, then predictor; vcov by column.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressPackageStartupMessages(library(nnet))

i <- 0:199
x <- cbind(1, i %% 7 - 3, (i * i) %% 11 - 5, i >= 190)
y <- diag(4)[ifelse(i >= 190, 4, i %% 3 + 1), ]
for (iterations in c(5, 20, 100)) {
  fit <- multinom(y ~ 0 + x, maxit = iterations, trace = FALSE)
  record("value", iterations, fit$value)
  record("stopped", iterations, fit$convergence)
  record("coefficient", iterations, c(matrix(fit$wts, ncol(x) + 1)[-1, -1]))
  record("vcov", iterations, c(vcov(fit)))
}

write_answers("multinom.csv")
write_session()
