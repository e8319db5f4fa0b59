"""What is measured on one file, independently of the functions of the package for the same purpose."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab import _checks
from synthlab.exceptions import SynthlabError, SynthlabWarning
from synthlab.io.write_files import FORMATS
from tests.corpus.forms import cells_of, changed_forms, lost_precisions
from tests.corpus.relations import broken_relations, numbers_of

RECORDS, COLUMNS = 1_500, 40
FEWEST = 50  # records with a value, for rounding
TOLERANCE = 0.1  # a share may decrease by this much


@dataclass
class Outcome:
    """Result for one file."""

    file: str
    records: int = 0
    columns: int = 0
    seconds: float = 0.0
    verdict: str = ""
    broken: int = 0  # relations that the release breaks
    unnamed: int = 0  # those that neither the plan nor a warning names
    traceback: str = ""
    problems: list[str] = field(default_factory=list)


def examine(path: Path) -> Outcome:
    """Read, synthesize, evaluate and write one file."""
    outcome = Outcome(path.name)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        try:
            _examine(path, outcome)
        except SynthlabError as error:
            outcome.problems.append(f"refused: {error}")
        except Exception:  # noqa: BLE001 - every other exception is a fault, which is reported
            outcome.traceback = traceback.format_exc()
            outcome.problems.append("TRACEBACK " + outcome.traceback.strip().splitlines()[-1])
    outcome.seconds = time.process_time() - start
    return outcome


def _examine(path: Path, outcome: Outcome) -> None:
    frame = sl.read(path, na="NA")
    labels = frame.attrs
    if len(frame) > RECORDS:
        frame = frame.sample(RECORDS, random_state=1).sort_index().reset_index(drop=True)
    frame = frame.iloc[:, :COLUMNS].copy()
    frame.attrs = labels
    outcome.records, outcome.columns = frame.shape
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            release = sl.synthesize(frame, m=1, rng=1)
        except SynthlabError as error:
            outcome.problems.append(f"refused: {error}")
            release = sl.synthesize(frame, m=1, rng=1, identifiers="drop")
    made = release[0]
    own = frame[list(made.columns)]
    outcome.problems += _types(own, made)
    outcome.problems += _missing(own, made)
    outcome.problems += _rounding(own, made)
    messages = [str(one.message) for one in caught]
    stated = [line for line in sl.Plan.of(release).relations if "not preserved" in line or "records break it" in line]
    for text, used, share in broken_relations(own, made):
        named = any(all(column in message for column in used) for message in (*messages, *stated))
        outcome.broken += 1
        outcome.unnamed += not named
        outcome.problems.append(f"{text}: 100% -> {share:.1%}{'' if named else ', not named'}")
    outcome.problems += _forms(path, own, release)
    outcome.problems += _round_trips(release)
    outcome.verdict = sl.evaluate(own, release, _intruder(own, made)).verdict


def _intruder(own: pd.DataFrame, made: pd.DataFrame) -> sl.Intruder:
    known = [c for c in own if 2 <= own[c].nunique() <= 20][:2]
    others = [c for c in own if c not in known and not own[c].equals(made[c])] or [c for c in own if c not in known]
    radius: dict[str, Any] = {
        c: "1m" if _checks.is_date(own[c]) else 0.1 for c in others if _checks.looks_continuous(own[c])
    }
    return sl.Intruder(known=known, synthesized=others, radius=radius or None, missing="category")


def _forms(path: Path, own: pd.DataFrame, release: sl.Release) -> Iterator[str]:
    """Yield columns whose cells have another form in the release than in the file."""
    with TemporaryDirectory() as folder:
        saved = release.save(Path(folder) / "release", allow_short_seed=True, keep_order=True)
        after = cells_of(saved / "synthetic_001.csv")
        text = ".csv" in path.suffixes
        before = cells_of(path if text else sl.write(own, Path(folder) / "own.csv"))
    yield from changed_forms(before, after)
    yield from lost_precisions(before, after)


def _types(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    for c in own:
        if str(own[c].dtype) != str(made[c].dtype):
            yield f"type of {c}: {own[c].dtype} -> {made[c].dtype}"


def _missing(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    for c in own:
        p, q = own[c].isna().mean(), made[c].isna().mean()
        if abs(p - q) > 4 * np.sqrt(max(p * (1 - p), 1 / len(own)) * 2 / len(own)):
            yield f"missing values of {c}: {p:.0%} -> {q:.0%}"


def _rounding(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    before, after = numbers_of(own), numbers_of(made)
    for c in [c for c in before if c in after]:
        if _checks.is_date(own[c]):
            firsts = [_firsts(frame[c]) for frame in (own, made)]
            if firsts[0] >= 0.5 and firsts[1] < firsts[0] - TOLERANCE:
                yield f"first days of months in {c}: {firsts[0]:.0%} -> {firsts[1]:.0%}"
            continue
        for unit in (1_000, 100, 10):
            shares = [_multiples(values[c], unit) for values in (before, after)]
            if shares[0] >= 0.5:
                if shares[1] < shares[0] - TOLERANCE:
                    yield f"multiples of {unit:,} in {c}: {shares[0]:.0%} -> {shares[1]:.0%}"
                break


def _firsts(series: pd.Series) -> float:
    instants = _checks.as_instants(series)
    if instants is None:
        return 0.0
    days = pd.Series(instants).dropna()
    return float((days.dt.day == 1).mean()) if len(days) >= FEWEST else 0.0


def _multiples(values: Any, unit: int) -> float:
    present = values[np.isfinite(values) & (values != 0)]
    return float((present % unit == 0).mean()) if present.size >= FEWEST else 0.0


def _round_trips(release: sl.Release) -> Iterator[str]:
    """Yield columns that differ after they are written and read."""
    frames = [frame.set_axis([f"v{place}" for place in range(frame.shape[1])], axis=1) for frame in release]
    plain = sl.Release(frames)
    with TemporaryDirectory() as folder:
        for kind in FORMATS:
            where = Path(folder)
            try:
                back = sl.Release.load(plain.save(where / kind, format=kind, allow_short_seed=True, keep_order=True))[0]
                pd.testing.assert_frame_equal(back, frames[0].reset_index(drop=True))
                again = sl.read(sl.write(frames[0], where / f"data.{kind}"))
            except AssertionError as error:
                yield f"{kind}: loaded release differs: {str(error).splitlines()[0]}"
                continue
            except SynthlabError as error:
                yield f"{kind}: refused: {error}"
                continue
            for name, c in zip(release[0].columns, frames[0].columns, strict=True):
                if not _is_same(frames[0][c].reset_index(drop=True), again[c]):
                    yield f"{kind}: {name} {frames[0][c].dtype} -> {again[c].dtype} differs after reading"


def _is_same(written: pd.Series, back: pd.Series) -> bool:
    """Return whether a column has the same values; a category equals its text, and an integer its float."""
    if not written.isna().equals(back.isna()):
        return bool(((written == "") | written.isna()).equals(back.isna()))  # empty text is missing in all formats
    first, second = written.dropna(), back.dropna()
    if pd.api.types.is_numeric_dtype(first.dtype) and pd.api.types.is_numeric_dtype(second.dtype):
        return bool(np.allclose(first.astype(float), second.astype(float), rtol=1e-12, atol=0))
    days = [_checks.as_days(one) for one in (first, second)]
    if days[0] is not None and days[1] is not None:
        return bool(np.allclose(days[0], days[1], rtol=0, atol=2e-8))
    return bool((first.astype(str) == second.astype(str)).all())
