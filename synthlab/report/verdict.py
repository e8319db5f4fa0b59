"""Verdict of an evaluation: STOP, CHECK or NOTHING FOUND, with its findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from synthlab._format import SMALLEST_GROUP, count, fewer_than_10
from synthlab.report.limits import outcomes
from synthlab.report.measure import Finding, Write
from synthlab.report.measures import MEASURES, measured
from synthlab.report.small_groups import for_publication

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
    found = _findings(result, count)
    if publish:
        found = _for_publication(found, _findings(for_publication(result), fewer_than_10))
    return Verdict(found[0].level if found else "NOTHING FOUND", tuple(found))


def _for_publication(found: list[Finding], merged: list[Finding]) -> list[Finding]:
    """Return the findings in the merged files, and without numbers those that only the unmerged files have.

    A verdict for publication is therefore at least as strict as the internal one.
    """
    published, left = [], list(merged)
    for one in found:
        same = next((other for other in left if (other.level, other.measure) == (one.level, one.measure)), None)
        if same is None:
            sentence = f"{MEASURES[one.measure].title}: the finding depends on fewer than {SMALLEST_GROUP} people."
            same = Finding(one.level, sentence, one.measure)
        else:
            left.remove(same)
        published.append(same)
    return sorted([*published, *left], key=lambda finding: finding.severity, reverse=True)


def _findings(result: EvaluationData, people: Write) -> list[Finding]:
    """Return all findings, the worst first."""
    found: dict[str, Finding] = {}
    for one in result.intruders.values():
        for measure, computed in measured(one.results):
            for finding in measure.findings(computed, one.question, people):
                found.setdefault(finding.sentence, finding)
            if (good := measure.too_good(computed, one.question)) is not None:
                found.setdefault(good, Finding("CHECK", f"{good[0].upper()}{good[1:]}.", measure.name))
        for name in one.failed:
            sentence = f"{MEASURES[name].title} could not be measured."
            found.setdefault(sentence, Finding("CHECK", sentence, name))
    return sorted(found.values(), key=lambda finding: finding.severity, reverse=True)


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
