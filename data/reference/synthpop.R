# What the R package synthpop says of disclosure and utility of releases with m = 3, and of a few records where it errs.
#
#     Rscript data/reference/synthpop.R OUTPUT_FOLDER
#
# reads the survey affairs.csv from the output folder (synthlab.r puts it there) and writes
#   synthpop.csv         answers one by one: what, case, place, value; of several datasets place is the dataset
#   synthpop_pairs.csv   the pairs that the two-way check flags
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
source(file.path(here, "synthpop_asking.R"))

# ---- a survey, all of it by trees -----------------------------------------------------------
releases <- by_dataset(read.csv(file.path(here, "synthpop_affairs.csv.gz")))
affairs <- c(list(read.csv(file.path(out_dir, "affairs.csv"))[names(releases[[1]])]), releases)
keys <- c("age", "yrs_married", "children", "educ", "occupation")
rated <- kept(affairs, c(keys, "rate_marriage"), c("occupation", "rate_marriage"))
ask_disclosure("affairs", rated, keys, "rate_marriage")
ask_disclosure("affairs without 5", rated, keys, "rate_marriage", not.targetlev = "5")
three <- c("age", "yrs_married", "children")
ask_disclosure("affairs of equal width", kept(affairs, c(three, "affairs"), c()), three, "affairs", ngroups_target = 5)
ask_logit("affairs", as_factors(affairs, "occupation"))

# ---- missing values -------------------------------------------------------------------------
youths <- by_dataset(read.csv(file.path(here, "synthpop_youths.csv.gz")))
keys <- c("age", "race", "ethnicty", "gender", "livewith", "agefirst")
found <- kept(youths, c(keys, "crimtype"), c("race", "ethnicty", "gender", "livewith", "crimtype"))
ask_disclosure("youths", found, keys, "crimtype")
ask_disclosure("youths without missing", found, keys, "crimtype", usetargetNA = FALSE)
few <- c("race", "ethnicty", "gender")
ask_disclosure("youths alcuse", kept(youths, c(few, "alcuse")), few, "alcuse", thresh_1way = c(10, 40), thresh_2way = c(2, 30))
ask_uniques("youths", kept(youths, keys), keys)
tables <- kept(youths, c("gender", "crimtype", "alcuse"))
ask_tables("youths", tables, names(tables[[1]]))
ask_tables("youths 1500", c(tables[1], lapply(tables[-1], head, 1500)), names(tables[[1]]))
ask_logit("youths", kept(youths, c("gender", "race", "alcuse", "agefirst"), c("gender", "race", "alcuse")))

# ---- continuous keys ------------------------------------------------------------------------
ce <- lapply(c("ce_simulated.csv", sprintf("ce_simulated_synthetic_%d.csv", 1:3)), stand_in)
keys <- c("Educ", "Marital", "Income")
ask_disclosure("ce", kept(ce, c(keys, "Tenure"), c("Educ", "Marital", "Tenure")), keys, "Tenure")
keys <- c("Age", "Educ", "Marital", "Income")
grouped <- kept(ce, c(keys, "Tenure"), c("Educ", "Marital", "Tenure"))
ask_disclosure("ce in groups", grouped, keys, "Tenure", ngroups_keys = c(10, 0, 0, 8))
keys <- c("Urban", "Tenure", "Educ", "Marital")
ask_disclosure("ce Expenditure", kept(ce, c(keys, "Expenditure"), keys), keys, "Expenditure", ngroups_target = 20)
ask_tables("ce", kept(ce, c("Age", "Tenure", "Income"), "Tenure"), c("Age", "Tenure", "Income"))

# ---- the stand-in of the ACS sample ---------------------------------------------------------
ask_acs("acs", lapply(c("acs_simulated.csv", sprintf("acs_simulated_synthetic_%s.csv", c("lecture", "2", "3"))), stand_in))

# ---- trees ----------------------------------------------------------------------------------
# One split; and every cell of two binary variables, of which no split is left out (cp below 0).
spread <- lapply(ce[1:2], function(f) f[c("Age", "Expenditure")])
ask_tree("one split", spread, floor(2 * nrow(ce[[1]]) / 3), 2)
ask_tree("four cells", kept(youths[1:2], c("gender", "everviol")), 5, 200)
# cp at its default counts wrong classifications, of which a split of unequal files may save none.
unequal <- list(data.frame(x = factor(rep(1:2, c(60, 140)))), data.frame(x = factor(rep(1:2, c(40, 60)))))
unequal <- lapply(unequal, function(f) cbind(f, y = factor(rep_len(1:2, nrow(f)))))
ask_tree("no fewer errors", unequal, 5, 2, cp = 0.001)

# ---- where it errs --------------------------------------------------------------------------
err <- function(case, confidential, synthetic, keys = "k", what = c("UiO", "UiOiS", "repU", "DiSCO", "DCAP", "TCAP"), ...) {
  answer <- silently(disclosure(synthetic, confidential, keys = keys, target = "t", print.flag = FALSE, ...))
  for (name in what) record(name, case, c(answer$ident, answer$attrib, answer$allCAPs)[[name]])
}
people <- function(k, t, ...) data.frame(k, t = factor(t), ...)
# Ages as numbers: the table of the one is sorted as text, that of the other as numbers. Written with zeros they agree.
age <- c(2, 10, 30, 2, 10)
aged <- c(2, 10, 2, 10, 2)
released <- factor(c("a", "b", "a", "b", "a"), levels = c("a", "b", "c"))
err("ages as numbers", people(age, c("a", "b", "c", "a", "b")), data.frame(k = aged, t = released))
text <- function(x) factor(sprintf("%02d", x), levels = c("02", "10", "30"))
err("ages as text", people(text(age), c("a", "b", "c", "a", "b")), data.frame(k = text(aged), t = released))
where <- factor(c("x", "x", "y", "y", "z"))
err("a number to find", data.frame(k = where, t = c(2, 2, 10, 10, 100)), data.frame(k = where, t = c(2, 2, 10, 10, 10)))
# A level that no record of the release has.
err("an empty level", people(factor(c("x", "y", "y")), c("a", "a", "b")),
    people(factor(c("y", "y", "y"), levels = c("x", "y")), c("a", "a", "b")))
# Leaving out a harmless value of the target makes people unique in the keys.
four <- people(factor(rep(c("x", "y"), each = 4)), c("a", "b", "b", "b", "a", "a", "b", "b"))
err("a harmless value", four, four, not.targetlev = "b")
# A level called Missing.
named <- people(factor(c("Missing", NA, "y")), c("a", "b", "a"))
err("a level called Missing", named, named)
# Two groups of 1, ..., 9, 100.
long <- people(c(1:9, 100), rep(1:2, 5))
err("two groups", long, long, ngroups_keys = 2)
# A column that is no key: whole numbers in the release, fractions allowed in the original. Only the first of two is looked at.
ten <- people(factor(rep(c("x", "y"), 5)), rep(1:2, 5), z = as.numeric(1:10))
whole <- transform(ten, z = as.integer(z))
answer <- silently(disclosure(list(whole, whole), ten, keys = "k", target = "t", print.flag = FALSE))
record("datasets answered for", "whole numbers beside", nrow(answer$ident))
# Numbers of several widths beside another key.
wide <- data.frame(k = c(57, 100, 20), j = factor(c("m", "f", "m")))
narrow <- data.frame(k = c(57, 20, 20), j = factor(c("m", "f", "m"), levels = c("f", "m")))
ask_uniques("ages of two widths", list(wide, narrow), c("k", "j"))
err("ages of two widths", transform(wide, t = factor(c(1, 1, 2))), transform(narrow, t = factor(c(1, 1, 2))), c("k", "j"))
# Missing numbers in the release alone: their rows are left out of the fit, and counted. Right: 0 and an indicator.
x <- c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
gaps <- c(NA, NA, 1, 2, 4, 5, 5, 7, 8, 12)
group <- factor(rep(1:2, 5))
full <- data.frame(x, group)
logit <- function(synthetic, original) {
  silently(utility.gen(synthetic, original, method = "logit", maxorder = 0, print.flag = FALSE))$pMSE
}
record("pMSE", "missing in the release alone", logit(data.frame(x = gaps, group), full))
gone <- data.frame(x = ifelse(is.na(gaps), 0, gaps), group, lost = as.integer(is.na(gaps)))
record("pMSE", "missing as 0 and an indicator", logit(gone, cbind(full, lost = 0L)))

write_answers("synthpop.csv")
write_table(do.call(rbind, pairs), "synthpop_pairs.csv")
write_session()
