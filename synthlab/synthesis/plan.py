"""Plan of a synthesis: the type, the model and the predictors of each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab._result import Result
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.release import Release

KEY = "plan"  # in the provenance of a release


@dataclass(frozen=True, slots=True)
class PlannedVariable:
    """One variable of a plan.

    Attributes
    ----------
    variable : str
        The column.
    role : str
        "number", "category", "yes or no", "date", "time span", "constant" or "identifier".
    place : int or None
        Its position in the order of synthesis, from 1; None if it is not synthesized.
    model : str
        The name of its model, or the specification of the model without values of the data, or the treatment of a
        variable without a model: "kept", "dropped", "numbered anew".
    predictors : tuple of str
        The predictors of its model; empty for a model with its own formula, which contains them.
    missing : str
        The treatment of its missing values.
    numbers : str
        The treatment of the drawn numbers: "rare ones moved", "as drawn", or "from the model".
    rounding : str
        The round numbers that are preserved, such as "multiples of 1,000"; empty if no rounding was detected.
    codes : str
        The treatment of numbers that are codes, or of isolated repeated values such as -9; empty if there are none.
    """

    variable: str
    role: str
    place: int | None
    model: str
    predictors: tuple[str, ...] = ()
    missing: str = ""
    numbers: str = ""
    rounding: str = ""
    codes: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan(Result):
    """Plan of a synthesis, printed as a table and saved with the release.

    The plan contains the names and treatments of variables, and the number of records that support a proposed relation,
    but no values of the confidential data, so it can be published. It contains the values of constraints that were declared public, such as
    ``Bounds("age", 18, 99, public=True)``. Other values of constraints, models and formulas are replaced by
    ``<not public>`` or three dots.

    Attributes
    ----------
    variables : tuple of PlannedVariable
        The synthesized variables in the order of synthesis, then the other variables.
    notes : tuple of str
        Notes on the consequences for disclosure risk.
    min_leaf : int or None
        Smallest number of records in a leaf of the trees; None if no variable has a tree.
    relations : tuple of str
        Relations between columns with their treatment: "computed", "by construction", "drawn as one category", "drawn as
        shares", "redrawn" with the share of the records, "not preserved" with the number of synthetic records that break
        the relation, or "proposed" with the number of confidential records that have its values. An edited list can be
        given as `relations` of `synthesize`; relations that are not preserved or proposed are then ignored, unless the
        treatment is deleted.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> survey = pd.DataFrame({"sex": list("mf") * 20, "age": list(range(30, 40)) * 4, "country": "AT"})
    >>> release = sl.synthesize(survey, m=2, rng=1)
    >>> sl.Plan.of(release).summary()["model"].to_dict()
    {'sex': 'tree', 'age': 'tree', 'country': 'kept'}
    """

    variables: tuple[PlannedVariable, ...]
    notes: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    min_leaf: int | None = None

    @property
    def title(self) -> str:
        """Number of synthesized variables, the notes, and the relations."""
        made = sum(v.place is not None for v in self.variables)
        return "\n".join(
            [
                f"Plan of a synthesis: {made} of {len(self.variables)} variables are synthesized.",
                *self.notes,
                *(["Relations between columns:"] if self.relations else []),
                *(f"  {relation}" for relation in self.relations),
            ]
        )

    @property
    def order(self) -> tuple[str, ...]:
        """Synthesized variables in the order of synthesis."""
        return tuple(v.variable for v in self.variables if v.place is not None)

    def summary(self) -> pd.DataFrame:
        """Return one row per variable, with the number of its predictors."""
        rows = [
            {
                "order": "" if v.place is None else str(v.place),
                "role": v.role,
                "model": v.model,
                "predictors": len(v.predictors),
                "missing": v.missing,
                "numbers": v.numbers,
            }
            for v in self.variables
        ]
        return pd.DataFrame(rows, index=pd.Index([v.variable for v in self.variables], name="variable"))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as values that JSON can represent; see `from_dict`."""
        return {
            "result": "Plan",
            "title": self.title,
            "variables": list(map(asdict, self.variables)),
            "notes": list(self.notes),
            "relations": list(self.relations),
            **({} if self.min_leaf is None else {"min_leaf": self.min_leaf}),
        }

    @classmethod
    def from_dict(cls, values: object) -> Plan:
        """Return the plan from the result of `to_dict`.

        Parameters
        ----------
        values : mapping
            A mapping with "variables", "notes", "relations" and "min_leaf", for example from an edited JSON or TOML
            file. A variable without "place" is not synthesized.

        Returns
        -------
        Plan

        Raises
        ------
        InputError
            If `values` does not describe a plan.

        Examples
        --------
        >>> import synthlab as sl
        >>> sl.Plan.from_dict({"variables": [{"variable": "age", "role": "number", "place": 1, "model": "tree"}]}).order
        ('age',)
        """
        try:
            given: Any = _checks.check_mapping(values, "values", "a plan")
            variables = [
                PlannedVariable(**{"place": None, **v, "predictors": tuple(v.get("predictors", ()))})
                for v in given["variables"]
            ]
            notes, relations = (tuple(map(str, given.get(name, ()))) for name in ("notes", "relations"))
            least = given.get("min_leaf")
            return cls(
                tuple(variables), notes, relations, None if least is None else _checks.check_count(least, "min_leaf")
            )
        except (KeyError, TypeError, AttributeError):
            names = ", ".join(f.name for f in fields(PlannedVariable))
            raise InputError(
                f"values: must hold variables, a list of mappings with {names}, notes, relations and min_leaf"
            ) from None

    @classmethod
    def of(cls, release: Release | PathOrStr) -> Plan:
        """Return the plan by which a release was made.

        Parameters
        ----------
        release : Release or path
            A release, or the folder of a saved release.

        Returns
        -------
        Plan

        Raises
        ------
        InputError
            If the release was not made by `synthesize`.

        Examples
        --------
        >>> import pandas as pd
        >>> import synthlab as sl
        >>> release = sl.synthesize(pd.DataFrame({"sex": list("mf") * 20}), m=1, rng=1)
        >>> sl.Plan.of(release).order
        ('sex',)
        """
        if not isinstance(release, Release):
            release = Release.load(_checks.check_path(release, "release"))
        if not isinstance(release.provenance.get(KEY), Mapping):
            raise InputError("release: has no plan; only releases made by synthesize have one")
        return cls.from_dict(release.provenance[KEY])


def plan_or_none(release: Release) -> Plan | None:
    """Return the plan of a release, or None if it has no readable plan."""
    try:
        return Plan.of(release)
    except InputError:
        return None
