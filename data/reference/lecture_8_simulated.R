# What the R package IdentificationRiskCalculation says of the simulated stand-ins used in lecture 8.
#
#   Rscript data/reference/lecture_8_simulated.R       (in the root of the project)
#
# Writes data/reference/lecture_8_simulated.json, 15 digits a number.
suppressPackageStartupMessages(library(IdentificationRiskCalculation))

read <- function(file) read.csv(file.path("data", file))
hash <- function(file) substr(system2("sha256sum", file.path("data", file), stdout = TRUE), 1, 64)
numbers <- function(x) paste0("[", paste(sprintf("%.15g", x), collapse = ", "), "]")
strings <- function(x) paste0("[", paste0('"', x, '"', collapse = ", "), "]")

# Categories are factors over the levels of all frames; the package takes bare integer codes for measurements.
as_factors <- function(frames, columns) {
  for (v in columns) {
    levels <- sort(unique(unlist(lapply(frames, function(f) f[[v]]))))
    frames <- lapply(frames, function(f) { f[[v]] <- factor(f[[v]], levels); f })
  }
  frames
}

case <- function(id, confidential, synthetic, known, synthesized, radius = NULL) {
  used <- c(known, synthesized)
  frames <- lapply(c(confidential, synthetic), read)
  frames <- lapply(frames, function(f) f[, names(f) %in% used])
  categorical <- if (is.null(radius)) used else known
  frames <- as_factors(frames, categorical)
  # A single radius makes the package print a warning of its own about its length; the radius is used.
  capture.output(answer <- if (is.null(radius)) {
    IdentificationRiskCategorical(frames[[1]], frames[-1], known, synthesized)
  } else {
    IdentificationRisk(frames[[1]], frames[-1], known, synthesized, r = radius, percentage = TRUE)
  })
  paste0(
    '  {\n    "id": "', id, '",\n',
    '    "confidential": "', confidential, '",\n    "synthetic": ', strings(synthetic), ",\n",
    '    "sha256": ', strings(vapply(c(confidential, synthetic), hash, "")), ",\n",
    '    "known": ', strings(known), ",\n    \"synthesized\": ", strings(synthesized), ",\n",
    '    "radius": ', if (is.null(radius)) "null" else sprintf("%.15g", radius), ",\n",
    '    "expected_match_risk": ', numbers(answer$exp.risk_vector), ",\n",
    '    "true_match_rate": ', numbers(answer$true.rate_vector), ",\n",
    '    "false_match_rate": ', numbers(answer$false.rate_vector), ",\n",
    '    "n_unique": ', numbers(answer$s_vector), "\n  }"
  )
}

cases <- c(
  case("acs-lecture", "acs_simulated.csv", "acs_simulated_synthetic_lecture.csv",
       c("SEX", "RACE", "MAR"), c("LANX", "WAOB", "DIS", "HICOV")),
  case("ce-income", "ce_simulated.csv", sprintf("ce_simulated_synthetic_%d.csv", 1:3),
       c("Educ", "Marital"), "Income", 0.1)
)
writeLines(c(
  "{",
  '  "generator": "data/reference/lecture_8_simulated.R",',
  paste0('  "R": "', R.version.string, '",'),
  paste0('  "IdentificationRiskCalculation": "', packageVersion("IdentificationRiskCalculation"), '",'),
  '  "cases": [',
  paste(cases, collapse = ",\n"),
  "  ]",
  "}"
), "data/reference/lecture_8_simulated.json")
