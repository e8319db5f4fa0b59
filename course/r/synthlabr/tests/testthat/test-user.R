# A session of a user of R, from the data frame to the saved release.

test_that("the functions of a user give releases, fits and results", {
  skip_without_synthlab()
  before <- ls(envir = globalenv())
  d <- mixed_of()
  r <- synthesized(d, m = 2, rng = 1)
  expect_s3_class(r[[1]], "data.frame")
  expect_identical(synthesized(d, m = 2L, rng = 1L)[[1]], r[[1]])
  expect_identical(suppressWarnings(synthlab()$synthesize(d, m = 2, rng = 1))[[1]], r[[1]])

  normal <- synthesized(d, m = 1, rng = 1, models = list(inc = "normal"))
  expect_equal(summary(normal)$plan$model[4], "normal")

  complete <- d[!is.na(d$inc), ]
  by_formula <- fit(NormalRegression(inc ~ age), complete, rng = 1)
  by_text <- synthlab()$NormalRegression("inc ~ age")$fit(complete, rng = 1)
  expect_s3_class(by_formula, "synthlab_fit")
  expect_identical(generate(by_formula, m = 1, rng = 2)[[1]], by_text$generate(m = 1, rng = 2)[[1]])

  who <- Intruder(known = c("sex", "age"), synthesized = "inc", radius = c(inc = 0.1), missing = "category")
  risk <- suppressWarnings(synthlab()$identification_risk(d, r, who))
  expect_equal(dim(as.data.frame(risk)), c(2, 5))
  expect_output(print(risk), "expected match risk")

  expect_equal(head(as.data.frame(r[[1]]), 2), r[[1]][1:2, ])
  expect_output(print(summary(r)), "Synthetic values of all datasets")
  expect_identical(ls(envir = globalenv()), before)
})

test_that("objects are shown in the syntax of R", {
  skip_without_synthlab()
  expect_output(print(NormalRegression(inc ~ age)), "NormalRegression(formula = 'inc ~ age', transform = NULL, bounds = NULL)",
    fixed = TRUE)
  expect_output(print(synthlab()$NormalRegression), "NormalRegression(formula, transform, bounds)", fixed = TRUE)
  expect_output(print(synthlab()), "synthesize")
  expect_output(synthlab_help(synthlab()$synthesize), "Synthesize a whole survey file")
})

test_that("other columns of a user: labels, a list, time zones", {
  skip_without_synthlab()
  d <- mixed_of()
  x <- d
  x$sex <- structure(as.integer(d$sex), labels = c(f = 1, m = 2), class = c("haven_labelled", "vctrs_vctr", "integer"))
  made <- synthesized(x, m = 1)[[1]]$sex
  expect_identical(attributes(made), attributes(x$sex))
  expect_true(all(unclass(made) %in% 1:2))
  x <- d
  x$l <- I(as.list(seq_len(nrow(d))))
  expect_match(message_of(synthesize(x, m = 1)), "column 'l'")
  folder <- file.path(tempfile(), "release")
  release <- suppressWarnings(synthesize(d, m = 1))
  expect_identical(suppressWarnings(save_release(release, folder)), folder)
  expect_length(read_release(folder), 1)
})
