"""Honest releases simulated from known models: at most 1% may get STOP, and at most 20% CHECK."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl

SIZES = (100, 300, 1000, 3000, 10_000)
WIDTHS = (3, 5, 10, 20, 60)


def simulated(number: int) -> dict[str, Any]:
    """Return the arguments of `evaluate` for one honest release.

    A latent class determines every variable: numbers are normal, log-normal or counts, categories have 2 to 12 levels. The
    release is an independent sample of the model (full synthesis) or draws the variables that the intruder does not know anew
    given the class (partial synthesis), with one or three datasets.
    """
    draw = np.random.default_rng([2026, number])
    n, width = int(draw.choice(SIZES)), int(draw.choice(WIDTHS))
    partial, m = bool(number % 2), int(draw.choice([1, 3]))
    model = _Model(draw, width)
    classes = model.classes(n, draw)
    confidential = model.draw(classes, draw)
    columns = list(confidential)
    # The intruder knows no measurement, and an honest partly synthetic release leaves none unchanged.
    known = [c for c in columns if confidential[c].dtype != float][: max(1, width // 2)] or columns[:1]
    synthesized = [c for c in columns if c not in known]
    frames = []
    for _ in range(m):
        frame = model.draw(classes if partial else model.classes(n, draw), draw)
        frames.append(frame.assign(**{c: confidential[c] for c in known}) if partial else frame)
    radius = {c: 0.1 for c in columns if confidential[c].dtype == float}
    intruder = sl.Intruder(known=known, synthesized=synthesized, radius=radius or None)
    release = sl.Release(frames, synthesized if partial else columns, rows="aligned" if partial else "unknown")
    return {"confidential": confidential, "synthetic": release, "intruder": intruder}


class _Model:
    """Variables that depend on a latent class."""

    def __init__(self, draw: np.random.Generator, width: int) -> None:
        self.shares = draw.dirichlet(np.full(6, 2.0))
        self.kinds = draw.choice(["normal", "amount", "count", "category"], width, p=[0.15, 0.15, 0.2, 0.5])
        self.means = draw.normal(0, 1, (width, 6))
        self.levels = draw.integers(2, 13, width)
        self.tables = [draw.dirichlet(np.full(levels, 0.8), 6) for levels in self.levels]

    def classes(self, n: int, draw: np.random.Generator) -> Any:
        return draw.choice(6, n, p=self.shares)

    def draw(self, classes: Any, draw: np.random.Generator) -> pd.DataFrame:
        columns: dict[str, Any] = {}
        for place, kind in enumerate(self.kinds):
            mean = self.means[place, classes]
            if kind == "normal":
                values: Any = draw.normal(mean, 1).round(3)
            elif kind == "amount":
                values = np.exp(draw.normal(8 + mean / 2, 0.6)).round(2)
            elif kind == "count":
                values = draw.poisson(np.exp(1 + mean / 2))
            else:
                shares = self.tables[place].cumsum(axis=1)[classes]
                values = np.char.add("L", (draw.random((len(classes), 1)) > shares).sum(axis=1).astype(str))
            columns[f"v{place:02d}"] = values
        return pd.DataFrame(columns)
