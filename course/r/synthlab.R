# synthlab from R, by reticulate. In R:
#
#   source("course/r/synthlab.R")
#   sl <- synthlab()
#   release <- sl$synthesize(survey, m = 5, rng = 1)
#   release[[1]]                                  # a data.frame with the types of `survey`
#   print(sl$evaluate(survey, release, sl$Intruder(known = c("age", "region"), synthesized = list("income"))))
#
# `sl$NAME` is synthlab.NAME of Python; `?`-pages are Python's docstrings: synthlab_help(sl$synthesize).
# Data frames go in and come back with their types: factors (ordered, unused levels, an NA level), NA of every type,
# integers, logicals, text, Date, POSIXct with its time zone, labelled columns of haven (which is not needed).
# A vector of length one is a single value of Python; list("age") is a list of one. A whole number is an int: m = 5.
# The vignette: course/r/synthlab.Rmd.

# ---- finding Python ------------------------------------------------------------------------------

# The Python to use: `python`, RETICULATE_PYTHON, a .venv here or in a folder above, VIRTUAL_ENV; NULL leaves it to reticulate.
synthlab_python <- function(python = NULL, from = getwd()) {
  if (!is.null(python)) {
    if (!file.exists(python)) stop("python: there is no file ", python, call. = FALSE)
    return(python)
  }
  set <- Sys.getenv("RETICULATE_PYTHON")
  if (nzchar(set)) return(set)
  inside <- function(folder) file.path(folder, c("bin/python", "Scripts/python.exe"))
  above <- normalizePath(from)
  folders <- character()
  repeat {
    folders <- c(folders, file.path(above, ".venv"))
    if (dirname(above) == above) break
    above <- dirname(above)
  }
  places <- unlist(lapply(c(folders, Sys.getenv("VIRTUAL_ENV", NA)), function(f) if (!is.na(f)) inside(f)))
  there <- places[file.exists(places)]
  if (length(there)) there[1] else NULL
}

.synthlab <- new.env()

# Start Python and return synthlab: sl <- synthlab().
synthlab <- function(python = NULL) {
  if (!requireNamespace("reticulate", quietly = TRUE))
    stop('the R package reticulate is not installed; install it in R with: install.packages("reticulate")', call. = FALSE)
  if (!reticulate::py_available()) {
    found <- synthlab_python(python)
    if (!is.null(found)) reticulate::use_python(found, required = TRUE)
    if (!nzchar(Sys.getenv("MPLBACKEND"))) Sys.setenv(MPLBACKEND = "agg")
  }
  where <- tryCatch(reticulate::py_config()$python, error = function(e)
    stop("no Python was found for synthlab (", conditionMessage(e), "); ",
         "set RETICULATE_PYTHON to the Python that has synthlab, then start R again", call. = FALSE))
  if (!is.null(python) && normalizePath(dirname(python)) != normalizePath(dirname(where)))
    stop("python: R runs ", where, " already; start R again to use ", python, call. = FALSE)
  .synthlab$bridge <- tryCatch(
    reticulate::import("synthlab.r.reticulate", convert = FALSE),
    error = function(e) stop(
      "synthlab is not in the Python at ", where, " (", .first_line(conditionMessage(e)), "); install it with: ", where,
      " -m pip install synthlab-sdc, or set RETICULATE_PYTHON to the Python that has it and start R again", call. = FALSE))
  .object(reticulate::import("synthlab", convert = FALSE))
}

.first_line <- function(text) trimws(strsplit(text, "\n", fixed = TRUE)[[1]][1])

.bridge <- function() {
  if (is.null(.synthlab$bridge)) stop("synthlab is not started: sl <- synthlab()", call. = FALSE)
  .synthlab$bridge
}

# ---- R to Python ---------------------------------------------------------------------------------

.pack <- function(x) {
  storage <- typeof(x)
  bare <- if (is.list(x)) list() else as.vector(unclass(x))
  lost <- if (is.list(x)) logical() else is.na(bare)
  values <- switch(storage,
    double = writeBin(bare, raw(), endian = "little"),
    integer = , logical = writeBin(as.integer(bare), raw(), endian = "little"),
    character = as.list(enc2utf8(bare)),
    raw())
  packed <- list(storage = storage, values = values, absent = as.raw(lost), classes = as.list(class(x)), dims = length(dim(x)))
  if (is.factor(x) && !is.null(levels(x))) packed$levels <- .pack(levels(x))
  if (inherits(x, "POSIXct") && length(attr(x, "tzone"))) packed$zone <- attr(x, "tzone")[1]
  if (is.character(attr(x, "units"))) packed$units <- attr(x, "units")[1]
  if (inherits(x, "haven_labelled")) {
    labels <- attr(x, "labels", exact = TRUE)
    if (length(labels)) {
      packed$labels <- .pack(unname(labels))
      packed$label_names <- .pack(names(labels))
    }
    if (length(attr(x, "na_values"))) packed$user_missing <- .pack(as.vector(attr(x, "na_values")))
    if (length(attr(x, "na_range"))) packed$missing_range <- .pack(as.vector(attr(x, "na_range")))
  }
  packed
}

.frame <- function(data) {
  if (anyNA(names(data))) stop("data: a column name is missing (NA)", call. = FALSE)
  .try(.bridge()$frame(as.list(enc2utf8(names(data))), unname(lapply(as.list(data), .pack)), nrow(data)))
}

.to_python <- function(x) {
  if (inherits(x, "synthlab_object")) return(.subset2(x, "object"))
  if (is.null(x) || inherits(x, "python.builtin.object")) return(x)
  if (is.data.frame(x)) return(.frame(x))
  if (inherits(x, "synds")) return(.synds(x))
  if (is.function(x)) stop("a function of R is not passed to Python; give what it returns", call. = FALSE)
  if (is.factor(x) || inherits(x, c("Date", "POSIXct", "haven_labelled")) || length(dim(x)) > 1)
    return(.try(.bridge()$column(.pack(x))))
  if (is.object(x) && !inherits(x, "AsIs")) stop("an R object of class ", class(x)[1], " is not passed to Python", call. = FALSE)
  if (!is.null(names(x))) {
    if (any(!nzchar(names(x)))) stop("some elements have names and some have none", call. = FALSE)
    return(reticulate::py_dict(as.list(names(x)), unname(lapply(as.list(x), .to_python))))
  }
  if (is.list(x)) return(reticulate::r_to_py(lapply(x, .to_python), convert = FALSE))
  single <- length(x) == 1 && !inherits(x, "AsIs")
  if (is.character(x)) {
    texts <- lapply(enc2utf8(unclass(x)), function(text) if (is.na(text)) NULL else text)
    return(reticulate::r_to_py(if (single) texts[[1]] else texts, convert = FALSE))
  }
  .try(.bridge()$numbers(.pack(as.vector(unclass(x))), single))
}

# A synds object of the R package synthpop as a release.
.synds <- function(x) {
  frames <- if (is.data.frame(x$syn)) list(x$syn) else x$syn
  method <- if (is.matrix(x$method)) x$method[1, ] else x$method
  .try(.bridge()$release(unname(lapply(frames, .frame)), as.list(names(method)[method != ""])))
}

# ---- Python to R ---------------------------------------------------------------------------------

.object <- function(object, like = NULL) structure(list(object = object, like = like), class = "synthlab_object")

.unpack <- function(packed, like = NULL) {
  n <- length(packed$absent)
  x <- switch(packed$storage,
    double = readBin(packed$values, "double", n, endian = "little"),
    integer = readBin(packed$values, "integer", n, endian = "little"),
    logical = as.logical(readBin(packed$values, "integer", n, endian = "little")),
    character = as.character(unlist(packed$values)))
  x[as.logical(packed$absent)] <- NA
  classes <- unlist(packed$classes)
  if ("factor" %in% classes)
    x <- factor(x, levels = seq_along(packed$levels), labels = as.character(unlist(packed$levels)), ordered = "ordered" %in% classes)
  else if (length(classes)) {
    class(x) <- classes
    if (nzchar(packed$zone)) attr(x, "tzone") <- packed$zone
    if (nzchar(packed$units)) attr(x, "units") <- packed$units
  }
  if (is.null(like)) return(x)
  x <- .alike(x, like)
  if (is.null(packed$codes) || !(inherits(like, "haven_labelled") || is.double(like))) x else .with_codes(x, packed)
}

# Give missing values the codes that a column of haven declares missing, and tagged NAs their tags.
.with_codes <- function(x, packed) {
  shape <- attributes(x)
  coded <- as.logical(packed$coded)
  codes <- if (is.raw(packed$codes)) readBin(packed$codes, "double", length(coded), endian = "little") else as.character(unlist(packed$codes))
  x <- as.vector(unclass(x))
  x[coded] <- if (is.integer(x)) as.integer(codes[coded]) else codes[coded]
  attributes(x) <- shape
  x
}

# Give values the type of the column `like`: what it is stored as, its class, levels, labels, time zone.
.alike <- function(x, like) {
  shape <- attributes(like)
  shape <- shape[setdiff(names(shape), c("names", "dim", "dimnames"))]
  if (is.factor(like)) {
    words <- as.character(x)
    known <- levels(like)
    more <- setdiff(words[!is.na(words)], known)
    x <- match(words, known)
    if (length(more)) {
      known <- c(known, more)
      x <- match(words, known)
    } else if (anyNA(words) && !anyNA(known)) x[is.na(words)] <- NA_integer_
    shape$levels <- known
  } else if (inherits(like, "haven_labelled")) {
    if (is.factor(x)) x <- .codes(x, attr(like, "labels", exact = TRUE))
    x <- .stored(as.vector(unclass(x)), like)
  } else if (inherits(like, c("Date", "POSIXct"))) {
    if (all(is.na(x))) x <- rep(NA_real_, length(x))
    else if (inherits(x, "Date") && inherits(like, "POSIXct")) x <- unclass(x) * 86400
    else if (inherits(x, "POSIXct") && inherits(like, "Date")) x <- unclass(x) / 86400
    x <- .stored(as.vector(unclass(x)), like)
  } else if (inherits(like, "integer64")) {
    return(x)  # numbers: the bits of an integer64 need the package bit64
  } else if (inherits(like, "difftime")) {
    if (!inherits(x, "difftime")) return(x)
    units(x) <- attr(like, "units")
    x <- .stored(as.vector(unclass(x)), like)
  } else {
    if (is.factor(x)) x <- as.character(x)
    if (is.character(x) != is.character(like) && !all(is.na(x))) return(x)
    x <- .stored(as.vector(unclass(x)), like)
  }
  attributes(x) <- shape
  x
}

# Whole numbers are stored as `like` is; fractions stay doubles.
.stored <- function(x, like) {
  fits <- switch(typeof(like),
    integer = is.numeric(x) && all(is.na(x) | (x == trunc(x) & abs(x) <= .Machine$integer.max)) || all(is.na(x)),
    logical = is.logical(x) || all(is.na(x) | x %in% 0:1),
    TRUE)
  if (fits) storage.mode(x) <- typeof(like)
  x
}

# The codes of labels, named as Python names them: two codes of one label are distinguished by "label [code]".
.codes <- function(x, labels) {
  words <- names(labels)
  twice <- words %in% words[duplicated(words)]
  words[twice] <- paste0(words[twice], " [", format(labels[twice], trim = TRUE), "]")
  unname(as.vector(labels)[match(as.character(x), words)])
}

.from_python <- function(object, like = NULL) {
  if (!inherits(object, "python.builtin.object")) return(object)
  described <- reticulate::py_to_r(.try(.bridge()$described(object)))
  item <- function(i) .from_python(.bridge()$item(object, i - 1L), like)
  switch(described$kind,
    none = NULL,
    value = described$value,
    frame = .data_frame(described, like),
    array = {
      x <- .unpack(described$column)
      if (length(described$dim) > 1) array(x, unlist(described$dim)) else x
    },
    list = lapply(seq_len(described$length), item),
    mapping = stats::setNames(lapply(seq_len(described$length), item), unlist(described$names)),
    callable = structure(function(...) .call(object, list(...), like), class = c("synthlab_function", "function"), object = object),
    .object(object, like))
}

.data_frame <- function(described, like) {
  names <- as.character(unlist(described$names))
  if (!all(names %in% names(like))) like <- NULL  # a table of results, which may have a column of the same name
  columns <- lapply(seq_along(names), function(i) .unpack(described$columns[[i]], like[[names[i]]]))
  structure(stats::setNames(columns, names), row.names = .set_row_names(described$rows), class = "data.frame")
}

.call <- function(callable, args, like) {
  frames <- Filter(is.data.frame, args)
  if (length(frames)) like <- frames[[1]]
  named <- if (is.null(names(args))) rep(FALSE, length(args)) else nzchar(names(args))
  given <- reticulate::py_dict(as.list(names(args)[named]), unname(lapply(args[named], .to_python)))
  answer <- .try(.bridge()$call(callable, reticulate::tuple(unname(lapply(args[!named], .to_python))), given))
  for (said in unlist(reticulate::py_to_r(.bridge()$item(answer, 1L)))) warning(said, call. = FALSE)
  .from_python(.bridge()$item(answer, 0L), like)
}

# An error of Python as an error of R: its name, and its message in the syntax of R.
.try <- function(code) tryCatch(code, error = function(e) {
  message <- sub("\n+Detailed traceback.*", "", conditionMessage(e))
  if (!is.null(.synthlab$bridge)) message <- reticulate::py_to_r(.synthlab$bridge$in_r(message))
  stop(message, call. = FALSE)
})

# ---- objects of Python in R ----------------------------------------------------------------------

`$.synthlab_object` <- function(x, name) {
  object <- .subset2(x, "object")
  if (!reticulate::py_has_attr(object, name)) .try(reticulate::py_get_attr(object, name))
  .from_python(.try(reticulate::py_get_attr(object, name)), .subset2(x, "like"))
}

# The i-th dataset of a release, from 1.
`[[.synthlab_object` <- function(x, i) {
  if (is.character(i)) return(do.call(`$`, list(x, i)))
  if (i < 1 || i > length(x)) stop("there are ", length(x), " of them, counted from 1", call. = FALSE)
  .from_python(.try(.bridge()$item(.subset2(x, "object"), as.integer(i) - 1L)), .subset2(x, "like"))
}

length.synthlab_object <- function(x) {
  object <- .subset2(x, "object")
  if (reticulate::py_has_attr(object, "frames")) length(x$frames) else 1L
}

names.synthlab_object <- function(x) unlist(reticulate::py_to_r(.bridge()$names(.subset2(x, "object"))))
.DollarNames.synthlab_object <- function(x, pattern = "") grep(pattern, names(x), value = TRUE)
format.synthlab_object <- function(x, ...) reticulate::py_to_r(.try(.bridge()$text(.subset2(x, "object"))))
print.synthlab_object <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
print.synthlab_function <- function(x, ...) {
  cat(reticulate::py_to_r(.bridge()$text(attr(x, "object"))), "\n", sep = "")
  invisible(x)
}

# The table of a result, or the datasets of a release under one another.
as.data.frame.synthlab_object <- function(x, ...) {
  if ("frames" %in% names(x)) {
    frames <- x$frames
    bare <- function(v) if (is.factor(v)) as.character(v) else as.vector(unclass(v))
    under <- function(name) .alike(unlist(lapply(frames, function(f) bare(f[[name]]))), frames[[1]][[name]])
    columns <- stats::setNames(lapply(names(frames[[1]]), under), names(frames[[1]]))
    number <- rep(seq_along(frames), each = nrow(frames[[1]]))
    return(structure(c(list(dataset = number), columns), row.names = .set_row_names(length(number)), class = "data.frame"))
  }
  if (!"to_frame" %in% names(x)) stop("this object of Python has no table", call. = FALSE)
  x$to_frame()
}

# The picture of a result: written to `file` (PNG or SVG by its ending), which is returned; a PNG is shown too.
plot.synthlab_object <- function(x, file = tempfile(fileext = ".png"), dpi = 100, show = interactive(), ...) {
  .try(.bridge()$save_plot(.subset2(x, "object"), file, dpi))
  if (show && grepl("\\.png$", file) && requireNamespace("png", quietly = TRUE)) {
    grid::grid.newpage()
    grid::grid.raster(png::readPNG(file))
  }
  invisible(file)
}

# The docstring of a function or a class of synthlab.
synthlab_help <- function(x) {
  object <- if (inherits(x, "synthlab_function")) attr(x, "object") else .subset2(x, "object")
  cat(reticulate::py_to_r(reticulate::py_get_attr(object, "__doc__")), "\n", sep = "")
}
