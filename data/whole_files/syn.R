# A survey file synthesized by the R package synthpop with default arguments.
#
#     Rscript data/whole_files/syn.R FILE M FOLDER
#
# writes FOLDER/synthpop_1.csv, ... and FOLDER/synthpop.txt with the seconds of CPU and the version.
arguments <- commandArgs(TRUE)
suppressMessages(library(synthpop))
survey <- read.csv(arguments[1], na.strings = "", stringsAsFactors = TRUE, check.names = FALSE)
m <- as.integer(arguments[2])
seconds <- system.time(made <- syn(survey, m = m, seed = 1, print.flag = FALSE))
for (l in seq_len(m)) {
  one <- if (m == 1) made$syn else made$syn[[l]]
  write.csv(one, file.path(arguments[3], sprintf("synthpop_%d.csv", l)), row.names = FALSE, na = "")
}
writeLines(c(sprintf("%.3f", sum(seconds[c("user.self", "sys.self")])), as.character(packageVersion("synthpop"))),
           file.path(arguments[3], "synthpop.txt"))
