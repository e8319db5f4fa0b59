# Find and start the Python that has synthlab.

state <- new.env(parent = emptyenv())

# The Python to start: RETICULATE_PYTHON, a .venv in this folder or in a folder above, or VIRTUAL_ENV. NULL leaves the
# choice to reticulate.
find_python <- function(python = NULL, from = getwd()) {
  if (!is.null(python)) {
    if (!file.exists(python)) stop("python: no file ", python, call. = FALSE)
    return(python)
  }
  named <- Sys.getenv("RETICULATE_PYTHON")
  if (nzchar(named)) return(named)
  folder <- normalizePath(from)
  folders <- character()
  repeat {
    folders <- c(folders, file.path(folder, ".venv"))
    if (dirname(folder) == folder) break
    folder <- dirname(folder)
  }
  active <- Sys.getenv("VIRTUAL_ENV")
  if (nzchar(active)) folders <- c(folders, active)
  programs <- c(rbind(file.path(folders, "bin", "python"), file.path(folders, "Scripts", "python.exe")))
  found <- programs[file.exists(programs)]
  if (length(found)) found[1] else NULL
}

# Declare the Python package if this version of reticulate can install packages for the session (1.41 or later).
require_synthlab <- function(namespace = asNamespace("reticulate")) {
  can_install <- exists("py_require", envir = namespace, inherits = FALSE)
  if (can_install) get("py_require", envir = namespace)("synthlab-sdc", python_version = ">=3.11")
  can_install
}

# Start Python once, and return the part of synthlab that exchanges values with R.
bridge <- function(python = NULL) {
  if (!is.null(python)) check_same_python(python)
  if (is.null(state$bridge)) state$bridge <- start_python(python)
  state$bridge
}

check_same_python <- function(python) {
  find_python(python)
  if (!reticulate::py_available()) return()
  running <- reticulate::py_config()$python
  if (normalizePath(dirname(python)) != normalizePath(dirname(running)))
    stop("python: this session of R already runs ", running, "; start R again to use ", python, call. = FALSE)
}

# Return the path of the Python that runs, or NULL.
running_python <- function(python) {
  if (!reticulate::py_available()) {
    found <- find_python(python)
    if (is.null(found)) require_synthlab() else reticulate::use_python(found, required = TRUE)
    if (!nzchar(Sys.getenv("MPLBACKEND"))) Sys.setenv(MPLBACKEND = "agg")
    if (!nzchar(Sys.getenv("RETICULATE_MINICONDA_ENABLED"))) {  # otherwise reticulate can offer to install Python
      Sys.setenv(RETICULATE_MINICONDA_ENABLED = "FALSE")
      on.exit(Sys.unsetenv("RETICULATE_MINICONDA_ENABLED"))
    }
  }
  reticulate::py_config()$python
}

start_python <- function(python) {
  running <- tryCatch(running_python(python), error = function(e) e)
  if (inherits(running, "error"))
    stop("Python cannot be started (", reason(running), "); install Python 3.11 or later and the package synthlab in it ",
         "(python -m pip install synthlab-sdc), then set RETICULATE_PYTHON to this Python and start R again", call. = FALSE)
  found <- tryCatch(reticulate::import("synthlab.r.reticulate", convert = FALSE), error = function(e) e)
  if (inherits(found, "error"))
    stop("the Python package synthlab cannot be loaded from ", running, " (", reason(found), "); install it with: ", running,
         " -m pip install synthlab-sdc, or set RETICULATE_PYTHON to the Python that has it and start R again", call. = FALSE)
  check_versions(reticulate::py_to_r(found$version()), as.character(utils::packageVersion("synthlabr")))
  found
}

check_versions <- function(python, r) {
  if (python != r)
    warning("the R package synthlabr has version ", r, ", and the Python package synthlab has version ", python,
            "; write the R package of this version with: synthlab r-package DIR", call. = FALSE)
}

# The first line of an error of Python, without the name of its class.
reason <- function(error) {
  line <- trimws(strsplit(conditionMessage(error), "\n", fixed = TRUE)[[1]][1])
  sub("^([A-Za-z_]+[.])*[A-Za-z]*(Error|Exception): ", "", line)
}

synthlab <- function(python = NULL) {
  bridge(python)
  new_object(reticulate::import("synthlab", convert = FALSE))
}

synthlab_available <- function() {
  problem <- tryCatch({
    bridge()
    NULL
  }, error = conditionMessage)
  if (is.null(problem)) TRUE else structure(FALSE, reason = problem)
}

# Evaluate code that calls Python. An error becomes an error of R in the syntax of R.
in_python <- function(code) tryCatch(code, error = function(e) {
  if (inherits(e, "synthlab_error") || is.null(state$bridge)) stop(e)
  text <- sub("\n+(Detailed traceback|Run `reticulate).*", "", conditionMessage(e))
  stop(synthlab_condition(reticulate::py_to_r(state$bridge$in_r(text)), c("synthlab_error", "error")))
})

synthlab_condition <- function(message, class) structure(class = c(class, "condition"), list(message = message, call = NULL))
