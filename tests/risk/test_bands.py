"""Variables released in bands, while the intruder knows the value (Reiter and Mitra 2009, section 2.1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from synthlab.exceptions import DtypeMismatchError, InputError, KnownVariableChangedWarning
from synthlab.intruder import Interval, Intruder, OneOf
from synthlab.risk import identification_risk, intruder_risk

pytestmark = pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
TRUE = pd.DataFrame({"age": [47, 37, 35, 39, 40, 62], "married": list("ynyynn")})
BANDS = {f"{a}-{a + 4}": Interval(a, a + 4) for a in range(35, 50, 5)} | {"50+": Interval(50, float("inf"))}
LABELS = ["45-49", "35-39", "35-39", "35-39", "40-44", "50+"]
RELEASE = [TRUE.assign(age=LABELS, married=list(z)) for z in ("yyynnn", "ynyyny")]
WHO = Intruder(known=["age"], synthesized=["married"], bands={"age": BANDS})


def test_a_woman_of_37_can_only_be_a_record_of_35_to_39():
    """The paper's example: records outside 35 to 39 have probability 0, and the three others share by marital status."""
    risk = intruder_risk(TRUE, RELEASE, WHO)
    # Target 2 (37, not married): record 4 in dataset 1; record 2 in dataset 2.
    assert risk.probabilities(1).tolist() == [0, 0.5, 0, 0.5, 0, 0, 0]
    # Target 3 (35, married): records 2 and 3 in dataset 1, records 3 and 4 in dataset 2.
    assert risk.probabilities(2).tolist() == [0, 0.25, 0.5, 0.25, 0, 0, 0]
    match = identification_risk(TRUE, RELEASE, WHO)
    assert match.match_count.tolist() == [[1, 1], [1, 1], [2, 2], [2, 2], [1, 1], [1, 0]]
    assert match.contains_true[:, 0].tolist() == [True, False, True, False, True, True]
    assert match.baseline.match_count[:, 0].tolist() == [1, 1, 2, 2, 1, 1]


def kinds_of_bands():
    cut = pd.cut(TRUE["age"], [34, 39, 44, 49, np.inf])
    return {
        "text": (BANDS, LABELS),
        "category": (BANDS, pd.Categorical(LABELS)),
        "sets": (
            {label: {a for a, b in zip(TRUE["age"], LABELS, strict=True) if b == label} for label in LABELS},
            LABELS,
        ),
        "first value": (
            {k: Interval(k, k + 4 if k < 50 else np.inf) for k in (35, 40, 45, 50)},
            [int(label[:2]) for label in LABELS],
        ),
        "pandas.cut": ({band: band for band in cut.cat.categories}, cut.array),
        "pandas.cut as text": ({str(band): band for band in cut.cat.categories}, cut.astype(str).array),
    }


def test_bands_of_every_kind_give_the_risk_of_the_recoded_file():
    recoded = TRUE.assign(age=LABELS)
    for call in (identification_risk, intruder_risk):
        expected = call(recoded, RELEASE, Intruder(known=["age"], synthesized=["married"]))
        for name, (bands, released) in kinds_of_bands().items():
            found = call(TRUE, [one.assign(age=released) for one in RELEASE], replace(WHO, bands={"age": bands}))
            np.testing.assert_array_equal(found.match_count, expected.match_count, err_msg=name)
            np.testing.assert_array_equal(found.contains_true, expected.contains_true, err_msg=name)


def test_a_synthesized_variable_in_bands_beside_one_with_a_radius():
    rng = np.random.default_rng(1)
    n = 60
    true = pd.DataFrame({"age": rng.integers(20, 80, n), "pay": rng.lognormal(3, 1, n)})
    bands = {k: Interval(10 * k, 10 * k + 9) for k in range(10)}
    release = [true.assign(age=rng.permutation(true["age"]) // 10, pay=rng.lognormal(3, 1, n)) for _ in range(2)]
    who = Intruder(known=[], synthesized=["age", "pay"], radius={"pay": 0.3}, bands={"age": bands})
    for number, one in enumerate(release):
        agree = (true["age"].to_numpy()[:, None] // 10 == one["age"].to_numpy()) & (
            np.abs(one["pay"].to_numpy() - true["pay"].to_numpy()[:, None]) <= 0.3 * true["pay"].to_numpy()[:, None]
        )
        risk = identification_risk(true, release, who)
        np.testing.assert_array_equal(risk.match_count[:, number], agree.sum(axis=1))
        np.testing.assert_array_equal(risk.contains_true[:, number], np.diag(agree))
        alone = intruder_risk(true, one, who, fallback=False)
        np.testing.assert_array_equal(alone.match_count, agree.sum(axis=1))


def test_coarse_knowledge_of_a_variable_in_bands():
    """An intruder who knows "38 to 45" can mean the bands 35-39, 40-44 and 45-49."""
    lower, upper = TRUE["age"] - 2, TRUE["age"] + 5
    lower[1], upper[1] = 37, 45
    loose = replace(WHO, knowledge={"age": Interval(lower.to_numpy(), upper.to_numpy())})
    risk = intruder_risk(TRUE, RELEASE[:1], loose)
    # Target 2, not married: records 4 (35-39) and 5 (40-44); record 1 (45-49) is married.
    assert risk.probabilities(1).tolist() == [0, 0, 0, 0.5, 0.5, 0, 0]
    half_open = {pd.Interval(35, 40, "left"): pd.Interval(35, 40, "left"), "rest": pd.Interval(40, np.inf, "both")}
    labels = pd.Series([half_open_label(a) for a in TRUE["age"]], dtype=object)
    same = replace(WHO, bands={"age": half_open}, knowledge={"age": Interval(35, 100)})
    assert intruder_risk(TRUE, RELEASE[0].assign(age=labels), same).match_count.tolist() == [3] * 6
    exact = OneOf({a: {a, 47} for a in TRUE["age"]})
    either = intruder_risk(TRUE, RELEASE[:1], replace(WHO, knowledge={"age": exact}))
    # Target 4 (39 or 47), married: records 1, 2 and 3.
    assert either.probabilities(3).round(12).tolist() == [round(1 / 3, 12)] * 3 + [0, 0, 0, 0]


def half_open_label(age):
    return pd.Interval(35, 40, "left") if age < 40 else "rest"


def test_missing_values_stay_missing_and_fewer_records_can_be_released():
    true = TRUE.assign(age=TRUE["age"].astype("Int64"))
    true.loc[0, "age"] = pd.NA
    release = RELEASE[0].assign(age=[None, *LABELS[1:]])
    for meaning, counts in {"category": [1, 1, 2, 2, 1, 1], "never": [0, 1, 2, 2, 1, 1]}.items():
        risk = identification_risk(true, release, replace(WHO, missing=meaning))
        assert risk.match_count[:, 0].tolist() == counts
    part = identification_risk(TRUE, RELEASE[0].iloc[[2, 3]], WHO, rows=[2, 3])
    assert part.match_count[:, 0].tolist() == [0, 1, 1, 1, 0, 0]


def test_a_record_in_the_wrong_band_is_a_changed_known_variable():
    with pytest.warns(KnownVariableChangedWarning, match="known variable 'age' differs"):
        identification_risk(TRUE, RELEASE[0].assign(age=["50+", *LABELS[1:]]), WHO)


def test_what_is_refused():
    with pytest.raises(DtypeMismatchError):
        identification_risk(TRUE, RELEASE, replace(WHO, bands=None))
    wrong = {
        "contains no band for the true values of 1 of 6": {"age": {**BANDS, "50+": Interval(50, 60)}},
        "overlap": {"age": {**BANDS, "50+": Interval(49, 99), "45-49": Interval(45, 62)}},
        "no band for 1 released values of synthetic dataset 1": {"age": {k: v for k, v in BANDS.items() if k != "50+"}},
        "values that can be ordered": {"age": BANDS, "married": {"y": Interval(0, 1), "n": {"n"}}},
    }
    for call in (identification_risk, intruder_risk):
        for message, bands in wrong.items():
            with pytest.raises(InputError, match=message):
                call(TRUE, RELEASE, replace(WHO, bands=bands))
    malformed = [{}, 5, {"age": 5}, {"age": {}}, {"age": {"x": 5}}, {"age": {"x": [[1]]}}, {"income": BANDS}]
    for bands in malformed:
        with pytest.raises(InputError, match="bands"):
            replace(WHO, bands=bands)
    with pytest.raises(InputError, match="bands and a radius"):
        replace(WHO, radius={"age": 0.1})
    with pytest.raises(InputError, match="is false for 1 of 6"):
        intruder_risk(TRUE, RELEASE, replace(WHO, knowledge={"age": Interval(0, 61)}))
