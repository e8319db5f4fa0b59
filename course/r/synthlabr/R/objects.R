# Objects of Python in R: releases, evaluations, models, fits and other results.

# `like` has the types of the confidential data frame, but none of its values. `role` is "release", "evaluation", "model",
# "fit", "result" or "other".
new_object <- function(object, like = NULL, role = "other")
  structure(list(object = object, like = like), class = c(if (role != "other") paste0("synthlab_", role), "synthlab_object"))

new_function <- function(object, like = NULL)
  structure(function(...) call_python(object, list(...), like), class = c("synthlab_function", "function"), object = object)

python_object <- function(x) {
  object <- .subset2(x, "object")
  if (reticulate::py_is_null_xptr(object))
    stop("this object was created in an earlier session of R; save releases with save_release() and read them with ",
         "read_release()", call. = FALSE)
  object
}

`$.synthlab_object` <- function(x, name) {
  object <- python_object(x)
  from_python(in_python(bridge()$attribute(object, name)), .subset2(x, "like"))
}

`$.synthlab_function` <- function(x, name) from_python(in_python(bridge()$attribute(attr(x, "object"), name)))

`[[.synthlab_object` <- function(x, i, ...) {
  if (is.character(i) && !inherits(x, "synthlab_evaluation")) return(do.call(`$`, list(x, i)))
  place <- if (is.character(i)) i else as.integer(i) - 1L
  from_python(in_python(bridge()$item(python_object(x), place)), .subset2(x, "like"))
}

length.synthlab_object <- function(x) 1L
names.synthlab_object <- function(x) unlist(reticulate::py_to_r(bridge()$names(python_object(x))))
.DollarNames.synthlab_object <- function(x, pattern = "") grep(pattern, names(x), value = TRUE)
format.synthlab_object <- function(x, ...) reticulate::py_to_r(in_python(bridge()$text(python_object(x))))
print.synthlab_object <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
print.synthlab_function <- function(x, ...) {
  cat(reticulate::py_to_r(bridge()$text(attr(x, "object"))), "\n", sep = "")
  invisible(x)
}
str.synthlab_object <- function(object, ...) cat("synthlab:", strsplit(format(object), "\n", fixed = TRUE)[[1]][1], "\n")

# The table of a result.
as.data.frame.synthlab_object <- function(x, row.names = NULL, optional = FALSE, ...) {
  if (!"to_frame" %in% names(x)) stop("this object has no table", call. = FALSE)
  x$to_frame()
}

summary.synthlab_object <- function(object, ...) {
  if ("summary" %in% names(object)) object$summary() else format(object)
}

# The figure of a result, drawn on the graphics device, or written to a file.
plot.synthlab_object <- function(x, file = NULL, dpi = 100, ...) {
  object <- python_object(x)
  if (!is.null(file)) {
    in_python(bridge()$save_plot(object, path.expand(file), dpi))
    return(invisible(file))
  }
  pixels <- reticulate::py_to_r(in_python(bridge()$pixels(object, dpi)))
  colors <- matrix(pixels$colors, nrow = pixels$height, byrow = TRUE)
  old <- graphics::par(mar = c(0, 0, 0, 0))
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(c(0, pixels$width), c(0, pixels$height), asp = 1)
  graphics::rasterImage(grDevices::as.raster(colors), 0, 0, pixels$width, pixels$height)
  invisible(x)
}

synthlab_help <- function(x) {
  object <- if (inherits(x, "synthlab_function")) attr(x, "object") else python_object(x)
  cat(reticulate::py_to_r(reticulate::py_get_attr(object, "__doc__")), "\n", sep = "")
}
