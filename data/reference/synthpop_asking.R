# How synthpop is asked, about whatever data: shared by synthpop.R and synthpop_acs.R, which source common.R before.
suppressPackageStartupMessages(library(synthpop))

# The package prints, and warns of much; here only its numbers are wanted.
silently <- function(expression) {
  capture.output(answer <- suppressWarnings(expression))
  answer
}
by_dataset <- function(table) unname(lapply(split(table, table$dataset), function(d) { d$dataset <- NULL; d }))

# All frames with the columns named as factors over common levels.
kept <- function(frames, columns, factors = columns) {
  as_factors(lapply(frames, function(f) f[, columns, drop = FALSE]), factors)
}

# ---- disclosure -----------------------------------------------------------------------------
# frames: the confidential data, then the synthetic ones. Nothing is harmonised: the frames are alike.
pairs <- list()
ask_disclosure <- function(case, frames, keys, target, ...) {
  answer <- silently(disclosure(frames[-1], frames[[1]], keys = keys, target = target, print.flag = FALSE,
                                compare.synorig = FALSE, ...))
  for (part in c("ident", "attrib", "allCAPs")) {
    for (name in names(answer[[part]])) record(name, case, answer[[part]][[name]])
  }
  for (dataset in seq_along(answer$check_1way)) {
    one <- answer$check_1way[[dataset]]
    if (is.data.frame(one)) {
      case_of_one <- paste0(case, ": ", dataset)
      for (name in setdiff(names(one), "Level")) record(paste("1way", name), case_of_one, one[[name]])
    }
  }
  for (dataset in seq_along(answer$check_2way)) {
    two <- answer$check_2way[[dataset]]
    if (is.data.frame(two)) {
      parts <- do.call(rbind, strsplit(gsub(",", ";", two$target_key_levs), "|", fixed = TRUE))
      pairs[[length(pairs) + 1]] <<- data.frame(
        case, dataset, key = two$key, level = trimws(parts[, 1]), key_level = trimws(parts[, 2]), disclosed = two$npairs,
        records = two$key_target_total, key_records = two$key_total, percent = digits15(two$PctTargetKeyLevel))
    }
  }
}

# A release as synthpop's own function makes one.
synds <- function(frames) {
  m <- length(frames) - 1
  no_codes <- setNames(as.list(rep(NA, length(frames[[1]]))), names(frames[[1]]))
  structure(list(syn = if (m == 1) frames[[2]] else frames[-1], m = m, cont.na = no_codes, n = nrow(frames[[1]]),
                 k = nrow(frames[[2]])), class = "synds")
}
ask_uniques <- function(case, frames, keys) {
  for (dataset in seq_along(frames[-1])) {
    table <- silently(replicated.uniques(synds(frames[c(1, dataset + 1)]), frames[[1]], keys = keys))$res_tab
    record("replicated.uniques", paste0(case, ": ", dataset), as.numeric(as.matrix(table)[, 1]))
  }
}

# ---- utility --------------------------------------------------------------------------------
ask_tables <- function(case, frames, variables, ...) {
  answer <- silently(utility.tab(frames[-1], frames[[1]], vars = variables, print.flag = FALSE, ...))
  for (name in c("MabsDD", "SPECKS", "PO50", "VW", "pMSE", "S_pMSE", "df")) record(paste("table", name), case, answer[[name]])
}
ask_logit <- function(case, frames) {
  for (order in 0:1) for (dataset in seq_along(frames[-1])) {
    answer <- silently(utility.gen(frames[[dataset + 1]], frames[[1]], method = "logit", maxorder = order,
                                   print.flag = FALSE, max.params = 10000))
    values <- c(answer$pMSE, answer$S_pMSE, answer$df)
    record(paste("logit maxorder", order), paste0(case, ": ", dataset), values)
  }
}
ask_tree <- function(case, frames, smallest, permutations, cp = -1) {
  set.seed(20261122)
  answer <- silently(utility.gen(frames[[2]], frames[[1]], method = "cart", cp = cp, minbucket = smallest,
                                 nperms = permutations, print.flag = FALSE))
  record("cart pMSE", case, answer$pMSE)
  record("cart S_pMSE", case, answer$S_pMSE)
}

# ---- the ACS sample or its stand-in ---------------------------------------------------------
ask_acs <- function(case, frames) {
  frames <- as_factors(frames, names(frames[[1]]))
  keys <- c("SEX", "RACE", "MAR", "MIG", "SCH")
  for (target in c("LANX", "DIS")) ask_disclosure(paste(case, target), kept(frames, c(keys, target)), keys, target)
  ask_uniques(case, kept(frames, keys), keys)
  ask_tables(case, kept(frames, c("LANX", "WAOB", "DIS")), c("LANX", "WAOB", "DIS"))
  ask_logit(case, kept(frames, c("MAR", "LANX", "WAOB", "DIS", "HICOV")))
}
