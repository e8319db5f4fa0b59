"""The class `Intruder`, which all risk measures share, and checks of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from synthlab import _checks
from synthlab._typing import Boundary, ColumnNames, Levels, Missing, Norm, PathOrStr, RadiusKind
from synthlab._warnings import warn
from synthlab.exceptions import ComputedByRecordWarning, InputError
from synthlab.intruder import validation as _parts
from synthlab.intruder.bands import Bands, check_bands
from synthlab.intruder.partial_knowledge import Knowledge, check_knowledge

NORMS: tuple[Norm, ...] = ("box", "euclidean", "mahalanobis")
PERCENT = 5  # relative radius of all variables from which a number of percent was probably meant
IN_TEXT = (
    "known", "synthesized", "radius", "radius_kind", "boundary", "norm", "missing", "convention", "targets", "in_file",
    "unit", "unit_order",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Intruder:
    """Intruder's knowledge about a person, and the rule for when a record matches.

    Parameters
    ----------
    known : sequence of str
        Variables that the intruder knows and that are released unchanged; can be empty.
    synthesized : sequence of str
        Synthesized variables whose true values the intruder knows. (For `cap`, they include the target variable.) A variable
        with a radius is continuous; all other variables are compared by value.
    radius : mapping {variable: number >= 0 or text} or number, optional
        Half-width of the interval around the target's true value. A single number applies to every numeric synthesized
        variable that looks continuous (or to the only numeric variable). For `linkage_risk` a variable can have several
        half-widths in increasing order, its levels of agreement. For a date, a number is a number of days, and text is a
        number of days, months or years: "1d", "1m" (30.4375 days) or "1y" (365.25 days).
    radius_kind : {"relative", "absolute"}
        "relative" (default): half-width ``radius * abs(y)``. "absolute": half-width `radius`, in the units of the variable. The
        radius of a date is always absolute.
    boundary : {"closed", "open"}
        Whether a value at the end of the interval matches. Default "closed".
    norm : {"box", "euclidean", "mahalanobis"}
        Rule for several continuous variables. "box" (default): all values are within their intervals. "euclidean": the point
        is within the ellipsoid whose half-axes are the half-widths. "mahalanobis" (only `intruder_risk`): the Mahalanobis
        distance is at most the radius, one absolute number for all variables.
    missing : {"raise", "category", "never"}
        Meaning of a missing value, the same in all functions. "raise" (default): missing values are an error. "category":
        missing is a level of its own. A missing value matches only a missing value, independent of the radius; with several
        continuous variables, the observed variables are compared. "never": a missing value matches no value. A record with a
        missing value in a compared variable matches no record, not even itself. A function that does not support a
        meaning raises an error with the reason.
    convention : {None, "irc"}
        "irc" reproduces c, K and F of the R package IdentificationRiskCalculation 1.0.0 exactly. It uses open intervals with
        ends ``y + r*y`` and ``y - r*y`` and keeps the sign of y, so that negative values and 0 never match, not even an exact
        copy. Default None.
    targets : array of row positions or boolean mask, optional
        The records that the intruder searches for. Default: all records.
    knowledge : mapping {variable: Interval or OneOf}, optional
        Partial knowledge of variables, which must be true.
    bands : mapping {variable: {released value: Interval, pandas.Interval or set of true values}}, optional
        Variables that are released in bands and whose true values the intruder knows, for example
        ``{"age": {"45-49": Interval(45, 49), "50+": Interval(50, float("inf"))}}``. A record matches if its band contains the
        target's value (Reiter and Mitra 2009, section 2.1). The bands of a variable must not overlap. A variable cannot have
        both bands and a radius.
    in_file : bool
        Whether the intruder knows that the target is in the file (default). If not, the number N_t of matching people in the
        population comes from `weights` or `population`.
    weights : array_like of shape (n,), optional
        Survey weights: N_t is their sum over the matching records.
    unit : str or sequence of str, optional
        The columns that identify a unit of several records, such as a household or a person in a panel. `evaluate` counts
        copies of units, and `identification_risk` adds the risk of whole units (`unit_risk`). The other measures of
        identification and attribute disclosure are computed by record, with a warning.
    unit_order : str or sequence of str, optional
        The columns by which the members of a unit are sorted, such as the wave of a panel; see `copied_units`. It
        requires `unit`.
    population : pandas.Series or array_like of shape (n,), optional
        N_t of each record, or a Series of census counts. The Series is indexed by the values of the known and synthesized
        variables (with the variables as level names and values of the same type). N_t is the sum over the cells consistent
        with the target and must be at least the number of such people in the file.

    Raises
    ------
    InputError
        If a value is not allowed, or values contradict one another. Each function checks the requirements that depend on the
        data, and raises an error if it does not use an option.

    Notes
    -----
    The ``euclideanDist`` option of the R package IdentificationRiskCalculation is not a norm and is not reproduced.

    Dates are datetimes, Python dates (``datetime.date``), and text columns in which every value is an ISO date such as
    "2020-05-31" or "2020-05-31T14:30:00+02:00". Dates with a time zone are compared as instants, to the microsecond.

    Examples
    --------
    >>> import synthlab as sl
    >>> print(sl.Intruder(known=["region", "age"], synthesized=["income"], radius={"income": 0.2}))
    The intruder knows region, age and the true income; a record matches with income within 0.2 x |income| (closed intervals).
    >>> bands = {"age": {"under 50": sl.Interval(0, 49), "50+": sl.Interval(50, float("inf"))}}
    >>> print(sl.Intruder(known=["age"], synthesized=["income"], radius={"income": 0.2}, bands=bands).describe()[-47:])
    Released in bands that contain the value: age.
    >>> print(sl.Intruder(known=["region"], synthesized=["born"], radius={"born": "1m"}))
    The intruder knows region and the true born; a record matches with born within 30.44 days (closed intervals).
    """

    known: ColumnNames
    synthesized: ColumnNames
    radius: Levels = None
    radius_kind: RadiusKind = "relative"
    boundary: Boundary = "closed"
    norm: Norm = "box"
    missing: Missing = "raise"
    convention: str | None = None
    targets: Any = field(default=None, repr=False)
    knowledge: Mapping[str, Knowledge] | None = field(default=None, repr=False)
    bands: Bands | None = field(default=None, repr=False)
    in_file: bool = True
    weights: Any = field(default=None, repr=False)
    population: Any = field(default=None, repr=False)
    unit: ColumnNames | None = None
    unit_order: ColumnNames | None = None
    # Names given as a column or an array might be data values, which messages must not show.
    _listed: bool = field(init=False, repr=False, default=True)

    def __post_init__(self) -> None:
        listed = all(
            isinstance(names, str | list | tuple | set | frozenset) for names in (self.known, self.synthesized)
        )
        known = _checks.check_names(self.known, "known")
        synthesized = _checks.check_names(self.synthesized, "synthesized", allow_empty=False)
        _checks.check_disjoint(known, synthesized)
        _checks.check_choice(self.radius_kind, "radius_kind", ("relative", "absolute"))
        _checks.check_choice(self.boundary, "boundary", ("closed", "open"))
        _checks.check_choice(self.norm, "norm", NORMS)
        _checks.check_choice(self.missing, "missing", ("raise", "category", "never"))
        _checks.check_choice(self.convention, "convention", (None, "irc"))
        _checks.check_choice(self.in_file, "in_file", (True, False))
        if self.convention == "irc" and self.norm != "box":
            raise InputError(f'norm="{self.norm}": convention="irc" requires norm="box"')
        values = {
            "_listed": listed,
            "known": known,
            "synthesized": synthesized,
            "radius": _parts.check_radius(self.radius, [*known, *synthesized]),
            "targets": None if self.targets is None else _checks.positions_array(self.targets, "targets", "record"),
            "knowledge": check_knowledge(self.knowledge, "knowledge"),
            "bands": check_bands(self.bands),
            "weights": None if self.weights is None else _parts.numbers(self.weights, "weights"),
            "population": None if self.population is None else _parts.population(self.population),
            **_parts.unit(self.unit, self.unit_order),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_ball()
        for name in ("knowledge", "bands"):
            unknown = [c for c in getattr(self, name) or {} if c not in self.used]
            if unknown:
                raise InputError(f"{name}: {_checks.named(unknown)} is neither in known nor in synthesized")
        both = [c for c in self.bands or {} if isinstance(self.radius, Mapping) and c in self.radius]
        if both:
            raise InputError(f"bands: {_checks.named(both)} has bands and a radius; pass one of them")
        self._check_population()

    def _check_ball(self) -> None:
        for size in _parts.levels(self.radius) if not isinstance(self.radius, Mapping | None) else ():
            if self.radius_kind == "relative" and isinstance(size, int | float) and size >= PERCENT:
                raise InputError(
                    f"radius={size}: is {size:g} times the value; {size:g} percent is radius={size / 100:g}, {size:g} units are "
                    f'radius_kind="absolute", and the radius of one variable is radius={{"income": {size:g}}}'
                )
        if self.norm != "mahalanobis":
            return
        several = isinstance(self.radius, Mapping) and len(set(self.radius.values())) > 1
        if self.radius_kind != "absolute" or several:
            raise InputError('norm="mahalanobis": requires one number as radius, and radius_kind="absolute"')

    def _check_population(self) -> None:
        given = [name for name in ("weights", "population") if getattr(self, name) is not None]
        if self.in_file and given:
            raise InputError(f"{given[0]}: counts people outside the file; omit it, or set in_file=False")
        if not self.in_file and len(given) != 1:
            raise InputError("in_file=False: requires N_t; pass either weights or population")

    @property
    def used(self) -> list[str]:
        """All variables that are compared."""
        return [*self.known, *self.synthesized]

    @property
    def radii(self) -> dict[str, float]:
        """Radius of each variable with a radius.

        A single number is assigned to variables only when data are given; see the intruder of a result.
        """
        if self.radius is None:
            return {}
        if not isinstance(self.radius, Mapping):
            raise InputError(
                f"radius={self.radius!r}: is assigned to variables only when data are given; use result.intruder.radii"
            )
        return {name: _parts.one(name, value) for name, value in self.radius.items()}

    @property
    def by_value(self) -> list[str]:
        """Variables compared by value."""
        return [c for c in self.used if c not in self.radii]

    def describe(self) -> str:
        """Return one or two sentences about the knowledge and the matching rule."""
        known, synthesized = ", ".join(self.known) or "nothing", ", ".join(self.synthesized)
        if isinstance(self.radius, Mapping):
            parts = [f"{name} within {self._size(value, name)}" for name, value in self.radius.items()]
        else:
            parts = [] if self.radius is None else [f"measurements within {self._size(self.radius, 'value')}"]
        rule = "; ".join(parts) or "every variable equal"
        boundary = "open" if self.convention == "irc" else self.boundary
        kind = f" ({boundary} {'intervals' if self.norm == 'box' else 'ball'})" if parts else ""
        distance = " by Mahalanobis distance" if parts and self.norm == "mahalanobis" else ""
        irc = " by the convention of the R package IdentificationRiskCalculation" if self.convention else ""
        text = (
            f"The intruder knows {known} and the true {synthesized}; a record matches with {rule}{kind}{distance}{irc}."
        )
        if self.knowledge:
            text += f" Of {', '.join(self.knowledge)} the intruder knows less than the value."
        if self.bands:
            text += f" Released in bands that contain the value: {', '.join(self.bands)}."
        if self.unit:
            text += f" Records with the same {' and '.join(self.unit)} form a unit."
        return text if self.in_file else f"{text} {self.describe_file()}"

    def describe_file(self) -> str:
        """Return a sentence that states whether the target is known to be in the file."""
        if self.in_file:
            return "The target is known to be in the file."
        source = "survey weights" if self.weights is not None else "population counts"
        return f"The target need not be in the file; N_t comes from {source}."

    def _size(self, radius: Any, name: str) -> str:
        return " or ".join(_checks.radius_words(size, name, self.radius_kind) for size in _parts.levels(radius))

    def __str__(self) -> str:
        return self.describe()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values for JSON and TOML.

        Raises
        ------
        InputError
            If the intruder has `knowledge`, `bands`, `weights` or `population`, which depend on the data.

        Examples
        --------
        >>> import synthlab as sl
        >>> sl.Intruder(known=["region"], synthesized=["income"], radius=0.2).to_dict()["radius"]
        0.2
        """
        for name in ("knowledge", "bands", "weights", "population"):
            if getattr(self, name) is not None:
                raise InputError(f"{name}: cannot be converted to plain values, because it depends on the data")
        return {name: _parts.plain(getattr(self, name)) for name in IN_TEXT}

    @classmethod
    def from_toml(cls, path: PathOrStr) -> Intruder:
        """Read an intruder from a TOML file whose keys are the parameter names.

        Parameters
        ----------
        path : path
            The file, with lines such as ``known = ["region"]``, ``synthesized = ["income"]``, ``radius = {income = 0.2}``.

        Returns
        -------
        Intruder

        Raises
        ------
        InputError
            If the file cannot be read, is not TOML, has an unknown key, or lacks a required key.
        """
        return cls.from_table(_checks.read_toml(path, "path"), f"path={str(path)!r}")

    @classmethod
    def from_table(cls, table: Mapping[str, Any], name: str = "table") -> Intruder:
        """Return the intruder of a TOML table or of the result of `to_dict`.

        Parameters
        ----------
        table : mapping {str: value}
            The parameters by name; `known` and `synthesized` are required.
        name : str
            Name of the table in messages; default "table".

        Returns
        -------
        Intruder

        Raises
        ------
        InputError
            If the table has an unknown key or lacks a required key.

        Examples
        --------
        >>> import synthlab as sl
        >>> sl.Intruder.from_table({"known": ["region"], "synthesized": ["income"]}).known
        ('region',)
        """
        table = _checks.check_mapping(table, _checks.check_text(name, "name"), "a table with known and synthesized")
        odd = [key for key in table if key not in IN_TEXT]
        lacking = [key for key in ("known", "synthesized") if key not in table]
        if odd or lacking:
            what = f"has the unknown key {_checks.named(odd)}" if odd else f"lacks {' and '.join(lacking)}"
            raise InputError(f"{name}: {what}; allowed keys are {', '.join(IN_TEXT)}")
        return cls(**table)


def check_intruder(
    value: object, function: str, uses: Sequence[str] = (), norms: Sequence[Norm] = ("box", "euclidean")
) -> Intruder:
    """Return the intruder; raise an error if the function does not use an option that is set.

    A function that does not use `unit` is computed by record, and warns.

    Examples
    --------
    >>> from synthlab.intruder import Intruder, check_intruder
    >>> someone = Intruder(known=["region"], synthesized=["income"], missing="never")
    >>> check_intruder(someone, "the function", uses=["missing"]) is someone
    True
    """
    if not isinstance(value, Intruder):
        raise InputError(
            'intruder: must be an Intruder, for example sl.Intruder(known=["region"], synthesized=["income"]), got '
            f"{type(value).__name__}"
        )
    always = ("known", "synthesized", "radius", "radius_kind", "norm", "unit_order", "_listed", *uses)
    for option in fields(value):
        given = getattr(value, option.name)
        unset = given is None if option.default is None else given == option.default
        if option.name == "unit" and option.name not in uses and not unset:
            warn(
                f"unit: {function} is computed by record: each record is treated as a person. It does not state how likely a "
                "whole unit is found; use unit_risk for the risk, and evaluate or copied_units for the copies of units",
                ComputedByRecordWarning,
            )
        elif option.name not in always and not unset:
            raise InputError(
                f"{option.name}={_checks.shown(given)}: {function} does not use it; keep the default {option.default!r}"
            )
    if value.norm not in norms:
        raise InputError(f"norm={value.norm!r}: {function} takes {' or '.join(map(repr, norms))}")
    return value


def resolved(intruder: Intruder, radii: Mapping[str, float | Sequence[float]]) -> Intruder:
    """Return the intruder with the radius of each variable and the boundary of the convention.

    Examples
    --------
    >>> from synthlab.intruder import Intruder, resolved
    >>> someone = Intruder(known=["region"], synthesized=["income"], radius=0.2, convention="irc")
    >>> resolved(someone, {"income": 0.2}).boundary
    'open'
    """
    boundary: Boundary = "open" if intruder.convention == "irc" else intruder.boundary
    return replace(intruder, radius=radii, boundary=boundary)
