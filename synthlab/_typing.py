"""Type aliases shared by the whole package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

RngLike: TypeAlias = int | np.integer | np.random.Generator | np.random.SeedSequence | None
PathOrStr: TypeAlias = str | PathLike[str]
ColumnNames: TypeAlias = Sequence[str]
Radius: TypeAlias = float | Mapping[str, float] | None
FrameOrFrames: TypeAlias = Any  # one DataFrame, a sequence of them, or a Release

RadiusKind: TypeAlias = Literal["relative", "absolute"]
Boundary: TypeAlias = Literal["closed", "open"]
Norm: TypeAlias = Literal["box", "euclidean"]
Missing: TypeAlias = Literal["raise", "category", "never"]

__all__ = [
    "BoolArray",
    "Boundary",
    "ColumnNames",
    "FloatArray",
    "FrameOrFrames",
    "IntArray",
    "Missing",
    "Norm",
    "PathOrStr",
    "Radius",
    "RadiusKind",
    "RngLike",
]
