from __future__ import annotations

import inspect
import subprocess
import sys

from synthlab import utility


def test_measures_share_their_first_arguments_and_take_the_rest_by_name() -> None:
    measures = [n for n in utility.__all__ if n[0].islower() and not n.startswith(("combine", "joint_test", "survey_"))]
    assert len(measures) == 11
    for name in measures:
        parameters = list(inspect.signature(getattr(utility, name)).parameters.values())
        assert [p.name for p in parameters[:2]] == ["confidential", "synthetic"]
        assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters[2:])


def test_import_is_light_and_loads_nothing_heavy() -> None:
    code = (
        "import sys; from synthlab.utility import *; "
        "print([m for m in ('sklearn', 'statsmodels', 'matplotlib', 'pymc', 'formulaic', 'scipy.stats') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert answer.stdout.strip() == "[]"
