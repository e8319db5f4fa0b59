# Numbers on the slides of lectures 4 to 12 of Hu's course Statistical Data Privacy that base R computes on the samples of
# the slides.
#
#     Rscript data/reference/hu_course.R [output folder] [folder of the real samples]
#
# Writes hu_course.csv; `what` is the key of the number in
# course/replications/hu_course/paper_numbers.csv, which the caller copies to the output folder.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
ce <- read.csv(sample_file("ce_slides.csv"))
acs_synthetic <- read.csv(sample_file("acs_slides_synthetic.csv"))
acs <- read.csv(sample_file("acs_confidential.csv"))
acs$HISP <- acs_synthetic$HISP  # released unchanged
acs_synthetic <- acs_synthetic[names(acs)]
numbers <- read.csv(file.path(out_dir, "paper_numbers.csv"), colClasses = "character")
printed <- function(key) as.numeric(numbers$printed[match(key, numbers$key)])
put <- function(key, value) record(key, sub(" ", "-", numbers$where[match(key, numbers$key)]), value)

x <- log(ce$Income)
y <- log(ce$Expenditure)
n <- nrow(ce)

# ---- lectures 4, 5 and 12: counts and percentages -------------------------------------------
put("ce_records", n)
put("acs_records", nrow(acs))
put("races", length(unique(ce$Race)))
put("rural", sum(ce$UrbanRural == 2))
for (v in names(acs)) put(paste0("levels_", v), length(unique(acs[[v]])))
for (v in c("DIS", "HICOV")) for (l in 1:2) put(paste("dpmpm", v, 0, l, sep = "_"), 100 * mean(acs[[v]] == l))

# ---- lectures 4 and 5: priors, and the log posterior of the printed draws -------------------
put("prior_location", round(median(y), 1))
put("prior_scale", max(2.5, round(mad(y), 1)))
put("prior_sigma_scale", max(2.5, round(mad(y), 1)))
log_t <- function(value, location) dt((value - location) / 2.5, 3, log = TRUE) - log(2.5)
log_lik <- list(
  normal = function(p) {
    sum(dnorm(y, p[1] + p[2] * x, p[3], log = TRUE)) + log_t(p[1] + p[2] * mean(x), 8.9) + log_t(p[3], 0) + log(2) + log(p[3])
  },
  logistic = function(p) {
    sum(dbinom(ce$UrbanRural - 1, 1, plogis(p[1] + p[2] * y), log = TRUE)) + log_t(p[1] + p[2] * mean(y), 0)
  },
  multinomial = function(p) {
    eta <- cbind(0, sapply(1:5, function(k) p[k] + p[5 + k] * x))
    sum(eta[cbind(seq_len(n), ce$Race)] - log(rowSums(exp(eta)))) + sum(log_t(p[1:5] + p[6:10] * mean(x), 1))
  },
  poisson = function(p) {
    sum(dpois(ce$KidsCount, exp(p[1] + p[2] * x + p[3] * y), log = TRUE)) + log_t(p[1] + p[2] * mean(x) + p[3] * mean(y), -2.3)
  }
)
for (model in names(log_lik)) for (i in 1:3) {
  own <- grep(paste0("^", model, "_", i, "_"), numbers$key, value = TRUE)
  put(paste(model, i, "lp", sep = "_"), log_lik[[model]](printed(setdiff(own, paste(model, i, "lp", sep = "_")))))
}

# ---- lecture 6: the release that the first three synthetic values and the seed determine ----
set.seed(683)
z <- rnorm(n)
parameters <- solve(cbind(1, x[1:3], z[1:3]), log(printed(paste0("synthetic_", 1:3))))
synthetic <- ce
synthetic$Expenditure <- exp(parameters[1] + parameters[2] * x + parameters[3] * z)
both <- rbind(ce, synthetic)
both$S <- rep(0:1, each = n)
both$UrbanRural <- factor(both$UrbanRural)
both$Race <- factor(both$Race)
fit <- suppressWarnings(glm(S ~ (UrbanRural + Income + Race + Expenditure + KidsCount)^2, binomial, both,
                            control = glm.control(epsilon = 1e-14, maxit = 100)))
put("pmse", mean((fitted(fit) - 0.5)^2))
gap <- ecdf(ce$Expenditure)(both$Expenditure) - ecdf(synthetic$Expenditure)(both$Expenditure)
put("u_m", max(abs(gap)))
put("u_a", mean(gap^2))

# ---- lecture 7 ------------------------------------------------------------------------------
half <- qt(0.975, n - 1) * sd(ce$Expenditure) / sqrt(n)
put("confidential_mean_estimate", mean(ce$Expenditure))
put("confidential_mean_lower", mean(ce$Expenditure) - half)
put("confidential_mean_upper", mean(ce$Expenditure) + half)
fit <- lm(Expenditure ~ Income, ce)
for (j in 1:2) {
  name <- paste0("confidential_", c("intercept", "income")[j], "_")
  values <- c(coef(summary(fit))[j, ], confint(fit)[j, ])
  for (k in 1:6) put(paste0(name, c("estimate", "std_error", "t", "p", "lower", "upper")[k]), values[k])
}

# ---- lecture 9: match weights ---------------------------------------------------------------
compared <- c("LANX", "WAOB", "DIS", "HICOV", "MIG", "SCH", "HISP")
block <- function(f) interaction(f$SEX, f$RACE, f$MAR, drop = TRUE)
counts <- numeric(2^7)
for (b in levels(block(acs))) {
  i <- which(block(acs_synthetic) == b)
  j <- which(block(acs) == b)
  pattern <- matrix(0, length(i), length(j))
  for (k in 1:7) pattern <- pattern + 2^(k - 1) * outer(acs_synthetic[i, compared[k]], acs[j, compared[k]], "==")
  counts <- counts + tabulate(pattern + 1, 2^7)
}
agree <- sapply(0:6, function(k) (0:127 %/% 2^k) %% 2)
log_p <- function(p) agree %*% log(p) + (1 - agree) %*% log(1 - p)
m <- rep(0.95, 7)
u <- rep(0.02, 7)
share <- 0.05
repeat {
  odds <- share * exp(log_p(m))
  match <- c(odds / (odds + (1 - share) * exp(log_p(u))))
  share <- sum(counts * match) / sum(counts)
  before <- c(m, u)
  m <- colSums(counts * match * agree) / sum(counts * match)
  u <- colSums(counts * (1 - match) * agree) / sum(counts * (1 - match))
  if (sum((c(m, u) - before)^2) < 1e-5) break
}
weights <- c(log_p(m) - log_p(u))
first <- which(block(acs) == block(acs_synthetic)[1])[1:3]
for (i in 1:3) {
  same <- sapply(compared, function(v) acs_synthetic[1, v] == acs[first[i], v])
  put(paste0("pair_", i), first[i])
  put(paste0("pattern_", i), as.numeric(paste(as.integer(same), collapse = "")))
  put(paste0("weight_", i), weights[1 + sum(same * 2^(0:6))])
}

# ---- lectures 10 and 12 ---------------------------------------------------------------------
cap <- function(released) {
  shares <- prop.table(table(factor(block(released), levels(block(acs))), released$DIS), 1)
  found <- shares[cbind(as.character(block(acs)), acs$DIS)]
  mean(ifelse(is.na(found), 0, found))
}
put("cap_synthetic", cap(acs_synthetic))
put("cap_confidential", cap(acs))
for (epsilon in c("0.1", "1")) {
  set.seed(123)
  q <- runif(1)
  noisy <- round(sum(ce$UrbanRural == 2) + ifelse(q < 0.5, log(2 * q), -log(2 * (1 - q))) / as.numeric(epsilon))
  put(paste0("noisy_", epsilon), noisy)
  put(paste0("noise_", epsilon), abs(noisy - sum(ce$UrbanRural == 2)))
}
write_answers("hu_course.csv")
write_session()
