"""Check the lowest versions that pyproject.toml allows: ``make lowest`` runs this file in an environment of them.

The arguments are the extras that are installed. PyMC needs a later NumPy than the rest of the package, so the extra "bayes"
has an environment of its own. Two things are checked: that each library has exactly the version of its lower bound, because a bound that was not installed
was not tested, and that the parts of the package that depend on the libraries work. Every step runs; the exit code is 1
if one of them fails.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
import traceback
import warnings
from base64 import b64decode
from importlib.metadata import version
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from packaging.requirements import Requirement
from packaging.version import Version

import synthlab as sl

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = (
    "evaluate",
    "synthesize",
    "demo",
    "doctor",
    "replicate",
    "crosscheck",
    "attack-score",
    "data",
    "homework",
    "course",
    "r-package",
)
# A data frame with the columns region, size and income and three rows, in R's format: the lowest rdata cannot write one.
RDS = (
    "H4sIAAAAAAACA2VPSwrCMBCd/sQWWgTP4NKuXLjSrjyBgjuJNWrAJppECh5aPEExaTMF60B4M/PezMvsEwAIIPQ9CCKTQrTbbuZL05u2BMCkE0"
    "BsSS6kvmKhxLMvwpoqbTB1U555vsszi8UM2igWRYcrcBH6rR4dSEXVwHYk6YUJjlaKvSgyjJeiosMl5Y0oXILN5EQ0yc+S/MljKeocfd/u40hm"
    "Zv+dlPrAuFb0MWDDI1HU9VJ3tsWmP3sMP7H+9KnVNF+1FuTPgAEAAA=="
)
SOMEONE = sl.Intruder(known=["region", "size"], synthesized=["income"], radius={"income": 0.2})


def people() -> pd.DataFrame:
    """Return 300 made-up records with numbers, text and a whole number."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "region": rng.choice(["north", "south", "west"], 300),
            "size": rng.integers(1, 6, 300),
            "income": rng.lognormal(8, 0.7, 300).round(2),
            "age": rng.integers(18, 90, 300),
        }
    )


def check_bounds(extras: list[str]) -> None:
    """Check that the lowest versions are installed: of the extras, and without "bayes" of the package itself too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [line for extra in extras for line in project["optional-dependencies"][extra]]
    if "bayes" not in extras:
        lines += project["dependencies"]
    wrong = []
    for requirement in map(Requirement, lines):
        if requirement.name == project["name"]:  # an extra that includes another one
            continue
        (lowest,) = [one.version for one in requirement.specifier if one.operator in (">=", "==")]
        if Version(version(requirement.name)) != Version(lowest):
            wrong.append(f"{requirement.name}: the bound is {lowest}, and {version(requirement.name)} is installed")
    assert not wrong, "\n".join(wrong)


def saved_release(folder: Path) -> None:
    release = sl.synthesize(people(), m=2, rng=1)
    assert isinstance(release, sl.Release)
    release.save(folder / "release", allow_short_seed=True, keep_order=True)
    for one, other in zip(release, sl.Release.load(folder / "release"), strict=True):
        pd.testing.assert_frame_equal(one, other)


def files(folder: Path) -> None:
    import pyreadstat

    frame = people()
    frame.to_csv(folder / "people.csv", index=False)
    frame.to_parquet(folder / "people.parquet")
    frame.to_excel(folder / "people.xlsx", index=False)
    pyreadstat.write_dta(frame, str(folder / "people.dta"))
    pyreadstat.write_sav(frame, str(folder / "people.sav"))
    for path in sorted(folder.glob("people.*")):
        read = sl.read(path)
        assert list(read["region"].astype(str)) == list(frame["region"]), path.name
        for name in ("size", "income", "age"):
            np.testing.assert_allclose(read[name].to_numpy(float), frame[name].to_numpy(float), rtol=1e-12)
    (folder / "three.rds").write_bytes(b64decode(RDS))
    three = sl.read(folder / "three.rds")
    assert three.astype({"region": object}).to_dict("list") == {
        "region": ["north", "south", "west"],
        "size": [1, 2, 3],
        "income": [10.5, 20.25, 30.0],
    }


def evaluation(folder: Path) -> None:
    release = sl.synthesize(people(), m=2, rng=1)
    found = sl.evaluate(people(), release, SOMEONE, rows="aligned", rng=1)
    assert "income" in str(found)
    assert "<svg" in found.to_html() or "<img" in found.to_html()
    assert json.loads(json.dumps(found.to_dict()))


def plots(folder: Path) -> None:
    from matplotlib import pyplot as plt

    confidential = people()
    release = list(sl.synthesize(confidential, m=2, rng=1))
    noisy = sl.dp.private_histogram(confidential["region"], categories=["north", "south", "west"], epsilon=1.0, rng=1)
    budget = sl.dp.Budget(1.0)
    budget.spend(0.5)
    results = [
        sl.identification_risk(confidential, release, SOMEONE),
        sl.identification_probability(confidential, release, SOMEONE),
        sl.pmse(confidential, release),
        sl.ecdf_utility(confidential, release, variables=["income"]),
        noisy,
        budget,
    ]
    for result in results:
        assert result.plot().has_data(), type(result).__name__
    plt.close("all")


def commands(folder: Path) -> None:
    script = Path(sys.executable).parent / "synthlab"
    people().to_csv(folder / "people.csv", index=False)
    ask = ["--known", "region,size", "--synthesized", "income", "--radius", "income=0.2"]
    asked = [[name, "--help"] for name in COMMANDS]
    asked += [["--help"], ["--version"], ["data", "list"]]
    asked += [["synthesize", "people.csv", "--m", "2", "--out", "release"]]
    asked += [["evaluate", "people.csv", "people.csv", *ask, "--report", "report.html", "--json", "report.json"]]
    for words in asked:
        done = subprocess.run([script, *words], capture_output=True, text=True, cwd=folder, check=False)
        # The release is the confidential file itself, so the verdict of evaluate is STOP.
        assert done.returncode == (4 if words[0] == "evaluate" and "--json" in words else 0), (
            f"{' '.join(words)}: {done.stdout[-500:]}{done.stderr[-1500:]}"
        )
    assert (folder / "report.html").stat().st_size > 10_000
    assert json.loads((folder / "report.json").read_text(encoding="utf-8"))


def models(folder: Path) -> None:
    frame = people()
    for model in (
        sl.CART(["income"], predictors=["region", "size"]),
        sl.DirichletMultinomial(["region"], given=["size"]),
    ):
        (made,) = model.fit(frame, rng=1).generate(m=1, rng=2)
        assert len(made) == len(frame), type(model).__name__


def markov_chains(folder: Path) -> None:
    frame = people()
    for model in (
        sl.NormalRegression("income ~ C(region) + size", transform="log"),
        sl.PoissonRegression("size ~ region"),
        sl.MultinomialRegression("region ~ age"),
        sl.MultinomialRegression("region ~ age", method="laplace"),
        sl.DPMPM(["region", "size"], classes=5),
    ):
        (made,) = model.fit(frame, rng=1).generate(m=1, rng=2)
        assert len(made) == len(frame), type(model).__name__


def tables(folder: Path) -> None:
    table = sl.counts.Table.from_frame(people()[["region", "size"]])
    for model in ("saturated", [["region"], ["size"]]):
        made = sl.counts.synthesize_table(table, sl.counts.GAF(sigma=2.0, nu=-0.5), model=model, m=3, rng=1)
        assert made.added().total > 0, model


def linkage(folder: Path) -> None:
    release = sl.synthesize(people(), m=1, rng=1)
    assert len(sl.linkage_risk(people(), list(release), SOMEONE).summary())


def larger_than_memory(folder: Path) -> None:
    frame = people().assign(id=range(300))
    frame.to_parquet(folder / "people.parquet")
    other = sl.CART(["income"], predictors=["region", "size"]).fit(frame, rng=1).generate(m=1, rng=2)[0]
    other.to_parquet(folder / "other.parquet")
    found = sl.scale.identification_risk(
        folder / "people.parquet", folder / "other.parquet", SOMEONE, id="id", output=folder / "risk"
    )
    wanted = sl.identification_risk(frame.drop(columns="id"), other.drop(columns="id"), SOMEONE)
    assert found.summary().loc["expected match risk", "mean"] == wanted.summary().loc["expected match risk", "mean"]


def privacy(folder: Path) -> None:
    frame = people()
    budget = sl.dp.Budget(10.0)
    sl.dp.private_mean(frame["age"], low=18, high=90, epsilon=1.0, budget=budget)
    levels = {"region": ["north", "south", "west"]}
    sl.dp.private_table(frame[["region"]], levels=levels, n_synthetic=300, epsilon=1.0, budget=budget)
    sl.dp.private_count(frame["age"] > 40, epsilon=1.0, budget=budget, sampler="opendp")
    sl.dp.GeometricMechanism(epsilon=1.0).add_noise([1, 2, 3])
    assert budget.spent == 3.0


STEPS = (
    saved_release,
    files,
    evaluation,
    plots,
    commands,
    models,
    tables,
    linkage,
    larger_than_memory,
    privacy,
)


def main(extras: list[str]) -> int:
    def bounds(folder: Path) -> None:
        check_bounds(extras)

    steps = (bounds, *((markov_chains,) if "bayes" in extras else STEPS))
    mpl.use("agg")
    warnings.simplefilter("ignore")
    failed = 0
    for step in steps:
        with tempfile.TemporaryDirectory() as folder:
            try:
                step(Path(folder))
            except Exception:  # noqa: BLE001
                failed += 1
                print(f"FAILED {step.__name__}\n{traceback.format_exc()}", flush=True)
            else:
                print(f"passed {step.__name__}", flush=True)
    print(f"{len(steps) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
