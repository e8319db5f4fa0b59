"""Correct attribution probabilities by going through all records: every variant, rule, boundary and radius."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, UndefinedStatisticWarning

PEOPLE = pd.DataFrame({"k": list("aaabbbccde"), "j": [1, 1, 2, 1, 1, 2, 2, 2, 1, 3], "v": list("xyxxxyyyxz")})
RELEASED = [
    pd.DataFrame({"k": list("aaabbbccaa"), "j": [1, 1, 2, 1, 1, 2, 2, 1, 1, 1], "v": list("xxyxyyyxxy")}),
    pd.DataFrame({"k": list("bbbbbbbbbb"), "j": [1, 1, 1, 1, 1, 2, 2, 2, 2, 2], "v": list("xyxyxxxxxx")}),
    pd.DataFrame({"k": list("zzzzzzzzzz"), "j": [7] * 10, "v": list("xyxyxxxxxx")}),
]


def _cap(
    people: pd.DataFrame, released: pd.DataFrame, variant: str, absent: str, threshold: float, right: Any
) -> list[tuple[float, float, bool]]:
    """Return score, weight and absence of every person, by going through all records."""
    keys, value = (
        [list(f[["k", "j"]].itertuples(index=False, name=None)) for f in (people, released)],
        [f["v"].tolist() for f in (people, released)],
    )
    out = []

    def share(own: Any, chosen: list[int]) -> float:
        return sum(right(own, value[1][h]) for h in chosen) / len(chosen) if chosen else 0.0

    clear = [
        h
        for h in range(len(released))
        if share(value[1][h], [g for g, k in enumerate(keys[1]) if k == keys[1][h]]) >= threshold - 1e-12
    ]
    for i, key in enumerate(keys[0]):
        same = [h for h, k in enumerate(keys[1]) if k == key]
        score, weight = share(value[0][i], same), 1.0
        if variant.startswith("tcap"):
            chosen = [h for h in same if h in clear]
            score, weight = share(value[0][i], chosen), float(bool(chosen))
            if variant == "tcap_released":
                weight = len(chosen) / keys[0].count(key)
        elif not same and absent == "drop":
            weight = 0.0
        elif not same and absent == "marginal":
            score = share(value[0][i], list(range(len(released))))
        elif not same and absent == "nearest":
            away = [sum(x != y for x, y in zip(key, k, strict=True)) for k in keys[1]]
            score = share(value[0][i], [h for h, d in enumerate(away) if d == min(away)])
        out.append((score, weight, not same))
    return out


CASES = [
    *(("cap", rule, 1.0) for rule in ("zero", "drop", "marginal", "nearest")),
    *(("dcap", rule, 1.0) for rule in ("zero", "drop", "marginal", "nearest")),
    *((variant, "drop", limit) for variant in ("tcap", "tcap_released") for limit in (1.0, 2 / 3, 0.5, 1e-9)),
]


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.UndefinedStatisticWarning")
@pytest.mark.parametrize(("variant", "absent", "threshold"), CASES)
@pytest.mark.parametrize("targets", [None, [1, 6, 8, 9]])
def test_attribution_by_going_through_all_records(variant: Any, absent: Any, threshold: float, targets: Any) -> None:
    someone = sl.Intruder(known=["k", "j"], synthesized=["v"], targets=targets)
    found = sl.cap(
        PEOPLE, RELEASED, someone, target="v", variant=variant, absent=absent, threshold=threshold, level=0.8
    )
    rows = list(range(10)) if targets is None else targets

    def equal(a: object, b: object) -> bool:
        return a == b

    for j, released in enumerate(RELEASED):
        plain = [_cap(PEOPLE, released, variant, absent, threshold, equal)[i] for i in rows]
        counted = [w for _, w, _ in plain]
        if variant == "tcap_released":  # the weight is shared by those of one key among the targets
            chosen = PEOPLE.iloc[rows]
            same = [int(((PEOPLE[["k", "j"]] == PEOPLE.loc[i, ["k", "j"]]).all(axis=1)).sum()) for i in rows]
            among = [int(((chosen[["k", "j"]] == PEOPLE.loc[i, ["k", "j"]]).all(axis=1)).sum()) for i in rows]
            counted = [w * a / b for w, a, b in zip(counted, same, among, strict=True)]
        assert found.scores.weight[:, j].tolist() == pytest.approx(counted)
        used = [k for k, w in enumerate(counted) if w]
        assert found.scores.attack[used, j].tolist() == pytest.approx([plain[k][0] for k in used])
        assert found.absent[:, j].tolist() == [a for _, _, a in plain]
        assert found.to_frame().loc[j + 1, ["counted", "absent"]].tolist() == [len(used), sum(a for _, _, a in plain)]
    margin = [float((PEOPLE["v"] == PEOPLE["v"][i]).mean()) for i in rows]
    assert found.scores.baseline[:, 0].tolist() == pytest.approx(margin)
    assert found.summary().loc["confidential"].isna().tolist() == [False, True, True, True, True]
    assert found.summary().loc["confidential", "mean"] == found.confidential
    if targets is None:
        own = _cap(PEOPLE, PEOPLE, variant, absent, threshold, equal)
        assert found.confidential == pytest.approx(sum(s * w for s, w, _ in own) / sum(w for _, w, _ in own))
    assert found.counted.tolist() == (found.scores.weight > 0).tolist()


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.NoBetterThanBaselineWarning")
@pytest.mark.parametrize("boundary", ["closed", "open"])
@pytest.mark.parametrize("kind", ["relative", "absolute"])
@pytest.mark.parametrize("variant", ["cap", "tcap"])
def test_attribution_of_numbers(boundary: Any, kind: Any, variant: Any) -> None:
    rng = np.random.default_rng(4)
    people, released = (
        f.assign(v=rng.choice([-8.0, -4.0, 0.0, 4.0, 5.0, 6.0, 8.0], len(f))) for f in (PEOPLE, RELEASED[0])
    )
    size = 0.25 if kind == "relative" else 1.0

    def right(own: float, other: float) -> bool:
        half = size * abs(own) if kind == "relative" else size
        return abs(other - own) <= half if boundary == "closed" else abs(other - own) < half

    someone = sl.Intruder(known=["k", "j"], synthesized=["v"], radius={"v": size}, radius_kind=kind, boundary=boundary)
    found = sl.cap(people, released, someone, target="v", variant=variant, absent=None, threshold=0.5)
    plain = _cap(people, released, variant, {"cap": "zero", "tcap": "drop"}[variant], 0.5, right)
    assert found.scores.weight[:, 0].tolist() == [w for _, w, _ in plain]
    used = [i for i, (_, w, _) in enumerate(plain) if w]
    assert found.scores.attack[used, 0].tolist() == pytest.approx([plain[i][0] for i in used])
    margin = [np.mean([right(own, other) for other in people["v"]]) for own in people["v"]]
    assert found.scores.baseline[:, 0].tolist() == pytest.approx(margin)


def test_no_target_in_a_denominator_is_said() -> None:
    someone = sl.Intruder(known=["k", "j"], synthesized=["v"])
    with pytest.warns(UndefinedStatisticWarning, match="DCAP in 1 of 3 datasets"):
        found = sl.cap(PEOPLE, RELEASED, someone, target="v", variant="dcap")
    assert np.isnan(found.to_frame().loc[3, "attack"])
    for options in (
        {"threshold": 0.0},
        {"threshold": 1.01},
        {"level": 1.0},
        {"level": 0.0},
        {"variant": "tcap", "absent": "zero"},
    ):
        with pytest.raises(InputError):
            sl.cap(PEOPLE, RELEASED, someone, target="v", **options)
