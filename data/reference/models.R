# Fits of models by R: log-linear models (glm, MASS::loglm), multinomial (nnet::multinom), ordered logistic (MASS::polr)
# and negative binomial (MASS::glm.nb) regression, on the stand-ins and on the simulation study's values.
#
#     Rscript data/reference/models.R [output folder]
#
# Writes models.csv. Fitted means of a table are in the order of its cells, the last variable running fastest; a coefficient
# of the log-linear model stands under its name, as case.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressPackageStartupMessages({library(MASS); library(nnet)})

# ---- log-linear -----------------------------------------------------------------------------
acs <- stand_in("acs_simulated.csv")
variables <- c("SEX", "RACE", "MAR")
acs <- as_factors(list(acs), c(variables, "DIS", "HICOV"))[[1]]
table_of <- function(names) as.data.frame(table(acs[rev(names)]), responseName = "count")
cells <- table_of(variables)
exact <- glm.control(epsilon = 1e-15, maxit = 200)
two_way <- glm(count ~ (SEX + RACE + MAR)^2, family = poisson, data = cells, control = exact)
two_way <- glm(count ~ (SEX + RACE + MAR)^2, family = poisson, data = cells, control = exact, start = coef(two_way))
record("means", "log-linear", fitted(two_way))
record("deviance", "log-linear", deviance(two_way))
record("log-linear estimate", names(coef(two_way)), coef(two_way))
record("log-linear std_error", rownames(vcov(two_way)), sqrt(diag(vcov(two_way))))
ipf <- loglm(count ~ (SEX + RACE + MAR)^2, data = cells, eps = 1e-12, iter = 1000, fit = TRUE)
record("means by loglm", "log-linear", c(aperm(fitted(ipf), 3:1)))
record("deviance by loglm", "log-linear", ipf$deviance)

# ---- multinomial: marital status given sex, disability and insurance --------------------------
people <- acs[1:3000, ]
fit <- multinom(MAR ~ SEX + DIS + HICOV, data = people, trace = FALSE, maxit = 2000, reltol = 1e-15, abstol = 1e-15)
kinds <- expand.grid(HICOV = factor(1:2), DIS = factor(1:2), SEX = factor(1:2))
record("probability", "multinomial", c(t(predict(fit, kinds, type = "probs"))))

# The mode of the posterior under normal priors, standard deviation 5 for the intercepts and `scale` for the slopes of
# standardised predictors, of every level: a penalty of w^2 / (2 sd^2), nnet's weight decay. nnet stops some 1e-8 short of
# it: Newton steps make it final.
posterior_mode <- function(scale) {
  numbers <- function(d) sapply(d[c("SEX", "DIS", "HICOV")], as.integer)
  centre <- colMeans(numbers(people))
  spread <- sqrt(colMeans(sweep(numbers(people), 2, centre)^2))
  x <- scale(numbers(kinds), centre, spread)
  groups <- interaction(people[c("HICOV", "DIS", "SEX")])  # levels in the order of the rows of kinds
  y <- unclass(table(groups, people$MAR))
  n <- rowSums(y)
  penalty <- 1 / c(5, rep(scale, 3))^2
  fit <- nnet(x, y / n, weights = n, size = 0, skip = TRUE, softmax = TRUE, decay = rep(penalty / 2, ncol(y)), rang = 0,
              maxit = 5000, reltol = 1e-15, abstol = 1e-15, trace = FALSE)
  x <- cbind(1, x)
  w <- matrix(fit$wts, ncol(x))
  for (step in 1:5) {
    p <- exp(x %*% w) / rowSums(exp(x %*% w))
    hessian <- diag(rep(penalty, ncol(y)))
    for (i in seq_along(n)) hessian <- hessian + n[i] * (diag(p[i, ]) - p[i, ] %o% p[i, ]) %x% (x[i, ] %o% x[i, ])
    w <- w - matrix(solve(hessian, c(t(x) %*% (n * p - y) + penalty * w)), ncol(x))
  }
  exp(x %*% w) / rowSums(exp(x %*% w))
}
for (scale in c(50, 1)) record(paste("probability at the mode: prior scale", scale), "multinomial", c(t(posterior_mode(scale))))

# ---- ordered logistic: school grade given age and gender; three rare grades at the ends are merged ------------
youths <- stand_in("youths_simulated.csv")
grade <- factor(pmin(pmax(youths$educ, 6), 13), ordered = TRUE)
youths <- data.frame(grade, age = youths$age, male = as.numeric(youths$gender == 1))
ordered <- polr(grade ~ age + male, data = youths, Hess = TRUE, control = list(reltol = 1e-15, maxit = 2000))
record("slope", "ordered logistic", ordered$coefficients)
record("cutpoint", "ordered logistic", ordered$zeta)
record("std_error", "ordered logistic", sqrt(diag(vcov(ordered))))
record("log-likelihood", "ordered logistic", c(logLik(ordered)))
record("probability", "ordered logistic", c(t(predict(ordered, data.frame(age = c(13, 16, 19), male = c(0, 1, 1)), type = "probs"))))

# ---- negative binomial ------------------------------------------------------------------------
values <- data.frame(y = stand_in("nb_mixture_paper.csv")$outcome)
nb <- glm.nb(y ~ 1, data = values, control = glm.control(epsilon = 1e-13, maxit = 500))
record("mean", "negative binomial", exp(coef(nb)[[1]]))
record("mean std_error", "negative binomial", exp(coef(nb)[[1]]) * sqrt(vcov(nb)[1, 1]))
record("theta", "negative binomial", nb$theta)
record("theta std_error", "negative binomial", nb$SE.theta)
record("log-likelihood", "negative binomial", c(logLik(nb)))

write_answers("models.csv")
write_session()
