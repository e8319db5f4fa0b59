"""Probabilistic record linkage of the confidential data with a release (Fellegi and Sunter 1969, Jaro 1989).

Splink compares the records within blocks, at several levels of agreement per variable. Of the two libraries in use,
recordlinkage requires pandas below 3 (release 0.16), so it cannot be installed with the pandas of this package. Splink has
no such conflict, is maintained by the UK Ministry of Justice and is used by statistical offices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from tqdm import tqdm

from synthlab import _checks, _rng
from synthlab._typing import BoolArray, FloatArray, FrameLike, FrameOrFrames, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import UndefinedStatisticWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.kernel import block_codes
from synthlab.release import as_aligned_release
from synthlab.risk._attack_result import AttackResult, Scores, scores_of
from synthlab.risk.linkage._assignment import assign
from synthlab.risk.linkage._linkage_input import check_linkage, tables_of
from synthlab.risk.linkage._splink import match_weights

THRESHOLDS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinkageResult(AttackResult):
    """One-to-one links of n confidential records with m synthetic datasets.

    Attributes
    ----------
    scores : Scores
        ``scores.attack`` is 1 where the link is the right one, ``.baseline`` the chance of a random one-to-one
        link within the block; each (n, m).
    linked : numpy.ndarray of int, shape (n, m)
        Row position of the synthetic record linked to each confidential record; -1 for none.
    probability : numpy.ndarray of float, shape (n, m)
        Match probability of the link, in [0, 1]; NaN for none.
    agreement : pandas.DataFrame
        Dataset, variable, level of agreement, its probabilities m (among matches) and u (among others), and the
        match weight log2(m / u); NaN for a level that never occurred.
    intruder : Intruder
        The intruder who links.
    blocking, compared : tuple of str
        The known variables without a radius, and all others.
    thresholds : tuple of float
        Match probabilities at which `by_threshold` looks.
    data_kind : {"real", "simulated"} or None
        The kind that the confidential frame declares.
    """

    _figure: ClassVar[str] = "attribute.plot_links"

    scores: Scores
    linked: IntArray
    probability: FloatArray
    agreement: pd.DataFrame
    intruder: Intruder
    thresholds: tuple[float, ...]
    data_kind: str | None

    @property
    def blocking(self) -> tuple[str, ...]:
        """The variables that must be equal."""
        near = self.intruder.radius if isinstance(self.intruder.radius, Mapping) else {}
        return tuple(c for c in self.intruder.known if c not in near)

    @property
    def compared(self) -> tuple[str, ...]:
        """The variables compared within blocks."""
        return tuple(c for c in self.intruder.used if c not in self.blocking)

    @property
    def correct(self) -> BoolArray:
        """The links that are right, shape (n, m)."""
        return _checks.read_only(self.linked == np.arange(len(self.linked))[:, None])

    def by_threshold(self, thresholds: Sequence[float] | None = None) -> pd.DataFrame:
        """Return what an intruder gets who claims only links of at least some match probability.

        Columns: ``links`` and ``true_links``, means over the m datasets; ``share_true`` of the links that are right,
        with its interval (``low``, ``high``) and the share ``expected`` of random links for the same people;
        ``found``, the share of all people who are linked rightly. Shares of no link are NaN.

        Warns
        -----
        UndefinedStatisticWarning
            If no link reaches one of the given `thresholds`.
        """
        rows = {}
        asked = self.thresholds if thresholds is None else thresholds
        for value in _checks.check_list(asked, "thresholds", "a list of probabilities, for example [0.5, 0.9]"):
            limit = _checks.check_probability(value, "thresholds")
            claimed = self.probability >= limit  # False for NaN
            part = scores_of(self.scores.attack, self.scores.baseline, self.scores.level, claimed)
            rows[limit] = {
                "links": claimed.sum(axis=0).mean(),
                "true_links": (claimed & self.correct).sum(axis=0).mean(),
                "share_true": part.mean(part.attack),
                "low": part.interval(part.attack)[0],
                "high": part.interval(part.attack)[1],
                "expected": part.mean(part.baseline),
                "found": (claimed & self.correct).mean(),
            }
        names = ["links", "true_links", "share_true", "low", "high", "expected", "found"]
        index = pd.Index(list(rows), dtype=np.float64, name="threshold")
        table = pd.DataFrame(list(rows.values()), index=index, columns=names, dtype=np.float64)
        empty = int(table["share_true"].isna().sum()) if thresholds is not None and rows else 0
        if empty:
            text = f"thresholds: no link reaches {empty} of {len(table)}; their shares are 0/0, reported as NaN"
            warn(text, UndefinedStatisticWarning, stacklevel=2)
        return table

    @property
    def title(self) -> str:
        """The data linked and the variables compared."""
        blocks = ", ".join(self.blocking) or "nothing (one block)"
        return (
            f"One-to-one linkage of {len(self.linked):,} records: blocked on {blocks}, compared on "
            f"{', '.join(self.compared)}; success is the share linked to their own record; m = {self.m}"
        )


def linkage_risk(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    estimate: Literal["em", "truth"] = "em",
    thresholds: Sequence[float] = THRESHOLDS,
    level: float = 0.95,
    rng: RngLike = None,
    progress: bool = False,
) -> LinkageResult:
    r"""Share of people an intruder links to their own synthetic record, by probabilistic record linkage.

    The intruder holds the confidential values of the people, without knowing which released record is whose.
    Blocks are made by the known variables that have no radius. Within a block of equal ones every pair of records is compared; level k of agreement on a
    variable adds :math:`\log_2 (m_k / u_k)` to the weight of the pair, with :math:`m_k = \Pr(k \mid match)` and
    :math:`u_k = \Pr(k \mid no\ match)` estimated by EM from the pairs alone; then every block is assigned
    one to one with the largest sum of weights. The baseline links at random one to one within blocks: chance
    ``1 / max(records, released records)`` of the block, or 0 where the own record has left it.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets of n rows, row i about person i.
    intruder : Intruder
        Its known variables without a radius are the blocks: records of different values are never compared. With none there
        is one block. Known variables with a radius and the synthesized variables are
        compared: one with a radius at the levels of agreement within its first half-width, within its second, ..., closed
        intervals around the confidential value; one without is equal or not.
        With ``missing="category"`` missing values make a block. Two missing values of a compared variable agree at its first
        level, and a missing value disagrees with every other value. With ``missing="never"`` a record with a missing value in
        a blocking variable is in no pair and gets no link. A missing value of a compared variable has no level of agreement:
        the comparison counts neither for nor against the pair.
    estimate : {"em", "truth"}
        "em": the m and u probabilities from the pairs alone, as an intruder must. "truth": m from the true links and u
        from random pairs, the most that the model could know: a bound for intruders who estimate better.
    thresholds : sequence of number in [0, 1]
        Match probabilities for `by_threshold`.
    level : float in (0, 1)
        Level of the intervals.
    rng : int, Generator or None
        One stream a dataset, for links among records that cannot be told apart.
    progress : bool
        Show a progress bar on standard error if it takes more than a second.

    Returns
    -------
    LinkageResult

    Raises
    ------
    ExtraUnavailableError
        Splink is not installed.
    InputError
        Unknown, repeated or overlapping variables; a numeric variable that looks continuous without a radius;
        radii that do not increase; more than 20 million pairs within blocks.
    RowAlignmentError, DtypeMismatchError, MissingValueError
        As `identification_risk`.

    Warns
    -----
    NoBetterThanBaselineWarning
        The links are right no more often than random ones.
    ConvergenceWarning
        EM has not converged.

    Notes
    -----
    The prior probability of a match is not estimated but known: one match a person among the pairs within blocks.
    EM starts at the shares of the levels among all pairs within blocks (u) and at 0.95 for the closest level (m), and runs until
    the log-likelihood stops increasing. With one or two compared variables the maximum is not unique, and the estimates
    depend on this start. Variables are
    taken as independent given the match status, as the model says. Where they are not, match probabilities are too sure
    of themselves; and when two compared variables are strongly related among people who are not the same, EM may take
    "alike" for "the same" and find far fewer links than ``estimate="truth"``: compare the two.

    Cost: pairs within blocks for the comparison, the cube of the largest block for the assignment.

    References
    ----------
    Fellegi, I. P. and Sunter, A. B. (1969). A theory for record linkage. JASA 64, 1183-1210.
    Jaro, M. A. (1989). Advances in record-linkage methodology as applied to matching the 1985 census of
    Tampa, Florida. JASA 84, 414-420.
    Domingo-Ferrer, J. and Torra, V. (2003). Disclosure risk assessment in statistical microdata protection via
    advanced record linkage. Statistics and Computing 13, 343-354.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import synthlab as sl
    >>> rng = np.random.default_rng(1)
    >>> people = pd.DataFrame({"region": np.repeat(list("NESW"), 25), "income": rng.lognormal(8, 1, 100)})
    >>> released = people.assign(income=people["income"] * rng.uniform(0.95, 1.05, 100))
    >>> someone = sl.Intruder(known=["region"], synthesized=["income"], radius={"income": [0.05, 0.2]})
    >>> links = sl.linkage_risk(people, released, someone, rng=1)
    >>> links.attack > 0.5, round(links.baseline, 3)
    (True, 0.04)
    """
    frame = _checks.check_frame(confidential, "confidential")
    release = as_aligned_release(synthetic, like=frame)
    level = _checks.check_number(level, "level", low=0.0, high=1.0, open_low=True, open_high=True)
    _checks.check_list(thresholds, "thresholds", "a list of probabilities, for example [0.5, 0.9]")
    limits = tuple(_checks.check_numbers(thresholds, "thresholds", low=0.0, high=1.0))
    check_intruder(intruder, "linkage_risk", ("missing",), norms=("box",))
    _checks.check_choice(estimate, "estimate", ("em", "truth"))
    _checks.check_choice(progress, "progress", (True, False))
    intruder, blocking, compared, radii = check_linkage(frame, release.frames, intruder)
    missing = intruder.missing
    blocks = block_codes([frame, *release.frames], blocking, missing)
    links, agreement, baseline = [], [], []
    for number, stream in enumerate(tqdm(_rng.spawn(rng, release.m), delay=1.0, disable=not progress), start=1):
        other = release[number - 1]
        tables = tables_of(frame, other, compared, radii, blocks[0], blocks[number], missing)
        named = {f"v{j}": radii[c] for j, c in enumerate(compared) if c in radii}
        relative, em = intruder.radius_kind == "relative", estimate == "em"
        pairs, levels = match_weights(*tables, named, relative, missing, em, _rng.integer_seed(stream))
        links.append(assign(blocks[0], blocks[number], pairs, stream))
        agreement += [{"dataset": number, **one} for one in levels]
        baseline.append(_random_link(blocks[0], blocks[number]))
    linked = np.column_stack([one for one, _ in links])
    scores = scores_of(linked == np.arange(len(frame))[:, None], np.column_stack(baseline), level)
    scores.warn_if_useless("one-to-one linkage")
    return LinkageResult(
        scores=scores,
        linked=_checks.read_only(linked),
        probability=_checks.read_only(np.column_stack([p for _, p in links])),
        agreement=_agreement(agreement, compared),
        intruder=intruder,
        thresholds=limits,
        data_kind=_checks.data_kind(frame),
    )


def _random_link(blocks: IntArray, other: IntArray) -> FloatArray:
    """Return each record's chance of its own record under a random one-to-one link within blocks, shape (n,)."""
    codes, place = np.unique(np.concatenate([blocks, other]), return_inverse=True)
    here, there = (np.bincount(part, minlength=codes.size) for part in np.split(place, [blocks.size]))
    return np.asarray((blocks == other) / np.maximum(here, there)[place[: blocks.size]])


def _agreement(levels: list[dict[str, Any]], compared: list[str]) -> pd.DataFrame:
    table = pd.DataFrame(levels).astype({"m": float, "u": float})
    table.insert(1, "variable", [compared[int(name[1:])] for name in table.pop("column")])
    ratio = np.divide(table["m"], table["u"], out=np.full(len(table), np.nan), where=table["u"].to_numpy() > 0)
    table["weight"] = np.log2(np.where(ratio > 0, ratio, np.nan))
    return table
