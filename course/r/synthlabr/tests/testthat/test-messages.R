# Messages to users of R are in the syntax of R and do not contain the names of Python classes.

classes <- c("Error", "Exception", "Warning", "DataFrame", "Series", "ndarray", "NoneType", "Fitted[A-Z]", "[a-z]Result",
  "\\bdict\\b", "\\bstr\\b", "\\bNone\\b", "\\bTrue\\b", "\\bFalse\\b", "Traceback")

wrong_calls <- function(d, release) {
  who <- Intruder(known = "age", synthesized = "income")
  sl <- synthlab()
  list(
    function() sl$synthetize(d),
    function() synthesize(d, seed = 1),
    function() synthesize(d, m = 0),
    function() synthesize(d, m = "two"),
    function() synthesize(1:3),
    function() synthesize(d, models = list(income = "wrong")),
    function() synthesize(d, keep = "kanton"),
    function() synthesize(d, models = list(income = mean)),
    function() evaluate(d, d[1:3, ], who),
    function() evaluate(d, release, "age"),
    function() evaluate(d, 3, who),
    function() Intruder(known = "age"),
    function() Intruder(known = mean, synthesized = "income"),
    function() Intruder(known = "age", synthesized = "income", missing = TRUE),
    function() sl$identification_risk(d, release, Intruder(known = "kanton", synthesized = "age")),
    function() fit(NormalRegression(income ~ wages), d),
    function() fit(NormalRegression(region ~ age), d),
    function() NormalRegression(5),
    function() CART(5),
    function() fit(d, d),
    function() generate(d),
    function() generate(fit(CART("income"), d), m = -1),
    function() read_release(tempfile()),
    function() release[[9]],
    function() release$nothing,
    function() plot(CART("income")),
    function() as.data.frame(CART("income")),
    function() sl$pmse(d),
    function() sl$Release(list()))
}

test_that("errors say what is wrong in the words of R", {
  skip_without_synthlab()
  d <- survey_of()
  release <- synthesized(d, m = 2, rng = 1)
  for (call in wrong_calls(d, release)) {
    said <- message_of(call())
    expect_true(nzchar(said), label = deparse(body(call))[1])
    for (name in classes) expect_no_match_of(said, name, deparse(body(call))[1])
  }
})

test_that("warnings have a class and no name of a class in their text", {
  skip_without_synthlab()
  d <- survey_of(30)
  caught <- list()
  withCallingHandlers(
    synthesize(d, m = 1, rng = 1, keep = "age"),
    warning = function(w) {
      caught[[length(caught) + 1]] <<- w
      invokeRestart("muffleWarning")
    })
  caught <- Filter(function(w) inherits(w, "synthlab_warning"), caught)
  expect_gt(length(caught), 0)
  for (w in caught) for (name in classes) expect_no_match_of(conditionMessage(w), name, "synthesize")
  expect_silent(suppressWarnings(synthesize(d, m = 1, rng = 1, keep = "age"), classes = "synthlab_warning"))
})

test_that("similar names are proposed", {
  skip_without_synthlab()
  d <- survey_of()
  expect_match(message_of(synthlab()$synthetize(d)), "did you mean 'synthesize'")
  expect_match(message_of(synthesize(d, seed = 1)), "rng")
  expect_true("synthesize" %in% names(synthlab()))
})
