# Convert values of Python to values of R.

# A column of no records with the type of `x`: its storage, class, levels, labels and time zone, but none of its values.
prototype <- function(x) {
  if (is.list(x) || length(dim(x)) > 1) return(NULL)
  shape <- attributes(x)
  empty <- vector(typeof(x), 0)
  attributes(empty) <- shape[setdiff(names(shape), c("names", "dim", "dimnames"))]
  empty
}

prototypes <- function(data) lapply(as.list(data), prototype)

unpack <- function(packed, like = NULL) {
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
  x <- with_type(x, like)
  if (is.null(packed$codes) || !(inherits(like, "haven_labelled") || is.double(like))) x else with_codes(x, packed)
}

# Give missing values the codes that a column of haven declares missing, and tagged NAs their tags.
with_codes <- function(x, packed) {
  shape <- attributes(x)
  coded <- as.logical(packed$coded)
  codes <- if (is.raw(packed$codes)) readBin(packed$codes, "double", length(coded), endian = "little") else as.character(unlist(packed$codes))
  x <- as.vector(unclass(x))
  x[coded] <- if (is.integer(x)) as.integer(codes[coded]) else codes[coded]
  attributes(x) <- shape
  x
}

# Give values the type of the column `like`: its storage, class, levels, labels, time zone.
with_type <- function(x, like) {
  shape <- attributes(prototype(like))
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
    if (is.factor(x)) x <- codes_of_labels(x, attr(like, "labels", exact = TRUE))
    x <- stored_like(as.vector(unclass(x)), like)
  } else if (inherits(like, c("Date", "POSIXct"))) {
    if (all(is.na(x))) x <- rep(NA_real_, length(x))
    else if (inherits(x, "Date") && inherits(like, "POSIXct")) x <- unclass(x) * 86400
    else if (inherits(x, "POSIXct") && inherits(like, "Date")) x <- unclass(x) / 86400
    x <- stored_like(as.vector(unclass(x)), like)
  } else if (inherits(like, "integer64")) {
    return(x)  # numbers: the bits of an integer64 need the package bit64
  } else if (inherits(like, "difftime")) {
    if (!inherits(x, "difftime")) return(x)
    units(x) <- attr(like, "units")
    x <- stored_like(as.vector(unclass(x)), like)
  } else {
    if (is.factor(x)) x <- as.character(x)
    if (is.character(x) != is.character(like) && !all(is.na(x))) return(x)
    x <- stored_like(as.vector(unclass(x)), like)
  }
  attributes(x) <- shape
  x
}

# Whole numbers are stored like the column; fractions stay doubles.
stored_like <- function(x, like) {
  fits <- switch(typeof(like),
    integer = is.numeric(x) && all(is.na(x) | (x == trunc(x) & abs(x) <= .Machine$integer.max)) || all(is.na(x)),
    logical = is.logical(x) || all(is.na(x) | x %in% 0:1),
    TRUE)
  if (fits) storage.mode(x) <- typeof(like)
  x
}

# The codes of labels. Python distinguishes two codes of one label by "label [code]".
codes_of_labels <- function(x, labels) {
  words <- names(labels)
  repeated <- words %in% words[duplicated(words)]
  words[repeated] <- paste0(words[repeated], " [", format(labels[repeated], trim = TRUE), "]")
  unname(as.vector(labels)[match(as.character(x), words)])
}

from_python <- function(object, like = NULL) {
  if (!inherits(object, "python.builtin.object")) return(object)
  described <- reticulate::py_to_r(in_python(bridge()$described(object)))
  item <- function(i) from_python(bridge()$item(object, i - 1L), like)
  switch(described$kind,
    none = NULL,
    value = described$value,
    frame = unpack_frame(described, like),
    array = {
      x <- unpack(described$column)
      if (length(described$dim) > 1) array(x, unlist(described$dim)) else x
    },
    list = lapply(seq_len(described$length), item),
    mapping = stats::setNames(lapply(seq_len(described$length), item), unlist(described$names)),
    callable = new_function(object, like),
    new_object(object, like, described$role))
}

unpack_frame <- function(described, like) {
  names <- as.character(unlist(described$names))
  if (!all(names %in% names(like))) like <- NULL  # a table of results, which can have a column of the same name
  columns <- lapply(seq_along(names), function(i) unpack(described$columns[[i]], like[[names[i]]]))
  structure(stats::setNames(columns, names), row.names = .set_row_names(described$rows), class = "data.frame")
}

# Call a function of Python with values of Python; its warnings become warnings of R.
with_warnings <- function(callable, arguments, named = reticulate::dict()) {
  answer <- in_python(bridge()$call(callable, reticulate::tuple(unname(arguments)), named))
  for (one in reticulate::py_to_r(bridge()$item(answer, 1L)))
    warning(synthlab_condition(one[[2]], c(one[[1]], "synthlab_warning", "warning")))
  bridge()$item(answer, 0L)
}

# Call a function of Python with values of R. Data frames in the answer get the types of the first data frame among the
# arguments.
call_python <- function(callable, arguments, like = NULL) {
  force(callable)  # starts Python, before arguments are converted
  frames <- Filter(is.data.frame, arguments)
  if (length(frames)) like <- prototypes(frames[[1]])
  named <- if (is.null(names(arguments))) rep(FALSE, length(arguments)) else nzchar(names(arguments))
  given <- reticulate::py_dict(as.list(names(arguments)[named]), unname(lapply(arguments[named], to_python)))
  from_python(with_warnings(callable, lapply(arguments[!named], to_python), given), like)
}
