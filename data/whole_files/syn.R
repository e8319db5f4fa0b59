# A survey file synthesized by the R package synthpop with default arguments.
#
#     Rscript data/whole_files/syn.R FILE M FOLDER
#
# writes FOLDER/synthpop_1.csv, ... and FOLDER/synthpop.txt with the seconds of CPU; says its version, and at which variable it is.
arguments <- commandArgs(TRUE)
suppressMessages(library(synthpop))
cat(as.character(packageVersion("synthpop")), "\n")
survey <- read.csv(arguments[1], na.strings = "", stringsAsFactors = TRUE, check.names = FALSE)
m <- as.integer(arguments[2])
seconds <- system.time(made <- syn(survey, m = m, seed = 1, print.flag = TRUE))
for (l in seq_len(m)) {
  one <- if (m == 1) made$syn else made$syn[[l]]
  write.csv(one, file.path(arguments[3], sprintf("synthpop_%d.csv", l)), row.names = FALSE, na = "")
}
writeLines(sprintf("%.3f", sum(seconds[c("user.self", "sys.self")])), file.path(arguments[3], "synthpop.txt"))
