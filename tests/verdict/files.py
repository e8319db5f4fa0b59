"""Confidential files of the verdict's cases: simulated people, households and panels, and real files."""

from __future__ import annotations

import gzip
import io
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import synthlab as sl

DATA = Path(__file__).resolve().parents[2] / "data"
JOBS = ["care", "sales", "school", "office", "transport", "building", "kitchen", "farm", "law", "health", "none"]
SHARES = [0.14, 0.13, 0.11, 0.11, 0.1, 0.1, 0.07, 0.06, 0.05, 0.05, 0.08]
YOUTH = [
    "age",
    "race",
    "gender",
    "educ",
    "livewith",
    "crimtype",
    "numarr",
    "agefirst",
    "famtime",
    "everviol",
    "probtn",
    "prviol",
]


def rng(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed or (7,))


def shuffled(frame: pd.DataFrame, seed: int = 3) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def survey(n: int, seed: int = 1) -> pd.DataFrame:
    """Return n independent people: 12 categories, counts, scales and amounts."""
    draw = rng(11, seed)
    age = np.clip(draw.normal(47, 18, n).round(), 18, 95).astype(int)
    alone = draw.random(n) < np.where(age < 32, 0.7, 0.25)
    education = np.clip(1 + draw.binomial(5, np.where(age > 62, 0.35, 0.48)), 1, 6)
    job = np.where(age > 66, "retired", draw.choice(JOBS, n, p=SHARES))
    works = ~np.isin(job, ["none", "retired"])
    hours = np.where(works, np.clip(draw.normal(37, 9, n).round(), 5, 70), 0).astype(int)
    income = np.exp(6.9 + 0.17 * education + 0.012 * hours + draw.normal(0, 0.45, n)).round()
    return pd.DataFrame(
        {
            "region": draw.choice(list("ABCDEFGH"), n, p=[0.24, 0.2, 0.15, 0.12, 0.1, 0.09, 0.06, 0.04]),
            "sex": draw.choice(["female", "male"], n),
            "age": age,
            "marital": np.where(alone, "single", draw.choice(["married", "partner", "divorced", "widowed"], n)),
            "education": education,
            "job": job,
            "hours": hours,
            "income": income,
            "rent": (80 + income * draw.beta(3, 8, n)).round(),
            "children": draw.poisson(np.where(alone, 0.3, 1.4)),
            "health": np.clip((5 - age / 30 + draw.normal(0, 0.9, n)).round(), 1, 5).astype(int),
            "smokes": draw.random(n) < 0.26,
        }
    )


def households(number: int, seed: int) -> pd.DataFrame:
    """Return the members of households that are numbered from 1."""
    draw = rng(12, seed)
    size = draw.choice([1, 2, 3, 4, 5], number, p=[0.3, 0.3, 0.18, 0.15, 0.07])
    household = np.repeat(np.arange(number), size)
    place = np.concatenate([np.arange(one) for one in size])
    head = draw.integers(24, 80, number)[household]
    age = np.where(place == 0, head, np.where(place == 1, head + draw.integers(-6, 7, len(head)), 0))
    age = np.where(place > 1, np.clip(head - draw.integers(21, 38, len(head)), 0, 30), age)
    members = {
        "household": household + 1,
        "person": place + 1,
        "region": draw.choice(list("ABCDEF"), number)[household],
        "sex": draw.choice(["f", "m"], len(head)),
        "age": age,
        "education": np.where(age > 15, draw.integers(1, 6, len(head)), 0),
        "health": draw.integers(1, 6, len(head)),
        "income": np.where(age > 17, np.exp(draw.normal(7.4, 0.6, len(head))).round(-1), 0),
    }
    return pd.DataFrame(members)


def panel(number: int, seed: int, waves: int = 5) -> pd.DataFrame:
    """Return a balanced panel: one record per person and wave, persons numbered from 0."""
    draw = rng(13, seed)
    base = survey(number, 100 + seed)[["region", "sex", "age", "education", "job", "hours", "income", "health"]]
    frames = []
    for wave in range(waves):
        income = (base["income"] * np.exp(draw.normal(0.02 * wave, 0.12, number))).round()
        health = np.clip(base["health"] + draw.integers(-1, 2, number), 1, 5)
        frames.append(base.assign(age=base["age"] + wave, income=income, health=health, wave=wave + 1))
    return pd.concat([frame.assign(pid=range(number)) for frame in frames], ignore_index=True)


def names(n: int, seed: int) -> np.ndarray[Any, Any]:
    """Return names of people; few of them recur."""
    syllables = ["ba", "del", "fo", "gim", "hu", "jar", "ke", "lo", "mun", "ri", "sto", "va", "zel"]
    draw = rng(14, seed)
    return np.array([f"{''.join(draw.choice(syllables, 3))} {''.join(draw.choice(syllables, 4))}" for _ in range(n)])


class Latent:
    """Variables that depend on a latent class: normal, log-normal, counts and categories with 2 to 12 levels."""

    def __init__(self, width: int, seed: int, classes: int = 6) -> None:
        draw = rng(15, seed, width)
        self.shares = draw.dirichlet(np.full(classes, 2.0))
        self.kinds = draw.choice(["normal", "amount", "count", "category"], width, p=[0.15, 0.15, 0.2, 0.5])
        self.means = draw.normal(0, 1, (width, classes))
        self.tables = [draw.dirichlet(np.full(levels, 0.8), classes) for levels in draw.integers(2, 13, width)]

    def classes(self, n: int, draw: np.random.Generator) -> Any:
        return draw.choice(len(self.shares), n, p=self.shares)

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


def simulated(kind: str, n: int, seed: int) -> pd.DataFrame:
    """Return people of "survey", "latent WIDTH" or "independent WIDTH"; every seed draws other people of the same model."""
    if kind == "survey":
        return survey(n, seed)
    model = Latent(int(kind.split()[1]), 1, 1 if kind.startswith("independent") else 6)
    draw = rng(16, seed)
    return model.draw(model.classes(n, draw), draw)


@cache
def real(name: str) -> pd.DataFrame:
    """Return a file of the package or of `data`, in a random order."""
    path = DATA / f"{name}.csv"
    frame = pd.read_csv(path) if path.exists() else sl.datasets.load(name).frame
    return shuffled(frame[YOUTH] if name == "youths_simulated" else frame, 1)


def part(name: str, start: int, stop: int | None = None) -> pd.DataFrame:
    """Return records of a real file."""
    return real(name).iloc[start:stop].reset_index(drop=True)


def foreign(tool: str) -> dict[str, Any]:
    """Return three recorded datasets of another tool, with the half of `affairs` that they were made from."""
    frame = sl.datasets.load("affairs").frame
    given = frame.iloc[np.random.default_rng(1978).permutation(len(frame))[:3183]].reset_index(drop=True)
    paths = [DATA / "foreign" / f"{tool}_{number}.csv.gz" for number in (1, 2, 3)]
    return {
        "confidential": given,
        "synthetic": [pd.read_csv(io.BytesIO(gzip.decompress(path.read_bytes()))) for path in paths],
    }
