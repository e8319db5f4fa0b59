"""Attribute disclosure: what the known variables and the release reveal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._format import percent
from synthlab._result import Result
from synthlab._warnings import quiet
from synthlab.exceptions import NoBetterThanBaselineWarning
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import Answer, Line, Measure, Row, Shown, Table, Write, points, share
from synthlab.report.measures.learned_attack import map_attack
from synthlab.risk import AttributeDisclosureResult, CapResult, attribute_disclosure, cap

R = TypeVar("R", AttributeDisclosureResult, CapResult)
CARRIES = 0.5  # a value that makes up more than this share of the disclosed values is mentioned


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ByTarget(Result, Generic[R]):
    """Results of one measure for each target variable, the worst first."""

    _table: ClassVar[str] = "summary"

    results: Mapping[str, R]
    table: pd.DataFrame

    @property
    def worst(self) -> R:
        """The result for the variable about which the release reveals most."""
        return next(iter(self.results.values()))

    @property
    def title(self) -> str:
        """A sentence on the worst variable."""
        return self.worst.title

    def summary(self) -> pd.DataFrame:
        """Return one row per variable, the worst first."""
        return self.table.loc[list(self.results)]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per variable and dataset."""
        return pd.concat({name: one.to_frame() for name, one in self.results.items()}, names=["target"])


class _Targets(Measure[ByTarget[R]]):
    """Base of both measures of attribute disclosure."""

    section = "risk"
    by_record = True
    of_values = True
    by_radius: ClassVar[bool]  # whether the measure is defined for a continuous target with a radius

    def applies(self, question: Question) -> str | None:
        """Require known variables that are compared by value, and a target variable."""
        intruder = question.intruder
        if not intruder.known:
            return "the intruder knows no variables by which to look up a person."
        if near := [name for name in intruder.known if name in intruder.radii]:
            return f"people are looked up by equal values, but {near[0]!r} has a radius."
        if intruder.norm != "box" or intruder.convention is not None:
            return "the measure is not defined with a Euclidean norm or a convention."
        if intruder.missing == "never" and not self.by_radius:
            return 'the measure is not defined with missing="never".'
        return (
            None if self._targets(question) else "every synthesized variable is continuous, so values are never equal."
        )

    def left_out(self, question: Question) -> list[str]:
        """Name the synthesized variables for which the measure is not defined."""
        lost = [name for name in question.intruder.synthesized if name not in self._targets(question)]
        if not lost or len(lost) == len(question.intruder.synthesized):
            return []
        return [f"{', '.join(lost)}: continuous, so values are never equal."]

    def _targets(self, question: Question) -> list[str]:
        frame, near = question.confidential, question.intruder.radii
        constant = question.constants if question.publish else []
        return [
            name
            for name in question.intruder.synthesized
            if name not in constant
            and ((self.by_radius and name in near) or not (name in near or _checks.looks_continuous(frame[name])))
        ]

    def _ask(
        self, question: Question, measure: Callable[[str], R], tell: Callable[[R], dict[str, float]]
    ) -> ByTarget[R]:
        """Measure every variable and sort by excess, the largest first."""
        # The lines compare each variable with both baselines, so the warning adds nothing.
        with quiet(NoBetterThanBaselineWarning):
            results = {name: measure(name) for name in self._targets(question)}
        table = pd.DataFrame({name: tell(one) for name, one in results.items()}).T.rename_axis("target")
        first = table["excess"].fillna(-np.inf).sort_values(ascending=False, kind="stable").index
        return ByTarget({name: results[name] for name in first}, table)

    def to_dict(self, result: ByTarget[R], question: Question, *, publish: bool) -> Any:
        """Return every variable; nothing for publication, because the summary suffices."""
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
    """DiSCO: people whose value the release reveals correctly and unambiguously."""

    name = "attribute_disclosure"
    title = "Attribute disclosure (DiSCO)"
    numbers = ("disco",)
    exposes = "disco"
    by_radius = False

    def compute(self, question: Question) -> ByTarget[AttributeDisclosureResult]:
        """Measure each synthesized variable that is not continuous."""
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
        """State for how many people the release reveals a value."""
        worst = result.worst
        n, found = worst.determined.size, float(worst.disclosed.sum(axis=0).mean())
        determined = float(worst.determined.sum())
        claimed, means = float(worst.claimed.sum(axis=0).mean()), worst.to_frame().mean()
        most, true = float(means["level_share"]), float(means["TCAP"])
        right = share(true, claimed, people) if claimed else ""
        told = (
            f" Of all people for whom the release implies a single value, {right} have this value." if claimed else ""
        )
        part = share(most, found, people) if most > CARRIES else ""
        told += f" One value of {worst.target} makes up {part} of the correct values." if part.endswith("%") else ""
        return [
            Line(
                f"People whose {worst.target} the release reveals",
                people(found, n, determined),
                people(determined, n),
                f"All released records with the {', '.join(worst.intruder.known)} of such a person have the same {worst.target}, "
                f"and it is the person's value: {people(found, n, determined)} of {n:,}{question.average}.{told}",
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
            "DiSCO": "Release, correct (DiSCO)",
            "DiS": "Release, implied (DiS)",
            "TCAP": "Implied values that are correct (TCAP)",
        }
        text = "Share of the people whose known variables determine the variable."
        return Shown(tables=(self._listed(result, "What follows from the known variables", text, columns),))


class CorrectAttribution(_Targets[CapResult]):
    """CAP: how often copying the value of a matching released record is right."""

    name = "cap"
    title = "Correct attribution (CAP)"
    numbers = ("cap",)
    exposes = "cap"
    by_radius = True

    def compute(self, question: Question) -> ByTarget[CapResult]:
        """Attack each synthesized variable.

        Without a matching record, the intruder guesses from the released distribution. The baseline is the best constant
        answer or, if it is better, the baseline of the intruder who learns the map.
        """
        frame = question.confidential
        learned = question.once(map_attack, shared=True)

        def tell(one: CapResult) -> dict[str, float]:
            best = one.best_constant
            if learned is not None and one.target in learned.table.index:
                best = max(best, learned.table["baseline"].to_dict()[one.target])
            return {
                "attack": one.attack,
                "low": one.interval[0],
                "high": one.interval[1],
                "confidential": one.confidential,
                "best_known": best,
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
        """Return CAP of the worst variable with its baselines."""
        worst, best = result.worst, self._best(result)
        of = float(worst.targets.size)
        return [
            Row(
                "cap",
                f"{worst.target} guessed correctly (CAP)",
                "share",
                worst.to_frame()["attack"].to_numpy(),
                confidential=worst.confidential,
                known_only=best,
                random_guess=worst.baseline,
                of=(of, of),
                hidden=("random_guess",),  # the sum of the squared shares reveals the counts of rare values
            )
        ]

    def answers(self, result: ByTarget[CapResult], question: Question, people: Write) -> list[Answer]:
        """Compare the guesses with predictions from the known variables."""
        worst, n = result.worst, result.worst.targets.size
        return [
            Answer(
                f"Can values be learned from similar records? (best: {worst.target})",
                f"{share(worst.attack, n, people)} right",
                f"{share(self._best(result), n, people)} from the known variables",
                points(worst.attack - self._best(result), n, people),
            )
        ]

    def _best(self, result: ByTarget[CapResult]) -> float:
        """Return how often the best prediction is right without the person's own released values."""
        return float(result.table["best_known"].to_dict()[result.worst.target])

    def lines(self, result: ByTarget[CapResult], question: Question, people: Write) -> list[Line]:
        """State how often a guess is right, with and without the release."""
        worst, n = result.worst, result.worst.targets.size
        best = share(self._best(result), n, people)
        internal = not question.publish
        by_lot = f", and a random draw from the distribution for {percent(worst.baseline)}" if internal else ""
        low, high = worst.interval
        spread = f" (95% interval over people and datasets: {percent(low)} to {percent(high)})" if internal else ""
        return [
            Line(
                f"Correct guesses of {worst.target}",
                share(worst.attack, n, people),
                share(worst.confidential, n, people),
                f"The intruder copies the value of a released record with the person's {', '.join(worst.intruder.known)}. A guess "
                f"is right when {worst.near}{spread}. Without the person's released values, the best prediction is right for {best}{by_lot}. "
                "A rational intruder uses the better of the two.",
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
            "best_known": "Without the released values",
            "baseline": "Random draw",
        }
        text = "Share of the people whose value is guessed correctly."
        return Shown(tables=(self._listed(result, "What can be guessed", text, columns),))


def _own(question: Question, target: str) -> dict[str, float] | None:
    """Return the radius of the target, within which a guess is right."""
    radii = question.intruder.radii
    return {target: radii[target]} if target in radii else None
