# Distributions of the confidential and the synthetic data, as tables and figures.

MOST_BARS <- 10    # largest number of distinct numbers that are drawn as bars
MOST_LEVELS <- 20  # largest number of levels that are drawn; the others are combined

compare <- function(data, release, ...) UseMethod("compare")

compare.default <- function(data, release, variables = NULL, bins = 20, plot = TRUE, ...) {
  if (!is.data.frame(data) && is.data.frame(release)) return(compare.default(release, data, variables, bins, plot, ...))
  if (!is.data.frame(data)) stop("data: must be a data frame with the confidential data", call. = FALSE)
  found <- structure(distributions(data, datasets_of(release), variables, bins), class = "synthlab_comparison")
  if (plot) plot(found, ...)
  found
}

# The methods of synthpop, whose function this package masks if it is attached last. Their calls are evaluated where the user
# made them, because these methods look for their data there.
compare.synds <- function(data, release, ...) as_in_synthpop("compare.synds", match.call(), parent.frame())
compare.fit.synds <- function(data, release, ...) as_in_synthpop("compare.fit.synds", match.call(), parent.frame())

as_in_synthpop <- function(name, call, frame) {
  call[[1]] <- get(name, envir = asNamespace("synthpop"))
  names(call)[names(call) %in% c("data", "release")] <- c("object", "data")
  eval(call, frame)
}

print.synthlab_comparison <- function(x, digits = 3, ...) {
  cat("Shares of the records, confidential and synthetic (mean of the datasets):\n")
  for (name in names(x)) {
    cat("\n", name, "\n", sep = "")
    table <- x[[name]]
    table[-1] <- lapply(table[-1], round, digits)
    print(table, row.names = FALSE, right = FALSE)
  }
  invisible(x)
}

plot.synthlab_comparison <- function(x, ...) {
  draw_distributions(unclass(x), ...)
  invisible(x)
}

# A table of shares per variable, with the columns value, confidential, synthetic, lowest and highest (of the datasets).
distributions <- function(data, datasets, variables, bins) {
  both <- if (is.null(data)) names(datasets[[1]]) else intersect(names(data), names(datasets[[1]]))
  if (is.null(variables)) variables <- both
  unknown <- setdiff(variables, both)
  if (length(unknown)) stop("variables: not in both files: ", paste(unknown, collapse = ", "), call. = FALSE)
  if (length(variables) == 0) stop("variables: the files have no column in common", call. = FALSE)
  if (!is.numeric(bins) || length(bins) != 1 || is.na(bins) || bins < 2) stop("bins: must be a number of at least 2", call. = FALSE)
  stats::setNames(lapply(variables, function(name)
    shares_of(data[[name]], lapply(datasets, `[[`, name), bins)), variables)
}

# Values as drawn: numbers, or texts with an order.
plain_values <- function(x) {
  if (inherits(x, "haven_labelled")) {
    labels <- attr(x, "labels", exact = TRUE)
    values <- as.vector(unclass(x))
    if (length(labels) && all(values[!is.na(values)] %in% labels))
      return(factor(names(labels)[match(values, labels)], levels = unique(names(labels))))
    return(values)
  }
  if (inherits(x, "difftime")) as.numeric(x) else x
}

shares_of <- function(confidential, synthetic, bins) {
  columns <- lapply(c(if (!is.null(confidential)) list(confidential), synthetic), plain_values)
  numbers <- vapply(columns, function(x) is.numeric(x) || inherits(x, c("Date", "POSIXct")), TRUE)
  together <- if (all(numbers)) unlist(lapply(columns, as.numeric))
  counted <- if (all(numbers) && length(unique(together)) > MOST_BARS) {
    breaks <- pretty(together, bins)
    labels <- as_shown(breaks, columns[[1]])
    cells <- paste(utils::head(labels, -1), "to", labels[-1])
    function(x) table(cut(as.numeric(x), breaks, cells, include.lowest = TRUE, right = FALSE), useNA = "always")
  } else {
    levels <- unique(unlist(lapply(columns, function(x) if (is.factor(x)) levels(x) else as.character(sort(unique(x))))))
    if (all(numbers)) levels <- as.character(sort(unique(as_type(together, columns[[1]]))))
    kept <- most_frequent(levels, unlist(lapply(columns, as.character)))
    counted_as <- stats::setNames(ifelse(levels %in% kept, levels, "other"), levels)
    function(x) table(factor(counted_as[as.character(x)], unique(counted_as[order(!levels %in% kept)])), useNA = "always")
  }
  shares <- vapply(columns, function(x) as.vector(counted(x)) / length(x), numeric(length(counted(columns[[1]]))))
  values <- names(counted(columns[[1]]))
  values[is.na(values)] <- "missing"
  made <- if (is.null(confidential)) shares else shares[, -1, drop = FALSE]
  table <- data.frame(value = values, synthetic = rowMeans(made), lowest = apply(made, 1, min), highest = apply(made, 1, max))
  if (!is.null(confidential)) table <- cbind(table["value"], confidential = shares[, 1], table[-1])
  table <- table[table$value != "missing" | rowSums(shares) > 0, ]
  rownames(table) <- NULL
  attr(table, "histogram") <- exists("breaks", inherits = FALSE)
  table
}

most_frequent <- function(levels, values) {
  counts <- table(factor(values, levels))
  if (length(levels) <= MOST_LEVELS) levels else levels[order(-counts)][seq_len(MOST_LEVELS)]
}

as_type <- function(numbers, like) {
  if (inherits(like, "Date")) as.Date(numbers, origin = "1970-01-01")
  else if (inherits(like, "POSIXct")) as.POSIXct(numbers, origin = "1970-01-01", tz = attr(like, "tzone")[1])
  else numbers
}

as_shown <- function(breaks, like)
  if (is.numeric(like)) format(breaks, big.mark = ",", trim = TRUE) else format(as_type(breaks, like))

draw_distributions <- function(tables, colors = c("#3b6ea5", "#e08a2c"), ...) {
  across <- min(3, ceiling(sqrt(length(tables))))
  down <- min(3, ceiling(length(tables) / across))
  old <- graphics::par(mfrow = c(down, across), mar = c(6, 4, 2.5, 1))
  on.exit(graphics::par(old))
  for (name in names(tables)) draw_shares(tables[[name]], name, colors, ...)
}

draw_shares <- function(table, name, colors, ...) {
  both <- "confidential" %in% names(table)
  shown <- as.matrix(table[if (both) c("confidential", "synthetic") else "synthetic"])
  colors <- if (both) colors else colors[2]
  histogram <- isTRUE(attr(table, "histogram"))
  labels <- if (histogram) sub(" to .*", "", table$value) else table$value
  short <- ifelse(nchar(labels) > 14, paste0(substr(labels, 1, 13), "."), labels)
  places <- graphics::barplot(t(shown), beside = TRUE, col = colors, border = NA, names.arg = short, las = 2, main = name,
    ylab = "share of records", ylim = c(0, max(shown, table$highest) * 1.25), cex.names = 0.8,
    space = if (histogram) c(0, 0.15) else c(0, 0.6), ...)
  if (any(table$highest > table$lowest)) {
    center <- places[nrow(places), ]
    graphics::segments(center, table$lowest, center, table$highest)
  }
  graphics::legend("topright", colnames(shown), fill = colors, border = NA, bty = "n", cex = 0.8, horiz = TRUE)
}
