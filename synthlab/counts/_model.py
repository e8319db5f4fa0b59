"""The interactions of a log-linear model, from a formula or a list of margins. Nothing is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from synthlab import _checks
from synthlab._typing import BoolArray, FloatArray
from synthlab.counts.table import Table
from synthlab.exceptions import InputError

Model: TypeAlias = str | Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a log-linear model as tuples of axes, the intercept as the empty tuple, lower orders first."""

    terms: tuple[tuple[int, ...], ...]
    label: str

    @property
    def hierarchical(self) -> bool:
        """Return whether every term comes with all the terms it contains."""
        present = set(self.terms)
        return all(part in present for term in self.terms for k in range(len(term)) for part in combinations(term, k))

    @property
    def margins(self) -> tuple[tuple[int, ...], ...]:
        """The terms that no other term contains: the sufficient margins of a hierarchical model."""
        return tuple(t for t in self.terms if not any(set(t) < set(other) for other in self.terms))

    def n_parameters(self, shape: tuple[int, ...]) -> int:
        """Number of coefficients under treatment coding."""
        return int(sum(np.prod([shape[i] - 1 for i in t], dtype=np.int64) for t in self.terms))


def read_model(table: Table, model: Model) -> Terms:
    """Return the terms of a formula such as ``"(A + B + C)**2"``, or of a list of margins such as ``[["A", "B"], ["C"]]``.

    A list of margins stands for the hierarchical model that fits them, and is the way to name
    variables that a formula cannot spell.
    """
    if isinstance(model, str):
        terms = _read_formula(table, model)
        label = model
    elif isinstance(model, Sequence) and model and all(isinstance(m, list | tuple) for m in model):
        terms = {()}
        for margin in model:
            axes = tuple(sorted(table._positions(margin, "model")))
            terms |= {part for k in range(len(axes) + 1) for part in combinations(axes, k)}
        label = " + ".join("*".join(margin) for margin in model)
    else:
        raise InputError(
            f'model={_checks.shown(model)}: must be "saturated", a formula, or a list of lists of variables'
        )
    if terms == {()}:
        raise InputError(
            f"model={_checks.shown(model)}: names no variable; a model joins variables of the table, which are "
            f"{_checks.shorten(table.variables, 12)}"
        )
    return Terms(tuple(sorted(terms, key=lambda t: (len(t), t))), label)


def _read_formula(table: Table, model: str) -> set[tuple[int, ...]]:
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
            raise InputError(f"model={model!r}: must have one side, the interactions; the response is the count")
        names = [f.expr for f in term.factors if f.expr != "1"]
        unknown = [n for n in names if n not in table.variables]
        if unknown:
            raise InputError(
                f"model={model!r}: {_checks.named(unknown)} not among the variables of the table "
                f"({_checks.shorten(table.variables, 12)}); a formula may only join variables by + * : ** ( )"
            )
        terms.add(tuple(sorted(table.variables.index(n) for n in names)))
    if () not in terms:
        raise InputError(f"model={model!r}: has no intercept; a log-linear model needs one")
    return terms


def design_matrix(terms: Terms, shape: tuple[int, ...], cells: BoolArray | None = None) -> FloatArray:
    """Return the treatment-coded design, one row a cell (those marked in `cells`), one column a coefficient."""
    codes = [axis.ravel() for axis in np.indices(shape, sparse=False)]
    if cells is not None:
        codes = [c[cells.ravel()] for c in codes]
    dummies = [np.eye(size)[code][:, 1:] for size, code in zip(shape, codes, strict=True)]
    blocks = []
    for term in terms.terms:
        block = np.ones((codes[0].size, 1))
        for axis in term:
            block = (block[:, :, None] * dummies[axis][:, None, :]).reshape(codes[0].size, -1)
        blocks.append(block)
    return np.hstack(blocks)


def coefficient_names(terms: Terms, table: Table) -> list[str]:
    """Return a name for each column of the design, such as ``SEX[M]:AGE[3]``."""
    names: list[str] = []
    for term in terms.terms:
        if not term:
            names.append("(intercept)")
            continue
        parts: list[list[Any]] = [[]]
        for axis in term:
            labels = [f"{table.variables[axis]}[{level}]" for level in table.levels[axis][1:]]
            parts = [[*head, label] for head in parts for label in labels]
        names += [":".join(p) for p in parts]
    return names
