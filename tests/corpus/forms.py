"""Form of the cells of a CSV file: whole numbers, decimals, words for true and false, shapes of dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

NUMBER = re.compile(r"[+-]?(\d*)(?:\.(\d*))?(?:[eE][+-]?\d+)?")
DATE = re.compile(r"\d{1,4}([-/.]\d{1,4}){1,2}([ T]\d.*)?|\d{4}")
WORDS = ({"TRUE", "FALSE"}, {"True", "False"}, {"true", "false"})
MISSING = ("", "NA", ".", "nan", "NaN")


def cells_of(path: Path) -> pd.DataFrame:
    """Return the cells of a CSV file as text."""
    return pd.read_csv(path, dtype=str, keep_default_na=False, sep=None, engine="python", encoding_errors="replace")


def form_of(cells: pd.Series) -> tuple[str, frozenset[str]]:
    """Return the kind of the cells, and the forms that occur."""
    present = {cell.strip() for cell in cells} - set(MISSING)
    if any(present <= words for words in WORDS):
        return "bool", frozenset(next(words for words in WORDS if present <= words))
    found = [NUMBER.fullmatch(cell) for cell in present]
    if all(found):
        ends = {"" if match is None or match[2] is None else match[2] for match in found}
        fixed = len({len(end) for end in ends}) == 1
        point = any(end and not end.strip("0") for end in ends)  # such as 25.0
        kind = "whole" if ends <= {""} else f"{len(ends.pop())} decimals" if fixed and len(ends) > 1 else "decimal"
        return "number", frozenset({kind, *(["25.0"] if point else [])})
    if all(map(DATE.fullmatch, present)):
        return "date", frozenset(re.sub(r"\d", "0", cell.partition("T")[0]) for cell in present)
    return "text", frozenset()


def changed_forms(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    """Yield the columns whose cells have another form in the release than in the file."""
    for column in after:
        if column not in before:
            continue
        (kind, forms), (new_kind, new_forms) = form_of(before[column]), form_of(after[column])
        if kind != new_kind and not {kind, new_kind} <= {"text", "date"}:
            yield f"form of {column}: {kind} -> {new_kind}"
        elif kind == new_kind == "number":
            if "25.0" in new_forms - forms or ("decimal" in new_forms and "whole" in forms):
                yield f"form of {column}: {', '.join(sorted(forms))} -> {', '.join(sorted(new_forms))}"
        elif not new_forms <= forms:
            yield f"form of {column}: {', '.join(sorted(forms))} -> {', '.join(sorted(new_forms - forms))}"


def precisions(cells: pd.Series) -> dict[int, float]:
    """Return the share of each number of parts of the texts of dates."""
    lengths = cells[~cells.isin(MISSING)].str.count("[-/.]")
    return {int(length): float(share) for length, share in lengths.value_counts(normalize=True).items()}


def lost_precisions(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    """Yield columns of dates whose shares of days, months and years differ."""
    for column in after:
        if column in before and form_of(before[column])[0] == "date":
            shares = precisions(before[column]), precisions(after[column])
            gap = max(abs(shares[0].get(k, 0) - shares[1].get(k, 0)) for k in {*shares[0], *shares[1]})
            if gap > 4 * np.sqrt(0.25 * 2 / len(after)):
                yield f"precisions of {column}: differ by {gap:.0%}"
