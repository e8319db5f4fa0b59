# What the R package NPBayesImputeCat says about the real ACS sample: a Dirichlet process mixture of
# products of multinomials on its nine variables, no structural zeros.
# Rscript data/reference/npbayes_dpmpm.R <output folder> <folder of the samples>
# Writes npbayes_dpmpm_acs.csv (posterior means of all one- and two-way probabilities, one column a chain) and
# npbayes_dpmpm_acs.json (settings, occupied classes, alpha, seconds, session, SHA-256 of the input).

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "common.R"))
suppressMessages(library(NPBayesImputeCat))
input <- sample_file("acs_confidential.csv")

K <- 40; a <- 0.25; b <- 0.25
burn <- 2000; kept <- 1000; thin <- 5; seeds <- 1:4

acs <- read.csv(input)
for (v in names(acs)) acs[[v]] <- factor(acs[[v]])
levels_of <- lapply(acs, levels)
J <- ncol(acs)
pairs <- combn(J, 2)

tables <- function(nu, psi) {
  one <- lapply(seq_len(J), function(j) psi[seq_along(levels_of[[j]]), , j, drop = TRUE] %*% nu)
  two <- lapply(seq_len(ncol(pairs)), function(q) {
    i <- pairs[1, q]; j <- pairs[2, q]
    left <- psi[seq_along(levels_of[[i]]), , i, drop = TRUE]
    right <- psi[seq_along(levels_of[[j]]), , j, drop = TRUE]
    c(left %*% (nu * t(right)))
  })
  c(unlist(one), unlist(two))
}

run <- function(seed) {
  model <- CreateModel(acs, NULL, K, 0, a, b, seed = seed)
  started <- proc.time()[["elapsed"]]
  model$Run(0, burn, 1, TRUE)
  total <- 0; alpha <- occupied <- numeric(kept)
  for (s in seq_len(kept)) {
    model$Run(0, thin, 1, TRUE)
    state <- model$snapshot
    total <- total + tables(as.numeric(state$nu), state$psi)
    alpha[s] <- state$alpha
    occupied[s] <- state$k_star
  }
  list(probability = total / kept, alpha = mean(alpha), occupied = mean(occupied), most = max(occupied),
       seconds = proc.time()[["elapsed"]] - started)
}
chains <- lapply(seeds, run)

one_names <- do.call(rbind, lapply(names(acs), function(v) data.frame(one = v, level = levels_of[[v]], other = "", other_level = "")))
two_names <- do.call(rbind, lapply(seq_len(ncol(pairs)), function(q) {
  i <- names(acs)[pairs[1, q]]; j <- names(acs)[pairs[2, q]]
  cells <- expand.grid(level = levels_of[[i]], other_level = levels_of[[j]])
  data.frame(one = i, level = cells$level, other = j, other_level = cells$other_level)
}))
result <- rbind(one_names, two_names)
for (s in seeds) result[[paste0("chain_", s)]] <- formatC(chains[[s]]$probability, digits = 15, format = "g")
write.csv(result, file.path(out_dir, "npbayes_dpmpm_acs.csv"), row.names = FALSE, quote = FALSE)

array <- function(field, digits = 6) paste(vapply(chains, function(x) formatC(x[[field]], digits = digits, format = "g"), ""), collapse = ", ")
sha <- strsplit(system2("sha256sum", shQuote(input), stdout = TRUE), " ")[[1]][1]
writeLines(c(
  "{",
  sprintf('  "script": "data/reference/npbayes_dpmpm.R",'),
  sprintf('  "input": {"acs_confidential.csv": "%s"},', sha),
  sprintf('  "settings": {"K": %d, "aalpha": %g, "balpha": %g, "burn": %d, "kept": %d, "thin": %d, "seeds": [%s]},', K, a, b, burn, kept, thin, paste(seeds, collapse = ", ")),
  sprintf('  "alpha": [%s],', array("alpha")),
  sprintf('  "occupied": [%s],', array("occupied")),
  sprintf('  "most_occupied": [%s],', array("most")),
  sprintf('  "seconds": [%s],', array("seconds", 4)),
  sprintf('  "r": "%s",', R.version.string),
  sprintf('  "package": "NPBayesImputeCat %s",', as.character(packageVersion("NPBayesImputeCat"))),
  sprintf('  "date": "%s"', format(Sys.Date())),
  "}"), file.path(out_dir, "npbayes_dpmpm_acs.json"))
write_session()
