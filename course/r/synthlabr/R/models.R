# Constructors of models and constraints, with the names and arguments of Python.

# Call a constructor with the arguments that its caller was given; the others keep the defaults of Python.
create <- function(name, ..., frame = parent.frame()) {
  possible <- setdiff(names(formals(sys.function(sys.parent()))), "...")
  is_given <- function(argument) !eval(call("missing", as.name(argument)), frame)
  given <- mget(Filter(is_given, possible), envir = frame)
  run(name, c(given, list(...)))
}

fit <- function(model, data, ...) {
  if (!inherits(model, "synthlab_model"))
    stop("model: must be a model such as CART(c(\"age\", \"income\")) or NormalRegression(income ~ age)", call. = FALSE)
  model$fit(data, ...)
}

generate <- function(fit, m = 5, ..., rng = NULL) {
  if (!inherits(fit, "synthlab_fit")) stop("fit: must be a fitted model, as fit(model, data) returns it", call. = FALSE)
  fit$generate(m = m, rng = rng, ...)
}

NormalRegression <- function(formula, transform = NULL, bounds = NULL) create("NormalRegression")
TwoPart <- function(formula, transform = "log", amount = NULL, bounds = NULL) create("TwoPart")
LogisticRegression <- function(formula) create("LogisticRegression")
MultinomialRegression <- function(formula, prior_scale = 1, method = "mcmc") create("MultinomialRegression")
OrderedLogisticRegression <- function(formula) create("OrderedLogisticRegression")
PoissonRegression <- function(formula) create("PoissonRegression")
NegativeBinomial <- function(formula) create("NegativeBinomial")
FiniteMixture <- function(formula, classes = 10, weighting = "component", transform = NULL, concentration = 1,
                          correlated = NULL, allocation = "predictive", bounds = NULL, prior_units = "standard")
  create("FiniteMixture")
CART <- function(variables, predictors = list(), min_leaf = 5, smoothing = NULL, bootstrap = FALSE, predictors_of = NULL)
  create("CART")
Resample <- function(variables) create("Resample")
DirichletMultinomial <- function(variables, given = list(), pseudocount = 1) create("DirichletMultinomial")
DPMPM <- function(variables, synthesized = NULL, classes = 40, membership = "released", a = 0.25, b = 0.25, thin = 5,
                  constraints = list()) create("DPMPM")
NestedDPMPM <- function(unit = NULL, unit_order = NULL, unit_variables = NULL, rules = "detect", head = "member",
                        household_classes = 20, member_classes = 15, a = 0.25, b = 0.25, thin = 5, augmentation = "joint",
                        constraints = list(), max_members = 50) create("NestedDPMPM")
Sequential <- function(models, constraints = list(), max_tries = 200) create("Sequential")
TopcodeImputation <- function(variable, top = NULL, top_share = NULL, method = "hot deck") create("TopcodeImputation")
Topcoding <- function(variable, top = NULL, bottom = NULL, top_share = NULL, bottom_share = NULL) create("Topcoding")

AllowedCombinations <- function(columns, combinations = NULL) create("AllowedCombinations")
Bounds <- function(column, low = NULL, high = NULL, public = FALSE) create("Bounds")
SumOf <- function(total, parts) create("SumOf")
ZeroUnless <- function(column, other, values, public = FALSE) create("ZeroUnless")
