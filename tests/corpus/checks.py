"""What is measured on one file, independently of the functions of the package for the same purpose."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab import _checks
from synthlab.exceptions import SynthlabError, SynthlabWarning
from synthlab.io.write_files import FORMATS

RECORDS, COLUMNS = 1_500, 40
FEWEST = 50  # records with a value, for rounding and relations
TOLERANCE = 0.1  # a share may decrease by this much
SPAN_COLUMNS = 15  # columns in which sums are searched


@dataclass
class Outcome:
    """Result for one file."""

    file: str
    records: int = 0
    columns: int = 0
    seconds: float = 0.0
    verdict: str = ""
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
    outcome.problems += _relations(own, made)
    outcome.problems += _round_trips(release)
    outcome.verdict = sl.evaluate(own, release, _intruder(own, made)).verdict


def _intruder(own: pd.DataFrame, made: pd.DataFrame) -> sl.Intruder:
    known = [c for c in own if 2 <= own[c].nunique() <= 20][:2]
    others = [c for c in own if c not in known and not own[c].equals(made[c])] or [c for c in own if c not in known]
    radius: dict[str, Any] = {
        c: "1m" if _checks.is_date(own[c]) else 0.1 for c in others if _checks.looks_continuous(own[c])
    }
    return sl.Intruder(known=known, synthesized=others, radius=radius or None, missing="category")


def _types(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    for c in own:
        if str(own[c].dtype) != str(made[c].dtype):
            yield f"type of {c}: {own[c].dtype} -> {made[c].dtype}"


def _missing(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    for c in own:
        p, q = own[c].isna().mean(), made[c].isna().mean()
        if abs(p - q) > 4 * np.sqrt(max(p * (1 - p), 1 / len(own)) * 2 / len(own)):
            yield f"missing values of {c}: {p:.0%} -> {q:.0%}"


def _numbers(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the numbers and dates (in days) of a frame."""
    found = {}
    for c in frame:
        if _checks.is_measured(frame[c]) or _checks.is_date(frame[c]):
            found[c] = _checks.measurements(frame[c])
    return found


def _rounding(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    before, after = _numbers(own), _numbers(made)
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


def _relations(own: pd.DataFrame, made: pd.DataFrame) -> Iterator[str]:
    """Yield relations that all confidential records satisfy and the synthetic ones do not."""
    before, after = _numbers(own), _numbers(made)
    shuffled = np.random.default_rng(1).permutation(len(own))
    names = [c for c in before if c in after and np.unique(before[c][np.isfinite(before[c])]).size > 2]
    for forms in _forms(names):
        for text, used, holds in forms:
            values = [before[c] for c in used]
            there = np.isfinite(values).all(axis=0)
            if there.sum() < FEWEST or not holds(*(v[there] for v in values)).all():
                continue
            paired = [values[0][shuffled], *values[1:]]
            both = np.isfinite(paired).all(axis=0)
            if holds(*(v[both] for v in paired)).mean() > 0.95:
                continue  # also true of unrelated columns
            released = [after[c] for c in used]
            present = np.isfinite(released).all(axis=0)
            share = float(holds(*(v[present] for v in released)).mean()) if present.any() else 1.0
            if share < 0.98:
                yield f"{text}: 100% -> {share:.0%}"


def _forms(names: list[str]) -> Iterator[list[tuple[str, tuple[str, ...], Any]]]:
    def close(a: Any, b: Any) -> Any:
        return np.isclose(a, b, rtol=1e-3, atol=1e-6)

    def log(a: Any, b: Any) -> Any:
        return (b > 0) & close(a, np.log(np.where(b > 0, b, 1)))

    for a, b in combinations(names, 2):
        for x, y in ((a, b), (b, a)):
            yield [
                (f"{x} <= {y}", (x, y), lambda u, v: u <= v),
                (f"{x} = log({y})", (x, y), log),
                (f"{x} = {y} squared", (x, y), lambda u, v: close(u, v**2)),
            ]
    for a, b, c in combinations(names[:SPAN_COLUMNS], 3):
        for x, y, z in ((a, b, c), (b, a, c), (c, a, b)):
            yield [(f"{x} = {y} + {z}", (x, y, z), lambda u, v, w: close(u, v + w))]


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
