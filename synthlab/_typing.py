"""Type aliases shared by the whole package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd

if TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

RngLike: TypeAlias = int | np.integer | np.random.Generator | np.random.SeedSequence | None
PathOrStr: TypeAlias = str | PathLike[str]
ColumnNames: TypeAlias = Sequence[str]
Radius: TypeAlias = float | str | Mapping[str, float | str] | None
Levels: TypeAlias = float | str | Mapping[str, float | str | Sequence[float | str]] | None

RadiusKind: TypeAlias = Literal["relative", "absolute"]
Boundary: TypeAlias = Literal["closed", "open"]
Norm: TypeAlias = Literal["box", "euclidean", "mahalanobis"]
Missing: TypeAlias = Literal["raise", "category", "never"]


class Columns(Protocol):
    """Columns of equal length that are looked up by name: a frame, or what was taken out of one."""

    def __getitem__(self, name: str, /) -> pd.Series:
        """Return the column of that name."""
        ...

    def __len__(self) -> int:
        """Return the number of rows."""
        ...


@runtime_checkable
class DatasetLike(Protocol):
    """A survey with its description, such as a `Dataset`: `frame` holds the records, `roles` what is known of whom."""

    @property
    def frame(self) -> pd.DataFrame:
        """The confidential data."""
        ...

    @property
    def roles(self) -> Mapping[str, tuple[str, ...]]:
        """The variables an intruder would know, and those an agency would synthesize."""
        ...


class ReleaseLike(Protocol):
    """m synthetic datasets and what their rows are, such as a `Release`."""

    @property
    def frames(self) -> tuple[pd.DataFrame, ...]:
        """The datasets."""
        ...

    @property
    def rows(self) -> str:
        """The record that row i of a dataset is about."""
        ...

    @property
    def provenance(self) -> Mapping[str, Any]:
        """The way they were made."""
        ...


FrameLike: TypeAlias = "pd.DataFrame | DatasetLike | IntoDataFrame"
FrameOrFrames: TypeAlias = "FrameLike | Sequence[pd.DataFrame] | Sequence[IntoDataFrame] | ReleaseLike"

__all__ = [
    "BoolArray",
    "Boundary",
    "ColumnNames",
    "DatasetLike",
    "FloatArray",
    "FrameLike",
    "FrameOrFrames",
    "IntArray",
    "Levels",
    "Missing",
    "Norm",
    "PathOrStr",
    "Radius",
    "RadiusKind",
    "ReleaseLike",
    "RngLike",
]
