"""What `evaluate` and an independent count of whole copies say about one case."""

from __future__ import annotations

import time
import traceback
import warnings
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl
from synthlab.exceptions import SynthlabWarning
from tests.verdict.cases import Case, Made
from tests.verdict.leaks import text_of

# A CHECK that is true of an honest release: repeated combinations (the end of rule 1), reused amounts (rules 3 and 4), and
# a model that is too fine (rule 5). A finding is one of them if its measure's word stands in its remedy.
GENUINE = {
    "copied_people": "true CHECK",
    "identifying_values": "smooth",
    "agreement": "exact amounts of single people",
    "learned_attack": "too fine",
}


def evaluated(made: Made) -> sl.report.EvaluationResult:
    """Return the evaluation of a release, without its warnings."""
    given = dict(made)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        return sl.evaluate(given.pop("confidential"), given.pop("synthetic"), given.pop("intruder"), **given)


def is_genuine(result: Any) -> bool:
    """Return whether the verdict is a CHECK whose findings are all true of an honest release."""
    return result.verdict == "CHECK" and all(
        one.measure in GENUINE and GENUINE[one.measure] in one.remedy for one in result.findings
    )


def datasets_of(made: Made) -> list[pd.DataFrame]:
    synthetic = made["synthetic"]
    return [synthetic] if isinstance(synthetic, pd.DataFrame) else list(getattr(synthetic, "frames", synthetic))


def whole_copies(made: Made) -> tuple[float, float]:
    """Return the number of people released whole beyond chance, and z.

    Known columns whose joint values are the same in both files were kept, and are not compared. Chance is the larger number
    of twins, among people or among the released records. Equal records count once in z.
    """
    own, frames = made["confidential"], datasets_of(made)
    shared = [c for c in own if all(c in frame for frame in frames)]
    known = [c for c in made["intruder"].known if c in shared]
    if all(_sorted(own[known]) == _sorted(frame[known]) for frame in frames) and len(known) < len(shared):
        shared = [c for c in shared if c not in known]
    people = _records(own[shared])
    twins = people.map(people.value_counts()) - 1
    hits, ahead, beyond = np.zeros((3, len(own)))
    alone = variance = 0.0
    for frame in frames:
        released = _records(frame[shared])
        among, kept = released.value_counts(), min(len(own), len(frame)) - 1
        times = people.map(among).fillna(0)
        hit = _once(times, len(frame), kept)
        again = among - 1
        repeated = _once(again, len(frame) - 1, kept) * len(own) / len(frame)
        hits, ahead = hits + hit, ahead + hit - _once(twins, len(own) - 1, kept)
        beyond = beyond + hit - times * people.map(repeated).fillna(0) / (1 + twins)
        new = repeated[~among.index.isin(people)]  # released records that match no person
        alone += (new * among[new.index]).sum()
        variance += (new**2 * among[new.index] ** 2).sum()
    beyond_people, beyond_release = ahead.sum(), beyond.sum() - alone
    z_people = beyond_people / max((ahead**2 * (1 + twins)).sum(), 1e-9) ** 0.5
    z_release = beyond_release / max((beyond**2 * (1 + twins)).sum() + variance, 1e-9) ** 0.5
    scale = max(1.0, len(frames[0]) / (len(own) - 1)) if len(frames[0]) > len(own) + 1 else 1.0
    return min(scale * float(min(beyond_people, beyond_release)), float((hits > 0).sum())), float(
        min(z_people, z_release)
    )


def _once(matches: pd.Series, candidates: int, kept: int) -> pd.Series:
    """Return the probability of at least one match if only some of the candidates are kept."""
    share = min(1.0, kept / max(candidates, 1)) if candidates > kept + 1 else 1.0
    return 1 - (1 - share) ** matches if share < 1 else (matches > 0).astype(float)


def _records(frame: pd.DataFrame) -> pd.Series:
    """Return each record as one text; equal numbers and missing values have equal texts."""
    numbers = {c: frame[c].astype(float).round(9) for c in frame.select_dtypes("number")}
    return pd.Series(text_of(frame.assign(**numbers)))


def _sorted(frame: pd.DataFrame) -> list[str]:
    return sorted(_records(frame)) if frame.shape[1] else []


def measured(case: Case, others: bool = False) -> dict[str, Any]:
    """Return what is written about one case: the verdict, its worst finding, whole copies, and seconds of CPU time."""
    from tests.verdict.others import other_tools

    line: dict[str, Any] = {"name": case.name, "genuine": False, "sentence": "", "measure": "", "others": {}}
    start = time.process_time()
    try:
        made = case.made()
        start = time.process_time()
        result = evaluated(made)
        line |= {"verdict": result.verdict, "genuine": is_genuine(result)}
        if result.worst:
            line |= {"sentence": result.worst.sentence, "measure": result.worst.measure}
        line["findings"] = [[one.level, one.measure] for one in result.findings]
        line["copies"], line["z"] = whole_copies(made)
        line["seconds"] = time.process_time() - start
        if others:
            line["others"] = other_tools(made)
    except Exception as error:  # noqa: BLE001 - a case that fails is a result
        place = traceback.extract_tb(error.__traceback__)[-1]
        line |= {"verdict": "ERROR", "sentence": f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"}
        line["seconds"] = time.process_time() - start
    return line
