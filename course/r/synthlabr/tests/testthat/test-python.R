test_that("Python is found by variables and folders", {
  root <- normalizePath(tempfile_folder())
  for (folder in c("above/.venv/bin", "active/bin", "above/course/r", "elsewhere"))
    dir.create(file.path(root, folder), recursive = TRUE)
  for (folder in c("above/.venv/bin", "active/bin")) file.create(file.path(root, folder, "python"))
  before <- Sys.getenv(c("RETICULATE_PYTHON", "VIRTUAL_ENV"), NA)
  on.exit(for (name in names(before)) if (is.na(before[[name]])) Sys.unsetenv(name) else
    do.call(Sys.setenv, stats::setNames(list(before[[name]]), name)))
  Sys.unsetenv(c("RETICULATE_PYTHON", "VIRTUAL_ENV"))
  below <- file.path(root, "above", "course", "r")
  expect_equal(find_python(from = below), file.path(root, "above/.venv/bin/python"))
  expect_null(find_python(from = file.path(root, "elsewhere")))
  Sys.setenv(VIRTUAL_ENV = file.path(root, "active"))
  expect_equal(find_python(from = below), file.path(root, "above/.venv/bin/python"))
  expect_equal(find_python(from = file.path(root, "elsewhere")), file.path(root, "active/bin/python"))
  Sys.setenv(RETICULATE_PYTHON = "/set/python")
  expect_equal(find_python(from = below), "/set/python")
  expect_match(message_of(find_python("/no/such")), "python: no file /no/such")
})

test_that("requirements are declared only where reticulate can install them", {
  declared <- NULL
  new <- list2env(list(py_require = function(packages, python_version) declared <<- c(packages, python_version)))
  expect_true(require_synthlab(new))
  expect_equal(declared, c("synthlab-sdc", ">=3.11"))
  expect_false(require_synthlab(new.env()))
})

# Run R in a new process, in which no Python was started yet.
in_new_r <- function(code, ...) {
  settings <- c(...)
  before <- Sys.getenv(names(settings), NA)
  on.exit(for (name in names(before)) if (is.na(before[[name]])) Sys.unsetenv(name) else
    do.call(Sys.setenv, stats::setNames(list(before[[name]]), name)))
  do.call(Sys.setenv, as.list(settings))
  file <- tempfile(fileext = ".R")
  libraries <- paste0(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")")
  writeLines(c(libraries, paste0("setwd(", deparse(tempdir()), ")"), code), file)
  suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", file), stdout = TRUE, stderr = TRUE))
}

test_that("without a usable Python, one error says what to do", {
  said <- paste(in_new_r("synthlabr::synthesize(data.frame(x = 1:3))", RETICULATE_PYTHON = "/no/python", PATH = ""), collapse = " ")
  expect_match(said, "RETICULATE_PYTHON")
  expect_match(said, "pip install synthlab-sdc|install synthlab")
  expect_match(paste(in_new_r("print(synthlabr::synthlab_available())", RETICULATE_PYTHON = "/no/python", PATH = ""), collapse = " "),
    "FALSE")
})

test_that("a Python without synthlab is named, with the command that installs it", {
  python <- Sys.which("python3")
  skip_if(!nzchar(python), "python3 is not installed")
  folder <- file.path(tempfile_folder(), "bare")
  made <- suppressWarnings(system2(python, c("-m", "venv", "--without-pip", folder), stdout = TRUE, stderr = TRUE))
  bare <- file.path(folder, "bin", "python")
  skip_if(!file.exists(bare), "no environment of Python could be created")
  said <- paste(in_new_r("synthlabr::synthlab()", RETICULATE_PYTHON = bare, PYTHONPATH = ""), collapse = " ")
  skip_if(grepl("Python cannot be started", said), "R cannot load this Python")
  expect_match(said, "cannot be loaded from")
  expect_match(gsub(" +", " ", said), paste0("install it with: ", bare, " -m pip install synthlab-sdc"), fixed = TRUE)
  expect_false(grepl("ModuleNotFoundError", said))
})

test_that("another version of the Python package is noticed", {
  expect_warning(check_versions("9.9.9", "0.1.0"), "synthlab r-package")
  expect_silent(check_versions("0.1.0", "0.1.0"))
})
