"""Datasets: real surveys, and simulated stand-ins for data that are not shipped.

`load` returns a `Dataset`: the frame, its known and sensitive variables, source, license, a description of each
variable, SHA-256, and whether the data are real or simulated. `describe` lists all datasets. `fetch` downloads real
data that are published.

To add a dataset, write an entry in `synthlab.datasets.entries` and add it to `synthlab.datasets._registry`.
"""

from synthlab.datasets._dataset import Dataset
from synthlab.datasets._fetch import fetch
from synthlab.datasets._load import describe, load, names

__all__ = ["Dataset", "describe", "fetch", "load", "names"]
