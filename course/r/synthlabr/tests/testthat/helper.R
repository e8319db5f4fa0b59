skip_without_synthlab <- function() {
  available <- synthlab_available()
  testthat::skip_if_not(available, paste("synthlab is not available:", attr(available, "reason")))
}

message_of <- function(code) tryCatch({
  force(code)
  ""
}, error = conditionMessage)

survey_of <- function(n = 200) {
  set.seed(5)
  survey <- data.frame(
    age = sample(18:60, n, TRUE),
    region = factor(sample(c("n", "s", "w"), n, TRUE), levels = c("n", "s", "w", "unused")))
  survey$income <- round(exp(6 + 0.01 * survey$age + rnorm(n, sd = 0.4)), 2)
  survey$kids <- sample(0:3, n, TRUE)
  survey
}

# The data of a user: an ordered factor with an unused level, missing values, dates, logicals with NA.
mixed_of <- function(n = 400) {
  set.seed(1)
  d <- data.frame(
    sex = factor(sample(c("m", "f"), n, TRUE)),
    edu = factor(sample(c("low", "mid", "high"), n, TRUE), levels = c("low", "mid", "high", "none"), ordered = TRUE),
    age = sample(18:90, n, TRUE),
    inc = round(exp(rnorm(n, 10, .5))),
    when = as.Date("2024-01-01") + sample(0:99, n, TRUE),
    ok = sample(c(TRUE, FALSE, NA), n, TRUE))
  d$inc[1:20] <- NA
  d$edu[5] <- NA
  d
}

synthesized <- function(...) suppressWarnings(synthesize(...))

expect_no_match_of <- function(text, pattern, call)
  testthat::expect_false(grepl(pattern, text), label = paste0(call, " says: ", text, " (with ", pattern, ")"))

tempfile_folder <- function() {
  folder <- tempfile()
  dir.create(folder)
  folder
}
