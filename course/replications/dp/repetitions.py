"""Studies that are run several times: variants on the counts, and the incomes that are fast enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from replications.ce2017 import consumer_units
from replications.checkpoints import Job, Piece
from replications.dp import measures, settings
from replications.dp.data import count_study, fitting_study, income_studies
from replications.dp.models import model_jobs
from synthlab import datasets


def variant_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    """Return what was added on the counts of the paper, a job a repetition."""

    def repeat(number: int) -> Piece:
        frame = datasets.load("nb_mixture", version="paper").frame
        sequence = np.random.SeedSequence([seed, 2, number, 0])  # so that the weights are of the same unweighted fit
        return measures.repeat(count_study(frame, size), sequence, size["resamples"], settings.VARIANTS)

    return [
        Job(f"counts, variants {i + 1}", f"run_{i:03d}; counts", partial(repeat, i)) for i in range(size["repetitions"])
    ]


def run_jobs(seed: int, size: Mapping[str, Any]) -> list[Job]:
    """Return several runs of the incomes that are fast enough: on the mixture that was chosen, and on one regression."""
    units = partial(consumer_units, seed, size["share"])
    models = tuple(job.name for job in model_jobs(seed, size, units))

    def repeat(name: str, number: int, *tried: Piece) -> Piece:
        if name == settings.FITTED:
            case = fitting_study(units(), size, pd.concat([table for table, _ in tried], ignore_index=True))
        else:
            (case,) = [one for one, _ in income_studies(units(), size) if one.name == name]
            case = replace(case, sampler=size["fitted"], tolerance=size["near"], max_fits=size["few"], again=False)
        sequence = np.random.SeedSequence([seed, 5, number, *map(ord, name)])
        return measures.repeat(case, sequence, size["run_resamples"], settings.RUN_WORK)

    return [
        Job(
            f"{name}, run {i + 1}", f"run_{i:03d}; {name}", partial(repeat, name, i), models * (name == settings.FITTED)
        )
        for name in settings.REPEATED
        for i in range(size["runs"])
    ]
