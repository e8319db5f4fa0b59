"""Log-linear models of a table: parsing of terms, and proportional fitting.

The terms come from a formula, which is not evaluated, or a list of margins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.exceptions import InputError

Model: TypeAlias = str | Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a log-linear model as tuples of axes, lower orders first.

    The intercept is the empty tuple.
    """

    terms: tuple[tuple[int, ...], ...]
    label: str

    @property
    def hierarchical(self) -> bool:
        """True if all subterms of every term are included."""
        present = set(self.terms)
        return all(part in present for term in self.terms for k in range(len(term)) for part in combinations(term, k))

    @property
    def margins(self) -> tuple[tuple[int, ...], ...]:
        """Terms that no other term contains, the sufficient margins."""
        return tuple(t for t in self.terms if not any(set(t) < set(other) for other in self.terms))

    def n_parameters(self, shape: tuple[int, ...]) -> int:
        """Return the number of coefficients under treatment coding."""
        return int(sum(np.prod([shape[i] - 1 for i in t], dtype=np.int64) for t in self.terms))


def read_terms(variables: Sequence[str], model: Model) -> Terms:
    """Return the terms of a formula or of a list of margins.

    A formula is, for example, ``"(A + B + C)**2"``. A list of margins such as ``[["A", "B"], ["C"]]`` denotes the
    hierarchical model that fits them. Use a list for variables whose names cannot occur in a formula.
    """
    if isinstance(model, str):
        terms = _read_formula(variables, model)
        label = model
    elif isinstance(model, Sequence) and model and all(isinstance(m, list | tuple) for m in model):
        terms = {()}
        for margin in model:
            axes = tuple(sorted(_axes(margin, variables)))
            terms |= {part for k in range(len(axes) + 1) for part in combinations(axes, k)}
        label = " + ".join("*".join(margin) for margin in model)
    else:
        raise InputError(
            f'model={_checks.shown(model)}: must be "saturated", a formula, or a list of lists of variables'
        )
    if terms == {()}:
        raise InputError(
            f"model={_checks.shown(model)}: has no variable; use variables of the table, which are "
            f"{_checks.shorten(variables, 12)}"
        )
    return Terms(tuple(sorted(terms, key=lambda t: (len(t), t))), label)


def _read_formula(variables: Sequence[str], model: str) -> set[tuple[int, ...]]:
    from formulaic import Formula
    from formulaic.errors import FormulaicError

    try:
        formula = Formula(model.strip().removeprefix("~"))
        parsed = list(formula)
    except (FormulaicError, SyntaxError, TypeError, ValueError) as error:
        raise InputError(f"model={model!r}: cannot be read as a formula: {error}") from None
    terms: set[tuple[int, ...]] = set()
    for term in parsed:
        if not hasattr(term, "factors"):
            raise InputError(f"model={model!r}: must have only the right-hand side, because the response is the count")
        names = [f.expr for f in term.factors if f.expr != "1"]
        unknown = [n for n in names if n not in variables]
        if unknown:
            raise InputError(
                f"model={model!r}: {_checks.named(unknown)} not among the variables of the table "
                f"({_checks.shorten(variables, 12)}); a formula can combine variables only by + * : ** ( )"
            )
        terms.add(tuple(sorted(list(variables).index(n) for n in names)))
    if () not in terms:
        raise InputError(f"model={model!r}: has no intercept; a log-linear model requires one")
    return terms


def _axes(margin: object, variables: Sequence[str]) -> list[int]:
    names = _checks.check_list(margin, "model", "a list of at least one variable")
    if not all(isinstance(v, str) and v in variables for v in names) or len(set(names)) < len(names):
        raise InputError(f"model: must be different variables of the table, which has {_checks.shorten(variables, 12)}")
    return [list(variables).index(v) for v in names]


def fit_margins(
    observed: Any, terms: Terms, structural: BoolArray, tolerance: float, max_iterations: int
) -> tuple[FloatArray, int, bool]:
    """Fit a log-linear model by iterative proportional fitting.

    The means are scaled to each margin in turn (Deming and Stephan 1940) until all margins agree. Return the means, the
    number of iterations, and whether every margin agrees to `tolerance` times the total.
    """
    axes, total = range(observed.ndim), observed.sum()
    summed = [tuple(a for a in axes if a not in margin) for margin in terms.margins]
    targets = [observed.sum(axis=over, keepdims=True).astype(np.float64) for over in summed]
    del observed
    means = np.where(structural, 0.0, total / max(1, structural.size - int(structural.sum())))
    for iteration in range(1, max_iterations + 1):
        gap = 0.0
        for target, over in zip(targets, summed, strict=True):
            fitted = means.sum(axis=over, keepdims=True)
            gap = max(gap, float(np.abs(fitted - target).max()))
            means *= np.divide(target, fitted, out=np.zeros_like(target), where=fitted > 0)
        if gap <= tolerance * total:
            return means, iteration, True
    return means, max_iterations, False
