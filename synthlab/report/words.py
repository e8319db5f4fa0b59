"""The text of an evaluation: the headline, the overview, the lines of a page, and what was not measured."""

from __future__ import annotations

from synthlab._format import count
from synthlab.report.evaluated import Evaluated
from synthlab.report.measure import WRITE, Line, Section, Table, Write
from synthlab.report.measures import MEASURES, by_row, measured
from synthlab.report.verdict import lines as lines_below, verdict_on

# For publication: without the numbers of rows.
ROWS = {
    "aligned": "Row i of the release is said to be about record i.",
    "compatible": "Rows are taken to correspond, which nothing proves.",
    "refuted": "The rows of the release do not correspond to the confidential records; measures by row do not apply.",
    "unknown": "Whether rows correspond is not known; measures by row are not given.",
}


OVERVIEW = ("measure", "release", "unchanged file", "known variables alone", "chance")


def overview(result: Evaluated, section: Section | None = None, *, publish: bool = False) -> list[tuple[str, ...]]:
    """Return the rows of the one table, whose columns are `OVERVIEW`, of one section or of both."""
    return [
        row.texts(publish=publish)
        for measure, one in measured(result.results, section)
        for row in measure.rows(one, result.question)
        if row.summarised
    ]


def headline(result: Evaluated, *, publish: bool = False) -> str:
    """Return the verdict with the worst finding, and at most five lines below it."""
    return "\n".join([verdict_on(result, publish=publish).first_line, *lines_below(result, publish=publish)])


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


def checked(result: Evaluated) -> list[str]:
    """Return the names of the measures that were computed."""
    return [measure.title for measure, _ in measured(result.results)]


def lacking(result: Evaluated) -> list[str]:
    """Return which measures were not computed, and why, except those for which the order of the rows is the reason."""
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
