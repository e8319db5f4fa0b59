"""The verdict of an evaluation: STOP, CHECK or NOTHING FOUND, with its findings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from synthlab._format import SMALLEST_GROUP, count, fewer_than_10
from synthlab.report.evaluated import Evaluated
from synthlab.report.measure import Finding, Write, listed
from synthlab.report.measures import MEASURES, measured
from synthlab.report.policy import verdicts

Word = Literal["STOP", "CHECK", "NOTHING FOUND"]
EXIT = {"STOP": 4, "CHECK": 5, "NOTHING FOUND": 0}  # exit codes of the command; CHECK only with --strict
LIMIT_BROKEN = 3
NEXT = {
    "STOP": "Do not publish this release. Correct the synthesis and evaluate the new release.",
    "CHECK": "A person must judge each finding before publication.",
    "NOTHING FOUND": "This is not a guarantee: the report lists what was checked and what was not measured.",
}
SHOWN = 3  # findings in the lines below the verdict, the worst included


@dataclass(frozen=True, slots=True)
class Verdict:
    """One word, and the findings that it rests on, the worst first."""

    word: Word
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Finding | None:
        """The worst finding; None if nothing was found."""
        return self.findings[0] if self.findings else None

    @property
    def first_line(self) -> str:
        """The verdict with the worst finding in one sentence."""
        return f"{self.word}. {self.findings[0].sentence}" if self.findings else f"{self.word}. {NOTHING}"


NOTHING = "No rule found released confidential records or values beyond what chance explains."


def verdict(result: Evaluated, *, publish: bool = False) -> Verdict:
    """Return the verdict on a release: the findings of all measures and intruders, and the measures that failed."""
    people = fewer_than_10 if publish else count
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
    ordered = sorted(found.values(), key=lambda finding: finding.severity, reverse=True)
    word: Word = ordered[0].level if ordered else "NOTHING FOUND"
    return Verdict(word, tuple(ordered))


def exit_code(result: Evaluated, *, keeps_limits: bool, strict: bool) -> int:
    """Return the exit code of the command: 4 for STOP, 3 for a broken limit, 5 for CHECK with --strict, else 0."""
    word = verdict(result).word
    if word == "STOP":
        return EXIT["STOP"]
    if not keeps_limits:
        return LIMIT_BROKEN
    return EXIT["CHECK"] if word == "CHECK" and strict else 0


def lines(result: Evaluated, *, publish: bool = False) -> list[str]:
    """Return the lines below the verdict, at most five: other findings, people, utility, and what to do next."""
    people: Write = fewer_than_10 if publish else count
    found = verdict(result, publish=publish)
    others = [one.sentence for one in found.findings[1:SHOWN]]
    broken = [one for one in verdicts(result.limits, result.intruders, publish=publish) if one.state != "held"]
    if broken:
        texts = [f"{one.limit.name} {one.text} (limit {one.allowed})" for one in broken]
        others = [f"{len(broken)} of {len(result.limits)} limits are broken: {listed(texts, 2)}.", *others[:1]]
    if (rest := len(found.findings) - SHOWN) > 0 and not broken:
        others[-1] += f" And {rest} more {'finding' if rest == 1 else 'findings'}."
    return [*others, *_people(result, people), *_utility(result), NEXT[found.word]]


def _people(result: Evaluated, people: Write) -> list[str]:
    """Say how many people an intruder can find, by the first measure that can tell."""
    for measure, computed in measured(result.results, "risk"):
        if (text := measure.people(computed, result.question, people)) is not None:
            several = (
                f" This is the worst of {len(result.intruders)} intruders ({result.name})." if result.others else ""
            )
            return [f"{text}{several}"]
    return []


def _utility(result: Evaluated) -> list[str]:
    """Say what is known of the utility, in one line."""
    parts = [
        text
        for measure, computed in measured(result.results, "utility")
        if (text := measure.utility(computed, result.question)) is not None
    ]
    return [f"Utility: {'; '.join(parts)}."] if parts else []


def finding_to_dict(finding: Finding, publish: bool, n: int) -> dict[str, Any]:
    """Return a finding on `n` people as plain values; for publication without a count of 1 to 9 people or its complement."""

    def few(*parts: float) -> bool:
        return publish and any(0 < round(part, 9) < SMALLEST_GROUP for part in parts)

    no_people = math.isnan(finding.people) or few(finding.people, finding.of - finding.people, n - finding.people)
    no_total = math.isnan(finding.of) or few(finding.of, n - finding.of)
    return {
        "level": finding.level,
        "sentence": finding.sentence,
        "measure": finding.measure,
        "dataset": finding.dataset,
        "columns": list(finding.columns),
        "people": None if no_people else finding.people,
        "of": None if no_total else finding.of,
    }
