# What the R package IdentificationRiskCalculation says about the real survey samples.
# Rscript data/reference/identification_risk_calculation.R <output folder> <folder of the samples>
# Writes identification_risk_calculation.json (summaries, SHA-256 of the inputs) and, for two
# cases, every record's c, T, K, F and risk as records_<case>.csv.gz.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressMessages(library(IdentificationRiskCalculation))

read_sample <- function(name) read.csv(sample_file(name))
ce_synthetic <- sprintf("ce_hornby_synthetic_%d.csv", 1:3)
acs <- function(id, synthetic, synthesized) {
  list(id = id, f = "IdentificationRiskCategorical", confidential = "acs_confidential.csv", synthetic = synthetic,
       known = c("SEX", "RACE", "MAR"), synthesized = synthesized)
}
ce <- function(id, synthesized, r, percentage = TRUE) {
  list(id = id, f = "IdentificationRisk", confidential = "ce_hornby.csv", synthetic = ce_synthetic,
       known = c("Age", "Urban", "Marital"), synthesized = synthesized, r = r, percentage = percentage,
       factors = c("Urban", "Tenure", "Marital"))
}
slides <- function(id, synthetic) {
  list(id = id, f = "IdentificationRisk", confidential = "ce_slides.csv", synthetic = synthetic,
       known = c("UrbanRural", "Race"), synthesized = "Expenditure", r = 0.2, percentage = TRUE,
       factors = c("UrbanRural", "Race"))
}
cases <- list(
  acs("acs-confidential-slide", "acs_confidential.csv", c("DIS", "HICOV")),
  acs("acs-slides", "acs_slides_synthetic.csv", c("DIS", "HICOV")),
  slides("ce-slides", "ce_slides_synthetic.csv"),
  slides("ce-confidential-slide", "ce_slides.csv"),
  acs("acs-synthetic-lecture", "acs_synthetic_lecture.csv", c("LANX", "WAOB", "DIS", "HICOV")),
  ce("ce-income", "Income", c(0.1, 0.1)),
  ce("ce-tenure-income", c("Tenure", "Income"), c(0.1, 0.1)),
  ce("ce-expenditure-income", c("Expenditure", "Income"), c(0.1, 0.1, 0.1)),
  ce("ce-income-fixed-radius", "Income", c(5, 2000), FALSE)
)
with_records <- c("acs-synthetic-lecture", "ce-income")

text <- function(x) paste0("\"", x, "\"")
number <- function(x) ifelse(is.finite(x), formatC(x, digits = 15, format = "g"), "null")
array <- function(x) paste0("[", paste(x, collapse = ", "), "]")
field <- function(name, value) sprintf("      %s: %s", text(name), value)

run <- function(case) {
  confidential <- read_sample(case$confidential)
  synthetic <- lapply(case$synthetic, function(name) read_sample(name)[names(confidential)])
  if (case$f == "IdentificationRiskCategorical") {
    answer <- IdentificationRiskCategorical(confidential, synthetic, case$known, case$synthesized)
  } else {
    for (v in case$factors) {
      confidential[[v]] <- factor(confidential[[v]])
      synthetic <- lapply(synthetic, function(d) { d[[v]] <- factor(d[[v]]); d })
    }
    answer <- IdentificationRisk(confidential, synthetic, case$known, case$synthesized,
                                 r = case$r, percentage = case$percentage)
  }
  count <- answer$c_vector
  contains <- answer$T_vector
  if (case$id %in% with_records) {
    n <- nrow(count)
    rows <- data.frame(dataset = rep(seq_len(ncol(count)), each = n), record = rep(seq_len(n), ncol(count)),
                       c = c(count), T = c(contains), K = c(answer$K_vector), F = c(answer$F_vector),
                       risk = formatC(c(answer$Risk_vector), digits = 15, format = "g"))
    connection <- gzfile(file.path(out_dir, sprintf("records_%s.csv.gz", case$id)), "w", compression = 9)
    write.csv(rows, connection, row.names = FALSE, quote = FALSE)
    close(connection)
  }
  fields <- c(
    field("id", text(case$id)), field("r_function", text(case$f)), field("confidential", text(case$confidential)),
    field("synthetic", array(text(case$synthetic))), field("known", array(text(case$known))),
    field("synthesized", array(text(case$synthesized))),
    if (!is.null(case$r)) c(field("categorical", array(text(case$factors))), field("radius_argument", array(number(case$r))),
                            field("percentage", tolower(case$percentage))),
    field("unique_matches", array(number(answer$s_vector))),
    field("expected_match_risk", array(number(answer$exp.risk_vector))),
    field("true_match_rate", array(number(answer$true.rate_vector))),
    field("false_match_rate", array(number(answer$false.rate_vector))),
    field("sum_c", array(number(colSums(count)))),
    field("sum_T_where_c_positive", array(number(colSums(contains * (count > 0))))),
    field("records_without_match", array(number(colSums(count == 0))))
  )
  paste0("    {\n", paste(fields, collapse = ",\n"), "\n    }")
}

inputs <- sort(unique(unlist(lapply(cases, function(case) c(case$confidential, case$synthetic)))))
hashes <- vapply(inputs, function(name) {
  sub(" .*", "", system2("sha256sum", shQuote(sample_file(name)), stdout = TRUE))
}, "")
invisible(capture.output(bodies <- vapply(cases, run, "")))
writeLines(c(
  "{",
  sprintf("  \"generator\": \"data/reference/identification_risk_calculation.R\","),
  sprintf("  \"R\": %s,", text(R.version.string)),
  sprintf("  \"platform\": %s,", text(R.version$platform)),
  sprintf("  \"IdentificationRiskCalculation\": %s,", text(packageVersion("IdentificationRiskCalculation"))),
  sprintf("  \"date\": %s,", text(format(Sys.Date()))),
  "  \"inputs_sha256\": {", paste(sprintf("    %s: %s", text(inputs), text(hashes)), collapse = ",\n"), "  },",
  "  \"cases\": [", paste(bodies, collapse = ",\n"), "  ]",
  "}"
), file.path(out_dir, "identification_risk_calculation.json"))
write_session()
