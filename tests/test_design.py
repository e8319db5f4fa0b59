"""The survey design of a file: what it is made of, what it refuses, and its covariance of totals worked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, MissingValueError

FILE = pd.DataFrame(
    {
        "weight": [2.0, 3.0, 2.5, 2.5, 4.0, 6.0],
        "region": list("nnnsss"),
        "school": ["a", "a", "b", "c", "d", "d"],
        "schools": [4, 4, 4, 4, 4, 4],
        "y": [1.0, 2.0, 4.0, 3.0, 5.0, 8.0],
    }
)
FULL = sl.SurveyDesign(weights="weight", strata="region", clusters="school", fpc="schools")


def test_a_design_is_read_from_columns_or_arrays_alike():
    arrays = sl.SurveyDesign(
        weights=FILE["weight"], strata=FILE["region"].to_numpy(), clusters=list(FILE["school"]), fpc=[4] * 6
    )
    for design in (FULL, arrays):
        read = design.read(FILE)
        assert read.weights.tolist() == FILE["weight"].tolist()
        assert read.stratum.tolist() == [0, 0, 0, 1, 1, 1]
        assert read.units.tolist() == [2, 2]
        assert read.population.tolist() == [4, 4]
        assert read.df == 2
    assert FULL.columns == ["weight", "region", "school", "schools"]
    assert "by an array of 6 values" in arrays.describe()


def test_the_covariance_of_totals_is_that_of_the_formula():
    scores = (FILE["weight"] * FILE["y"]).to_numpy()[:, None]  # totals of a: 8, b: 10; of c: 7.5, d: 68
    expected = 0.5 * 2 * ((8 - 9) ** 2 + (10 - 9) ** 2) + 0.5 * 2 * 2 * ((68 - 7.5) / 2) ** 2
    assert FULL.read(FILE).covariance(scores)[0, 0] == pytest.approx(expected)


def test_no_part_is_a_simple_random_sample_of_a_large_population():
    y = FILE["y"].to_numpy()
    assert sl.SurveyDesign().read(FILE).covariance(y[:, None] / 6)[0, 0] == pytest.approx(y.var(ddof=1) / 6)
    assert sl.SurveyDesign().describe() == "A simple random sample of a large population."


def test_an_fpc_of_at_most_one_is_the_share_in_the_sample():
    share = sl.SurveyDesign(weights="weight", strata="region", clusters="school", fpc=[0.5] * 6)
    assert share.read(FILE).population.tolist() == [4, 4]


def test_normalised_weights_add_up_to_the_number_of_records():
    read = FULL.read(FILE)
    assert read.normalised.sum() == pytest.approx(6)
    assert (read.normalised / read.weights) == pytest.approx(np.full(6, 6 / 20))


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        (
            [2.0, 3.0, -2.5, 2.5, 4.0, 6.0],
            InputError,
            "weights: must be finite numbers above 0; 1 of 6 records, the first at position 2",
        ),
        ([2.0, 0.0, 2.5, 2.5, 4.0, 6.0], InputError, "weights: must be finite numbers above 0.*leave out records"),
        ([2.0, np.inf, 2.5, 2.5, 4.0, 6.0], InputError, "weights: must be finite"),
        (
            [2.0, np.nan, 2.5, 2.5, 4.0, 6.0],
            MissingValueError,
            "weights: 1 of 6 records, the first at position 1, have none",
        ),
    ],
)
def test_weights_are_numbers_above_zero_in_a_column_or_an_array(weights, error, words):
    with pytest.raises(error, match=words):
        sl.SurveyDesign(weights=weights)
    with pytest.raises(error, match=words):
        sl.SurveyDesign(weights="weight").read(FILE.assign(weight=weights))


def test_constant_weights_are_no_weights():
    constant = sl.SurveyDesign(weights="weight").read(FILE.assign(weight=7.0))
    assert constant.normalised == pytest.approx(np.ones(6))


def test_a_cluster_in_two_strata_is_an_error():
    with pytest.raises(InputError, match="clusters: 1 of 3 clusters are in more than one stratum"):
        FULL.read(FILE.assign(school=["a", "a", "b", "a", "d", "d"]))


def test_an_fpc_below_the_sample_or_varying_in_a_stratum_is_an_error():
    with pytest.raises(InputError, match="fpc: is smaller than the sample in 2 of 2 strata"):
        FULL.read(FILE.assign(schools=[1.5] * 6))
    with pytest.raises(
        InputError, match="fpc: must be constant within a stratum; in 1 of 2 strata, the first at position 0"
    ):
        FULL.read(FILE.assign(schools=[4, 5, 4, 4, 4, 4]))
    with pytest.raises(InputError, match="fpc: must be finite numbers above 0"):
        FULL.read(FILE.assign(schools=[4, 0, 4, 4, 4, 4]))


def test_a_stratum_with_one_unit_fails_is_certain_or_is_measured_from_zero():
    alone = FILE.assign(region=list("nnnsst"))
    scores = np.array([1.0, 0.0, -1.0, 2.0, -3.0, 4.0])[:, None]
    records = {"weights": "weight", "strata": "region"}
    with pytest.raises(
        InputError, match="strata: 1 of 3 strata, the first at position 2, have one primary sampling unit"
    ):
        sl.SurveyDesign(**records).read(alone).covariance(scores)
    certain = 3 / 2 * 2 + 2 * 12.5
    assert sl.SurveyDesign(**records, lonely="certainty").read(alone).covariance(scores)[0, 0] == pytest.approx(certain)
    assert sl.SurveyDesign(**records, lonely="adjust").read(alone).covariance(scores)[0, 0] == pytest.approx(
        certain + 16
    )


def test_a_stratum_that_is_in_the_sample_as_a_whole_has_no_variance():
    alone = FILE.assign(region=list("nnnsst"), people=[30, 30, 30, 20, 20, 1])
    read = sl.SurveyDesign(weights="weight", strata="region", fpc="people").read(alone)
    scores = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 4.0])[:, None]
    assert read.covariance(scores)[0, 0] == 0


def test_weights_that_do_not_add_up_to_the_population_are_named():
    sl.SurveyDesign(weights="weight", strata="region", fpc=[7.5] * 3 + [12.5] * 3).read(FILE).check_totals()
    with pytest.raises(
        InputError, match="weights: do not add up to the population that fpc states .* in 1 of 2 strata"
    ):
        sl.SurveyDesign(weights="weight", strata="region", fpc=[7.5] * 3 + [14] * 3).read(FILE).check_totals()
    FULL.read(FILE).check_totals()  # it counts schools, weights count people


@pytest.mark.parametrize("part", ["strata", "clusters"])
def test_every_record_has_a_stratum_and_a_cluster(part):
    with pytest.raises(MissingValueError, match=f"{part}: 1 of 6 records, the first at position 0, have none"):
        sl.SurveyDesign(**{part: "region"}).read(FILE.assign(region=[None, *"nnsss"]))
    with pytest.raises(InputError, match=f"{part}: must be the name of a column, or an array"):
        sl.SurveyDesign(**{part: 3})


def test_what_the_file_lacks_or_is_of_another_length_is_named():
    with pytest.raises(InputError, match="strata: 'county' not in confidential"):
        sl.SurveyDesign(strata="county").read(FILE)
    with pytest.raises(InputError, match="weights: has 5 entries, but survey has 6 records"):
        sl.SurveyDesign(weights=np.ones(5)).read(FILE, "survey")
    with pytest.raises(InputError, match="lonely='average': must be one of"):
        sl.SurveyDesign(lonely="average")


def test_half_a_surrogate_pair_in_an_array_is_named_without_it():
    for part in ("strata", "clusters"):
        with pytest.raises(InputError, match=f"^{part}: .*half a surrogate pair") as raised:
            sl.SurveyDesign(**{part: np.array(["\ud800", "a"], dtype=object)})
        assert raised.value.__cause__ is None


def test_weights_whose_reciprocals_are_infinite_are_refused():
    for weights in ([5e-324] * 6, FILE["y"] * 1e-310):
        with pytest.raises(InputError, match="^weights: are so small"):
            sl.SurveyDesign(weights=weights)
        with pytest.raises(InputError, match="^weights: are so small"):
            sl.SurveyDesign(weights="weight").read(FILE.assign(weight=weights))
    assert sl.survey_mean(FILE, ["y"], sl.SurveyDesign(weights=[1e-300] * 6)).estimate[0] == pytest.approx(
        FILE["y"].mean()
    )
