"""Without the extras, data are compared and the result is printed; figures and pages name the extra that they need."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Only what the package requires, and what its requirements require, can be imported.
ONLY_REQUIRED = """
import sys
from importlib import metadata
from importlib.abc import MetaPathFinder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from synthlab._system import optional_dependencies

needed, waiting = set(), [name for name, _ in optional_dependencies.requirements("")]
while waiting:
    name = canonicalize_name(waiting.pop())
    if name in needed:
        continue
    needed.add(name)
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        continue
    wanted = [Requirement(line) for line in lines]
    waiting += [r.name for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""})]
homes = metadata.packages_distributions()
hidden = {top for top, of in homes.items() if not {canonicalize_name(one) for one in of} & {*needed, "synthlab-sdc"}}

class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hide())
optional = {"matplotlib", "jinja2", "pymc", "nutpie", "arviz", "splink", "rdata", "pyreadstat", "openpyxl", "jupyterlab", "rpy2"}
assert optional & set(homes) <= hidden
"""
CALLS = """
import pandas as pd
import synthlab as sl
from synthlab import cli
from synthlab.exceptions import ExtraUnavailableError

survey = pd.DataFrame({"region": list("NNSSNNSS") * 5, "age": list(range(40)), "income": [10.0 * i for i in range(40)]})
release = survey.assign(income=survey["income"].to_numpy()[::-1])
survey.to_csv("survey.csv", index=False)
release.to_csv("release.csv", index=False)
asked = ["evaluate", "survey.csv", "release.csv", "--known", "region,age", "--synthesized", "income", "--radius", "income=0.1",
         "--rows", "aligned", "--json", "found.json"]

def ended(*more):
    try:
        cli.main([*asked, *more])
    except SystemExit as end:
        return end.code or 0

def refused(call):
    try:
        call()
    except ExtraUnavailableError as error:
        return str(error)

assert ended() in (0, 4)  # 4: the verdict is STOP
assert ended("--report", "page.html") == 2
someone = sl.Intruder(known=["region", "age"], synthesized=["income"], radius={"income": 0.1})
evaluation = sl.evaluate(survey, release, someone, rows="aligned", rng=1)
assert refused(lambda: evaluation.save("page.html")) == refused(evaluation.to_html)
assert sl.CART(["income"]).fit(survey, rng=1).generate(m=2, rng=1).m == 2
print(refused(sl.identification_risk(survey, release, someone).plot))
print(refused(evaluation.to_html))
print(refused(lambda: sl.synthesizers.diagnose_chains({"mu": [[0.1, 0.2, 0.3, 0.1], [0.2, 0.1, 0.4, 0.3]]})))
"""


@pytest.mark.full
def test_the_library_and_the_command_work_without_the_extras(tmp_path):
    done = subprocess.run([sys.executable, "-c", ONLY_REQUIRED + CALLS], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    figure, page, chains = done.stdout.splitlines()[-3:]
    for message, what, extra in (
        (figure, "a figure needs matplotlib", "plots"),
        (page, "the HTML report needs jinja2", "report"),
        (chains, "diagnostics of chains needs arviz", "bayes"),
    ):
        start = f"{what}, which is not installed; it is in the extra synthlab-sdc[{extra}]: python -m pip install "
        assert message.startswith(start)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found.json", "release.csv", "survey.csv"]
