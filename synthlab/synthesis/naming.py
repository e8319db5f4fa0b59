"""Models by name."""

from __future__ import annotations

from collections.abc import Sequence

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.synthesizers.base import Synthesizer
from synthlab.synthesizers.registry import DECLARATIONS
from synthlab.synthesizers.resample import Resample

TREE, SAMPLE = "tree", "sample"
REGRESSIONS = {
    name: (declaration, options) for declaration in DECLARATIONS for name, options in declaration.models.items()
}
NAMES = (TREE, SAMPLE, *REGRESSIONS)


def check_model(value: object, variable: str) -> str | Synthesizer:
    """Return the name of a model or a synthesizer, or raise if it is neither."""
    if isinstance(value, Synthesizer) and not isinstance(value, type):
        return value
    if isinstance(value, str) and value in (*NAMES, "cart"):
        return TREE if value == "cart" else value
    raise InputError(
        f"models[{variable!r}]={_checks.shown(value)}: must be a synthesizer, or one of {', '.join(map(repr, NAMES))}"
    )


def model_by_name(name: str, variable: str, predictors: Sequence[str], within: str | None = None) -> Synthesizer:
    """Return the model of one variable with the given predictors; "sample" draws within the values of a column."""
    if name == SAMPLE:
        return Resample([variable], within)
    right = " + ".join(map(_quoted, predictors)) or "1"
    declaration, options = REGRESSIONS[name]
    regression: Synthesizer = declaration.specification(f"{_quoted(variable)} ~ {right}", **options)
    return regression


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
