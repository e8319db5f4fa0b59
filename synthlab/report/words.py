"""The text of an evaluation: the headline, the overview, the lines of a page, and what was not measured.

A number of a report is read by a person who did not compute it: each one comes with what it means
for people, and with what it would be without the release or with the confidential data themselves.
"""

from __future__ import annotations

from typing import Any

from synthlab._format import count, fewer_than_10
from synthlab.report.evaluated import Evaluated
from synthlab.report.measure import WRITE, Claim, Line, Measure, Section, Table, Write
from synthlab.report.measures import MEASURES, all_rows, by_row, measured
from synthlab.report.policy import Verdict, verdicts

# For publication: without the numbers of rows.
ROWS = {
    "aligned": "Row i of the release is said to be about record i.",
    "compatible": "Rows are taken to correspond, which nothing proves.",
    "refuted": "The rows of the release do not correspond to the confidential records; measures by row do not apply.",
    "unknown": "Whether rows correspond is not known; measures by row are not given.",
}


def overview(result: Evaluated) -> list[tuple[str, ...]]:
    """Return the one table: measure, release, confidential data, known variables alone, random guess."""
    return [row.texts() for row in all_rows(result.results, result.question) if row.summarised]


def claims(result: Evaluated, people: Write = count) -> list[tuple[Measure[Any], Claim]]:
    """Return what the measures say in the headline, the worst first.

    Where nothing proves the order of the rows, a copy of a unique record tells as much as a person who was found.
    """
    found = [
        (measure, claim)
        for measure, one in measured(result.results)
        if (claim := measure.claim(one, result.question, people)) is not None
    ]
    unproven = result.rows.state == "compatible"
    return sorted(found, key=lambda pair: (not pair[1].alarm, -pair[1].people if unproven else 0.0))


def headline(result: Evaluated, *, publish: bool = False) -> str:
    """Return the first thing to be told: do rows correspond, are records released unchanged, who finds most people."""
    return " ".join(first_told(result, publish=publish))


def first_told(result: Evaluated, *, publish: bool = False) -> list[str]:
    """Return the parts of the headline, the most important first."""
    order, found = result.rows, claims(result, fewer_than_10 if publish else count)
    texts = [claim.text for _, claim in found]
    if not order.by_row or order.doubt or order.by in ("known variables", "released values"):
        place = next((i + 1 for i, (measure, _) in enumerate(found) if measure.by_row), 0)
        texts.insert(place, ROWS[order.state] if publish else order.text)
    if result.others:
        texts.append(f"This is the worst of {len(result.intruders)} intruders, {result.name}.")
    broken = [one for one in verdicts(result.limits, result.intruders, publish=publish) if one.state != "held"]
    if broken:
        texts.insert(0, f"{len(broken)} of {len(result.limits)} limits not kept: {', '.join(map(_broken, broken))}.")
    return texts


def _broken(verdict: Verdict) -> str:
    return f"{verdict.label} {verdict.text} (limit {verdict.allowed})"


def intruders(result: Evaluated, *, publish: bool = False) -> Table | None:
    """Return the risk of the release for each of several intruders, a column each, the worst first."""
    if not result.others:
        return None
    cells: dict[str, dict[str, str]] = {}
    for name, one in result.intruders.items():
        for measure, found in measured(one.results, "risk"):
            for row in measure.rows(found, one.question) if measure.asks_intruder else ():
                told = row.published()["synthetic"] if publish else row.release
                cells.setdefault(row.label, {})[name] = told if isinstance(told, str) else WRITE[row.kind](told)
    names = list(result.intruders)
    rows = [["knows", *(", ".join(one.intruder.known) or "nothing" for one in result.intruders.values())]]
    rows += [[label, *(values.get(name, "") for name in names)] for label, values in cells.items()]
    return Table(f"{len(names)} intruders, the worst first", "", ["Measure", *names], rows)


def too_good(result: Evaluated) -> list[str]:
    """Return where the release looks better than an honest draw could be."""
    found = [measure.too_good(one, result.question) for measure, one in measured(result.results)]
    return [f"{text[0].upper()}{text[1:]}." for text in found if text is not None]


def lines(result: Evaluated, section: Section, people: Write = count) -> list[Line]:
    """Return the measures of risk or of utility in words; `people` writes a number of people."""
    return [
        line
        for measure, one in measured(result.results, section)
        for line in measure.lines(one, result.question, people)
    ]


def reasons(result: Evaluated, *, publish: bool = False, whole: bool = False) -> list[str]:
    """Return which measure could not be measured, or not in full, and why; with `whole`, only those that are not there.

    For publication without the reasons, which may count rows.
    """
    texts = []
    for name, found in result.not_measured.items():
        if whole and name in result.results:
            continue
        measure = MEASURES[name]
        label = measure.title
        if measure.by_row and not result.rows.by_row:
            label = f"Measures by row ({by_row()})"
        part = ", in part" if name in result.results else ""
        texts += [f"{label}{part}."] if publish else [f"{label}: {text}" for text in found]
    return list(dict.fromkeys(texts))


def lacking(result: Evaluated) -> list[str]:
    """Return which measures are not there, and why, but for what the headline says of the order of the rows."""
    return [text for text in reasons(result, whole=True) if not text.endswith(result.rows.text)]


def not_measured(result: Evaluated, publish: bool = False) -> list[str]:
    """Return what a reader must not take for measured."""
    intruder = result.intruder
    known = ", ".join(intruder.known) or "nothing"
    learned = any(measure.of_values for measure, _ in measured(result.results))
    return [
        *reasons(result, publish=publish),
        f"Other intruders: one who knows more than {known} and the true {', '.join(intruder.synthesized)}, or who knows them less "
        "exactly, reaches other numbers.",
        *(
            []
            if learned
            else ["Attribute disclosure: what an intruder learns about a person without finding that person's record."]
        ),
        "Any guarantee: these are measurements on this release, not a promise such as differential privacy.",
        "The analysis you have in mind: two distributions can agree while the coefficients of a model do not.",
    ]
