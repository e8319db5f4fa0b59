"""Statements and numbers of the papers, read from `paper_claims.csv` and `paper_numbers.csv` of each study."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pandas as pd

from synthlab.exceptions import InputError

FOLDER = Path(__file__).parent  # contains the folders of the studies
Texts = Mapping[str, Mapping[str, str]]
CLAIMS = ("key", "where", "statement", "reason")
NUMBERS = ("key", "where", "quantity", "printed", "reason")


@cache
def read_claims(study: str) -> Texts:
    """Return the statements of a paper by key.

    Parameters
    ----------
    study : str
        Name of the folder of the study.

    Returns
    -------
    mapping
        One entry per statement: a mapping with ``where`` (table, figure or section of the paper), ``statement``, and
        ``reason`` (why the statement does not hold here, where the reason is known).

    Raises
    ------
    InputError
        If a key occurs twice or a column is missing.

    Examples
    --------
    >>> from replications.paper_tables import read_claims
    >>> read_claims("gamma_family")["similar_risk"]["where"]
    '4.3, Figure 4'
    """
    return read_texts(FOLDER / study / "paper_claims.csv", CLAIMS)


@cache
def read_numbers(study: str) -> Texts:
    """Return the published numbers of a paper by key, as printed.

    Parameters
    ----------
    study : str
        Name of the folder of the study.

    Returns
    -------
    mapping
        One entry per number: a mapping with ``where``, ``quantity``, ``printed``, ``reason``, and the columns by which the
        study finds its own number.

    Raises
    ------
    InputError
        If a key occurs twice, a column is missing, or a printed number is not a plain number such as "3468640".

    Examples
    --------
    >>> from replications.paper_tables import read_numbers
    >>> read_numbers("gamma_family")["cells"]["printed"]
    '3468640'
    """
    texts = read_texts(FOLDER / study / "paper_numbers.csv", NUMBERS)
    for key, text in texts.items():
        if not re.fullmatch(r"-?\d*\.?\d+(e[+-]\d+)?", text["printed"]):
            raise InputError(
                f"paper_numbers.csv of {study}: {text['printed']!r} in the row {key!r} is not a number; write digits and a "
                "decimal point, without commas or units"
            )
    return texts


def read_texts(path: Path, columns: tuple[str, ...]) -> Texts:
    """Return the rows of a CSV file by their key, as text.

    Raises
    ------
    InputError
        If a key occurs twice or a column is missing.
    """
    with path.open("rb") as file:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    missing = [name for name in columns if name not in table]
    if missing:
        raise InputError(f"{path.name}: the column {missing[0]!r} is missing; the columns are {', '.join(columns)}")
    twice = table.loc[table["key"].duplicated(), "key"]
    if len(twice):
        raise InputError(f"{path.name}: the key {twice.iloc[0]!r} occurs twice; give each row its own key")
    rows = [{str(name): str(value) for name, value in row.items()} for row in table.to_dict("records")]
    return {row.pop("key"): row for row in rows}
