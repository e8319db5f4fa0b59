"""The probabilities of the R package NPBayesImputeCat on the real ACS sample."""

import json

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.r import reference as answers_of_r
from synthlab.synthesizers import DPMPM


@pytest.mark.real
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning")  # two modes of nearly equal fit
def test_same_tables_as_npbayesimputecat(real_data, reference):
    acs = pd.read_csv(real_data / "acs_confidential.csv")
    settings = json.loads((reference / "npbayes_dpmpm_acs.json").read_text())["settings"]
    recorded = pd.read_csv(reference / "npbayes_dpmpm_acs.csv", keep_default_na=False)
    chains = recorded.filter(like="chain_").astype(float).to_numpy()
    assert chains.shape == (sum(acs.nunique()) + 440, 4)

    model = DPMPM(list(acs.columns), classes=settings["K"], a=settings["aalpha"], b=settings["balpha"], thin=2)
    fitted = model.fit(acs, rng=1, tune=1000, draws=500)
    tables = {}
    ours = np.empty(len(recorded))
    for place, row in enumerate(recorded.itertuples()):
        other = row.other or next(c for c in acs.columns if c != row.one)
        if (row.one, other) not in tables:
            tables[row.one, other] = fitted.two_way(row.one, other)
        line = tables[row.one, other].loc[int(row.level)]
        ours[place] = line[int(row.other_level)] if row.other else line.sum()

    theirs = chains.mean(axis=1)
    # Chains of the R package differ among each other by 0.0006 (root mean square) and up to 0.006; one person
    # in the sample is 0.0001.
    assert np.sqrt(np.mean((ours - theirs) ** 2)) < 0.0008
    assert np.abs(ours - theirs).max() < np.ptp(chains, axis=1).max() < 0.006
    # and as near to the unchanged data
    data = np.array(
        [
            ((acs[r.one] == int(r.level)) & ((acs[r.other] == int(r.other_level)) if r.other else True)).mean()
            for r in recorded.itertuples()
        ]
    )
    assert np.sqrt(np.mean((ours - data) ** 2)) < 1.1 * np.sqrt(np.mean((chains - data[:, None]) ** 2))


IMPOSSIBLE = [(None, 5, None, 1), (None, 2, None, 2), (None, 2, None, 3), (1, 3, 1, None), (2, 4, 2, 1)]
VARIABLES = ["SEX", "MAR", "DIS", "SCH"]


@pytest.mark.parametrize(("draws", "tolerance"), [(1000, 0.003), pytest.param(4000, 0.0015, marks=pytest.mark.full)])
@pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning")  # six classes, as in the script
def test_same_cells_as_npbayesimputecat_with_structural_zeros(draws, tolerance):
    recorded = answers_of_r("npbayes_zeros").table
    chains = recorded.filter(like="chain_").to_numpy(dtype=float)
    cells = recorded[VARIABLES]

    def possible(frame):
        inside = [
            np.logical_and.reduce([frame[v] == level for v, level in zip(VARIABLES, box, strict=True) if level])
            for box in IMPOSSIBLE
        ]
        return ~np.logical_or.reduce(inside)

    np.testing.assert_array_equal(chains > 0, possible(cells)[:, None].repeat(2, axis=1))
    people = sl.datasets.load("acs", version="simulated").frame[VARIABLES]
    people = people[possible(people)].head(500)
    rule = sl.AllowedCombinations(VARIABLES, [tuple(row) for row in cells[possible(cells)].to_numpy().tolist()])

    def mean_of(**options):
        fitted = sl.DPMPM(VARIABLES, classes=6, a=2.0, b=2.0, **options).fit(people, rng=1, draws=draws)
        density = np.exp(fitted.log_density(cells.astype(int))) * possible(cells)
        return (density / density.sum(axis=1, keepdims=True)).mean(axis=0)

    found, by_rejection = mean_of(constraints=[rule]), mean_of()
    # The two chains of the R package differ by up to 0.0011; a cell's posterior standard deviation is up to 0.02.
    assert np.ptp(chains, axis=1).max() < 0.002
    np.testing.assert_allclose(found, chains.mean(axis=1), atol=tolerance)
    assert np.abs(by_rejection - chains.mean(axis=1)).max() > 0.01
