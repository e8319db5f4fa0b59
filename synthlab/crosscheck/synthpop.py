"""Disclosure and utility compared with the R package synthpop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from synthlab._warnings import quiet
from synthlab.crosscheck import (
    _synthpop_faults as faults,
    _synthpop_missing as missing,
    _synthpop_utility as utility,
)
from synthlab.crosscheck._answers import available
from synthlab.crosscheck._check import Check, make_check
from synthlab.crosscheck._synthpop_data import (
    CASES,
    GROUP,
    MISSING,
    Case,
    Frames,
    answer_for,
    label,
    load,
    names_of_answers,
    shares,
)
from synthlab.r import Reference
from synthlab.risk import AttributeDisclosureResult, attribute_disclosure, cap, replicated_uniques

IDENTITY = ("UiO", "UiS", "UiOiS", "repU")
ATTRIBUTE = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")
CAPS = ("baseCAPd", "CAPd", "CAPs", "DCAP")
ONE_WAY = {"share_of_records": "PctLevelAll", "disclosed": "totalDisclosive"}
ONE_WAY |= {"disclosed_level": "nLevelDis", "share_of_disclosed": "PctLevelDis"}
IN_PAIRS = ["dataset", "key", "key_level", "level"]
OF_PAIRS = {"disclosed": 1.0, "records": 1.0, "key_records": 1.0, "share_of_key": 100.0}


def ask(live: bool | None) -> dict[str, Reference]:
    """Return the answers of R, including the real ACS sample if available."""
    return {name: available(name, live=live) for name in names_of_answers()}


def checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of the group."""
    with quiet():
        yield from disclosure_checks(answers)
        yield from utility.checks(answers)
        yield from faults.checks(answers["synthpop"])
        yield from missing.checks(answers[MISSING])


def disclosure_checks(answers: Mapping[str, Reference]) -> Iterator[Check]:
    """Yield the checks of ``disclosure``."""
    for name, case in CASES.items():
        yield from case_checks(answers, name, case)
    for data, known in (("youths", CASES["youths"].known), ("acs", CASES["acs DIS"].known)):
        yield _uniques(answers, data, known)


def case_checks(answers: Mapping[str, Reference], name: str, case: Case) -> Iterator[Check]:
    """Yield the checks of ``disclosure`` for one case."""
    frames, answer, said = case.frames(answers), answer_for(case.data, answers), label(case.data, name, answers)
    told = attribute_disclosure(frames[0], frames[1:], case.intruder, target=case.target, harmless=case.harmless)
    table = told.to_frame()

    def row(what: str, ours: Any, theirs: Any, quantity: str = "share", **more: Any) -> Check:
        return make_check(GROUP, what, said, ours, theirs, quantity, answer, **more)

    yield row(", ".join(ATTRIBUTE), table[list(ATTRIBUTE)].T, shares(answer, ATTRIBUTE, name))
    yield row("max_denom", table["max_denom"], answer.value(what="max_denom", case=name), "count")
    yield row("mean_denom", table["mean_denom"], answer.value(what="mean_denom", case=name))
    if (
        not case.harmless
    ):  # dropping them changes which records are unique, which are present, and the attribution of the others
        yield row("TCAP of synthpop", table["TCAP_present"], shares(answer, ["TCAP"], name))
        uniques = replicated_uniques(frames[0], frames[1:], case.intruder).to_frame()
        yield row(", ".join(IDENTITY), uniques[list(IDENTITY)].T, shares(answer, IDENTITY, name))
        yield row(", ".join(CAPS), _caps(frames, case), shares(answer, CAPS, name))
        published = cap(frames[0], frames[1:], case.intruder, target=case.target, variant="tcap").to_frame()["attack"]
        right, claimed = shares(answer, ["DiSCO", "DiS"], name)
        yield row("TCAP of the literature, DiSCO / DiS", published, right / claimed)
    yield from _one_way(told, name, case, row, answer)
    yield _two_way(told, name, case, answer_for(case.data, answers, 1), said)


def _caps(frames: Frames, case: Case) -> np.ndarray[Any, Any]:
    """Return CAP per dataset: margin, data, release, and release against data."""
    result = cap(frames[0], frames[1:], case.intruder, target=case.target)
    selves = [cap(one, one, case.intruder, target=case.target).confidential for one in frames[1:]]
    once = np.ones(len(selves))
    return np.array([result.baseline * once, result.confidential * once, selves, result.to_frame()["attack"]])


def _one_way(told: AttributeDisclosureResult, name: str, case: Case, row: Any, answer: Reference) -> Iterator[Check]:
    """Yield the check of the flagged level per dataset; 0 if no level is flagged."""
    ours = told.check_1way(case.more_than[0], case.share[0])
    table = answer.table[answer.table["case"].isin([f"{name}: {dataset}" for dataset in ours.index])]
    said = table[table["what"].str.startswith("1way")].pivot(index="case", columns="what", values="value")
    said = said.astype(float).reindex(index=[f"{name}: {dataset}" for dataset in ours.index]).fillna(0.0)
    found = {there: said.get(f"1way {there}", pd.Series(0.0, said.index)).to_numpy() for there in ONE_WAY.values()}
    theirs = [values / (100 if there.startswith("Pct") else 1) for there, values in found.items()]
    here = ours[list(ONE_WAY)].where(ours["flagged"], 0).astype(float)
    yield row("check of one level", here.T, np.array(theirs))


def _two_way(told: AttributeDisclosureResult, name: str, case: Case, answer: Reference, said: str) -> Check:
    """Return the check of the flagged pairs: their count and their numbers."""
    found = told.check_2way(case.more_than[1], case.share[1])
    found = found[found["flagged"].astype(bool)]
    table = answer.table[answer.table["case"] == name].rename(columns={"percent": "share_of_key"})
    sides = [
        part.assign(**{column: part[column].map(_text) for column in ("key_level", "level")}).set_index(IN_PAIRS)
        for part in (found, table)
    ]
    index = sides[1].index.union(sides[0].index)
    place = np.arange(1, len(index) + 1)
    numbers = []
    for side, scale in zip(sides, (np.ones(len(OF_PAIRS)), np.array(list(OF_PAIRS.values()))), strict=True):
        values = side.reindex(index)[list(OF_PAIRS)].to_numpy(dtype=float) / scale
        values = np.where(np.isnan(values), -1.0, values)
        # Sums over the pairs, and sums weighted by position, which detect reordering.
        numbers.append([len(side), *values.sum(axis=0), *(place[:, None] * values).sum(axis=0)])
    ours, theirs = numbers
    return make_check(GROUP, "check of one level and one key", said, ours, theirs, "share", answer)


def _text(value: object) -> str:
    """Format a level as in R."""
    if pd.isna(value):  # type: ignore[call-overload]
        return "Missing"
    try:
        return f"{float(value):.15g}"  # type: ignore[arg-type]
    except ValueError:
        return str(value).replace(", ", ";")


def _uniques(answers: Mapping[str, Reference], name: str, known: tuple[str, ...]) -> Check:
    """Return the check of the four counts of ``replicated.uniques``."""
    frames, answer = load(name, answers), answer_for(name, answers)
    someone = CASES["acs DIS" if name == "acs" else name].intruder
    ours, theirs = [], []
    for dataset, frame in enumerate(frames[1:], start=1):
        there = replicated_uniques(frames[0], frame, someone)
        back = replicated_uniques(frame, frames[0], someone)
        ours.append([there.unique, there.synthetic_unique[0], back.found[0], there.replicated[0]])
        theirs.append(answer.value(what="replicated.uniques", case=f"{name}: {dataset}"))
    what = f"replicated.uniques, {len(known)} keys"
    return make_check(GROUP, what, label(name, name, answers), ours, theirs, "count", answer)
