# Risk in the population by sdcMicro: individual risk from survey weights (freqCalc, indivRisk), and the two global measures
# of log-linear models (modRisk), about the first 400 people of the stand-in of the ACS.
#
#     Rscript data/reference/population_risk.R [output folder]
#
# Writes population_risk.csv. Person i has the weight 2 + (7 i) mod 29, or everybody 20. Numbers of records are in their
# order, those of cells in the order of a table, the last variable running fastest.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressPackageStartupMessages(library(sdcMicro))

people <- stand_in("acs_simulated.csv")[1:400, c("SEX", "RACE", "MAR", "LANX")]
keys <- names(people)
people <- as_factors(list(people), keys)[[1]]
people$differing <- 2 + (7 * seq_len(nrow(people))) %% 29
people$equal <- 20

for (w in c("differing", "equal")) {
  frequencies <- freqCalc(people, keyVars = match(keys, names(people)), w = match(w, names(people)))
  record("people in the sample", w, frequencies$fk)
  record("people in the population", w, frequencies$Fk)
  # Its series for cells of more people loses digits: held for cells of up to four.
  exact <- indivRisk(frequencies, method = "exact")$rk
  record("individual risk", w, exact[frequencies$fk <= 4])
}

models <- list(main = ~ SEX + RACE + MAR + LANX, pair = ~ SEX + RACE + MAR + LANX + SEX:MAR)
for (m in names(models)) {
  answer <- modRisk(people, method = "default", weights = "equal", formulaM = models[[m]])
  record("fitted means", m, answer$fitted)
  # It divides by the number of occupied cells.
  record("population uniques", m, answer$gr1 * length(answer$inclProb))
  record("correct matches", m, answer$gr2 * length(answer$inclProb))
}

write_answers("population_risk.csv")
write_session()
