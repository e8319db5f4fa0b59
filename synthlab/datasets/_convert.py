"""Conversion of published files to CSV files that are identical on every machine."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab._system import optional_dependencies
from synthlab.exceptions import DatasetUnavailableError


def convert(data: bytes, how: str) -> bytes:
    """Apply the conversion named in the registry."""
    return CONVERSIONS[how](data)


def as_is(data: bytes) -> bytes:
    """Return the file unchanged."""
    return data


def drop_row_names(data: bytes) -> bytes:
    """Drop the leading column of row names that R's write.csv adds by default."""
    return b"\n".join(line.partition(b",")[2] for line in data.split(b"\n"))


def r_data(data: bytes) -> bytes:
    """Convert the data frame of an R data file to CSV, like R's ``write.csv``.

    Names are quoted; see `_r_number` for the numbers.
    """
    frame = r_frame(data)
    lines = [",".join(f'"{name}"' for name in frame.columns)]
    columns = [frame[name].to_numpy(dtype=np.float64) for name in frame.columns]
    lines += [",".join(map(_r_number, row)) for row in zip(*columns, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def r_frame(data: bytes) -> pd.DataFrame:
    """Return the only data frame of an R data file."""
    rdata = optional_dependencies.load("files", "rdata", "a file in R's own format")
    found = rdata.conversion.convert(rdata.parser.parse_data(data))
    frames = [value for value in found.values() if isinstance(value, pd.DataFrame)]
    if len(frames) != 1:
        raise DatasetUnavailableError(f"the R data file contains {len(frames)} data frames, expected 1")
    return frames[0]


def _r_number(value: float) -> str:
    """Format a number like R: up to 15 significant digits, in the shorter notation."""
    plain = f"{value:.15g}"
    mantissa, exponent = f"{value:.14e}".split("e")
    scientific = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent):+03d}"
    return plain if len(plain) <= len(scientific) else scientific


CONVERSIONS = {"as_is": as_is, "drop_row_names": drop_row_names, "r_data": r_data}
