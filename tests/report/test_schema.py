"""The published schema of the JSON file: what is written fits it, and what does not fit is refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import report
from synthlab.exceptions import SynthlabWarning

SCHEMA = json.loads((Path(report.__file__).parent / "evaluation.schema.json").read_text())
ONE = sl.Intruder(known=["sex"], synthesized=["job", "pay"], radius={"pay": 0.2})
TWO = {"one": ONE, "two": sl.Intruder(known=[], synthesized=["job"])}


def document(intruder: Any, synthetic: str, publish: bool, **options: Any) -> dict[str, Any]:
    draw = np.random.default_rng(1)
    people = pd.DataFrame(
        {"sex": draw.choice(list("fm"), 60), "job": draw.choice(list("abcd"), 60), "pay": draw.normal(size=60)}
    )
    released = {
        "partial": people.assign(job=draw.permutation(people["job"])),
        "shuffled": people.sample(frac=1, random_state=1),
        "longer": pd.concat([people, people]),
        "same": people,
    }[synthetic]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SynthlabWarning)
        result = sl.evaluate(people, released, intruder, **options)
    return json.loads(json.dumps(result.to_dict(publish=publish), allow_nan=False))


@pytest.mark.parametrize("publish", [False, True])
@pytest.mark.parametrize("synthetic", ["partial", "shuffled", "longer", "same"])
@pytest.mark.parametrize("intruder", [ONE, TWO], ids=["one", "two"])
def test_what_is_written_fits_the_schema(intruder: Any, synthetic: str, publish: bool) -> None:
    limits = {"best_intruder": "1%", "exact_copies": 3, "pmse_ratio": 2}
    jsonschema.validate(document(intruder, synthetic, publish, limits=limits), SCHEMA)


def test_the_schema_is_one_and_refuses_what_is_not_written() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    good = document(ONE, "partial", False)
    for key, value in (
        ("rows", "sorted"),
        ("format", 1),
        ("verdict", "SAFE"),
        ("worst", {"sentence": "x"}),
        ("findings", [{}]),
        ("summary", {"x": {"synthetic": 1}}),
        ("pmse", "none"),
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**good, key: value}, SCHEMA)
    for key in SCHEMA["required"]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({name: value for name, value in good.items() if name != key}, SCHEMA)
