"""The verdict of an evaluation: STOP, CHECK or NOTHING FOUND, with its findings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from synthlab._format import SMALLEST_GROUP, count, fewer_than_10, listed
from synthlab.report.evaluated import Evaluated
from synthlab.report.measure import Finding, Measure, Write
from synthlab.report.measures import MEASURES, measured
from synthlab.report.policy import verdicts

Word = Literal["STOP", "CHECK", "NOTHING FOUND"]
EXIT = {"STOP": 4, "CHECK": 5, "NOTHING FOUND": 0}  # exit codes of the command; CHECK only with --strict
LIMIT_BROKEN = 3
NEXT = {
    "STOP": "Do not publish this release. Correct the synthesis and evaluate the new release.",
    "CHECK": "A person must judge each finding before publication.",
    "NOTHING FOUND": "Decide whether these risks are acceptable, and read what was not measured. This is not a guarantee.",
}
SHOWN = 3  # findings in the verdict and the lines below it
LINES = 5  # below the verdict


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
    def sentence(self) -> str:
        """The worst finding in one sentence."""
        return self.findings[0].sentence if self.findings else NOTHING

    @property
    def first_line(self) -> str:
        """The verdict with the worst finding in one sentence."""
        return f"{self.word}. {self.sentence}"


NOTHING = "No rule found released confidential records or values beyond what chance explains."


def verdict_on(result: Evaluated, *, publish: bool = False) -> Verdict:
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
    word = verdict_on(result).word
    if word == "STOP":
        return EXIT["STOP"]
    if not keeps_limits:
        return LIMIT_BROKEN
    return EXIT["CHECK"] if word == "CHECK" and strict else 0


def lines(result: Evaluated, *, publish: bool = False) -> list[str]:
    """Return the lines below the verdict, at most five: other findings, people, utility, and what to do next."""
    people: Write = fewer_than_10 if publish else count
    found = verdict_on(result, publish=publish)
    last = [*_people(result, found, people), *_utility(result), _next(found)]
    broken = _broken(result, publish)
    shown = found.findings[1 : SHOWN - len(broken)]
    others = [*broken, *(one.sentence for one in shown)]
    if (rest := len(found.findings) - 1 - len(shown)) > 0:
        more = f"{rest} more {'finding' if rest == 1 else 'findings'}; see the report."
        others = [*others[:-1], f"{others[-1]} And {more}"] if others else [f"There {_is(rest)} {more}"]
    notes = [] if found.word == "STOP" else _explanations(result, people)
    notes += [] if found.findings else [_checked(result)]
    return [*others, *last[:1], *notes[: LINES - len(others) - len(last)], *last[1:]]


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _broken(result: Evaluated, publish: bool) -> list[str]:
    """Name the broken limits, in one line."""
    broken = [one for one in verdicts(result.limits, result.intruders, publish=publish) if one.state != "held"]
    texts = [f"{one.limit.name} {one.text} (limit {one.allowed})" for one in broken]
    total = len(result.limits)
    of = f"{len(broken)} of {total} {'limit' if total == 1 else 'limits'} {_is(len(broken))} broken"
    return [f"{of}: {listed(texts, 2)}."] if broken else []


def _people(result: Evaluated, found: Verdict, people: Write) -> list[str]:
    """Say how many people an intruder can find, by the first measure that counts them."""
    worst = f" This is the worst of {len(result.intruders)} intruders ({result.name})." if result.others else ""
    for measure, computed in measured(result.results, "risk"):
        if (text := measure.people(computed, result.question, people)) is not None:
            copied = "" if result.rows.by_row else _copied(found, people)
            return [f"{copied}{text}{worst}"]
    counting = [name for name, measure in MEASURES.items() if type(measure).people is not Measure.people]
    reasons = [reason for name in reversed(counting) for reason in result.not_measured.get(name, ())]
    return [f"People whom an intruder can find were not counted: {reasons[0] if reasons else 'the measures failed.'}"]


def _copied(found: Verdict, people: Write) -> str:
    """Say that an intruder who knows more can find every copied person, if people are copied."""
    copies = [one for one in found.findings if one.level == "STOP" and one.people > 0]
    if not copies:
        return ""
    most = max(copies, key=lambda one: one.people)
    return f"An intruder who knows enough about the copied people can find up to {people(most.people, most.of)}. "


def _explanations(result: Evaluated, people: Write) -> list[str]:
    """Explain numbers that surprise although they are expected."""
    texts = [measure.explanation(one, result.question, people) for measure, one in measured(result.results)]
    return [text for text in texts if text is not None]


def _checked(result: Evaluated) -> str:
    """Say what was checked, and what was not measured."""
    rules = [measure for measure, _ in measured(result.results) if type(measure).findings is not Measure.findings]
    checked = [_lower(measure.title) for measure in rules]
    absent = [_lower(MEASURES[name].title) for name in result.not_measured if name not in result.results]
    rest = f" Not measured: {listed(absent, 3)}." if absent else ""
    return f"Checked: {listed(checked, 5)}.{rest}"


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


def _next(found: Verdict) -> str:
    """Say what to do next."""
    remedy = found.findings[0].remedy if found.word == "CHECK" else ""
    return f"Next: {remedy} {NEXT[found.word]}" if remedy else f"Next: {NEXT[found.word]}"


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
