"""Figure of the classification tree of a fitted `CART`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.synthesizers._trees import Splits
    from synthlab.synthesizers.cart import FittedCART

MOST_LEAVES = 12


@_decorators.figure()
def plot_tree(fitted: FittedCART, answer: str, ax: Axes | None = None, *, title: str = "", data: Source = None) -> Axes:
    r"""Draw the tree of the first variable of a `CART` with categories only.

    Parameters
    ----------
    fitted : FittedCART
        Fitted model whose first variable has a tree of 2 to 12 leaves.
    answer : str
        Level of this variable. Below each leaf, the figure shows the number of records and the share of this level.

    Raises
    ------
    InputError
        If the tree has fewer than 2 or more than 12 leaves, a predictor is not categorical, or the level does not exist.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.teaching.figures.classification_tree import plot_tree
    >>> people = pd.DataFrame({"sex": ["f", "m"] * 20, "smokes": ["no", "yes"] * 20})
    >>> ax = plot_tree(sl.CART(["smokes"], predictors=["sex"]).fit(people, rng=1), "yes")
    >>> sorted(text.get_text() for text in ax.texts if "%" in text.get_text())
    ['20\n0%', '20\n100%']
    """
    column, tree = fitted.specification.variables[0], fitted.trees[0]
    leaves = 1 if tree.splits is None else len(tree.leaves)
    if not 2 <= leaves <= MOST_LEAVES:
        raise InputError(f"fitted: the tree of {column!r} has {leaves:,} leaves; 2 to {MOST_LEAVES} can be drawn")
    predictors = list(fitted.specification.predictors)
    if any(name not in fitted.levels for name in (column, *predictors)):
        raise InputError(f"fitted: {column!r} and its predictors must be categories")
    _checks.check_choice(answer, "answer", list(fitted.levels[column].values))
    questions = [f"{name}: {level}?" for name in predictors for level in fitted.levels[name].values]
    has_answer = (fitted.confidential[column] == answer).to_numpy()
    ax = style.axes(ax, (11.0, 5.0))
    splits = cast("Splits", tree.splits)
    places = _places(splits)
    for node, (x, y) in places.items():
        children = [int(side[node]) for side in (splits.right, splits.left)]
        if children[0] >= 0:
            for child, word in zip(children, ("yes", "no"), strict=True):
                to = places[child]
                ax.plot([x, to[0]], [y, to[1]], color=INK, linewidth=1.2, linestyle="-", marker="")
                ax.text((x + to[0]) / 2, (y + to[1]) / 2, word, fontsize=10, ha="center", backgroundcolor=PAPER)
            words, edge = questions[int(splits.feature[node])], INK
        else:
            place = int((tree.leaves < node).sum())
            records = tree.records[tree.start[place] : tree.start[place + 1]]
            words, edge = f"{records.size:,}\n{has_answer[records].mean():.0%}", CONFIDENTIAL
        box = {"boxstyle": "round,pad=0.35", "facecolor": PAPER, "edgecolor": edge, "linewidth": 1.5}
        ax.text(x, y, style.literal(words), ha="center", va="center", fontsize=11, bbox=box, zorder=3)
    low = min(y for _, y in places.values())
    ax.set(xlim=(-0.7, leaves - 0.3), ylim=(low - 0.5, 0.5))
    ax.axis("off")
    return style.finish(ax, title=title)


def _places(splits: Splits) -> dict[int, tuple[float, float]]:
    """Return node positions: leaves in a row, splits centered above, yes left."""
    places: dict[int, tuple[float, float]] = {}
    order = iter(range(splits.feature.size))

    def put(node: int, depth: int) -> float:
        right, left = int(splits.right[node]), int(splits.left[node])
        x = float(next(order)) if left < 0 else (put(right, depth + 1) + put(left, depth + 1)) / 2
        places[node] = (x, -float(depth))
        return x

    put(0, 0)
    return places
