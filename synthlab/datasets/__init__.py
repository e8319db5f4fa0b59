"""Datasets: a few real surveys, and simulated ones where the real ones may not be redistributed.

`load` gives a `Dataset`: the frame, what an intruder would know of it and what is sensitive, source,
licence, one line a variable, SHA-256, and always whether it is real or simulated. `describe` lists
them all; `fetch` downloads the real data that have a public place.

A new dataset is one entry in `synthlab.datasets.entries`, and its name in `synthlab.datasets._registry`.
"""

from synthlab.datasets._dataset import Dataset
from synthlab.datasets._fetch import fetch
from synthlab.datasets._load import describe, load, names

__all__ = ["Dataset", "describe", "fetch", "load", "names"]
