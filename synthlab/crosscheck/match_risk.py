"""Match risk compared with the R package IdentificationRiskCalculation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from synthlab import datasets
from synthlab._typing import BoolArray, IntArray, RadiusKind
from synthlab.crosscheck._check import Row
from synthlab.datasets.files import packaged_file
from synthlab.intruder import Intruder
from synthlab.r import Reference
from synthlab.risk import IdentificationRiskResult, identification_risk

COUNTS = ("sum of c", "sum of i c", "sum of T", "sum of i T", "sum of K", "sum of F", "records without a match")


@dataclass(frozen=True)
class Setting:
    """Release of a stand-in dataset, and the intruder.

    `records` is the number of first records that are used, by default all; `euclidean` the option euclideanDist of R.
    """

    data: str
    versions: tuple[str, ...]
    known: tuple[str, ...]
    synthesized: tuple[str, ...]
    radius: Mapping[str, float] | None = None
    radius_kind: RadiusKind = "relative"
    description: str = ""
    records: int | None = None
    euclidean: bool = False

    def frames(self) -> list[pd.DataFrame]:
        """Return the confidential data and the synthetic datasets; without versions, the confidential data twice."""
        data = datasets.load(self.data, version="simulated")
        frames = [data.frame, *([data.synthetic_version(v) for v in self.versions] or [data.frame])]
        used = [column for column in data.frame.columns if column in (*self.known, *self.synthesized)]
        return [frame[used].head(self.records or len(frame)).reset_index(drop=True) for frame in frames]

    def intruder(self) -> Intruder:
        """Return the intruder with the conventions of the R package, without the option euclideanDist."""
        return Intruder(
            known=self.known,
            synthesized=self.synthesized,
            radius=self.radius,
            radius_kind=self.radius_kind,
            convention="irc",
        )

    def compute(self) -> IdentificationRiskResult:
        """Return the result of synthlab."""
        confidential, *release = self.frames()
        return identification_risk(confidential, release, self.intruder())


_ACS_KNOWN, _ACS_CHANGED = ("SEX", "RACE", "MAR"), ("LANX", "WAOB", "DIS", "HICOV")
_THREE = ("1", "2", "3")
_SEVERAL = Setting(
    "ce",
    _THREE,
    ("Age", "Marital"),
    ("Tenure", "Expenditure", "Income"),
    {"Age": 0.1, "Expenditure": 0.3, "Income": 0.2},
    description="three synthesized, four radii of three kinds, m = 3",
)
RELEASES = {
    "acs-lecture": Setting("acs", ("lecture",), _ACS_KNOWN, _ACS_CHANGED, description="categorical, m = 1"),
    "acs-confidential": Setting("acs", (), _ACS_KNOWN, ("DIS", "HICOV"), description="categorical, on itself"),
    "acs-three": Setting("acs", ("lecture", "2", "3"), _ACS_KNOWN, _ACS_CHANGED, description="categorical, m = 3"),
    "ce-income": Setting(
        "ce", _THREE, ("Educ", "Marital"), ("Income",), {"Income": 0.1}, description="income within 10%, m = 3"
    ),
    "ce-income-fixed-radius": Setting(
        "ce", _THREE, ("Educ", "Marital"), ("Income",), {"Income": 2000.0}, "absolute", "income within 2,000, m = 3"
    ),
    "ce-several": _SEVERAL,
}
_RADII: dict[str, tuple[RadiusKind, dict[str, float]]] = {
    "percentage; three radii": ("relative", {"Age": 0.1, "Expenditure": 0.3, "Income": 0.2}),
    "percentage; one radius": ("relative", {"Age": 0.25, "Expenditure": 0.25, "Income": 0.25}),
    "absolute; three radii": ("absolute", {"Age": 5.0, "Expenditure": 3000.0, "Income": 10000.0}),
    "absolute; one radius": ("absolute", {"Age": 2000.0, "Expenditure": 2000.0, "Income": 2000.0}),
}
OPTIONS = {
    name.replace(";", "; euclideanDist;") if euclidean else name: replace(
        _SEVERAL, radius=radii, radius_kind=kind, records=120, euclidean=euclidean, description="120 households, m = 3"
    )
    for name, (kind, radii) in _RADII.items()
    for euclidean in (False, True)
}


def release_rows(answer: Reference, name: str) -> Iterator[Row]:
    """Yield the rows of one of the `RELEASES`."""
    setting = RELEASES[name]
    result, label = setting.compute(), f"{name}: {setting.description}"
    yield _row_of_sums(answer, name, setting, sums(result))
    theirs = answer.value(what="unique matches", case=name)
    yield Row("unique matches s", label, result.n_unique, theirs, "count")
    for what in ("expected match risk", "true match rate", "false match rate"):
        theirs = answer.value(what=what, case=name)
        yield Row(what, label, getattr(result, what.replace(" ", "_")), theirs, "sum of ratios")


def option_rows(answer: Reference, name: str) -> Iterator[Row]:
    """Yield the row of one of the `OPTIONS` of the R package."""
    setting = OPTIONS[name]
    ours = _sums_of_wide_boxes(setting) if setting.euclidean else sums(setting.compute())
    yield _row_of_sums(answer, name, setting, ours)


def _row_of_sums(answer: Reference, name: str, setting: Setting, ours: Mapping[str, Any]) -> Row:
    theirs = [np.atleast_1d(answer.value(what=what, case=name)) for what in COUNTS]
    what = "c, T, K, F: seven sums over the records"
    return Row(what, f"{name}: {setting.description}", [ours[count] for count in COUNTS], theirs, "count")


def _sums_of_wide_boxes(setting: Setting) -> dict[str, Any]:
    """Return the sums of the boxes that R uses with euclideanDist.

    The half-width is the same for all variables of a record: the root of the sum of the squared radii of the known
    variables, and for the synthesized variables the root of that half-width plus the sum of their squared radii.
    """
    confidential, *release = setting.frames()
    counts, own = [], []
    for record in range(len(confidential)):
        scale = confidential.loc[record] if setting.radius_kind == "relative" else dict.fromkeys(confidential, 1.0)
        squares = {name: (radius * scale[name]) ** 2 for name, radius in (setting.radius or {}).items()}
        known = float(np.sqrt(sum(squares[name] for name in squares if name in setting.known)))
        other = float(np.sqrt(known + sum(squares[name] for name in squares if name in setting.synthesized)))
        widths = {name: known if name in setting.known else other for name in squares}
        box = replace(setting.intruder(), radius=widths, radius_kind="absolute", targets=[record])
        result = identification_risk(confidential, release, box)
        counts.append(result.match_count[0])
        own.append(result.contains_true[0])
    return sums_of(np.array(counts), np.array(own))


def sums(result: IdentificationRiskResult) -> dict[str, Any]:
    """Return the sums of the R script per dataset; weights i detect reordering."""
    return sums_of(result.match_count, result.contains_true)


def sums_of(c: IntArray, t: BoolArray) -> dict[str, Any]:
    """Return the sums from c and T of every record and dataset."""
    i = np.arange(1, len(c) + 1)[:, None]
    return {
        "sum of c": c.sum(axis=0),
        "sum of i c": (i * c).sum(axis=0),
        "sum of T": t.sum(axis=0),
        "sum of i T": (i * t).sum(axis=0),
        "sum of K": ((c == 1) & t).sum(axis=0),
        "sum of F": ((c == 1) & ~t).sum(axis=0),
        "records without a match": (c == 0).sum(axis=0),
    }


EDGES = {
    "end of the interval": "R's intervals are open, but closed here: 110 is within 10% of 100 here, but not in R",
    "a zero": "R's interval around 0 is empty, but contains 0 here: an exact copy of a zero matches here, but not in R",
    "a negative value": "R's half-width is r y, which is negative here, so nothing matches, not even a copy; here the half-width is r |y|",
    "fixed radius 0": "R's open interval of width 0 is empty; here it is closed, so a radius of 0 means equality",
    "nobody matches": "R sets T = 1 where c = 0; here T = 0. This does not affect the three summaries",
}


def conventions(answer: Reference) -> Iterator[Row]:
    """Yield the rows of small cases in which the two conventions differ."""
    with packaged_file("reference/match_risk_edges.csv").open("rb") as file:
        table = pd.read_csv(file)
    frames = {key: part[["g", "y"]].reset_index(drop=True) for key, part in table.groupby(["case", "dataset"])}
    for case, reason in EDGES.items():
        confidential, synthetic = frames[case, "confidential"], frames[case, "synthetic"]
        kind: RadiusKind
        kind, radius = ("absolute", 0.0) if case == "fixed radius 0" else ("relative", 0.1)
        someone = Intruder(known=["g"], synthesized=["y"], radius={"y": radius}, radius_kind=kind)
        default = identification_risk(confidential, synthetic, someone)
        irc = identification_risk(confidential, synthetic, replace(someone, convention="irc"))
        c, t, rate = (answer.value(what=what, case=case) for what in ("c", "T", "false match rate"))
        yield Row('c by convention="irc"', case, irc.match_count, c, "count")
        yield Row("false match rate, s = 0", case, irc.false_match_rate, rate, "sum of ratios")
        if case == "nobody matches":
            yield Row("T", case, default.contains_true, t, "count", -1.0, reason)
        else:
            yield Row("c", case, default.match_count, c, "count", 1.0, reason)


def tenths(answer: Reference) -> Iterator[Row]:
    """Yield the rows of the ends y + .1 y and y - .1 y, equal to R bit by bit."""
    y = np.arange(1, 1001, dtype=float)
    confidential = pd.DataFrame({"g": np.arange(1000), "y": y})
    for side, factor in (("above", 1.1), ("below", 0.9)):
        synthetic = confidential.assign(y=factor * y)
        someone = Intruder(known=["g"], synthesized=["y"], radius={"y": 0.1}, convention="irc")
        irc = identification_risk(confidential, synthetic, someone)
        theirs = answer.value(what="c", case=f"one tenth {side}")
        case = f"{factor} y for y = 1 to 1000"
        yield Row('sum of c by convention="irc"', case, irc.match_count.sum(), theirs, "count")


def missing_values(answer: Reference) -> Iterator[Row]:
    """Yield the rows of missing measurements and categories."""
    three = pd.DataFrame({"g": [1.0, 1.0, 1.0], "y": [10.0, 20.0, 30.0]})
    never = Intruder(known=["g"], synthesized=["y"], radius={"y": 0.1}, missing="never")
    gap = three.assign(y=[np.nan, 20.0, 30.0])
    case = "a missing measurement in the confidential data"
    ours = identification_risk(gap, three, never).match_count[0]
    reason = 'R compares with NA, which excludes nothing, so it counts all three records; missing="never" counts none'
    theirs = answer.value(what="c", case=case)
    yield Row("c", case, ours, theirs, "count", -3.0, reason)
    gap = three.assign(g=[np.nan, 1.0, 1.0])
    case = "a missing category on both sides"
    theirs = answer.value(what="c", case=case)
    ours = identification_risk(gap, gap, never).match_count[0]
    yield Row('c, missing="never"', case, ours, theirs, "count")
    ours = identification_risk(gap, gap, replace(never, missing="category")).match_count[0]
    reason = 'in R, a missing category equals nothing; with missing="category", it is a separate category'
    yield Row('c, missing="category"', case, ours, theirs, "count", 1.0, reason)


def order_of_radii(answer: Reference) -> Iterator[Row]:
    """Yield the rows of two radii, which R assigns in the order of the columns."""
    two = pd.DataFrame({"x": [100.0, 100.0], "y": [100.0, 100.0]})
    moved = pd.DataFrame({"x": [105.0, 100.0], "y": [100.0, 125.0]})
    case = "radii in the order of the columns"
    theirs = answer.value(what="c", case=case)
    for radius, stated in (({"x": 0.1, "y": 0.3}, 0.0), ({"y": 0.1, "x": 0.3}, -1.0)):
        ours = identification_risk(
            two, moved, Intruder(known=["y"], synthesized=["x"], radius=radius, convention="irc")
        )
        reason = "R assigns c(.1, .3) to the columns x, y in this order; a caller who means known y, then synthesized x, gets this"
        what = "c, radius " + ", ".join(f"{name} {value}" for name, value in radius.items())
        yield Row(what, case, ours.match_count[0], theirs, "count", stated, reason if stated else "")


CORNER = (108.0, 50.8)
EUCLIDEAN = {
    (106.0, 50.6): "",
    CORNER: "R's option is a box, which contains both differences, 8 and .8; the ball with half-axes 10 and 1 excludes the "
    "corners: (8/10)^2 + (.8/1)^2 = 1.28 is above 1",
    (100.0, 53.0): "R uses sqrt(10 + 1) = 3.3 as half-width of y, so 53 matches 50; here the radius of y is 1",
    (100.0, 53.5): "",
}  # released points, and why R counts a point outside the ball


def euclidean(answer: Reference) -> Iterator[Row]:
    """Yield the rows of radii 10 and 1 around (100, 50): R's option is another box."""
    one = pd.DataFrame({"x": [100.0], "y": [50.0]})
    someone = Intruder(known=["x"], synthesized=["y"], radius={"x": 10.0, "y": 1.0}, radius_kind="absolute")
    case = "euclideanDist"
    for (point, reason), theirs in zip(EUCLIDEAN.items(), answer.value(what="c", case=case), strict=True):
        near = pd.DataFrame([point], columns=["x", "y"])
        ball = identification_risk(one, near, replace(someone, norm="euclidean")).match_count
        stated = -1.0 if reason else 0.0
        what = "c of {:g}, {:g}".format(*point)
        yield Row(what, case, ball, theirs, "count", stated, reason)
        if point == CORNER:
            box = identification_risk(one, near, someone).match_count
            yield Row(f'{what}, norm="box"', case, box, theirs, "count")
