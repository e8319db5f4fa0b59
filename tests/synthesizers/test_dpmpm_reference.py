"""The probabilities of the R package NPBayesImputeCat on the real ACS sample."""

import json

import numpy as np
import pandas as pd
import pytest

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
    # and as near to the data as they are
    data = np.array(
        [
            ((acs[r.one] == int(r.level)) & ((acs[r.other] == int(r.other_level)) if r.other else True)).mean()
            for r in recorded.itertuples()
        ]
    )
    assert np.sqrt(np.mean((ours - data) ** 2)) < 1.1 * np.sqrt(np.mean((chains - data[:, None]) ** 2))
