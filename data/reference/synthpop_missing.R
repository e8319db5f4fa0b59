# The missing values that synthpop's trees give a survey in which they are made by a rule: shares over m = 20 datasets.
#
#     Rscript data/reference/synthpop_missing.R OUTPUT_FOLDER
#
# reads the survey affairs.csv from the output folder (synthlab.r puts it there) and writes synthpop_missing.csv: what, case,
# place, value. The place is 1 for the survey and 2 for the mean over the synthetic datasets.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressPackageStartupMessages(library(synthpop))

survey <- read.csv(file.path(out_dir, "affairs.csv"))[c("age", "children", "occupation", "affairs")]
i <- seq_len(nrow(survey)) - 1
old <- survey$age > 30
survey$affairs[sin(1.7 * i) > ifelse(old, 0.3, 0.9)] <- NA
survey$occupation <- factor(ifelse(sin(2.1 * i + 1) > 0.85, NA, survey$occupation))
coded <- transform(survey, affairs = ifelse(sin(2.3 * i + 2) > ifelse(children > 1, 0.7, 0.95), -8, affairs))

shares_of <- function(d) {
  lost <- is.na(d$affairs)
  old <- d$age > 30
  many <- d$children > 1
  code <- d$affairs %in% -8
  c(missing = mean(lost), "missing over 30" = mean(lost[old]), "missing up to 30" = mean(lost[!old]),
    "missing occupation" = mean(is.na(d$occupation)), "both missing" = mean(lost & is.na(d$occupation)),
    code = mean(code), "code with children" = mean(code[many]), "code with few" = mean(code[!many]))
}
ask <- function(case, d, ...) {
  capture.output(answer <- suppressWarnings(syn(d, m = 20, seed = 20240, print.flag = FALSE, ...)))
  found <- rowMeans(sapply(answer$syn, shares_of))
  said <- shares_of(d)
  for (name in names(said)[said > 0]) record(name, case, c(said[[name]], found[[name]]))
}
ask("missing alone", survey)
ask("missing and a code", coded, cont.na = list(affairs = c(NA, -8)))

write_answers("synthpop_missing.csv")
write_session()
