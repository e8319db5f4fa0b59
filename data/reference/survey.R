# Design-based estimates of R's survey package: means, totals, quantiles and regressions, with weights, strata, clusters and
# finite population corrections, on a survey made by a rule.
#
#     Rscript data/reference/survey.R [output folder]
#
# Writes survey_file.csv, the survey, and survey.csv, the answers. No random numbers: the survey is made of sines and remainders.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressPackageStartupMessages(library(survey))

# ---- the survey: 4 strata, 6 clusters in each, 10 records in each; rounded, so that a file holds what R had ------------------
i <- 0:239
wave <- function(a, b) sin(a * i + b)
d <- data.frame(stratum = paste0("s", i %/% 60), cluster = paste0("c", i %/% 10), clusters = 12 + 6 * (i %/% 60))
d$people <- 300 + 200 * (i %/% 60)
d$weight <- round(8 + 6 * wave(1.7, 0) + 3 * (i %/% 60) + 2 * sin(i %/% 10), 3)
d$x <- round(40 + 15 * wave(2.3, 1) + 4 * sin(2 * (i %/% 10)), 2)
d$y <- round(20 + 0.9 * d$x + 8 * wave(3.1, 2) + 6 * cos(i %/% 10) + 0.8 * d$weight, 2)
d$works <- as.integer(wave(4.7, 0.5) + 0.02 * (d$x - 40) > 0)
d$visits <- floor(abs(3 * wave(5.9, 0.3)) + 0.04 * d$x)
# One stratum with a single cluster, for the rules about lonely ones.
d$lonely <- ifelse(d$cluster == "c0", "alone", d$stratum)
d$alone <- ifelse(d$lonely == "alone", 12, d$clusters)
# An answer that many do not give, none in one cluster, and of one stratum one cluster alone; and a yes or no.
d$told <- ifelse(wave(2.9, 1) > 0.5 | d$cluster == "c7" | (d$stratum == "s3" & d$cluster != "c20"), NA, d$y)
d$agrees <- ifelse(wave(3.7, 2) > 0.8, NA, as.integer(wave(1.3, 0.2) + 0.01 * (d$y - 60) > 0))
write.csv(d, file.path(out_dir, "survey_file.csv"), row.names = FALSE, quote = FALSE)
d <- read.csv(file.path(out_dir, "survey_file.csv"))

designs <- list(
  weights = svydesign(ids = ~1, weights = ~weight, data = d),
  strata = svydesign(ids = ~1, strata = ~stratum, weights = ~weight, data = d),
  "strata fpc" = svydesign(ids = ~1, strata = ~stratum, weights = ~weight, fpc = ~people, data = d),
  clusters = svydesign(ids = ~cluster, weights = ~weight, data = d),
  "strata clusters" = svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = d),
  "strata clusters fpc" = svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, fpc = ~clusters, data = d)
)
exact <- glm.control(epsilon = 1e-15, maxit = 200)
models <- list(gaussian = y ~ x + works, binomial = works ~ x, poisson = visits ~ x + works)
families <- list(gaussian = gaussian(), binomial = quasibinomial(), poisson = quasipoisson())

answer <- function(name, s, asked = ~y + works) {
  mean_of <- svymean(asked, s)
  record("mean", name, coef(mean_of))
  record("mean std_error", name, SE(mean_of))
  record("mean interval", name, c(t(confint(mean_of, df = degf(s)))))
  total <- svytotal(asked, s)
  record("total", name, coef(total))
  record("total std_error", name, SE(total))
}
for (name in names(designs)) {
  s <- designs[[name]]
  answer(name, s)
  q <- svyquantile(~y, s, c(0.1, 0.5, 0.75))$y
  record("quantile", name, q[, "quantile"])
  record("quantile interval", name, c(t(q[, 2:3])))
  record("quantile std_error", name, q[, "se"])
  for (family in names(models)) {
    fit <- svyglm(models[[family]], s, family = families[[family]], control = exact)
    fit <- svyglm(models[[family]], s, family = families[[family]], control = exact, start = coef(fit))
    record(paste(family, "estimate"), name, coef(fit))
    record(paste(family, "std_error"), name, SE(fit))
    record(paste(family, "interval"), name, c(t(confint(fit))))
  }
}
# ---- missing values: the records that have them all are a domain ------------------------------------------------------------
for (name in names(designs)) {
  case <- paste("told:", name)
  answer(case, subset(designs[[name]], !is.na(told) & !is.na(agrees)), ~told + agrees)
  s <- subset(designs[[name]], !is.na(told))
  q <- svyquantile(~told, s, c(0.1, 0.5, 0.75))$told
  record("quantile", case, q[, "quantile"])
  record("quantile interval", case, c(t(q[, 2:3])))
  record("quantile std_error", case, q[, "se"])
  fit <- svyglm(told ~ x + works, s)
  record("gaussian estimate", case, coef(fit))
  record("gaussian std_error", case, SE(fit))
  record("gaussian interval", case, c(t(confint(fit))))
}
for (rule in c("certainty", "adjust")) {
  options(survey.lonely.psu = rule)
  answer(rule, svydesign(ids = ~cluster, strata = ~lonely, weights = ~weight, fpc = ~alone, data = d))
}

write_answers("survey.csv")
write_session()
