# Risk and utility of a release.

Intruder <- function(known, synthesized, radius = NULL, radius_kind = "relative", boundary = "closed", norm = "box",
                     missing = "raise", ...) create("Intruder", ...)

SurveyDesign <- function(weights = NULL, strata = NULL, clusters = NULL, fpc = NULL, lonely = "fail") create("SurveyDesign")

evaluate <- function(data, release, intruder, ...) run("evaluate", list(data, release, intruder, ...))

summary.synthlab_evaluation <- function(object, ...) object$summary()

# The expected number of people whom an intruder finds with the release, and without it; and the distance of each variable
# in the worst dataset.
plot.synthlab_evaluation <- function(x, ...) {
  panels <- list(match_risk_shown(x), distances_shown(x))
  panels <- Filter(Negate(is.null), panels)
  if (length(panels) == 0) stop("the evaluation contains neither a match risk nor a distance, so there is nothing to draw", call. = FALSE)
  old <- graphics::par(mfrow = c(1, length(panels)), mar = c(4, 11, 3, 2), cex.main = 1)
  on.exit(graphics::par(old))
  for (one in panels)
    graphics::barplot(rev(one$values), horiz = TRUE, las = 1, col = "#3b6ea5", border = NA, main = one$title, xlab = one$unit,
                      xlim = c(0, max(pretty(c(0, one$values)))), ...)
  invisible(x)
}

match_risk_shown <- function(x) {
  table <- x$summary()
  row <- table[table$measure == "expected_match_risk", ]
  if (nrow(row) == 0) return(NULL)
  columns <- c("random guesses" = "random_guess", "known variables alone" = "known_only", "with the release" = "synthetic",
    "with the confidential data" = "confidential")
  list(values = stats::setNames(unlist(row[columns]), names(columns)), title = "People found (expected)",
    unit = "mean of the datasets")
}

distances_shown <- function(x) {
  if (!"ecdf" %in% names(x$results)) return(NULL)
  table <- as.data.frame(x[["ecdf"]])
  list(values = c(tapply(table$ecdf_max, table$variable, max)), title = "Largest ECDF distance",
    unit = "worst dataset")
}
