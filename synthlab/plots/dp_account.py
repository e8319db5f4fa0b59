"""Figures of the privacy budget and of audits of a claimed privacy loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from synthlab.exceptions import InputError
from synthlab.plots import _decorators, style
from synthlab.plots.color import CONFIDENTIAL, INK, PAPER, SYNTHETIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthlab.dp import AuditResult, Budget


@_decorators.figure()
def plot_budget(budget: Budget, ax: Axes | None = None) -> Axes:
    """Draw the spent epsilon, one row per entry, and the total of the budget.

    Parameters
    ----------
    budget : Budget
        Budget with at least one entry.

    Raises
    ------
    InputError
        If the budget has no entry yet.

    Examples
    --------
    >>> from synthlab import dp
    >>> budget = dp.Budget(1.0)
    >>> budget.spend(0.4, "count")
    >>> budget.plot().get_xlabel()
    'epsilon, added up'
    """
    table = budget.summary()
    if table.empty:
        raise InputError("budget: has no entry to draw yet; spend epsilon first")
    cost, spent = table["epsilon"].to_numpy(), table["spent"].to_numpy()
    ax, rows = _decorators.rows(ax, table["what"], 0.45, margin=1.9)
    ax.barh(rows, cost, left=spent - cost, height=0.6, color=SYNTHETIC, edgecolor=INK)
    for row, end, value in zip(rows, spent, cost, strict=True):
        patch = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
        _decorators.note(ax, f"{value:.3g}", (end, row), (6, 0), va="center", bbox=patch)
    ax.axvline(budget.total, color=CONFIDENTIAL, linestyle=style.LINES[1])
    _decorators.note(ax, f"total {budget.total:.3g}", (budget.total, 1.0), (0, 4), units="x", ha="center")
    return style.finish(ax, xlabel="epsilon, added up", xlim=(0.0, 1.12 * budget.total))


@_decorators.figure()
def plot_audit(results: Mapping[str, AuditResult] | AuditResult, ax: Axes | None = None) -> Axes:
    """Draw the lower bound of the privacy loss of each mechanism against its claim.

    Parameters
    ----------
    results : mapping {name: AuditResult}, or AuditResult
        Audits, one row per mechanism.

    Raises
    ------
    InputError
        If the mapping is empty.

    Examples
    --------
    >>> from synthlab import dp
    >>> audit = dp.audit_epsilon(lambda d, rng: len(d) + rng.laplace(), [1, 2], [1], epsilon=1.0, runs=400, rng=1)
    >>> audit.plot().get_xlabel()
    'epsilon'
    """
    if not isinstance(results, Mapping):
        results = {"mechanism": results}
    if not results:
        raise InputError("results: is empty; give at least one audit")
    top = 1.25 * max(max(r.claimed or 0.0, r.epsilon_lower) for r in results.values()) or 1.0
    ax, rows = _decorators.rows(ax, results, 0.6, margin=1.9)
    for row, result in zip(rows, results.values(), strict=True):
        colour = CONFIDENTIAL if result.violated else SYNTHETIC
        arrow = {"arrowstyle": "->", "color": colour, "linewidth": 2.5, "shrinkA": 0}
        ax.annotate("", (top, row), (result.epsilon_lower, row), arrowprops=arrow)
        ax.plot(result.epsilon_lower, row, "|", color=colour, markersize=18, markeredgewidth=3)
        if result.claimed is not None:
            ax.plot(result.claimed, row, "D", color=INK, markersize=8)
        words = "refuted" if result.violated else "not refuted" if result.claimed is not None else "no claim"
        _decorators.note(ax, words, (1.0, row), (6, 0), units="y", va="center")
    ax.plot([], [], "D", color=INK, label="claimed")
    ax.plot([], [], color=SYNTHETIC, linewidth=2.5, label="lower bound from the audit")
    return style.finish(ax, xlabel="epsilon", xlim=(0.0, top), legend=style.ABOVE)
