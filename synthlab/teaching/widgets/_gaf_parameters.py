"""Risk and loss of the discretized gamma family by sigma and nu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from synthlab import _checks
from synthlab.counts import GAF, Table, expected_loss, expected_tau
from synthlab.teaching.widgets._interactive import explorer, number

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure

SIZES = (1, 5, 20)


@dataclass(frozen=True, slots=True)
class TwoDials:
    """Expected risk and loss for sigma, nu and the share of zeros made ones.

    Attributes
    ----------
    family : GAF
        Distribution of the occupied cells.
    zeros_to_ones : float
        Share of the empty cells that become ones.
    kept : tuple of float
        tau3 of the sizes 1, 5 and 20: share of the cells of a size that keep their size.
    true_ones : float
        tau4(1): share of the synthetic ones that are true ones.
    loss : float
        Exact expected squared loss of one synthetic table, summed over all cells.
    """

    family: GAF
    zeros_to_ones: float
    kept: tuple[float, ...]
    true_ones: float
    loss: float

    def __str__(self) -> str:
        shares = ", ".join(f"{100 * kept:.1f}% of the {size}s" for size, kept in zip(SIZES, self.kept, strict=True))
        return (
            f"{self.family.label} keeps {shares}; {100 * self.true_ones:.1f}% of the synthetic ones are true ones; "
            f"squared loss {self.loss:,.0f}"
        )


def two_dials(table: Table, *, sigma: float, nu: float, zeros_to_ones: float = 0.0) -> TwoDials:
    """Return the expected risk and loss of synthesis with the GAF.

    Parameters
    ----------
    table : Table
        Confidential table.
    sigma : float > 0
        Noise on a count of 1.
    nu : float
        Dependence of the noise on the count.
    zeros_to_ones : float
        Share of the empty cells that become ones, in [0, 1]. There is no pseudocount.

    Returns
    -------
    TwoDials

    Raises
    ------
    InputError
        If a value is out of its range.

    Warns
    -----
    UndefinedStatisticWarning
        If the table has no cell of size 1. The shares of this size are then NaN.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> from synthlab.teaching.widgets import two_dials
    >>> table = slc.Table.from_counts([0, 0, 1, 1, 5, 20], {"age": range(6)})
    >>> print(two_dials(table, sigma=2, nu=-0.5, zeros_to_ones=0.5))
    GAF(sigma = 2, nu = -0.5) keeps 16.5% of the 1s, 29.1% of the 5s, 40.3% of the 20s; 24.8% of the synthetic ones are \
true ones; squared loss 12
    """
    family = GAF(sigma=_checks.check_number(sigma, "sigma"), nu=_checks.check_number(nu, "nu"))
    risk = expected_tau(table, family, k=1, pseudocount=0, zeros_to_ones=zeros_to_ones)
    loss = expected_loss(table, family, pseudocount=0, zeros_to_ones=zeros_to_ones)
    kept = tuple(float(family.at(size).pmf(size)) for size in SIZES)
    return TwoDials(family, zeros_to_ones, kept, float(risk.tau4[0]), loss.exact)


def two_dials_figure(table: Table, *, sigma: float, nu: float, zeros_to_ones: float = 0.0) -> DescribedFigure:
    """Draw the synthetic counts of cells of size 1, 5 and 20, with a description.

    Parameters
    ----------
    table, sigma, nu, zeros_to_ones
        As `two_dials`.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `two_dials`.

    Examples
    --------
    >>> import synthlab.counts as slc
    >>> from synthlab.teaching.widgets import two_dials_figure
    >>> table = slc.Table.from_counts([0, 1, 5, 20], {"age": range(4)})
    >>> print(two_dials_figure(table, sigma=2, nu=-0.5).description.partition(". ")[0])
    Three bar charts show the synthetic counts of cells of size 1, 5 and 20 under GAF(sigma = 2, nu = -0.5)
    """
    from synthlab.plots import style
    from synthlab.teaching.figures.lecture_14 import plot_synthetic_counts

    setting = two_dials(table, sigma=sigma, nu=nu, zeros_to_ones=zeros_to_ones)
    with style.context():
        # An automatic layout takes as long as the drawing.
        axes = style.panels(len(SIZES), (10.0, 4.0), left=0.07, right=0.99, bottom=0.14, top=0.84)
        plot_synthetic_counts(setting.family, SIZES, axes)
    return style.figure_with_description(axes, _describe(setting))


def two_dials_explorer(table: Table, *, sigma: float = 2.0, nu: float = -0.5, zeros_to_ones: float = 0.0) -> Any:
    """Return controls for sigma, nu and the share of zeros made ones, with a figure.

    Parameters
    ----------
    table : Table
        Confidential table.
    sigma, nu, zeros_to_ones : float
        Initial values. The control of `zeros_to_ones` is in percent.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        As `two_dials`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    two_dials(table, sigma=sigma, nu=nu, zeros_to_ones=zeros_to_ones)

    def draw(sigma: float, nu: float, percent: float) -> DescribedFigure:
        return two_dials_figure(table, sigma=sigma, nu=nu, zeros_to_ones=percent / 100)

    return explorer(
        draw,
        sigma=number("sigma: noise on a count of 1", float(sigma), 0.0, max(8.0, sigma), step=0.1),
        nu=number("nu: effect of the count", float(nu), min(-4.0, nu), max(1.0, nu), step=0.25),
        percent=number("Zeros made ones (%)", 100.0 * zeros_to_ones, 0.0, 100.0, step=0.5),
    )


def _describe(setting: TwoDials) -> str:
    names = ", ".join(str(size) for size in SIZES[:-1]) + f" and {SIZES[-1]}"
    return (
        f"Three bar charts show the synthetic counts of cells of size {names} under {setting.family.label}. The bar of the true "
        f"count is hatched. {setting}. {100 * setting.zeros_to_ones:.3g}% of the empty cells become ones."
    )
