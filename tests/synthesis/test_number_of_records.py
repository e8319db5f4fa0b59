"""The number of records of a release: which fits allow another one, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import InputError, ReleasedUnchangedWarning
from tests.loops import every

quiet = pytest.mark.filterwarnings("ignore::synthlab.exceptions.RareValueWarning")


def survey(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"sex": rng.choice(["m", "f"], n), "age": rng.integers(18, 90, n).astype(float)})
    frame["income"] = np.exp(7 + frame["age"] / 60 + rng.normal(0, 0.5, n)).round()
    return frame.set_axis(np.arange(n) + 1000)


MODELS = {
    "trees": sl.CART(["sex", "age", "income"], smoothing="rare"),
    "resample": sl.Resample(["sex", "age", "income"]),
    "sequence": sl.Sequential([sl.Resample(["sex"]), sl.CART(["age"], ["sex"]), sl.CART(["income"], ["sex", "age"])]),
}


@every("name", list(MODELS))
def test_another_number_of_records(name: str) -> None:
    fitted = MODELS[name].fit(survey(), rng=1)
    for n in (1, 50, 1000):
        release = fitted.generate(2, rng=1, n=n)
        assert (release.n, release.rows, release.provenance["records"]) == (n, "unknown", n)
        for frame in release:
            pd.testing.assert_index_equal(frame.index, pd.RangeIndex(n))
            assert (frame.dtypes == survey().dtypes).all()
            assert not frame.isna().any(axis=None)
    large = fitted.generate(1, rng=1, n=20_000)[0]
    assert abs(large["age"].mean() - survey()["age"].mean()) < 1.5
    assert abs((large["sex"] == "m").mean() - (survey()["sex"] == "m").mean()) < 0.02
    same = fitted.generate(1, rng=1, n=200)
    assert same[0].equals(fitted.generate(1, rng=1)[0])
    assert same.provenance["records"] == 200
    for wrong in (0, -1, 2.5, "many"):
        with pytest.raises(InputError, match="n"):
            fitted.generate(1, n=wrong)  # type: ignore[arg-type]


def test_kept_columns_and_fits_to_records_are_refused() -> None:
    with pytest.raises(InputError, match="n=10: .*'sex' would be released unchanged"):
        sl.CART(["age", "income"], ["sex"]).fit(survey(), rng=1).generate(1, n=10)
    constant = (
        sl.CART(["age", "income"]).fit(survey().drop(columns="sex").assign(wave=3), rng=1).generate(1, rng=1, n=500)
    )
    assert constant[0]["wave"].tolist() == [3] * 500
    with pytest.raises(InputError, match="n=10: FittedTopcoding|n=10: Topcoding uses the confidential values"):
        sl.Topcoding("age", top=60).fit(survey()[["age"]]).generate(1, n=10)


@quiet
def test_synthesize_with_another_number_of_records() -> None:
    frame = survey().assign(wave=3, day=pd.Timestamp("2024-01-01"), person=np.arange(200) + 5)
    frame["day"] += pd.to_timedelta(np.arange(200) % 30, "D")
    for n in (20, 900):
        release = sl.synthesize(frame, m=2, rng=1, n=n, identifiers="new")
        assert (release.n, release.rows, release.provenance["records"]) == (n, "unknown", n)
        assert (release[0].dtypes == frame.dtypes).all()
        assert release[0]["person"].tolist() == list(range(1, n + 1))
        assert set(release[0]["wave"]) == {3}
    with pytest.raises(InputError, match="n=900: .*remove 'sex' from keep"):
        sl.synthesize(frame, n=900, identifiers="drop", keep=["sex"])
    with pytest.warns(ReleasedUnchangedWarning, match="keep: 'income' is released unchanged and identifies"):
        sl.synthesize(survey(), m=1, rng=1, keep=["income"])


@quiet
def test_the_command_sets_the_number_of_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    survey().to_csv(tmp_path / "survey.csv", index=False)
    with pytest.raises(SystemExit) as stopped:
        cli.main(["synthesize", str(tmp_path / "survey.csv"), "--m", "1", "--n", "321", "--out", str(tmp_path / "out")])
    assert stopped.value.code in (0, None)
    assert sl.Release.load(tmp_path / "out").n == 321
    with pytest.raises(SystemExit) as stopped:
        cli.main(
            ["synthesize", str(tmp_path / "survey.csv"), "--n", "321", "--keep", "sex", "--out", str(tmp_path / "no")]
        )
    assert stopped.value.code not in (0, None)
    assert "'sex'" in capsys.readouterr().err
