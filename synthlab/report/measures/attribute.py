"""Attribute disclosure: what the known variables and the release tell of each synthesized variable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import count, percent
from synthlab._result import Result
from synthlab._warnings import quiet
from synthlab.exceptions import NoBetterThanBaselineWarning
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Line, Measure, Row, Shown, Table, Write, share
from synthlab.risk import AttributeDisclosureResult, CapResult, attribute_disclosure, cap

R = TypeVar("R", AttributeDisclosureResult, CapResult)
CARRIES = 0.5  # a value that makes up more of what is disclosed is named


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ByTarget(Result, Generic[R]):
    """The results of one measure for each variable an intruder may want to know, the worst first."""

    _table: ClassVar[str] = "summary"

    results: Mapping[str, R]
    table: pd.DataFrame

    @property
    def worst(self) -> R:
        """The result of the variable that the release tells most about."""
        return next(iter(self.results.values()))

    @property
    def title(self) -> str:
        """The worst of the variables, in a sentence."""
        return self.worst.title

    def summary(self) -> pd.DataFrame:
        """Return one row per variable, the worst first."""
        return self.table.loc[list(self.results)]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per variable and dataset."""
        return pd.concat({name: one.to_frame() for name, one in self.results.items()}, names=["target"])


class _Targets(Measure[ByTarget[R]]):
    """The base of both measures of attribute disclosure: the variables asked about, and when they are defined."""

    section = "risk"
    of_values = True
    by_radius: ClassVar[bool]  # whether a continuous target with a radius has this measure

    def applies(self, question: Question) -> str | None:
        """Keys are compared by value, and there must be something to learn."""
        intruder = question.intruder
        if not intruder.known:
            return "the intruder knows no variable to look a person up by."
        if near := [name for name in intruder.known if name in intruder.radii]:
            return f"people are looked up by value, and {near[0]!r} has a radius."
        if intruder.norm != "box" or intruder.convention is not None:
            return "it knows neither a ball nor the convention of another package."
        if intruder.missing == "never" and not self.by_radius:
            return "missing values that equal nothing have no classes."
        return (
            None if self._targets(question) else "every synthesized variable is continuous and is never equal by value."
        )

    def left_out(self, question: Question) -> list[str]:
        """Name the synthesized variables it cannot be measured for."""
        lost = [name for name in question.intruder.synthesized if name not in self._targets(question)]
        if not lost or len(lost) == len(question.intruder.synthesized):
            return []
        return [f"{', '.join(lost)}: continuous, and never equal by value."]

    def _targets(self, question: Question) -> list[str]:
        frame, near = question.confidential, question.intruder.radii
        return [
            name
            for name in question.intruder.synthesized
            if (self.by_radius and name in near) or not (name in near or _checks.looks_continuous(frame[name]))
        ]

    def _ask(
        self, question: Question, measure: Callable[[str], R], tell: Callable[[R], dict[str, float]]
    ) -> ByTarget[R]:
        """Measure every variable, and put the one first that the release tells most about."""
        # A variable the release says nothing about is no fault; the lines compare with both baselines.
        with quiet(NoBetterThanBaselineWarning):
            results = {name: measure(name) for name in self._targets(question)}
        table = pd.DataFrame({name: tell(one) for name, one in results.items()}).T.rename_axis("target")
        first = table["excess"].fillna(-np.inf).sort_values(ascending=False, kind="stable").index
        return ByTarget({name: results[name] for name in first}, table)

    def to_dict(self, result: ByTarget[R], question: Question, *, publish: bool) -> Any:
        """Return every variable; for publication the summary says enough."""
        return (
            None
            if publish
            else {"sentence": result.title, "by_target": result.summary().reset_index().to_dict("records")}
        )

    def _listed(self, result: ByTarget[R], heading: str, text: str, columns: Mapping[str, str]) -> Table:
        shares: pd.DataFrame = result.summary()[list(columns)]
        texts: list[list[str]] = shares.map(lambda value: "" if np.isnan(value) else percent(value)).to_numpy().tolist()
        rows = [[str(name)] + cells for name, cells in zip(shares.index, texts, strict=True)]
        return Table(heading, text, ["Variable", *columns.values()], rows)


class AttributeDisclosure(_Targets[AttributeDisclosureResult]):
    """DiSCO: people whose value the release tells rightly and for sure, whatever the order of the rows."""

    name = "attribute_disclosure"
    title = "Attribute disclosure (DiSCO)"
    numbers = ("disco",)
    exposes = "disco"
    by_radius = False

    def compute(self, question: Question) -> ByTarget[AttributeDisclosureResult]:
        """Measure each synthesized variable in which values recur."""
        asker = replace(question.asked, boundary="closed", targets=None)

        def tell(one: AttributeDisclosureResult) -> dict[str, float]:
            means = {str(name): float(value) for name, value in one.to_frame().mean().items()}
            return {**means, "excess": means["DiSCO"]}

        def measure(target: str) -> AttributeDisclosureResult:
            by_value = replace(asker, radius=None, radius_kind="relative")
            return attribute_disclosure(question.confidential, question.release, by_value, target=target)

        return self._ask(question, measure, tell)

    def rows(self, result: ByTarget[AttributeDisclosureResult], question: Question) -> list[Row]:
        """Return DiSCO of the worst variable."""
        worst = result.worst
        people = float(worst.determined.size)
        return [
            Row(
                "disco",
                f"{worst.target} disclosed with certainty (DiSCO)",
                "share",
                worst.disclosed.mean(axis=0),
                confidential=float(worst.determined.mean()),
                of=(people, people),
                within=float(worst.determined.sum()),
            )
        ]

    def lines(self, result: ByTarget[AttributeDisclosureResult], question: Question, people: Write) -> list[Line]:
        """Say of how many people the release tells a value for sure, and what carries most of it."""
        worst = result.worst
        n, found = worst.determined.size, float(worst.disclosed.sum(axis=0).mean())
        determined = float(worst.determined.sum())
        claimed, means = float(worst.claimed.sum(axis=0).mean()), worst.to_frame().mean()
        most, true = float(means["level_share"]), float(means["TCAP"])
        right = share(true, claimed, people) if claimed else ""
        told = (
            f" Of all people of whom the release claims a value in this way, {right} are told rightly."
            if claimed
            else ""
        )
        carried = most > CARRIES and share(most, found, people) == percent(most)
        told += f" One value of {worst.target} makes up {percent(most)} of those." if carried else ""
        return [
            Line(
                f"People of whom the release tells {worst.target}",
                people(found, n, determined),
                people(determined, n),
                f"All released records with the {', '.join(worst.intruder.known)} of such a person have one {worst.target}, "
                f"and it is the person's own: {people(found, n, determined)} of {n:,}{question.average}.{told}",
            )
        ]

    def show(
        self, result: ByTarget[AttributeDisclosureResult], question: Question, *, show_values: bool, publish: bool
    ) -> Shown:
        """List every variable."""
        if publish:
            return Shown()
        columns = {
            "Dorig": "Confidential (Dorig)",
            "DiSCO": "Release, rightly (DiSCO)",
            "DiS": "Release claims (DiS)",
            "TCAP": "Claims that are right (TCAP)",
        }
        text = "Share of the people whose known variables determine the variable."
        return Shown(tables=(self._listed(result, "What follows from the known variables", text, columns),))


class CorrectAttribution(_Targets[CapResult]):
    """CAP: how often an intruder who believes a released record with the same keys is right."""

    name = "cap"
    title = "Correct attribution (CAP)"
    numbers = ("cap",)
    exposes = "cap"
    by_radius = True

    def compute(self, question: Question) -> ByTarget[CapResult]:
        """Attack each synthesized variable; who finds no released record guesses from the margin of the release."""
        frame = question.confidential

        def tell(one: CapResult) -> dict[str, float]:
            best = one.best_constant
            return {
                "attack": one.attack,
                "low": one.interval[0],
                "high": one.interval[1],
                "confidential": one.confidential,
                "best_constant": best,
                "baseline": one.baseline,
                "excess": one.attack - best,
            }

        def measure(target: str) -> CapResult:
            return cap(
                frame,
                question.release,
                replace(question.asked, radius=_own(question, target)),
                target=target,
                absent="marginal",
            )

        return self._ask(question, measure, tell)

    def rows(self, result: ByTarget[CapResult], question: Question) -> list[Row]:
        """Return CAP of the worst variable; without the release, the best constant answer, and a draw from the margin."""
        worst = result.worst
        of = float(worst.targets.size)
        return [
            Row(
                "cap",
                f"{worst.target} guessed correctly (CAP)",
                "share",
                worst.to_frame()["attack"].to_numpy(),
                confidential=worst.confidential,
                known_only=worst.best_constant,
                random_guess=worst.baseline,
                of=(of, of),
                hidden=("random_guess",),  # what the squares of the shares add up to tells the counts of rare values
            )
        ]

    def lines(self, result: ByTarget[CapResult], question: Question, people: Write) -> list[Line]:
        """Say how often a guess is right, and how often without the release."""
        worst, n = result.worst, result.worst.targets.size
        best = share(worst.best_constant, n, people)
        internal = people(1.0) == count(1.0)
        by_lot = f", and a draw from the margin for {percent(worst.baseline)}" if internal else ""
        low, high = worst.interval
        spread = f", with other people and other datasets {percent(low)} to {percent(high)}" if internal else ""
        return [
            Line(
                f"Guesses of {worst.target} that are right",
                share(worst.attack, n, people),
                share(worst.confidential, n, people),
                f"The intruder believes a released record with the person's {', '.join(worst.intruder.known)}, right when "
                f"{worst.near}{spread}. Without the release the best answer for everybody is right for {best}{by_lot}: "
                "a rational intruder takes the best.",
            )
        ]

    def show(self, result: ByTarget[CapResult], question: Question, *, show_values: bool, publish: bool) -> Shown:
        """List every variable."""
        if publish:
            return Shown()
        columns = {
            "attack": "With the release",
            "low": "Interval, from",
            "high": "to",
            "confidential": "Unchanged file",
            "best_constant": "Best constant answer",
            "baseline": "Draw from the margin",
        }
        text = "Share of the people whose value is guessed correctly."
        return Shown(tables=(self._listed(result, "What can be guessed", text, columns),))


def _own(question: Question, target: str) -> dict[str, float] | None:
    """Return the radius of the target alone, with which a guess is right."""
    radii = question.intruder.radii
    return {target: radii[target]} if target in radii else None
