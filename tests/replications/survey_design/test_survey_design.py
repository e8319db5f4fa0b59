"""Coverage under an informative design: the populations, the record, and a run that goes on where it stopped."""

from __future__ import annotations

import numpy as np
import pytest

from replications.survey_design import STUDY, recorded
from replications.survey_design.claims import CENTRED, RULES, STANDARD, UNAWARE, covers, longer
from replications.survey_design.methods import METHODS, M, intervals
from replications.survey_design.sampling import PEOPLE, SAMPLE, populations
from synthlab.utility import combine_full


@pytest.mark.parametrize("number", [0, 1])
def test_the_design_is_informative_and_its_weights_count_people(number):
    population = populations(1)[number]
    draw = np.random.default_rng(2)
    surveys = [population.draw(draw) for _ in range(40)]
    assert np.mean([len(one) for one in surveys]) == pytest.approx(SAMPLE, rel=0.05)
    assert np.mean([one["weight"].sum() for one in surveys]) == pytest.approx(PEOPLE, rel=0.03)
    truth = population.truth["mean of y"]
    assert np.mean([one["y"].mean() for one in surveys]) > truth + 0.3
    weighted = [np.average(one["y"], weights=one["weight"]) for one in surveys]
    assert np.mean(weighted) == pytest.approx(truth, abs=0.05)


def test_every_method_gives_an_interval_around_its_estimate():
    population = populations(1)[1]
    found = intervals(population.draw(np.random.default_rng(1)), population.design, np.random.default_rng(2))
    assert found.shape == (len(METHODS), 2, 3)
    assert (found[..., 1] < found[..., 0]).all()
    assert (found[..., 0] < found[..., 2]).all()


def test_a_run_is_resumed_and_ends_in_the_same_table(tmp_path):
    size = {"repetitions": 2}
    first = STUDY.compute(1, size, tmp_path, False)["coverage"]
    pieces = sorted((tmp_path / "pieces").glob("*.npz"))
    assert len(pieces) == 2
    pieces[1].unlink()
    again = STUDY.compute(1, size, tmp_path, False)["coverage"]
    assert first.equals(again)
    assert set(first["method"]) == set(METHODS)


def test_the_record_holds_what_the_lecture_says():
    table = recorded().coverage
    assert set(table["method"]) == set(METHODS)
    of = table.set_index("method")["coverage"]
    mean = table[table["estimand"] == "mean of y"].set_index("method")["coverage"]
    assert (mean[list(UNAWARE)] < 0.5).all()
    assert (of[list(CENTRED)] < 0.93).any()
    assert (of[list(RULES)] > 0.9).all()


def test_what_does_not_hold_has_a_reason_that_the_lengths_bear_out():
    found = recorded()
    refuted = found.claims[found.claims["verdict"] != "holds"]
    assert len(refuted)
    assert (refuted["reason"] != "").all()
    for _, rows in found.coverage.groupby("design"):
        wide = rows.pivot(index="estimand", columns="method", values=["coverage", "median_width"])
        coverage, width = wide["coverage"], wide["median_width"]
        length = width[CENTRED[0]] / width[STANDARD[0]]
        clumsy = coverage[STANDARD[0]] - 0.95  # what the design-based interval itself lacks
        for estimand, short in length.items():
            assert coverage[CENTRED[0]][estimand] == pytest.approx(covers(short) + clumsy[estimand], abs=0.02)
            assert width[CENTRED[1]][estimand] / width[CENTRED[0]][estimand] == pytest.approx(longer()[2], rel=0.05)
            assert coverage[CENTRED[1]][estimand] == pytest.approx(
                covers(short * longer()[2]) + clumsy[estimand], abs=0.02
            )


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.FewDegreesOfFreedomWarning")
def test_the_degrees_of_freedom_of_full_synthesis_are_those_of_the_rule():
    draw = np.random.default_rng(1)
    q = draw.normal(0, np.sqrt(2), (M, 4000))
    df = combine_full(q, np.ones_like(q)).df
    assert np.median(df[np.isfinite(df)]) == pytest.approx(longer()[0], rel=0.1)
    assert covers(1.0) == pytest.approx(0.95)
