# Reference answers for synthlab/utility, computed with base R alone.
#
#   Rscript data/reference/utility.R [output folder]
#
# writes
#   utility_confidential.csv, utility_partial.csv, utility_full.csv   simulated inputs (seed 20260)
#   utility.csv                                                       answers, 15 significant digits
# The inputs are simulated: nobody is described by them.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
path <- function(name) file.path(out_dir, name)

# ---- inputs ---------------------------------------------------------------------------------
RNGversion("4.2.0")
set.seed(20260)
regions <- c("north", "south", "west")
population <- function(n) {
  age <- sample(18:80, n, replace = TRUE)
  region <- sample(regions, n, replace = TRUE, prob = c(0.5, 0.3, 0.2))
  complete(data.frame(age, region))
}
complete <- function(d, slope = 40) {
  n <- nrow(d)
  d$income <- round(500 + slope * d$age + 300 * (d$region == "west") + rnorm(n, 0, 600), 2)
  d$married <- rbinom(n, 1, plogis(-2 + 0.04 * d$age))
  d$children <- rpois(n, exp(-0.5 + 0.01 * d$age))
  d
}
confidential <- population(300)
partial <- do.call(rbind, lapply(1:4, function(l) cbind(dataset = l, complete(confidential[c("age", "region")], 38))))
full <- do.call(rbind, lapply(1:3, function(l) cbind(dataset = l, population(250))))
write.csv(confidential, path("utility_confidential.csv"), row.names = FALSE, quote = FALSE)
write.csv(partial, path("utility_partial.csv"), row.names = FALSE, quote = FALSE)
write.csv(full, path("utility_full.csv"), row.names = FALSE, quote = FALSE)

# From here on only what was written is used.
inputs <- path(c("utility_confidential.csv", "utility_partial.csv", "utility_full.csv"))
confidential <- read.csv(inputs[1])
without <- function(d) lapply(split(d, d$dataset), function(x) { x$dataset <- NULL; rownames(x) <- NULL; x })
releases <- list(partial = without(read.csv(inputs[2])), full = without(read.csv(inputs[3])))
# The partial synthesis with an income that grows faster with age: intervals that do not meet.
moved <- lapply(releases$partial, function(d) { d$income <- d$income + 60 * d$age; d })

answers <- data.frame()
record <- function(what, release, dataset, name, value) {
  row <- data.frame(what, release, dataset, name, value = digits15(value))
  answers <<- rbind(answers, row)
}

# ---- ECDF -----------------------------------------------------------------------------------
for (r in names(releases)) for (l in seq_along(releases[[r]])) for (v in c("age", "income", "married")) {
  x <- confidential[[v]]
  z <- releases[[r]][[l]][[v]]
  gap <- ecdf(x)(c(x, z)) - ecdf(z)(c(x, z))
  record("ecdf_max", r, l, v, max(abs(gap)))
  record("ecdf_mean_square", r, l, v, mean(gap^2))
}

# ---- pMSE -----------------------------------------------------------------------------------
exact <- glm.control(epsilon = 1e-15, maxit = 200)
pmse <- function(first, second, formula) {
  d <- rbind(first, second)
  d$label <- rep(0:1, c(nrow(first), nrow(second)))
  fit <- suppressWarnings(glm(formula, family = binomial, data = d, control = exact))
  c <- nrow(second) / nrow(d)
  list(pmse = mean((fitted(fit) - c)^2), k = fit$rank, c = c, n = nrow(d))
}
for (r in names(releases)) for (l in seq_along(releases[[r]])) for (order in 1:2) {
  p <- pmse(confidential, releases[[r]][[l]], if (order == 1) label ~ . else label ~ .^2)
  scale <- (1 - p$c)^2 * p$c / p$n
  name <- paste("order", order)
  record("pmse", r, l, name, p$pmse)
  record("pmse_parameters", r, l, name, p$k)
  record("pmse_null_mean", r, l, name, (p$k - 1) * scale)
  record("pmse_null_sd", r, l, name, sqrt(2 * (p$k - 1)) * scale)
}
# a category of its own in the synthetic data: separation
odd <- releases$full[[1]]
odd$region[1:5] <- "elsewhere"
record("pmse_separated", "full", 1, "order 1", pmse(confidential, odd, label ~ .)$pmse)
# the null from pairs of synthetic datasets, on the scale of the confidential comparison
c_syn <- 250 / 550
pairs <- combn(3, 2)
for (j in seq_len(ncol(pairs))) {
  p <- pmse(releases$full[[pairs[1, j]]], releases$full[[pairs[2, j]]], label ~ .)
  record("pmse_pairs", "full", j, paste(pairs[, j], collapse = "-"), p$pmse * 8 * (c_syn * (1 - c_syn))^2)
}

# ---- one analysis: three models, combining rules, overlap ------------------------------------
# vcov() of a glm uses the weights of the last step but one: once more from the end makes them final.
settled <- function(formula, family, d) {
  first <- glm(formula, family, d, control = exact)
  glm(formula, family, d, control = exact, start = coef(first))
}
models <- list(
  gaussian = function(d) lm(income ~ age + region, d),
  binomial = function(d) settled(married ~ age + log(income + 3000), binomial, d),
  poisson = function(d) settled(children ~ age * region, poisson, d)
)
ends <- function(fit) if (inherits(fit, "glm")) confint.default(fit) else confint(fit)
overlap <- function(a, b) {
  common <- pmin(a[, 2], b[, 2]) - pmax(a[, 1], b[, 1])
  (common / (a[, 2] - a[, 1]) + common / (b[, 2] - b[, 1])) / 2
}
analysed <- c(releases, list(moved = moved))
for (r in names(analysed)) for (f in names(models)) if (r != "moved" || f == "gaussian") {
  ours <- models[[f]](confidential)
  theirs <- lapply(analysed[[r]], models[[f]])
  put <- function(what, dataset, values) {
    for (name in names(values)) record(paste(f, what), r, dataset, name, values[[name]])
  }
  put("estimate", 0, coef(ours))
  put("std_error", 0, sqrt(diag(vcov(ours))))
  put("lower", 0, ends(ours)[, 1])
  put("upper", 0, ends(ours)[, 2])
  for (l in seq_along(theirs)) {
    put("estimate", l, coef(theirs[[l]]))
    put("std_error", l, sqrt(diag(vcov(theirs[[l]]))))
    put("dataset_overlap", l, overlap(ends(ours), ends(theirs[[l]])))
  }
  m <- length(theirs)
  q <- sapply(theirs, coef)
  v <- sapply(theirs, function(fit) diag(vcov(fit)))
  q_bar <- rowMeans(q)
  b <- apply(q, 1, var)
  v_bar <- rowMeans(v)
  for (rule in c("partial", "full")) {
    if (rule == "partial") {
      total <- b / m + v_bar
      df <- (m - 1) * (1 + v_bar / (b / m))^2
    } else {
      total <- (1 + 1 / m) * b - v_bar
      df <- ifelse(total < 0, Inf, (m - 1) * (1 - v_bar / ((1 + 1 / m) * b))^2)
      total <- ifelse(total < 0, nrow(analysed[[r]][[1]]) / nrow(confidential) * v_bar, total)
    }
    half <- qt(0.975, df) * sqrt(total)
    put(paste(rule, "q_bar"), 0, q_bar)
    put(paste(rule, "between"), 0, b)
    put(paste(rule, "within"), 0, v_bar)
    put(paste(rule, "total_variance"), 0, total)
    put(paste(rule, "df"), 0, df)
    put(paste(rule, "lower"), 0, q_bar - half)
    put(paste(rule, "upper"), 0, q_bar + half)
    shared <- overlap(ends(ours), cbind(q_bar - half, q_bar + half))
    put(paste(rule, "overlap"), 0, shared)
    if (r == "moved") put(paste(rule, "overlap clipped"), 0, pmax(shared, 0))
  }
}

# ---- barycenter -----------------------------------------------------------------------------
p <- seq(0, 1, length.out = 11)
# Between these probabilities no quantile function has a step.
steps <- function(samples) sort(unique(unlist(lapply(samples, function(x) (0:length(x)) / length(x)))))
for (r in names(releases)) {
  q <- sapply(releases[[r]], function(d) quantile(d$income, p, type = 7))
  middle <- rowMeans(q)
  for (j in seq_along(p)) record("barycenter", r, 0, format(p[j]), middle[j])
  samples <- lapply(c(list(confidential), releases[[r]]), function(d) d$income)
  ends <- steps(samples)
  at <- (head(ends, -1) + tail(ends, -1)) / 2
  exact <- sapply(samples, quantile, probs = at, type = 1)
  gap <- rowMeans(exact[, -1, drop = FALSE]) - exact[, 1]
  record("barycenter_distance", r, 0, "income", sqrt(sum(diff(ends) * gap^2)))
  for (j in seq_along(releases[[r]])) {
    gap <- exact[, j + 1] - exact[, 1]
    record("barycenter_distance", r, j, "income", sqrt(sum(diff(ends) * gap^2)))
  }
}

# ---- tables ---------------------------------------------------------------------------------
grouped <- function(d) {
  edges <- unique(quantile(confidential$income, (1:9) / 10, type = 7))
  d$income <- cut(d$income, c(-Inf, edges, Inf))
  d$region <- factor(d$region, levels = regions)
  d$married <- factor(d$married, levels = 0:1)
  d
}
margins <- list("region", "married", "income", c("region", "married"), c("region", "income"))
for (r in names(releases)) for (margin in margins) {
  name <- paste(margin, collapse = " x ")
  ours <- prop.table(table(grouped(confidential)[margin]))
  for (l in seq_along(releases[[r]])) {
    gap <- abs(prop.table(table(grouped(releases[[r]][[l]])[margin])) - ours)
    record("total_variation", r, l, name, sum(gap) / 2)
    record("max_difference", r, l, name, max(gap))
  }
  n <- nrow(releases[[r]][[1]])
  expected <- sapply(as.vector(ours), function(share) sum(abs(0:n / n - share) * dbinom(0:n, n, share)))
  record("expected_total_variation", r, 0, name, sum(expected) / 2)
}

# ---- clusters -------------------------------------------------------------------------------
standard <- function(x) (x - mean(x)) / sqrt(mean((x - mean(x))^2))
for (r in names(releases)) for (l in seq_along(releases[[r]])) {
  d <- rbind(confidential, releases[[r]][[l]])
  groups <- kmeans(cbind(standard(d$age), standard(d$income)), 2, nstart = 500, iter.max = 200)$cluster
  from <- rep(1:0, c(nrow(confidential), nrow(releases[[r]][[l]])))
  record("cluster_utility", r, l, "equal", mean((tapply(from, groups, mean) - mean(from))^2))
}

# ---- write ----------------------------------------------------------------------------------
write.csv(answers, path("utility.csv"), row.names = FALSE)
write_session()
