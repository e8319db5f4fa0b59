# Convert values of R to values of Python.

# A vector as bytes with a mask of missing values, and its attributes.
pack <- function(x) {
  storage <- typeof(x)
  bare <- if (is.list(x)) list() else as.vector(unclass(x))
  missing <- if (is.list(x)) logical() else is.na(bare)
  values <- switch(storage,
    double = writeBin(bare, raw(), endian = "little"),
    integer = , logical = writeBin(as.integer(bare), raw(), endian = "little"),
    character = as.list(enc2utf8(bare)),
    raw())
  packed <- list(storage = storage, values = values, absent = as.raw(missing), classes = as.list(class(x)), dims = length(dim(x)))
  if (is.factor(x) && !is.null(levels(x))) packed$levels <- pack(levels(x))
  if (inherits(x, "POSIXct") && length(attr(x, "tzone"))) packed$zone <- attr(x, "tzone")[1]
  if (is.character(attr(x, "units"))) packed$units <- attr(x, "units")[1]
  if (inherits(x, "haven_labelled")) {
    labels <- attr(x, "labels", exact = TRUE)
    if (length(labels)) {
      packed$labels <- pack(unname(labels))
      packed$label_names <- pack(names(labels))
    }
    if (length(attr(x, "na_values"))) packed$user_missing <- pack(as.vector(attr(x, "na_values")))
    if (length(attr(x, "na_range"))) packed$missing_range <- pack(as.vector(attr(x, "na_range")))
  }
  packed
}

frame_to_python <- function(data) {
  if (anyNA(names(data))) stop("data: a column name is missing (NA)", call. = FALSE)
  with_warnings(bridge()$frame, list(as.list(enc2utf8(names(data))), unname(lapply(as.list(data), pack)), nrow(data)))
}

to_python <- function(x) {
  if (inherits(x, "synthlab_object")) return(python_object(x))
  if (is.null(x) || inherits(x, "python.builtin.object")) return(x)
  if (inherits(x, "synthlab_function")) return(attr(x, "object"))
  if (inherits(x, "formula")) return(reticulate::r_to_py(formula_text(x), convert = FALSE))
  if (is.data.frame(x)) return(frame_to_python(x))
  if (inherits(x, "synds")) return(synds_to_python(x))
  if (is.function(x)) stop("a function of R cannot be an argument; give the values that it returns", call. = FALSE)
  if (is.factor(x) || inherits(x, c("Date", "POSIXct", "haven_labelled")) || length(dim(x)) > 1)
    return(with_warnings(bridge()$column, list(pack(x))))
  if (is.object(x) && !inherits(x, "AsIs"))
    stop("an object of class ", class(x)[1], " cannot be an argument; give a data frame, a vector or a list", call. = FALSE)
  if (!is.null(names(x))) {
    if (any(!nzchar(names(x)))) stop("name all elements of the list or none", call. = FALSE)
    return(reticulate::py_dict(as.list(names(x)), unname(lapply(as.list(x), to_python))))
  }
  if (is.list(x)) return(reticulate::r_to_py(lapply(x, to_python), convert = FALSE))
  single <- length(x) == 1 && !inherits(x, "AsIs")
  if (is.character(x)) {
    texts <- lapply(enc2utf8(unclass(x)), function(text) if (is.na(text)) NULL else text)
    return(reticulate::r_to_py(if (single) texts[[1]] else texts, convert = FALSE))
  }
  in_python(bridge()$numbers(pack(as.vector(unclass(x))), single))
}

# A synds object of the R package synthpop as a release.
synds_to_python <- function(x) {
  frames <- if (is.data.frame(x$syn)) list(x$syn) else x$syn
  method <- if (is.matrix(x$method)) x$method[1, ] else x$method
  with_warnings(bridge()$release, list(unname(lapply(frames, frame_to_python)), as.list(names(method)[method != ""])))
}

# ---- formulas ------------------------------------------------------------------------------------

# A formula as text in the grammar of synthlab; a formula is translated, never evaluated.
formula_text <- function(formula) {
  if (length(formula) != 3)
    stop("formula: the response is missing; write a formula with two sides, such as income ~ age + region", call. = FALSE)
  paste(formula_term(formula[[2]]), "~", formula_term(formula[[3]]))
}

not_in_grammar <- function(what, instead = "") {
  functions <- unlist(reticulate::py_to_r(bridge()$formula_functions()))
  stop("formula: ", what, " is not allowed; ", instead, "a formula can contain columns, numbers, + - * / : ^, ",
       "parentheses and the functions factor, ", paste(functions, collapse = ", "), call. = FALSE)
}

shown <- function(term) paste(deparse(term, width.cutoff = 500L), collapse = " ")

# One side of a formula, or a part of it. Inside a call, `inside` is TRUE and operators mean arithmetic.
formula_term <- function(term, inside = FALSE) {
  if (is.name(term)) return(formula_column(as.character(term)))
  if (is.numeric(term)) return(formula_constant(term))
  if (!is.call(term)) not_in_grammar(shown(term))
  name <- if (is.name(term[[1]])) as.character(term[[1]]) else shown(term[[1]])
  arguments <- as.list(term)[-1]
  if (name == "(") return(paste0("(", formula_term(arguments[[1]], inside), ")"))
  if (name %in% c("+", "-") && length(arguments) == 1) return(paste0(name, formula_term(arguments[[1]], inside)))
  operators <- c("+", "-", "*", "/", "^", if (!inside) ":")
  if (name %in% operators && length(arguments) == 2) {
    sign <- if (name == "^") "**" else name
    sides <- vapply(arguments, formula_term, "", inside = inside)
    if (!inside && ((name == "+" && "0" %in% sides) || (name == "-" && sides[2] == "1")))
      not_in_grammar(shown(term), "the intercept cannot be left out; ")
    return(paste(sides[1], sign, sides[2]))
  }
  formula_call(term, name, arguments)
}

formula_call <- function(term, name, arguments) {
  if (name %in% c("factor", "as.factor", "ordered", "as.ordered")) {
    if (!all(names(arguments)[-1] == "levels") || length(arguments) > 2)
      not_in_grammar(shown(term), "prepare the factor in the data frame; ")
    name <- "C"
  }
  allowed <- unlist(reticulate::py_to_r(bridge()$formula_functions()))
  if (!name %in% allowed || length(arguments) == 0)
    not_in_grammar(shown(term), if (name == "offset") "subtract the offset from the response; " else "")
  first <- formula_term(arguments[[1]], inside = TRUE)
  labels <- names(arguments)
  more <- vapply(seq_along(arguments)[-1], function(i) {
    value <- formula_value(arguments[[i]], term)
    if (is.null(labels) || !nzchar(labels[i])) value else paste0(labels[i], "=", value)
  }, "")
  paste0(name, "(", paste(c(first, more), collapse = ", "), ")")
}

# A further argument of a function: a constant or a vector of constants.
formula_value <- function(value, term) {
  if (is.call(value) && identical(value[[1]], as.name("c")) && is.null(names(value)))
    return(paste0("[", paste(vapply(as.list(value)[-1], formula_value, "", term = term), collapse = ", "), "]"))
  if (is.call(value) && identical(value[[1]], as.name("-")) && length(value) == 2 && is.numeric(value[[2]]))
    return(paste0("-", formula_constant(value[[2]])))
  if (is.logical(value)) return(if (isTRUE(value)) "True" else "False")
  if (is.numeric(value)) return(formula_constant(value))
  if (is.character(value)) {
    if (grepl("[\\\\\"]", value)) not_in_grammar(shown(term), "a level contains a quotation mark or a backslash; ")
    return(paste0("\"", enc2utf8(value), "\""))
  }
  not_in_grammar(shown(term), paste0("write the value of ", shown(value), " as a number, a text or c(...); "))
}

formula_constant <- function(x) format(x, digits = 17, scientific = FALSE, trim = TRUE)

formula_column <- function(name) {
  if (name == ".") stop("formula: . is not allowed; name the predictors, such as income ~ age + region", call. = FALSE)
  plain <- grepl("^[[:alpha:]_][[:alnum:]_]*$", name) && !name %in% c("True", "False", "None")
  if (plain) name else paste0("`", gsub("`", "``", name, fixed = TRUE), "`")
}
