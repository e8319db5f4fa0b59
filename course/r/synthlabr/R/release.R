# Releases: synthesis, files, and the methods of a release.

synthesize <- function(data, m = 5, ..., rng = NULL) run("synthesize", list(data, m = m, rng = rng, ...))

save_release <- function(release, folder, format = "csv", keep_private = NULL, keep_order = FALSE, ...) {
  check_release(release)
  private <- if (is.null(keep_private)) NULL else path.expand(keep_private)
  release$save(path.expand(folder), format = format, keep_private = private, keep_order = keep_order, ...)
  invisible(folder)
}

read_release <- function(folder, data = NULL, private = NULL) {
  made <- python_attribute("Release")$load(path.expand(folder), private = if (is.null(private)) NULL else path.expand(private))
  if (is.null(data)) made else new_object(python_object(made), prototypes(data), "release")
}

# Call a function of synthlab by its name.
run <- function(name, arguments) call_python(python_function(name), arguments)

python_function <- function(name) in_python(bridge()$attribute(reticulate::import("synthlab", convert = FALSE), name))

python_attribute <- function(name) new_function(python_function(name))

check_release <- function(release) {
  if (!inherits(release, "synthlab_release"))
    stop("release: must be a release, as synthesize(), generate() and read_release() return it", call. = FALSE)
}

# The datasets of a release, of a synds object, of a data frame or of a list of data frames, as a list of data frames.
datasets_of <- function(release) {
  if (inherits(release, "synthlab_release")) return(release$frames)
  if (inherits(release, "synds")) release <- release$syn
  if (is.data.frame(release)) return(list(release))
  if (!is.list(release) || length(release) == 0 || !all(vapply(release, is.data.frame, TRUE)))
    stop("release: must be a release, a data frame or a list of data frames", call. = FALSE)
  release
}

`[[.synthlab_release` <- function(x, i, ...) {
  if (is.character(i))
    stop("a release contains ", length(x), " datasets; for a column of the first one write release[[1]]$", i, call. = FALSE)
  if (length(i) != 1 || is.na(i) || i < 1 || i > length(x))
    stop("a release contains ", length(x), " datasets, numbered from 1", call. = FALSE)
  NextMethod()
}

length.synthlab_release <- function(x) x$m
dim.synthlab_release <- function(x) dim(x[[1]])
as.list.synthlab_release <- function(x, ...) x$frames

# The datasets of a release one after the other.
as.data.frame.synthlab_release <- function(x, row.names = NULL, optional = FALSE, ...) {
  frames <- x$frames
  first <- frames[[1]]
  bare <- function(v) if (is.factor(v)) as.character(v) else as.vector(unclass(v))
  stacked <- function(name) with_type(unlist(lapply(frames, function(f) bare(f[[name]]))), first[[name]])
  columns <- stats::setNames(lapply(names(first), stacked), names(first))
  number <- rep(seq_along(frames), each = nrow(first))
  structure(c(list(dataset = number), columns), row.names = .set_row_names(length(number)), class = "data.frame")
}

str.synthlab_release <- function(object, ...) {
  cat("Release of m =", length(object), "synthetic datasets. Dataset 1:\n")
  utils::str(object[[1]], ...)
}

# How each variable was synthesized, and the distributions of the synthetic datasets.
summary.synthlab_release <- function(object, ...) {
  plan <- if ("plan" %in% names(object$provenance)) python_attribute("Plan")$of(object)
  structure(class = "summary.synthlab_release", list(
    text = format(object),
    plan = if (!is.null(plan)) plan$summary(),
    notes = if (!is.null(plan)) unlist(plan$notes),
    relations = if (!is.null(plan)) unlist(plan$relations),
    variables = summary(as.data.frame(object)[-1], ...)))
}

print.summary.synthlab_release <- function(x, ...) {
  cat(x$text, "\n", sep = "")
  if (!is.null(x$plan)) {
    cat("\nSynthesis of each variable:\n")
    print(x$plan, row.names = FALSE, right = FALSE)
    if (length(x$notes)) cat("\n", paste0(x$notes, "\n"), sep = "")
    if (length(x$relations)) cat("\nRelations between columns:\n", paste0("  ", x$relations, "\n"), sep = "")
  }
  cat("\nSynthetic values of all datasets:\n")
  print(x$variables, ...)
  invisible(x)
}

plot.synthlab_release <- function(x, data = NULL, variables = NULL, bins = 20, ...) {
  shares <- distributions(data, datasets_of(x), variables, bins)
  draw_distributions(shares, ...)
  invisible(x)
}
