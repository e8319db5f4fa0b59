"""The intruder: what is known of a person, and when a released record agrees with it.

One object asks the question of every measure of risk: `known` and `synthesized` variables, how near is near, and
what else the intruder knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from synthlab import _checks
from synthlab._system.atomic_write import read_toml
from synthlab._typing import Boundary, ColumnNames, Levels, Missing, Norm, PathOrStr, RadiusKind
from synthlab.exceptions import InputError
from synthlab.matching import intruder_validation as _parts
from synthlab.matching.partial_knowledge import Interval, Knowledge, OneOf, check_knowledge

NORMS: tuple[Norm, ...] = ("box", "euclidean", "mahalanobis")
IN_TEXT = (
    "known", "synthesized", "radius", "radius_kind", "boundary", "norm", "missing", "convention", "targets", "in_file",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Intruder:
    """The intruder's knowledge of a person, and when a released record agrees with it.

    Parameters
    ----------
    known : sequence of str
        Variables the intruder knows and the release leaves unchanged; may be empty.
    synthesized : sequence of str
        Synthesized variables whose true value the intruder knows; for `cap`, those one of which is guessed. A variable
        with a radius is continuous; every other one is compared by value.
    radius : mapping {variable: number >= 0 or text} or number, optional
        Half-width of the interval around the target's true value. A bare number is for every synthesized variable of numbers
        that looks continuous (or the only one that holds numbers). For `linkage_risk` a variable may have several half-widths
        in increasing order, its levels of agreement. For a date a number is a number of days, and text is a number of days,
        months or years: "1d", "1m" (30.4375 days) or "1y" (365.25 days).
    radius_kind : {"relative", "absolute"}
        "relative": half-width ``radius * abs(y)``; "absolute": half-width `radius`, in the units of the variable. The radius of
        a date is absolute in either case.
    boundary : {"closed", "open"}
        Whether a value at the end of the interval matches.
    norm : {"box", "euclidean", "mahalanobis"}
        Several continuous variables: all within their interval; within the ellipsoid whose half-axes are the
        half-widths; or (`intruder_risk`) at a Mahalanobis distance of at most the radius, one number for all, which has no
        unit and so is absolute.
    missing : {"raise", "category", "never"}
        The meaning of a missing value, the same in every function. "raise": missing values are an error. "category": missing
        is a level of its own. A missing value matches a missing value and nothing else; in a variable with a radius this
        holds whatever the radius, and with several such variables the others decide. "never": a missing value matches nothing.
        A record with a missing value in a compared variable matches no record, not even itself. A function for which one of
        the meanings is not defined raises an error that gives the reason.
    convention : {None, "irc"}
        "irc" reproduces the R package IdentificationRiskCalculation 1.0.0 to the last bit of c, K and F:
        open intervals with ends ``y + r*y`` and ``y - r*y``, the sign of y kept, so a negative y and a zero
        never match, not even their exact copy.
    targets : array of row positions or boolean mask, optional
        The records the intruder looks for; default all.
    knowledge : mapping {variable: Interval or OneOf}, optional
        Variables of which the intruder knows less than the value. What is known must be true.
    in_file : bool
        Whether the intruder knows that the target is in the file. If not, the number N_t of such people in the population
        comes from `weights` or `population`.
    weights : array_like of shape (n,), optional
        Survey weights: N_t is their sum over the matching records.
    population : pandas.Series or array_like of shape (n,), optional
        Census counts: a Series indexed by the values of known and synthesized variables (level names are the
        variables, its values of the same kind), summed over what is consistent with the target, at least the number of
        such people in the file; or N_t of each record.

    Raises
    ------
    InputError
        For a value that is not allowed, or values that contradict one another. What depends on the data is checked by the
        function that gets them; so is an option that it does not use, which it refuses by name.

    Notes
    -----
    The ``euclideanDist`` option of the R package IdentificationRiskCalculation is no norm and is not reproduced.

    Dates are datetimes, days of Python (``datetime.date``), and columns of text in which every value is an ISO date such as
    "2020-05-31" or "2020-05-31T14:30:00+02:00". Dates with a time zone are compared as instants, to the microsecond.

    Examples
    --------
    >>> import synthlab as sl
    >>> print(sl.Intruder(known=["region", "age"], synthesized=["income"], radius={"income": 0.2}))
    The intruder knows region, age and the true income; a record matches with income within 0.2 x |income| (closed intervals).
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
    in_file: bool = True
    weights: Any = field(default=None, repr=False)
    population: Any = field(default=None, repr=False)
    # Names that came as a column or an array may be values of the data, which no message shows.
    _listed: bool = field(init=False, repr=False, default=True)

    def __post_init__(self) -> None:
        listed = all(isinstance(names, list | tuple | set | frozenset) for names in (self.known, self.synthesized))
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
            raise InputError(f'norm="{self.norm}": convention="irc" is the box; the option of the R package is no ball')
        values = {
            "_listed": listed,
            "known": known,
            "synthesized": synthesized,
            "radius": _parts.check_radius(self.radius, [*known, *synthesized]),
            "targets": None if self.targets is None else _checks.positions_array(self.targets, "targets", "record"),
            "knowledge": check_knowledge(self.knowledge, "knowledge"),
            "weights": None if self.weights is None else _parts.numbers(self.weights, "weights"),
            "population": None if self.population is None else _parts.population(self.population),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_ball()
        unknown = [c for c in self.knowledge or {} if c not in self.used]
        if unknown:
            raise InputError(f"knowledge: {_checks.named(unknown)} is neither in known nor in synthesized")
        self._check_population()

    def _check_ball(self) -> None:
        if self.norm != "mahalanobis":
            return
        several = isinstance(self.radius, Mapping) and len(set(self.radius.values())) > 1
        if self.radius_kind != "absolute" or several:
            raise InputError('norm="mahalanobis": has no unit; give one number as radius, and radius_kind="absolute"')

    def _check_population(self) -> None:
        given = [name for name in ("weights", "population") if getattr(self, name) is not None]
        if self.in_file and given:
            raise InputError(f"{given[0]}: counts people outside the file; it goes with in_file=False")
        if not self.in_file and len(given) != 1:
            raise InputError("in_file=False: needs N_t: give weights or population, one of them")

    @property
    def used(self) -> list[str]:
        """All variables that are compared."""
        return [*self.known, *self.synthesized]

    @property
    def radii(self) -> dict[str, float]:
        """The radius of each variable that has one; of the intruder of a result, who has met the data."""
        if self.radius is None:
            return {}
        if not isinstance(self.radius, Mapping):
            raise InputError(
                f"radius={self.radius!r}: whose it is depends on the data; the intruder of a result says it"
            )
        return {name: _parts.one(name, value) for name, value in self.radius.items()}

    @property
    def by_value(self) -> list[str]:
        """Variables compared by value."""
        return [c for c in self.used if c not in self.radii]

    def describe(self) -> str:
        """Say in a sentence or two what is known, and when two records match."""
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
        return text if self.in_file else f"{text} {self.describe_file()}"

    def describe_file(self) -> str:
        """Say in a sentence whether the target is known to be in the file."""
        if self.in_file:
            return "The target is known to be in the file."
        source = "survey weights" if self.weights is not None else "population counts"
        return f"The target need not be in the file; N_t comes from {source}."

    def _size(self, radius: Any, name: str) -> str:
        return " or ".join(_checks.radius_words(size, name, self.radius_kind) for size in _parts.levels(radius))

    def __str__(self) -> str:
        return self.describe()

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as plain values that JSON and TOML know; partial knowledge and arrays of the data are left out.

        Raises
        ------
        InputError
            If the intruder has `knowledge`, `weights` or `population`: these go with the data.

        Examples
        --------
        >>> import synthlab as sl
        >>> sl.Intruder(known=["region"], synthesized=["income"], radius=0.2).to_dict()["radius"]
        0.2
        """
        for name in ("knowledge", "weights", "population"):
            if getattr(self, name) is not None:
                raise InputError(f"{name}: goes with the data, and has no plain form")
        return {name: _parts.plain(getattr(self, name)) for name in IN_TEXT}

    @classmethod
    def from_toml(cls, path: PathOrStr) -> Intruder:
        """Read an intruder from a TOML file with the names of the parameters as keys.

        Parameters
        ----------
        path : path
            The file, such as ``known = ["region"]``, ``synthesized = ["income"]``, ``radius = {income = 0.2}``.

        Returns
        -------
        Intruder

        Raises
        ------
        InputError
            If the file cannot be read, is not TOML, or says what an intruder does not.
        """
        return cls.from_table(read_toml(path, "path"), f"path={str(path)!r}")

    @classmethod
    def from_table(cls, table: Mapping[str, Any], name: str = "table") -> Intruder:
        """Return the intruder that a table of a TOML file, or the result of `to_dict`, describes.

        Parameters
        ----------
        table : mapping {str: value}
            The parameters by name; `known` and `synthesized` must be there.
        name : str
            Its name in messages.

        Returns
        -------
        Intruder

        Raises
        ------
        InputError
            If it says what an intruder does not, or lacks what one needs.

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
            what = f"says {_checks.named(odd)}" if odd else f"does not say {' and '.join(lacking)}"
            raise InputError(f"{name}: {what}; an intruder has {', '.join(IN_TEXT)}")
        return cls(**table)


def check_intruder(
    value: object, function: str, uses: Sequence[str] = (), norms: Sequence[Norm] = ("box", "euclidean")
) -> Intruder:
    """Return an intruder, or raise where an option is set that the function does not use.

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
    always = ("known", "synthesized", "radius", "radius_kind", "norm", "_listed", *uses)
    for option in fields(value):
        given = getattr(value, option.name)
        unset = given is None if option.default is None else given == option.default
        if option.name not in always and not unset:
            raise InputError(
                f"{option.name}={_checks.shown(given)}: {function} does not use it; leave it as {option.default!r}"
            )
    if value.norm not in norms:
        raise InputError(f"norm={value.norm!r}: {function} takes {' or '.join(map(repr, norms))}")
    return value


def resolved(intruder: Intruder, radii: Mapping[str, float | Sequence[float]]) -> Intruder:
    """Return the intruder who has met the data: the radius of each variable, and the boundary the convention has.

    Examples
    --------
    >>> from synthlab.intruder import Intruder, resolved
    >>> someone = Intruder(known=["region"], synthesized=["income"], radius=0.2, convention="irc")
    >>> resolved(someone, {"income": 0.2}).boundary
    'open'
    """
    boundary: Boundary = "open" if intruder.convention == "irc" else intruder.boundary
    return replace(intruder, radius=radii, boundary=boundary)


__all__ = ["Interval", "Intruder", "OneOf", "check_intruder", "resolved"]
