"""Validated inputs of an evaluation: data, release, intruder and options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import pandas as pd

from synthlab import _checks, _rng
from synthlab._format import listed, three_digits
from synthlab._typing import ColumnNames, IntArray, RngLike
from synthlab.design import SurveyDesign, read_design
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.matching.match_inputs import resolve
from synthlab.plots.style import data_kind
from synthlab.release import Release
from synthlab.report.column_types import Resolved
from synthlab.report.columns import ColumnRoles, column_roles
from synthlab.report.row_alignment import RowOrder, row_order
from synthlab.risk.copies.unit_rows import FileUnits

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Inputs that all measures share: data, one release, one intruder and the options.

    Attributes
    ----------
    confidential : pandas.DataFrame
        The data as collected.
    release : Release
        The release.
    asked : Intruder
        The intruder as given by the caller.
    intruder : Intruder
        The same intruder, with the radius of each variable in these data.
    targets : numpy.ndarray of int
        Row positions of the people the intruder looks for.
    rows : RowOrder
        Whether row i of the release describes record i, and the evidence for it.
    variables : list of str
        Variables whose distributions the utility measures compare.
    categorical : list of str
        Columns whose numbers are category codes.
    changed : list of str
        The synthesized variables named by the caller or stated by the release.
    chosen : list of str or None
        The variables that the caller chose with `variables`; None if not chosen.
    columns : ColumnRoles
        The role of every column of both files, for all intruders together.
    control : pandas.DataFrame or None
        Holdout sample of people who were not used for synthesis.
    predict : str or None
        The variable to be predicted.
    fitted : fitted synthesizer or None
        The synthesizer that made the release.
    design : SurveyDesign or None
        The survey design of the confidential data.
    singletons, model : str
        As in `evaluate`.
    rng : int, numpy.random.Generator or None
        The random seed or generator given by the caller, for measures that draw random numbers.
    units : FileUnits or None
        The units of the records, such as households; None if no unit is declared or `no_units` gives a reason.
    no_units : str
        Why units cannot be compared although the release declares them; "": no reason.
    publish : bool
        Whether the numbers are for publication; see `synthlab.report.small_groups`.
    """

    confidential: pd.DataFrame = field(repr=False)
    release: Release = field(repr=False)
    asked: Intruder
    intruder: Intruder
    targets: IntArray
    rows: RowOrder
    variables: list[str]
    categorical: list[str]
    changed: list[str]
    singletons: Literal["formula", "certain"]
    model: Literal["logistic", "cart"]
    rng: RngLike
    columns: ColumnRoles
    chosen: list[str] | None
    control: pd.DataFrame | None = field(repr=False)
    predict: str | None
    fitted: Any = field(repr=False)
    design: SurveyDesign | None = field(repr=False)
    units: FileUnits | None = field(default=None, repr=False)
    no_units: str = ""
    publish: bool = False
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)
    _shared: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def m(self) -> int:
        """Number of synthetic datasets."""
        return self.release.m

    @property
    def n(self) -> int:
        """Number of confidential records."""
        return len(self.confidential)

    @property
    def declared_units(self) -> FileUnits:
        """The units of the records; an error without units."""
        if self.units is None:
            raise InputError("unit: name the columns that identify a unit")
        return self.units

    @property
    def panel(self) -> bool:
        """Whether the records are the waves of a panel, so that a person is a unit and not a record."""
        return self.units is not None and bool(self.units.waves)

    @property
    def data_kind(self) -> str | None:
        """The kind of the confidential data, "real" or "simulated"; None if not stated."""
        return data_kind(_checks.data_kind(self.confidential), self.release)

    def knows(self) -> str:
        """Return the known variables as text, with the synthetic ones marked."""
        known = list(self.intruder.known)
        made = [c for c in known if c in self.columns.synthesized]
        which = "" if len(made) == len(known) else f"{listed(made)} "
        return f"{listed(known) or 'no variable'}{f' ({which}synthetic in this release)' if made else ''}"

    @property
    def constants(self) -> list[str]:
        """Columns with a single value."""
        roles = self.columns
        varying = {c for one in roles.unchanged for c in one}
        return [c for c in roles.comparable if c not in varying and self.confidential[c].nunique(dropna=False) < 2]

    def dataset_name(self, place: int, first: bool = True) -> str:
        """Return the name of a dataset (from 0).

        With `first`, the name begins a sentence.
        """
        if self.m == 1:
            return "The release" if first else "the release"
        return f"{'Dataset' if first else 'dataset'} {place + 1}"

    @property
    def average(self) -> str:
        """The text added to a number that is an average over several datasets."""
        return " (average over the datasets)" if self.m > 1 else ""

    def digits(self, value: float, published: int = 2) -> str:
        """Write a number in a sentence with three digits, or fewer for publication."""
        return three_digits(float(f"{value:.{published}g}") if self.publish else value)

    def once(self, work: Callable[[Question], T], *, shared: bool = False) -> T:
        """Return ``work(self)``, which is computed only once; with `shared`, once for all intruders."""
        known = self._shared if shared else self._known
        if work not in known:
            known[work] = work(self)
        found: T = known[work]
        return found

    def sharing(self, other: Question) -> Question:
        """Return this question with the shared results of the question of another intruder."""
        return replace(self, _shared=other._shared)


def ask(
    resolved: Resolved,
    asked: Intruder,
    *,
    everyone: Sequence[Intruder],
    by_row: str,
    rows: str | None,
    singletons: Literal["formula", "certain"],
    variables: ColumnNames | None,
    categorical: ColumnNames,
    model: Literal["logistic", "cart"],
    predict: str | None,
    fitted: Any,
    design: SurveyDesign | None,
    rng: RngLike,
    units: FileUnits | None = None,
    no_units: str = "",
) -> Question:
    """Validate the arguments of `evaluate` and return the inputs for one intruder.

    `everyone` contains all intruders; `by_row` names the measures that compare row i with record i.
    """
    frame, release = resolved.confidential, resolved.release
    categories = _checks.check_columns(frame, categorical, "categorical", where="confidential", allow_empty=True)
    _checks.check_choice(rows, "rows", (None, "aligned"))
    _checks.check_choice(singletons, "singletons", ("formula", "certain"))
    _checks.check_choice(model, "model", ("logistic", "cart"))
    _rng.as_generator(rng)
    intruder = resolve(frame, release, asked)
    targets = _checks.check_targets(asked.targets, len(frame))
    known = list(dict.fromkeys(c for one in everyone for c in one.known))
    made = list(dict.fromkeys(c for one in everyone for c in one.synthesized))
    order = row_order(frame, release, [c for c in known if c not in made], rows, by_row)
    if design is not None:
        read_design(design, frame)
    roles = column_roles(
        frame,
        release,
        known,
        made,
        by_row=order.by_row,
        resolved=resolved,
        units=() if units is None else units.structure.unit,
    )
    apart = {*roles.identifiers, *roles.other_types}
    used = dict.fromkeys([*known, *made, *(release.synthesized or ())])
    names = [c for c in used if c in frame.columns and c not in apart]
    chosen = None
    if variables is not None:
        names = _checks.check_columns(frame, variables, "variables", where="confidential")
        _checks.check_columns(release[0], names, "variables", where="the synthetic data")
        names = chosen = [c for c in names if c not in roles.other_types]
    if predict is not None:
        predict = _checks.check_column(frame, predict, "predict", where="confidential")
        _checks.check_column(release[0], predict, "predict", where="the synthetic data")
    return Question(
        confidential=frame,
        release=release,
        asked=asked,
        intruder=intruder,
        targets=targets,
        rows=order,
        variables=names,
        categorical=categories,
        changed=list(dict.fromkeys([*intruder.synthesized, *(release.synthesized or ())])),
        singletons=singletons,
        model=model,
        rng=rng,
        columns=roles,
        chosen=chosen,
        control=resolved.control,
        predict=predict,
        fitted=fitted,
        design=design,
        units=units,
        no_units=no_units,
    )
