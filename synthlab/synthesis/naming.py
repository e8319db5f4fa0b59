"""Models by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.logistic_regression import LogisticRegression
from synthlab.synthesizers.multinomial_regression import MultinomialRegression
from synthlab.synthesizers.negative_binomial import NegativeBinomial
from synthlab.synthesizers.normal_regression import NormalRegression
from synthlab.synthesizers.ordered_logistic_regression import OrderedLogisticRegression
from synthlab.synthesizers.poisson_regression import PoissonRegression
from synthlab.synthesizers.resample import Resample

TREE, SAMPLE = "tree", "sample"
REGRESSIONS: dict[str, Callable[[str], Synthesizer]] = {
    "normal": NormalRegression,
    "log-normal": lambda formula: NormalRegression(formula, transform="log"),
    "logistic": LogisticRegression,
    "multinomial": MultinomialRegression,
    "ordered logistic": OrderedLogisticRegression,
    "poisson": PoissonRegression,
    "negative binomial": NegativeBinomial,
}
NAMES = (TREE, SAMPLE, *REGRESSIONS)


def check_model(value: object, variable: str) -> str | Synthesizer:
    """Return the name of a model or a synthesizer, or raise if it is neither."""
    if isinstance(value, Synthesizer) and not isinstance(value, type):
        return value
    if isinstance(value, str) and value in NAMES:
        return value
    raise InputError(
        f"models[{variable!r}]={_checks.shown(value)}: must be a synthesizer, or one of {', '.join(map(repr, NAMES))}"
    )


def model_by_name(name: str, variable: str, predictors: Sequence[str]) -> Synthesizer:
    """Return the model of one variable with the given predictors."""
    if name == SAMPLE:
        return Resample([variable])
    right = " + ".join(map(_quoted, predictors)) or "1"
    return REGRESSIONS[name](f"{_quoted(variable)} ~ {right}")


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
