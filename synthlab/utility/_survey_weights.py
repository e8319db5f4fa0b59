"""Survey designs of confidential and synthetic data, and their weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._design_covariance import Sampled
from synthlab._typing import FloatArray
from synthlab.design import PARTS, SurveyDesign
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.utility._frames import labelled

DesignOfSynthetic = SurveyDesign | str | None


def designs(
    confidential: pd.DataFrame, release: Release, design: SurveyDesign | None, synthetic_design: DesignOfSynthetic
) -> list[tuple[Sampled, str]] | None:
    """Return the designs of all datasets and their descriptions, confidential first; None without a design."""
    same = isinstance(synthetic_design, str) and synthetic_design == "same"
    for value, name in ((design, "design"), (None if same else synthetic_design, "synthetic_design")):
        if value is not None and not isinstance(value, SurveyDesign):
            more = ', "same" or None' if name == "synthetic_design" else ""
            raise InputError(f"{name}={_checks.shown(value)}: must be a SurveyDesign{more}")
    if design is None:
        if not same and synthetic_design is not None:
            raise InputError("synthetic_design: requires design, the survey design of the confidential data")
        return None
    other = design if same else (synthetic_design or SurveyDesign())
    return list(_read(confidential, release, design, other, same))  # type: ignore[arg-type]


def _read(
    confidential: pd.DataFrame, release: Release, design: SurveyDesign, other: SurveyDesign, same: bool
) -> Iterator[tuple[Sampled, str]]:
    yield design.read(confidential), design.describe()
    arrays = [part for part in PARTS if not isinstance(getattr(other, part), str | None)]
    if same and arrays and release.rows != "aligned":
        raise InputError(
            f"design: its {_checks.named(arrays)} are arrays with one entry per confidential record, but the rows of the "
            "release are not aligned with the confidential records; use column names, or give synthetic_design (None for a "
            "simple random sample)"
        )
    for where, frame in labelled(confidential, release)[1:]:
        lost = [column for column in other.columns if column not in frame.columns]
        if same and lost:
            raise InputError(
                f"design: {_checks.named(lost)} not in {where}; give the design of the synthetic data with synthetic_design "
                "(None for a simple random sample)"
            )
        try:
            yield other.read(frame, where), other.describe()
        except InputError as error:
            raise type(error)(f"{'design' if same else 'synthetic_design'}, read from {where}: {error}") from None


def weights_of(read: list[tuple[Sampled, str]] | None, number: int) -> FloatArray | None:
    """Return the weights of a dataset, normalized to its number of records; None without a design."""
    return None if read is None else read[number][0].normalised


def both_weights(read: list[tuple[Sampled, str]] | None, number: int) -> FloatArray | None:
    """Return the stacked weights of the confidential data and a dataset; None without a design."""
    return None if read is None else np.concatenate([read[k][0].normalised for k in (0, number)])
