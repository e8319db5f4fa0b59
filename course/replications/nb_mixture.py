"""Repetitions of the studies on nb_mixture: on the values of the paper and on new samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from replications.checkpoints import Job, Piece, Pieces
from synthlab import _rng, datasets

KINDS = ("paper", "sample")


def jobs(
    words: str, seed: int, size: Mapping[str, Any], repeat: Callable[[pd.DataFrame, str, int], Piece]
) -> list[Job]:
    """Return the repetitions; `repeat` gets the frame, "paper" or "sample", and the number of the repetition."""

    def one(kind: str, number: int) -> Piece:
        if kind == "paper":
            frame = datasets.load("nb_mixture", version="paper").frame
        else:
            stream = _rng.as_generator(np.random.SeedSequence([seed, 1, number]))
            frame = datasets.load("nb_mixture", version="simulated", rng=stream).frame
        return repeat(frame, kind, number)

    todo = [
        (kind, i) for kind, times in zip(KINDS, ("repetitions", "samples"), strict=True) for i in range(size[times])
    ]
    return [Job(f"{words}, {kind} {i + 1}", f"{kind}_{i:03d}", partial(one, kind, i)) for kind, i in todo]


def finished(pieces: Pieces) -> dict[str, list[Piece]]:
    """Return the finished repetitions by kind."""
    return {kind: [pieces.read(name) for name in pieces.names(f"{kind}_")] for kind in KINDS}
