"""Figure of lecture 5: the tree of a fitted `CART`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.plots.style import Source
    from synthlab.synthesizers._trees import Splits
    from synthlab.synthesizers.cart import FittedCART


@_decorators.figure()
def plot_tree(fitted: FittedCART, answer: str, ax: Axes | None = None, *, title: str = "", data: Source = None) -> Axes:
    r"""Draw the tree of the first variable of a `CART` with categories only.

    Parameters
    ----------
    fitted : FittedCART
        Fitted model of categories whose first variable has a tree of 2 to about 12 leaves.
    answer : str
        Level of this variable. Below each leaf, the figure shows the number of records and the share of this level.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.teaching.figures.lecture_05 import plot_tree
    >>> people = pd.DataFrame({"sex": ["f", "m"] * 20, "smokes": ["no", "yes"] * 20})
    >>> ax = plot_tree(sl.CART(["smokes"], predictors=["sex"]).fit(people, rng=1), "yes")
    >>> sorted(text.get_text() for text in ax.texts if "%" in text.get_text())
    ['20\n0%', '20\n100%']
    """
    column, tree = fitted.specification.variables[0], fitted.trees[0]
    questions = [
        f"{name}: {level}?" for name in fitted.specification.predictors for level in fitted.levels[name].values
    ]
    has_answer = (fitted.confidential[column] == answer).to_numpy()
    ax = style.axes(ax, (11.0, 5.0))
    splits = cast("Splits", tree.splits)
    positions = _positions(splits)
    for node, (x, y) in positions.items():
        children = [int(side[node]) for side in (splits.right, splits.left)]
        if children[0] >= 0:
            for child, text in zip(children, ("yes", "no"), strict=True):
                end = positions[child]
                ax.plot([x, end[0]], [y, end[1]], color=INK, linewidth=1.2, linestyle="-", marker="")
                ax.text((x + end[0]) / 2, (y + end[1]) / 2, text, fontsize=10, ha="center", backgroundcolor=PAPER)
            text, edge = questions[int(splits.feature[node])], INK
        else:
            leaf = int((tree.leaves < node).sum())
            records = tree.records[tree.start[leaf] : tree.start[leaf + 1]]
            text, edge = f"{records.size:,}\n{has_answer[records].mean():.0%}", CONFIDENTIAL
        box = {"boxstyle": "round,pad=0.35", "facecolor": PAPER, "edgecolor": edge, "linewidth": 1.5}
        ax.text(x, y, style.literal(text), ha="center", va="center", fontsize=11, bbox=box, zorder=3)
    low = min(y for _, y in positions.values())
    ax.set(xlim=(-0.7, len(tree.leaves) - 0.3), ylim=(low - 0.5, 0.5))
    ax.axis("off")
    return style.finish(ax, title=title)


def _positions(splits: Splits) -> dict[int, tuple[float, float]]:
    """Return node positions: leaves in a row, splits centered above, yes left."""
    positions: dict[int, tuple[float, float]] = {}
    order = iter(range(splits.feature.size))

    def put(node: int, depth: int) -> float:
        right, left = int(splits.right[node]), int(splits.left[node])
        x = float(next(order)) if left < 0 else (put(right, depth + 1) + put(left, depth + 1)) / 2
        positions[node] = (x, -float(depth))
        return x

    put(0, 0)
    return positions
