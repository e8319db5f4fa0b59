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
from synthlab._calls import explains_arguments
from synthlab._typing import BoolArray, FloatArray, FrameLike, FrameOrFrames, IntArray, RngLike
from synthlab._warnings import warn
from synthlab.exceptions import UndefinedStatisticWarning
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.kernel import block_codes
from synthlab.release.release import as_aligned_release
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
        ``scores.attack`` is 1 if the link is correct. ``scores.baseline`` is the probability of a correct link if the records
        of a block are linked at random. Each has shape (n, m).
    linked : numpy.ndarray of int, shape (n, m)
        Row position of the synthetic record linked to each confidential record; -1 if there is no link.
    probability : numpy.ndarray of float, shape (n, m)
        Match probability of the link, in [0, 1]; NaN if there is no link.
    agreement : pandas.DataFrame
        One row per dataset, variable and level of agreement, with its probabilities m (among matches) and u (among
        nonmatches), and the match weight log2(m / u). The values are NaN for a level that never occurred.
    intruder : Intruder
        The intruder.
    blocking, compared : tuple of str
        The known variables without a radius, and all other variables.
    thresholds : tuple of float
        Default match probabilities of `by_threshold`.
    data_kind : {"real", "simulated"} or None
        Kind of data that the confidential frame declares.
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
        """Variables that must be equal within a block."""
        near = self.intruder.radius if isinstance(self.intruder.radius, Mapping) else {}
        return tuple(c for c in self.intruder.known if c not in near)

    @property
    def compared(self) -> tuple[str, ...]:
        """Variables compared within blocks."""
        return tuple(c for c in self.intruder.used if c not in self.blocking)

    @property
    def correct(self) -> BoolArray:
        """Whether each link is correct, shape (n, m)."""
        return _checks.read_only(self.linked == np.arange(len(self.linked))[:, None])

    def by_threshold(self, thresholds: Sequence[float] | None = None) -> pd.DataFrame:
        """Return the success of an intruder who claims only links above a threshold.

        The intruder claims the links whose match probability is at least the threshold. The columns are ``links`` and
        ``true_links``, the mean numbers of links and correct links over the datasets; ``share_true``, the share of correct
        links, with its interval (``low``, ``high``); ``expected``, this share for random links of the same people; and
        ``found``, the share of all people with a correct link. Shares are NaN if there is no link.

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
            text = f"thresholds: no link reaches {empty} of {len(table)}; their shares are 0/0 and returned as NaN"
            warn(text, UndefinedStatisticWarning)
        return table

    @property
    def title(self) -> str:
        """Description of the linked data and the compared variables."""
        blocks = ", ".join(self.blocking) or "nothing (one block)"
        return (
            f"One-to-one linkage of {len(self.linked):,} records: blocked on {blocks}, compared on "
            f"{', '.join(self.compared)}; success is the share linked to their own record; m = {self.m}"
        )


@explains_arguments
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
    r"""Measure how many people are linked to their own record by probabilistic linkage.

    The intruder has the confidential values of the people, but does not know which released record belongs to which person.
    The known variables without a radius define blocks, and all pairs of records within a block are compared. Level k of
    agreement on a variable adds :math:`\log_2 (m_k / u_k)` to the weight of the pair, where :math:`m_k = \Pr(k \mid match)`
    and :math:`u_k = \Pr(k \mid no\ match)` are estimated by EM from the pairs alone. The records of each block are then
    linked one to one so that the sum of weights is largest. The baseline links records one to one at random within blocks.
    Its probability of a correct link is ``1 / max(records, released records)`` of the block, or 0 if the person's own
    record is in another block.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, or Release
        m datasets of n rows; row i belongs to person i.
    intruder : Intruder
        The intruder. Known variables without a radius define the blocks; without such variables there is one block. Known
        variables with a radius and the synthesized variables are compared. A variable with a radius has one level of
        agreement per half-width: a closed interval around the confidential value. A variable without a radius is equal or
        not. With ``missing="category"`` missing values define a block of their own; two missing values of a compared
        variable agree at its first level, and a missing value disagrees with every other value. With ``missing="never"`` a
        record with a missing blocking variable is in no pair and has no link; a missing value of a compared variable does
        not affect the weight of the pair.
    estimate : {"em", "truth"}
        Estimation of the m and u probabilities. "em" (default) uses only the pairs, like an intruder. "truth" estimates m
        from the true links and u from random pairs; it bounds the success of intruders with better estimates.
    thresholds : sequence of number in [0, 1]
        Default match probabilities of `by_threshold`.
    level : float in (0, 1)
        Level of the intervals; default 0.95.
    rng : int, Generator or None
        Seed or generator for links among indistinguishable records, with one stream per dataset.
    progress : bool
        Whether to show a progress bar on standard error after one second. Default False.

    Returns
    -------
    LinkageResult

    Raises
    ------
    ExtraUnavailableError
        If Splink is not installed.
    InputError
        If variables are unknown, repeated or overlapping, a variable that looks continuous has no radius, the radii do not
        increase, or there are no pairs or more than 20 million pairs within blocks.
    RowAlignmentError, DtypeMismatchError, MissingValueError
        As in `identification_risk`.

    Warns
    -----
    NoBetterThanBaselineWarning
        If the links are not correct more often than random links.
    ConvergenceWarning
        If EM has not converged.

    Notes
    -----
    The prior probability of a match is known, because each person has one match among the pairs within blocks. EM starts at
    the shares of the levels among all pairs within blocks (u) and at 0.95 for the closest level (m). It runs until the
    log-likelihood stops increasing. With one or two compared variables the maximum is not unique, and the estimates depend
    on the starting values.

    The model assumes that variables are independent given the match status. If they are not, match probabilities are too
    extreme. If two compared variables are strongly associated among nonmatches, EM can mistake similar people for the same
    person and find far fewer correct links than ``estimate="truth"``; compare the two.

    Cost: the number of pairs within blocks for the comparison, and the cube of the largest block size for the assignment.

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
    """Return the probability of a correct random link for each record, shape (n,)."""
    codes, place = np.unique(np.concatenate([blocks, other]), return_inverse=True)
    here, there = (np.bincount(part, minlength=codes.size) for part in np.split(place, [blocks.size]))
    return np.asarray((blocks == other) / np.maximum(here, there)[place[: blocks.size]])


def _agreement(levels: list[dict[str, Any]], compared: list[str]) -> pd.DataFrame:
    table = pd.DataFrame(levels).astype({"m": float, "u": float})
    table.insert(1, "variable", [compared[int(name[1:])] for name in table.pop("column")])
    ratio = np.divide(table["m"], table["u"], out=np.full(len(table), np.nan), where=table["u"].to_numpy() > 0)
    table["weight"] = np.log2(np.where(ratio > 0, ratio, np.nan))
    return table
