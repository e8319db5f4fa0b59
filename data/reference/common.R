# What the scripts of this folder share: where they read, where they write, how they print a number.
#
#     Rscript data/reference/<script>.R [output folder] [folder of the real samples]
#
# Without an output folder a script writes beside itself.
arguments <- commandArgs(TRUE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))))
out_dir <- if (length(arguments)) arguments[1] else here
samples_dir <- if (length(arguments) > 1) arguments[2] else NA

# Fifteen significant digits: what a double holds for certain.
digits15 <- function(x) sprintf("%.15g", x)
write_table <- function(table, name) write.csv(table, file.path(out_dir, name), row.names = FALSE, quote = FALSE)
stand_in <- function(name) read.csv(file.path(here, "..", name))
sample_file <- function(name) {
  if (is.na(samples_dir)) stop("give the folder of the real samples as second argument")
  file.path(samples_dir, name)
}

# Categories as factors over the levels of all frames; IdentificationRiskCalculation takes bare integers for measurements.
as_factors <- function(frames, columns) {
  for (v in columns) {
    levels <- sort(unique(unlist(lapply(frames, function(f) f[[v]]))))
    frames <- lapply(frames, function(f) { f[[v]] <- factor(f[[v]], levels); f })
  }
  frames
}

# Answers one by one: what, case (no commas in them), place (1, 2, ...), value.
answers <- list()
record <- function(what, case, values) {
  answers[[length(answers) + 1]] <<- data.frame(what, case, place = seq_along(values), value = digits15(values))
}
write_answers <- function(name) {
  write_table(do.call(rbind, answers), name)
}

# To be called last: what R and which packages made the answers.
write_session <- function() writeLines(capture.output(sessionInfo()), file.path(out_dir, "session.txt"))
