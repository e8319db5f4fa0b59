"""One repetition of Table 1: synthesize the youths anew, and attack under every scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from replications.intruder.data import KNOWN, SYNTHESIZED, make_predictors
from replications.intruder.models import FACILITY, FittedYouths, YouthModel
from replications.intruder.settings import Setting
from replications.paper_tables import read_numbers
from synthlab.intruder import Intruder
from synthlab.release import Release
from synthlab.risk import IntruderRiskResult, ReleasedInformation, intruder_risk
from synthlab.risk.posterior._attack import Parameters, Strategy
from synthlab.risk.posterior.released_information import NOTHING_RELEASED
from synthlab.synthesizers._multinomial import log_softmax

PAPER = "Reiter & Mitra"
SOMEONE = Intruder(known=KNOWN, synthesized=SYNTHESIZED)
SIZES = (2, 3, 10)
ROWS = {
    "probability": "nothing released, probability-based",
    "mode": "nothing released, mode-based",
    "models, fixed": "models released, fixed at the mean",
    "models, drawn": "models released, drawn",
    "everything, fixed": "everything released, fixed at the mode",
    "everything, drawn": "everything released, drawn",
}
STRATEGIES: tuple[Strategy, ...] = ("probability", "mode")
PARAMETERS: tuple[Parameters, ...] = ("fixed", "drawn")
HELD_OUT_DRAWS = 100
MEASURES = ("perceived", "expected", "true")
PRINTED = read_numbers("intruder")
# Numbers of Table 1 as printed, by row and m: perceived, expected and true matches.
PUBLISHED: dict[tuple[str, int], tuple[str, ...]] = {}
for _text in PRINTED.values():
    if _text["measure"] in MEASURES:
        _key = (_text["row"], int(_text["m"]))
        PUBLISHED[_key] = (*PUBLISHED.get(_key, ()), _text["printed"])


def new_model(frame: pd.DataFrame, precision: float) -> YouthModel:
    """Return the specification that agency and intruder share."""
    return YouthModel(make_predictors(frame), precision)


def release_of(frame: pd.DataFrame, agency: FittedYouths, m: int, rng: np.random.Generator) -> Release:
    """Synthesize facility and race of every youth m times, with new coefficients for each dataset."""
    coefficients, *streams = rng.spawn(m + 1)
    fitted = agency.pooled(draws=m, rng=coefficients)
    frames = [frame.assign(**fitted.draw(frame, s, stream)) for s, stream in enumerate(streams)]
    return Release(frames, list(SYNTHESIZED))


def repeat(
    frame: pd.DataFrame, model: YouthModel, seed: np.random.SeedSequence, *, sizes: Sequence[int], draws: int, full: bool
) -> pd.DataFrame:  # fmt: skip
    """Return one row per scenario and m; with `full` also the limits of simulation and the population variants.

    The datasets of a size are the same under every scenario. Row ``m`` is 0 where the released data play no part. ``stopped``:
    how many of the ``fits`` of agency and intruder were stopped before they were done.
    """
    agency = model.fit(frame)
    stopped, fits = agency.stopped, len(agency.normals)
    form = ReleasedInformation(released="models", models=model)
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    releases = {m: release_of(frame, agency, m, rng) for m in sizes}
    for m, release in releases.items():
        for strategy in STRATEGIES:
            rows.append(_attack(frame, release, strategy, m, rng, strategy=strategy))
        for parameters in PARAMETERS:
            how: dict[str, Any] = {"parameters": parameters, "draws": draws}
            rows.append(_attack(frame, release, f"models, {parameters}", m, rng, form, **how))
        if full:
            rows.append(_attack(frame, release, "models, limit", m, rng, form, draws="exact"))
            rows += _population(frame, release, m, rng)
        for key in [k for k in model.fits if model.fits[k] is not agency]:
            stopped, fits = stopped + model.fits[key].stopped, fits + len(agency.normals)
            del model.fits[key]  # one fit takes tens of megabytes, and no other size has these datasets
    any_release = next(iter(releases.values()))
    drawn = agency.pooled(draws=draws, rng=rng.spawn(1)[0])
    for parameters, fitted in zip(PARAMETERS, (agency, drawn), strict=True):
        scenario = ReleasedInformation(released="everything", models=fitted)
        row = f"everything, {parameters}"
        rows.append(_attack(frame, any_release, row, 0, rng, scenario, parameters=parameters, draws=draws))
    if full:
        scenario = ReleasedInformation(released="everything", models=agency)
        rows.append(_attack(frame, any_release, "everything, limit", 0, rng, scenario, draws="exact"))
        rows += _population(frame, any_release, 0, rng, agency)
    return pd.DataFrame(rows).assign(stopped=stopped, fits=fits)


def _attack(
    frame: pd.DataFrame, release: Release, row: str, m: int, rng: np.random.Generator, scenario: ReleasedInformation = NOTHING_RELEASED,
    *, intruder: Intruder = SOMEONE, **how: Any,
) -> dict[str, Any]:  # fmt: skip
    risk = intruder_risk(frame, release, intruder, scenario=scenario, rng=rng.spawn(1)[0], **how)
    return {"row": row, "m": m, **measures(risk)}


def measures(risk: IntruderRiskResult) -> dict[str, float]:
    """Return the numbers of a row."""
    return {
        "perceived": risk.perceived_match_risk(),
        "expected": risk.expected_match_risk,
        "true": risk.true_match_risk,
        "uniques": risk.matched_uniques,
        "declared": int((risk.match_count > 0).sum()),
        "outside": float(risk.outside_probability.mean()),
    }


def _population(
    frame: pd.DataFrame, release: Release, m: int, rng: np.random.Generator, fitted: FittedYouths | None = None
) -> list[dict[str, Any]]:
    """Attack without knowing that the target is in the file: N_t is the sum of the survey weights."""
    unsure = replace(SOMEONE, in_file=False, weights=frame["finalwt"])
    scenario = NOTHING_RELEASED if fitted is None else ReleasedInformation(released="everything", models=fitted)
    name = "probability" if fitted is None else "everything, fixed"
    return [
        _attack(frame, release, f"{name}, {rule}", m, rng, scenario, intruder=unsure, may_decline=declines)
        for rule, declines in (("N_t", False), ("N_t, may decline", True))
    ]


def baseline(frame: pd.DataFrame) -> dict[str, float]:
    """Return what the intruder would reach with the confidential data, and with ethnicity alone."""
    risk = intruder_risk(frame, frame, SOMEONE)
    cells = frame.groupby([*KNOWN, *SYNTHESIZED], observed=True).ngroups
    return {
        "records": len(frame),
        "cells": cells,
        "unique": risk.n_unique,
        **{f"confidential, {name}": value for name, value in measures(risk).items() if name in MEASURES},
        "known_only": risk.known_only,
    }


def held_out(frame: pd.DataFrame, settings: Mapping[str, Setting], seed: int, folds: int = 3) -> pd.DataFrame:
    """Return the mean log probability of the facility of youths who were left out, by setting.

    ``below best``: by how much a setting falls short of the best one, and ``se``, its standard error over the youths;
    ``drawn``: the mean of the logarithm of the mean probability over draws of the coefficients.
    """
    fold = np.random.default_rng(seed).permutation(np.arange(len(frame)) % folds)
    code = frame[FACILITY].cat.codes.to_numpy()
    found, drawn = np.empty((2, len(settings), len(frame)))
    for number, setting in enumerate(settings.values()):
        model = setting.model(frame)
        matrix = model.predictors.matrix
        for part in range(folds):
            inside, out = fold != part, np.flatnonzero(fold == part)
            normal = model.regression(matrix[inside], code[inside], len(model.predictors.facilities))
            found[number, out] = log_softmax(matrix[out] @ normal.mode.T)[np.arange(out.size), code[out]]
            betas = normal.mode + normal.deviations(HELD_OUT_DRAWS, np.random.default_rng([seed, part]))
            each = [log_softmax(matrix[out] @ beta.T)[np.arange(out.size), code[out]] for beta in betas]
            drawn[number, out] = np.logaddexp.reduce(each, axis=0) - np.log(HELD_OUT_DRAWS)
    short = found[found.mean(axis=1).argmax()] - found
    return pd.DataFrame(
        {
            "setting": list(settings),
            "log probability": found.mean(axis=1),
            "below best": short.mean(axis=1),
            "se": short.std(axis=1, ddof=1) / np.sqrt(len(frame)),
            "drawn": drawn.mean(axis=1),
        }
    )
