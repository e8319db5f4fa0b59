test_that("formulas of R become formulas of Python", {
  skip_without_synthlab()
  cases <- list(
    list(inc ~ age, "inc ~ age"),
    list(inc ~ 1, "inc ~ 1"),
    list(inc ~ age + factor(region), "inc ~ age + C(region)"),
    list(inc ~ as.factor(region) * age, "inc ~ C(region) * age"),
    list(inc ~ factor(edu, levels = c("low", "high")), "inc ~ C(edu, levels=[\"low\", \"high\"])"),
    list(inc ~ (age + sex)^2 - age:sex, "inc ~ (age + sex) ** 2 - age : sex"),
    list(inc ~ I(age^2) + log(kids + 1), "inc ~ I(age ** 2) + log(kids + 1)"),
    list(inc ~ poly(age, 2, raw = TRUE), "inc ~ poly(age, 2, raw=True)"),
    list(inc ~ bs(age, knots = c(30, 60.5)) + ns(kids, df = 3), "inc ~ bs(age, knots=[30, 60.5]) + ns(kids, df=3)"),
    list(house.value ~ `my var` + .x, "`house.value` ~ `my var` + `.x`"))
  for (case in cases) expect_identical(formula_text(case[[1]]), case[[2]])
})

test_that("a formula outside the grammar is refused with what is allowed", {
  skip_without_synthlab()
  k <- 3
  refused <- list(inc ~ offset(age), inc ~ log2(age), inc ~ age %in% sex, inc ~ age | sex, inc ~ 0 + age, inc ~ age - 1,
    inc ~ bs(age, df = k), inc ~ factor(edu, labels = "x"), inc ~ stats::poly(age, 2), inc ~ cut(age, 3), inc ~ "text")
  for (formula in refused) {
    said <- message_of(NormalRegression(formula))
    expect_match(said, "^formula: .* a formula can contain columns, numbers", label = deparse(formula))
    expect_match(said, "factor, C, I, bs", label = deparse(formula))
  }
  expect_match(message_of(NormalRegression(inc ~ .)), "name the predictors")
  expect_match(message_of(NormalRegression(~ age)), "the response is missing")
  expect_match(message_of(NormalRegression(log(inc) ~ age)), "transform")
})

test_that("formulas are not evaluated", {
  skip_without_synthlab()
  file <- tempfile()
  said <- message_of(NormalRegression(inc ~ file.create(file)))
  expect_match(said, "is not allowed")
  expect_false(file.exists(file))
})

test_that("a formula and its text give the same draws", {
  skip_without_synthlab()
  d <- survey_of()
  drawn <- function(formula) generate(fit(NormalRegression(formula), d, rng = 3), m = 2, rng = 4)[[2]]$income
  expect_identical(drawn(income ~ factor(region) + age), drawn("income ~ C(region) + age"))
  expect_identical(length(unique(drawn(income ~ poly(age, 2)))) > 1, TRUE)
})

test_that("other functions accept formulas", {
  skip_without_synthlab()
  d <- survey_of()
  release <- synthesized(d, m = 3, rng = 1)
  found <- suppressWarnings(synthlab()$analysis_utility(d, release, formula = income ~ age))
  expect_true("age" %in% unlist(as.data.frame(summary(found))))
})
