"""Content of a report, used for its text, its HTML page and its JSON file."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from synthlab import _checks
from synthlab._format import SMALLEST_GROUP, count, fewer_than_10, listed, round_people
from synthlab.report.limits import Outcome, outcomes
from synthlab.report.measure import WRITE, Finding, Line, Measure, Row, Section, Table, Write
from synthlab.report.measures import MEASURES, all_rows, by_row, measured
from synthlab.report.small_groups import check_enough_people, for_publication
from synthlab.report.verdict import Verdict, verdict_on

if TYPE_CHECKING:
    from synthlab.report.evaluation_data import EvaluationData

# For publication: these sentences contain no numbers of rows.
ROWS = {
    "aligned": "Row i of the release is stated to describe record i.",
    "compatible": "Rows are assumed to correspond; this is not proved.",
    "refuted": "The rows of the release do not correspond to the confidential records; measures by row do not apply.",
    "unknown": "It is not known whether rows correspond; measures by row are not computed.",
}
NEXT = {
    "STOP": "Do not publish this release. Correct the synthesis and evaluate the new release.",
    "CHECK": "A person must judge each finding before publication.",
    "NOTHING FOUND": "Decide whether these risks are acceptable, and read what was not measured. This is not a guarantee.",
}
MERGED = f" Values of fewer than {SMALLEST_GROUP} people were merged before counting; the risk from single values can be higher."
OVERVIEW = ("measure", "release", "unchanged file", "known variables alone", "chance")
SHOWN = 3  # findings in the verdict and the lines below it
LINES = 5  # below the verdict


class Content:
    """The content of a report: verdict, tables, sentences, and what was not measured.

    Parameters
    ----------
    result : EvaluationData
        The evaluation.
    publish : bool
        Whether the report is for publication: it then contains no single records and no number of 1 to 9 people.
    """

    def __init__(self, result: EvaluationData, *, publish: bool = False) -> None:
        self.result = result
        self.publish = bool(_checks.check_choice(publish, "publish", (True, False)))
        self.people: Write = fewer_than_10 if publish else count
        if publish:
            check_enough_people(result)

    @cached_property
    def numbers(self) -> EvaluationData:
        """The evaluation whose numbers are shown; for publication, small groups are merged in its files."""
        return for_publication(self.result) if self.publish else self.result

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict with its findings."""
        return verdict_on(self.result, publish=self.publish)

    @cached_property
    def limits(self) -> list[Outcome]:
        """The outcome of every limit."""
        return outcomes(self.result, publish=self.publish)

    @property
    def headline(self) -> str:
        """The verdict with the worst finding, and at most five lines below it."""
        return "\n".join([self.verdict.first_line, *self.lines_below])

    @cached_property
    def lines_below(self) -> list[str]:
        """The lines below the verdict, at most five."""
        findings = self.verdict.findings
        last = [*self._people(), *self._utility(), self._next()]
        broken = self._broken_limits()
        shown = findings[1 : SHOWN - len(broken)]
        others = [*broken, *(one.sentence for one in shown)]
        if (rest := len(findings) - 1 - len(shown)) > 0:
            more = f"{rest} more {'finding' if rest == 1 else 'findings'}; see the report."
            others = [*others[:-1], f"{others[-1]} And {more}"] if others else [f"There {_is(rest)} {more}"]
        notes = [] if self.verdict.word == "STOP" else self._explanations()
        notes += [] if findings else [self._what_was_checked()]
        return [*others, *last[:1], *notes[: LINES - len(others) - len(last)], *last[1:]]

    def _broken_limits(self) -> list[str]:
        """Name the broken limits, in one line."""
        broken = [one for one in self.limits if one.state != "held"]
        texts = [f"{one.limit.name} {one.text} (limit {one.allowed})" for one in broken]
        total = len(self.limits)
        of = f"{len(broken)} of {total} {'limit' if total == 1 else 'limits'} {_is(len(broken))} broken"
        return [f"{of}: {listed(texts, 2)}."] if broken else []

    def _people(self) -> list[str]:
        """State how many people an intruder can find."""
        result = self.result
        worst = f" This is the worst of {len(result.intruders)} intruders ({result.name})." if result.others else ""
        for measure, computed in measured(self.numbers.results, "risk"):
            if (text := measure.people(computed, self.numbers.question, self.people)) is not None:
                return [f"{'' if result.rows.by_row else self._copied()}{text}{worst}{MERGED if self.publish else ''}"]
        counting = [name for name, measure in MEASURES.items() if type(measure).people is not Measure.people]
        reasons = [reason for name in reversed(counting) for reason in result.not_measured.get(name, ())]
        return [
            f"People whom an intruder can find were not counted: {reasons[0] if reasons else 'the measures failed.'}"
        ]

    def _copied(self) -> str:
        """State how many copied people an intruder who knows more can find."""
        copies = [one for one in self.verdict.findings if one.level == "STOP" and one.people > 0]
        if not copies:
            return ""
        most = max(copies, key=lambda one: one.people)
        found = self.people(most.people, self.result.n, most.of)
        return f"An intruder who knows enough about the copied people can find up to {found}. "

    def _explanations(self) -> list[str]:
        """Explain numbers that look surprising but are expected."""
        question = self.numbers.question
        texts = [measure.explanation(one, question, self.people) for measure, one in measured(self.numbers.results)]
        return [text for text in texts if text is not None]

    def _what_was_checked(self) -> str:
        """State what was checked and what was not measured."""
        results = self.result.results
        rules = [measure for measure, _ in measured(results) if type(measure).findings is not Measure.findings]
        checked = [_lower(measure.title) for measure in rules]
        absent = [_lower(MEASURES[name].title) for name in self.result.not_measured if name not in results]
        rest = f" Not measured: {listed(absent, 3)}." if absent else ""
        return f"Checked: {listed(checked, 5)}.{rest}"

    def _utility(self) -> list[str]:
        """Summarize the utility in one line."""
        question = self.numbers.question
        texts = [measure.utility(one, question) for measure, one in measured(self.numbers.results, "utility")]
        parts = [text for text in texts if text is not None]
        return [f"Utility: {'; '.join(parts)}."] if parts else []

    def _next(self) -> str:
        """State what to do next."""
        word = self.verdict.word
        remedy = self.verdict.findings[0].remedy if word == "CHECK" else ""
        return f"Next: {remedy} {NEXT[word]}" if remedy else f"Next: {NEXT[word]}"

    def overview(self, section: Section | None = None) -> list[tuple[str, ...]]:
        """Return the rows of the main table, for one section or for both."""
        return [row.texts(publish=self.publish) for row in self._rows(section)]

    @property
    def summary(self) -> dict[str, dict[str, Any]]:
        """The rows of the summary; for publication, texts replace small numbers of people."""
        return summary_of(self.numbers, publish=self.publish)

    def _rows(self, section: Section | None = None) -> list[Row]:
        return [row for row in all_rows(self.numbers.results, self.numbers.question, section) if row.summarised]

    @property
    def intruders(self) -> Table | None:
        """The risk for each intruder, one column per intruder, the worst first."""
        result = self.result
        if not result.others:
            return None
        cells: dict[str, dict[str, str]] = {}
        for name, one in self.numbers.intruders.items():
            for measure, found in measured(one.results, "risk"):
                for row in measure.rows(found, one.question) if measure.asks_intruder else ():
                    value = row.published()["synthetic"] if self.publish else row.release
                    text = value if isinstance(value, str) else WRITE[row.kind](value)
                    cells.setdefault(row.label, {})[name] = text
        names = list(result.intruders)
        rows = [["knows", *(", ".join(one.intruder.known) or "nothing" for one in result.intruders.values())]]
        rows += [[label, *(values.get(name, "") for name in names)] for label, values in cells.items()]
        return Table(f"{len(names)} intruders, the worst first", "", ["Measure", *names], rows, numbers=True)

    @property
    def tables(self) -> list[Table]:
        """The tables of the text: the overview, several intruders, and the limits."""
        result = self.result
        kind = "" if result.data_kind is None else f" ({result.data_kind} data)"
        columns = [one.replace(" variables", "") for one in OVERVIEW]
        rows = [list(row) for row in self.overview()]
        tables = [Table(f"{result.n:,} records, m = {result.m}{kind}", "", columns, rows, numbers=True)]
        tables += [self.intruders] if self.intruders else []
        if self.limits:
            columns = ["number", "limit", "value", "intruder", "verdict"]
            rows = [[one.limit.name, one.allowed, one.text, one.intruder, one.state] for one in self.limits]
            tables.append(Table("limits, compared with the worst intruder", "", columns, rows))
        return tables

    @property
    def notes(self) -> list[str]:
        """The lines below the tables: intruder, order of the rows, missing measures."""
        absent = [f"not measured: {text}" for text in self.missing_measures]
        return [self.result.intruder.describe(), self.order, *absent]

    @property
    def order(self) -> str:
        """A sentence on the order of the rows."""
        return ROWS[self.result.rows.state] if self.publish else self.result.rows.text

    @property
    def too_good(self) -> list[str]:
        """Sentences on results that are too good for independent synthetic data."""
        numbers = self.numbers
        found = [measure.too_good(one, numbers.question) for measure, one in measured(numbers.results)]
        return [f"{text[0].upper()}{text[1:]}." for text in found if text is not None]

    def lines(self, section: Section) -> list[Line]:
        """Return the measures of risk or of utility as sentences."""
        return [
            line
            for measure, one in measured(self.numbers.results, section)
            for line in measure.lines(one, self.numbers.question, self.people)
        ]

    def reasons(self, *, whole: bool = False) -> list[str]:
        """Return the measures that were not computed, or only in part, with the reasons.

        With `whole`, measures that were computed in part are omitted. For publication the reasons are omitted because
        they may contain numbers of rows.
        """
        texts = []
        for name, found in self.numbers.not_measured.items():
            if whole and name in self.numbers.results:
                continue
            label = MEASURES[name].title
            if MEASURES[name].by_row and not self.result.rows.by_row:
                label = f"Measures by row ({by_row()})"
            part = ", in part" if name in self.numbers.results else ""
            texts += [f"{label}{part}."] if self.publish else [f"{label}: {text}" for text in found]
        return list(dict.fromkeys(texts))

    @property
    def missing_measures(self) -> list[str]:
        """The measures that were not computed, except for the order of the rows."""
        return [text for text in self.reasons(whole=True) if not text.endswith(self.result.rows.text)]

    @property
    def checked(self) -> list[str]:
        """The names of the measures that were computed."""
        return [measure.title for measure, _ in measured(self.numbers.results)]

    @property
    def not_measured(self) -> list[str]:
        """Statements of what the report does not measure."""
        intruder = self.result.intruder
        known = ", ".join(intruder.known) or "nothing"
        learned = any(measure.of_values for measure, _ in measured(self.result.results))
        values = "Attribute disclosure: what an intruder learns about a person without finding that person's record."
        return [
            *self.reasons(),
            f"Other intruders: the numbers differ for an intruder who knows more than {known} and the true "
            f"{', '.join(intruder.synthesized)}, or knows them less exactly.",
            *([] if learned else [values]),
            "Guarantees: these are measurements of this release, not a guarantee such as differential privacy.",
            "Your own analysis: two distributions can agree while the coefficients of a model do not.",
        ]

    def finding(self, finding: Finding) -> dict[str, Any]:
        """Return a finding as plain values.

        For publication, counts of 1 to 9 people and their complements are omitted.
        """
        n = self.result.n

        def few(*parts: float) -> bool:
            return self.publish and any(0 < round(part, 9) < SMALLEST_GROUP for part in parts)

        no_people = math.isnan(finding.people) or few(finding.people, finding.of - finding.people, n - finding.people)
        no_total = math.isnan(finding.of) or few(finding.of, n - finding.of)
        document = asdict(finding) | {
            "people": None if no_people else self._rounded(finding.people),
            "of": None if no_total else self._rounded(finding.of),
        }
        del document["remedy"]
        return document

    def _rounded(self, people: float) -> float:
        """Round a number of people for publication."""
        return round_people(people, self.result.n) if self.publish else people


def summary_of(numbers: EvaluationData, *, publish: bool) -> dict[str, dict[str, Any]]:
    """Return the rows of the summary of one intruder."""
    rows = [row for row in all_rows(numbers.results, numbers.question) if row.summarised]
    return {row.name: row.published() if publish else row.values for row in rows}


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]
