# A column of each type: the first row has a value, the second is missing, and so on.

# As tagged_na of haven, which need not be installed: the bits of NA and a letter.
tagged <- function(letter)
  readBin(c(as.raw(c(0xA2, 0x07, 0, 0)), charToRaw(letter), as.raw(c(0, 0xF8, 0x7F))), "double", endian = "little")

labelled <- function(x, ..., class = "haven_labelled") structure(x, ..., class = c(class, "vctrs_vctr", typeof(x)))

every_type <- function() {
  d <- data.frame(age = c(30L, NA, 41L, 52L), income = c(950.5, NA, -0.25, 1e300), member = c(TRUE, NA, FALSE, TRUE),
    name = c("a", NA, "\u00fc", "NA"), stringsAsFactors = FALSE)
  d$region <- factor(c("n", NA, "w", "n"), levels = c("w", "n", "unused"))
  d$edu <- factor(c("lo", NA, "hi", "mid"), levels = c("lo", "mid", "hi"), ordered = TRUE)
  d$none <- addNA(factor(c("x", NA, "y", "x")))
  d$day <- as.Date(c("2020-01-31", NA, "1950-02-01", "2020-03-01"))
  d$whole_day <- structure(c(18262L, NA, 1L, -5L), class = "Date")
  d$moment <- as.POSIXct(c("2020-01-31 10:30:00", NA, "1999-12-31 23:59:59", "2020-07-01 00:00:00"), tz = "America/New_York")
  d$vote <- labelled(c(1, NA, 2, 1), labels = c(yes = 1, no = 2), label = "A question", format.spss = "F8.0")
  d$pay <- labelled(c(10L, NA, 20L, 99L), labels = c(refused = 99L), class = c("haven_labelled_spss", "haven_labelled"), na_values = 99L)
  d$why <- labelled(c(1, tagged("a"), 2, tagged("z")), labels = c(yes = 1, no = 2, refused = tagged("z")))
  d$code <- labelled(c("f", NA, "X", "m"), labels = c(female = "f", male = "m", unknown = "X"), class = c("haven_labelled_spss", "haven_labelled"),
    na_values = "X")
  d$twice <- labelled(c(1, 2, 3, NA), labels = c(other = 1, other = 2, no = 3))
  d$word <- labelled(c("f", NA, "m", "m"), labels = c(female = "f", male = "m"))
  d$hmisc <- structure(c(1L, NA, 3L, 4L), label = "of Hmisc", class = c("labelled", "integer"))
  d$span <- as.difftime(c(1.5, NA, 0, 48), units = "hours")
  d$nothing <- NA
  d
}

test_that("a column of each type comes back unchanged", {
  skip_without_synthlab()
  d <- every_type()
  back <- from_python(frame_to_python(d), prototypes(d))
  expect_named(back, names(d))
  # For tagged missing values, identical() must compare the bits.
  for (name in names(d)) expect_true(identical(back[[name]], d[[name]], single.NA = name != "why"), label = name)
})

test_that("Python gets values, labels and missing values", {
  skip_without_synthlab()
  python <- frame_to_python(every_type())
  count <- function(name) reticulate::py_to_r(python$isna()$`__getitem__`(name)$sum()$item())
  expect_equal(vapply(c("age", "name", "pay", "twice"), count, 0), c(age = 1, name = 1, pay = 2, twice = 1))
  values <- function(name) unlist(reticulate::py_to_r(python$`__getitem__`(name)$dropna()$astype("str")$tolist()))
  expect_equal(values("name"), c("a", "\u00fc", "NA"))
  expect_equal(values("vote"), c("yes", "no", "yes"))
  expect_equal(values("twice"), c("other [1]", "other [2]", "no"))
  expect_equal(values("word"), c("female", "male", "male"))
  expect_equal(values("moment")[1], "2020-01-31 10:30:00-05:00")
  type <- function(name) reticulate::py_to_r(python$dtypes$astype("str")$`__getitem__`(name))
  expect_equal(vapply(c("age", "member", "income", "day"), type, ""),
    c(age = "Int64", member = "boolean", income = "float64", day = "datetime64[us]"))
})

test_that("a prototype has the type of a column and none of its values", {
  d <- every_type()
  like <- prototypes(d)
  expect_true(all(lengths(like) == 0))
  expect_equal(levels(like$region), c("w", "n", "unused"))
  expect_equal(class(like$moment), class(d$moment))
  expect_equal(attr(like$vote, "labels"), c(yes = 1, no = 2))
  secret <- data.frame(x = 123456789)
  skip_without_synthlab()
  release <- synthlab()$Release(list(secret))
  stored <- capture.output(dput(unclass(release)$like))
  expect_false(any(grepl("123456789", stored)))
})

test_that("columns that have no counterpart are refused by name", {
  skip_without_synthlab()
  d <- every_type()
  refused <- function(x, name = "x") {
    columns <- stats::setNames(c(as.list(d), list(x)), c(names(d), name))
    message_of(frame_to_python(structure(columns, class = "data.frame", row.names = 1:4)))
  }
  expect_match(refused(matrix(1:8, 4)), "'x' of R is a matrix or an array")
  expect_match(refused(I(list(1, 2, 3, 4))), "has no counterpart")
  expect_match(refused(1:4 + 1i), "class 'complex' has no counterpart")
  expect_match(refused(1:4, "age"), "two columns have the same name as text: 'age'")
})

test_that("empty frames, other encodings and 64-bit integers", {
  skip_without_synthlab()
  empty <- every_type()[0, ]
  expect_identical(lapply(from_python(frame_to_python(empty), prototypes(empty)), typeof), lapply(empty, typeof))
  latin <- data.frame(x = iconv("\u00fc", "UTF-8", "latin1"))
  expect_identical(from_python(frame_to_python(latin))$x, "\u00fc")
  d <- data.frame(x = 1:2)
  d$x <- structure(c(5e-324, 0), class = "integer64")
  expect_identical(as.numeric(from_python(frame_to_python(d), prototypes(d))$x), c(1, 0))
})

test_that("columns of haven keep their labels in a release", {
  skip_if_not_installed("haven")
  skip_without_synthlab()
  d <- survey_of()
  d$vote <- haven::labelled(sample(c(1, 2, NA), 200, TRUE), c(yes = 1, no = 2), label = "Did you vote?")
  release <- synthesized(d, m = 1, rng = 1)
  expect_s3_class(release[[1]]$vote, "haven_labelled")
  expect_equal(attributes(release[[1]]$vote), attributes(d$vote))
  expect_true(all(release[[1]]$vote %in% c(1, 2, NA)))
})
