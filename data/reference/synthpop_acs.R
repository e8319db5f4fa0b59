# What the R package synthpop says of the real ACS sample and its three synthetic versions.
#
#     Rscript data/reference/synthpop_acs.R OUTPUT_FOLDER FOLDER_OF_THE_SAMPLES
#
# Writes synthpop_acs.csv and synthpop_acs_pairs.csv, as synthpop.R does.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
source(file.path(here, "synthpop_asking.R"))
files <- c("acs_confidential.csv", sprintf("acs_synthetic_%s.csv", c("lecture", "2", "3")))
ask_acs("acs", lapply(sample_file(files), read.csv))
write_answers("synthpop_acs.csv")
write_table(do.call(rbind, pairs), "synthpop_acs_pairs.csv")
write_session()
