"""Content of a report, used for its text, its HTML page and its JSON file."""

from __future__ import annotations

import math
from dataclasses import asdict, astuple, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from synthlab import _checks
from synthlab._format import SMALLEST_GROUP, count, fewer_than_10, listed, round_people
from synthlab.report.limits import Outcome, outcomes
from synthlab.report.measure import NONE, RATINGS, WRITE, Answer, Finding, Line, Measure, Section, Table, Write
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
ACTIONS = {
    "STOP": ("Do not publish.", "{remedy} Evaluate the new release."),
    "CHECK": ("You decide.", "{remedy}"),
    "NOTHING FOUND": ("You decide", "whether the risks below are acceptable. {power} This is not a guarantee."),
}
# Remedies of findings that state none.
UNSTATED = {"STOP": "Correct the synthesis.", "CHECK": "Publish only if you can explain this finding."}
ABOVE = "see above"  # word of a row if the verdict is STOP, in place of reassurance
SCREEN: dict[Section, tuple[str, list[str]]] = {
    "risk": ("Risk", ["Question", "Found", "By chance", ""]),
    "utility": ("Utility", ["Question", "Found", "Correct release", ""]),
}
DOTS = 100
LEVELS = ("", *RATINGS, "CHECK", "STOP")


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
        """The verdict with the worst finding, what to do, a column that differs clearly, and the broken limits."""
        numbers, question = self.numbers, self.numbers.question
        said = [measure.headline(one, question, self.people) for measure, one in measured(numbers.results)]
        clear = [one for one in said if one is not None]
        return "\n".join([self.verdict.first_line, " ".join(self.action), *clear, *self.broken_limits])

    @cached_property
    def action(self) -> tuple[str, str]:
        """The action in a few words, and how to do it."""
        worst, question = self.verdict.worst, self.numbers.question
        powers = [measure.power(one, question, self.people) for measure, one in measured(self.numbers.results)]
        what, how = ACTIONS[self.verdict.word]
        text = how.format(
            remedy=(worst.remedy if worst else "") or UNSTATED.get(self.verdict.word, ""),
            power=" ".join(text for text in powers if text is not None),
        )
        return what, " ".join(text.split())

    @cached_property
    def broken_limits(self) -> list[str]:
        """The broken limits, in one sentence."""
        broken = [one for one in self.limits if one.state != "held"]
        texts = [f"{one.limit.name} {one.text} (limit {one.allowed})" for one in broken]
        total = len(self.limits)
        of = f"{len(broken)} of {total} {'limit' if total == 1 else 'limits'} {_is(len(broken))} broken"
        return [f"{of}: {listed(texts, 2)}."] if broken else []

    @cached_property
    def answers(self) -> dict[Section, list[Answer]]:
        """The rows of the first screen: for each question the first answer with the worst rating."""
        found: dict[Section, dict[str, Answer]] = {section: {} for section in SCREEN}
        # Questions about the release come before questions about an intruder.
        for measure, computed in sorted(measured(self.numbers.results), key=lambda pair: pair[0].asks_intruder):
            for one in measure.answers(computed, self.numbers.question, self.people):
                answer, rows = self._judged(measure, one), found[measure.section]
                before = rows.setdefault(answer.question, answer)
                rows[answer.question] = max(before, answer, key=lambda one: LEVELS.index(one.level))
        return {section: list(rows.values()) for section, rows in found.items()}

    def _judged(self, measure: Measure[Any], answer: Answer) -> Answer:
        """Return a row with the name of the intruder and the level of the measure's worst finding."""
        others, risk = self.result.others, measure.section == "risk"
        if others and risk and measure.asks_intruder:
            which = f" (worst of {len(others) + 1} intruders: {self.result.name})"
            answer = replace(answer, question=f"{answer.question}{which}")
        for one in self.verdict.findings:
            if one.measure == measure.name and answer.word:
                return replace(answer, word=one.level, level=one.level)
        if self.verdict.word == "STOP" and risk and answer.word not in ("", NONE):
            return replace(answer, word=ABOVE, level="STOP")
        return answer

    @cached_property
    def dots(self) -> tuple[int, int] | None:
        """The people concerned by the worst finding and all people, as at most 100 dots.

        Some people are at least one dot, and only all people are all dots. None: they are not counted, or too few for
        publication.
        """
        worst = self.verdict.worst
        per_unit = worst is not None and MEASURES[worst.measure].per_unit and worst.of > 0
        n = round(worst.of) if worst is not None and per_unit else self.result.n
        people = 0.0 if worst is None else self.finding(worst)["people"]
        if people is None:
            return None
        total = min(DOTS, n)
        share = min(people / n, 1.0)
        return min(max(round(total * share), math.ceil(share)), total - (share < 1)), total

    @property
    def absent(self) -> list[str]:
        """The names of the measures without a result; measures by row have one name."""
        by_rows = [] if self.result.rows.by_row else ["identification by row"]
        names = [MEASURES[name] for name in self.result.not_measured if name not in self.result.results]
        return [*by_rows, *(_lower(one.title) for one in names if not (by_rows and one.by_row))]

    @property
    def summary(self) -> dict[str, dict[str, Any]]:
        """The rows of the summary; for publication, texts replace small numbers of people."""
        return summary_of(self.numbers, publish=self.publish)

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
        """The tables of the text: the rows of the first screen, several intruders, and the limits."""
        tables = [
            Table(heading, "", columns, [[*astuple(one)[:-1]] for one in self.answers[section]], wrap=True)
            for section, (heading, columns) in SCREEN.items()
            if self.answers[section]
        ]
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
        del document["remedy"], document["estimated"]
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
