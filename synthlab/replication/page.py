"""Common parts of the pages of the studies: figures with words, tables as text, one template, no script, no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthlab._system import atomic_write, optional_dependencies
from synthlab.replication.claims import count


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as PNG, and what it shows in words."""

    png: bytes
    words: str

    @property
    def image(self) -> str:
        """The figure as text."""
        return b64encode(self.png).decode()


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as text."""

    caption: str
    columns: list[str]
    rows: list[list[str]]


def pictures(drawn: Iterable[tuple[str, Any, str]]) -> dict[str, Picture]:
    """Turn names, axes and words into pictures."""
    from synthlab.plots import style

    found = {}
    for name, ax, words in drawn:
        found[name] = Picture(style.png(ax.figure), words)
        style.figure_with_description(ax, words)  # takes the figure out of pyplot's hands
    return found


def shown(frame: pd.DataFrame, caption: str, columns: Mapping[str, str] | None = None, digits: int = 4) -> Shown:
    """Turn columns of a table into text, under other names if these are given."""
    columns = {str(c): str(c) for c in frame} if columns is None else columns
    rows = [[_text(value, digits) for value in row] for row in frame[list(columns)].itertuples(index=False)]
    return Shown(caption, list(columns.values()), rows)


CLAIMS = {
    "where": "Where",
    "study": "Study",
    "claim": "Claim",
    "verdict": "Here",
    "held": "Held in",
    "evidence": "Numbers",
    "reason": "Why",
}
NUMBERS = {
    "where": "where",
    "quantity": "quantity",
    "published": "paper",
    "ours": "ours",
    "low": "low",
    "high": "high",
    "status": "status",
    "reason": "why",
}


def claims(table: pd.DataFrame) -> Shown:
    """Return the claims as text."""
    held = [count(share, n) for share, n in zip(table["share"], table["repetitions"], strict=True)]
    return shown(
        table.assign(held=held),
        "A claim holds when it does in at least nine of ten repetitions, and does not when in at most one of ten.",
        CLAIMS,
    )


def published(table: pd.DataFrame) -> Shown:
    """Return the published numbers with the results, as text."""
    return shown(
        table,
        "Published numbers beside those computed here: 95 % of the repetitions lie between low and high.",
        NUMBERS,
    )


def _text(value: object, digits: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    number = float(str(value))
    if np.isnan(number):
        return ""
    if np.isinf(number):
        return "infinite" if number > 0 else "minus infinite"
    if 0 < abs(number) < 1e-6:
        return f"{number:.0e}"
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"


def render(template: str, **content: Any) -> str:
    """Return a page from a template of this folder."""
    jinja2 = optional_dependencies.load("report", "jinja2", "the page of a replication")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("synthlab.replication"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    page: str = environment.get_template(template).render(**content)
    return page


def write(folder: Path, template: str, figures: Mapping[str, Picture], **content: Any) -> Path:
    """Write ``index.html`` from a template of this folder, and the figures next to it; return the page."""
    for name, picture in figures.items():
        atomic_write.write_bytes(folder / f"{name}.png", picture.png)
    return atomic_write.write_text(folder / "index.html", render(template, figures=figures, **content))
