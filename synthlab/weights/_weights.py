"""Base class of results with record weights, which convert to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._result import Result
from synthlab._typing import FloatArray


class Weights(Result):
    """Result with record weights, accepted by NumPy and synthesizers as the array ``weights``."""

    __slots__ = ()

    weights: FloatArray

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the weights; read-only unless a copy is requested."""
        return np.array(self.weights, dtype=dtype) if copy else np.asarray(self.weights, dtype=dtype)

    def __len__(self) -> int:
        return self.weights.size

    def _described(self) -> dict[str, float]:
        return {
            "records": float(self.weights.size),
            "mean weight": float(self.weights.mean()),
            "smallest weight": float(self.weights.min()),
            "records of weight 0": float((self.weights == 0).sum()),
        }
