"""Repetitions of the studies on nb_mixture: on the values of the paper, and on samples drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _rng, datasets
from synthlab.lab.replication.checkpoints import Piece, Pieces
from synthlab.lab.replication.study import Job

KINDS = ("paper", "sample")


def jobs(
    words: str, seed: int, size: Mapping[str, Any], pieces: Pieces, repeat: Callable[[pd.DataFrame, str, int], Piece]
) -> list[Job]:
    """Return the repetitions; `repeat` gets the frame, "paper" or "sample", and the number of the repetition."""
    paper = datasets.load("nb_mixture", version="paper").frame

    def one(kind: str, number: int) -> None:
        def compute() -> Piece:
            frame = paper
            if kind == "sample":
                stream = _rng.as_generator(np.random.SeedSequence([seed, 1, number]))
                frame = datasets.load("nb_mixture", version="simulated", rng=stream).frame
            return repeat(frame, kind, number)

        pieces.make(f"{kind}_{number:03d}", compute)

    todo = [
        (kind, i) for kind, times in zip(KINDS, ("repetitions", "samples"), strict=True) for i in range(size[times])
    ]
    return [(f"{words}, {kind} {i + 1}", partial(one, kind, i)) for kind, i in todo]


def finished(pieces: Pieces) -> dict[str, list[Piece]]:
    """Return the finished repetitions by kind."""
    return {kind: [pieces.read(name) for name in pieces.names(f"{kind}_")] for kind in KINDS}
