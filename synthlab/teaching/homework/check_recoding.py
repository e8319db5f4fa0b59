"""Test whether a release protects its variables against an intruder who learns how released values follow from true ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from synthlab._warnings import quiet
from synthlab.matching.factorize import block_codes
from synthlab.risk import learned_attack
from synthlab.risk.attribute._learned_guesses import FEATURES
from synthlab.risk.attribute.learned_attack import TWIN_POINTS

SUMMARIES = 5  # columns that the attack adds for each synthesized variable
_GROUP = "people with the same values of the known variables"


def recoding_problem(
    truth: pd.DataFrame,
    made: Sequence[pd.DataFrame],
    synthesized: Sequence[str],
    *,
    radius: float | Mapping[str, float | str] | None = None,
    alone_in: Sequence[str] = (),
    rows: str = "people",
) -> str | None:
    """Return why a release does not protect its synthesized variables, or None.

    A release protects nothing if two of its datasets are equal, or if `learned_attack` gives "STOP" for a variable. The row i of every
    dataset must be about record i.

    Parameters
    ----------
    truth : DataFrame, n rows
        The confidential data.
    made : sequence of DataFrames with n rows
    synthesized : sequence of str
        The variables that the assignment protects.
    radius : number >= 0 or mapping {column: number >= 0 or text}, optional
        Radius within which a prediction is right, as in `learned_attack`.
    alone_in : sequence of str, optional
        Variables by which a person is found. The intruder also knows how many people have the same values of them.
    rows : str, default "people"
        What the rows are about, for the message.

    Returns
    -------
    str or None
    """
    if pair := _equal_datasets(made, synthesized):
        return (
            f"datasets {pair[0]} and {pair[1]} have the same value of {', '.join(map(repr, synthesized))} in every row. A dataset that "
            "is a copy adds no draw, and such a release shows a fixed function of the true values: draw each dataset separately."
        )
    known = [str(name) for name in truth if name not in synthesized]
    seen = truth
    if alone_in:
        size = truth.groupby(list(alone_in), dropna=False, observed=True)[alone_in[0]].transform("size")
        seen, known = truth.assign(**{_GROUP: size.to_numpy()}), [*known, _GROUP]
    # Beyond FEATURES columns the forest drops those that matter only together with others, such as the size of a group.
    room = max(1, FEATURES - len(known) - SUMMARIES * len(synthesized))
    blocks = [made[start : start + room] for start in range(0, len(made), room)]
    with quiet():
        attacks = (learned_attack(seen, block, synthesized=synthesized, known=known, radius=radius) for block in blocks)
        attack = next((one for one in attacks if one.level == "STOP"), None)
    if attack is None:
        return None
    worst, name = attack.worst, str(attack.worst.name)
    twin = (
        f" From the first {attack.m - 1} datasets, the truth is predicted for {worst['twin_points']:.0f} more of 100 {rows} than "
        "the last dataset."
        if worst["twin_points"] >= TWIN_POINTS
        else ""
    )
    return (
        f"an intruder who learns from half of the {rows} predicts {name!r}{attack.within(name)} for {worst['right']:.0%} of the "
        f"others; {worst['baseline']:.0%} without the released values.{twin} The released values follow from the true ones by a rule that can be learned: a "
        "recoding, a factor or small noise protects no value. Draw new values from a model."
    )


def _equal_datasets(made: Sequence[pd.DataFrame], columns: Sequence[str]) -> tuple[int, int] | None:
    """Return the numbers of the first two datasets with equal values in every row."""
    first: dict[bytes, int] = {}
    for number, codes in enumerate(block_codes(list(made), list(columns), "category"), start=1):
        earlier = first.setdefault(codes.tobytes(), number)
        if earlier < number:
            return earlier, number
    return None
