"""Verdict of an evaluation: STOP, CHECK or NOTHING FOUND, with its findings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from synthlab._format import count, fewer_than_10
from synthlab.report.limits import outcomes
from synthlab.report.measure import Finding
from synthlab.report.measures import MEASURES, measured

if TYPE_CHECKING:
    from synthlab.report.evaluation_data import EvaluationData

Word = Literal["STOP", "CHECK", "NOTHING FOUND"]
NOTHING = "No rule found released confidential records or values beyond what chance explains."
STOPPED, LIMIT_BROKEN, CHECKED = 4, 3, 5  # exit codes of the command; CHECK only with --strict


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict in one word, and the findings that support it, the worst first."""

    word: Word
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Finding | None:
        """The worst finding; None if nothing was found."""
        return self.findings[0] if self.findings else None

    @property
    def sentence(self) -> str:
        """The worst finding in one sentence."""
        return self.findings[0].sentence if self.findings else NOTHING

    @property
    def first_line(self) -> str:
        """The verdict with the worst finding in one sentence."""
        return f"{self.word}. {self.sentence}"


def verdict_on(result: EvaluationData, *, publish: bool = False) -> Verdict:
    """Return the verdict from all findings and from the measures that failed."""
    people = fewer_than_10 if publish else count
    found: dict[str, Finding] = {}
    for one in result.intruders.values():
        question = replace(one.question, publish=publish)
        for measure, computed in measured(one.results):
            for finding in measure.findings(computed, question, people):
                found.setdefault(finding.sentence, finding)
            if (good := measure.too_good(computed, question)) is not None:
                found.setdefault(good, Finding("CHECK", f"{good[0].upper()}{good[1:]}.", measure.name))
        for name in one.failed:
            sentence = f"{MEASURES[name].title} could not be measured."
            found.setdefault(sentence, Finding("CHECK", sentence, name))
    ordered = sorted(found.values(), key=lambda finding: finding.severity, reverse=True)
    return Verdict(ordered[0].level if ordered else "NOTHING FOUND", tuple(ordered))


def exit_code(result: EvaluationData, *, strict: bool) -> int:
    """Return the exit code of the command.

    It is 4 for STOP, 3 for a broken limit, 5 for CHECK with --strict, and 0 otherwise.
    """
    word = verdict_on(result).word
    if word == "STOP":
        return STOPPED
    if any(one.state != "held" for one in outcomes(result)):
        return LIMIT_BROKEN
    return CHECKED if word == "CHECK" and strict else 0
