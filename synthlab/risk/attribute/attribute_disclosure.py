"""Attribute disclosure by keys that determine a value: Dorig, DiS, DiSCO and TCAP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._calls import explains_arguments
from synthlab._typing import BoolArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.kernel import block_codes, record_counts
from synthlab.release import as_release
from synthlab.risk.attribute._disclosure_result import AttributeDisclosureResult
from synthlab.risk.identification.replicated_uniques import key_codes, radius_names

REFUSED = {"never": "records whose missing value equals no other value form no classes"}


@explains_arguments
def attribute_disclosure(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    target: str,
    harmless: Sequence[object] = (),
) -> AttributeDisclosureResult:
    r"""Measure how often the known variables determine the value of a target.

    The known values k determine the target in a file if all records with k have the same value of the target. A confidential
    record is disclosed if its known values determine the target in the release and the value is correct:

    .. math:: DiSCO = \frac{1}{n} \#\{i : s_{k_i t_i} = s_{k_i} > 0\},

    where :math:`s_k` is the number of synthetic records with known values k, and :math:`s_{kt}` the number of synthetic
    records with known values k and target value t.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    intruder : Intruder
        The intruder. `known` are the keys (at least one), compared by value; `synthesized` contains `target`. With
        ``missing="category"`` missing values are equal to each other. "never" is an error, because records whose missing
        value equals no other value form no classes.
    target : str
        The sensitive variable, compared by value. A continuous variable is an error, because its values are almost never
        equal; convert it to groups with `group_numbers`.
    harmless : sequence of values
        Values of the target whose disclosure does no harm, such as "no illness". Records with these values count only in
        the denominators (n and the number of synthetic records). None or NaN means a missing value. Default: none.

    Returns
    -------
    AttributeDisclosureResult

    Raises
    ------
    InputError
        If the intruder has no known variables, the target is not a synthesized variable or looks continuous, a variable is
        not in both files, an option of the intruder does not apply, or a harmless value does not occur in the target.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Notes
    -----
    The order of the rows is irrelevant. If the keys predict the target well in the population, they do so in any useful
    release. A high `level_share` means that most disclosed records have one frequent value.

    R's synthpop 1.9-3 (``disclosure``) returns the same numbers as percentages, with these differences:

    - TCAP in synthpop is `TCAP_present` here; `TCAP` here follows the literature.
    - synthpop always treats missing values as with ``missing="category"``, and a level called "Missing" as a missing value.
    - synthpop groups numbers on request; here, use `group_numbers`.
    - ``not.targetlev`` corresponds to `harmless`. In synthpop it also makes records unique that are not unique (UiO, repU),
      and TCAP counts only keys that occur in the release with another value. Here, `harmless` does not affect
      `replicated_uniques`, and `TCAP_present` remains DiSCO / iS.
    - The checks of synthpop correspond to `check_1way` and `check_2way`, which return shares and also return rows that are
      not flagged.
    - synthpop matches tables by position and is wrong if ungrouped numbers, sorted as text, are in another order than the
      sorted numbers. Here, values are matched by value.
    - synthpop counts a declared level of a key as present even if it has no records in the release.
    - synthpop uses only the first dataset if a column, key or not, has whole numbers in one file and fractions in the other.

    ``synthlab crosscheck synthpop`` compares the two implementations.

    References
    ----------
    Raab, G. M., Nowok, B. and Dibben, C. (2025). Practical privacy metrics for synthetic data. arXiv:2406.16826.
    Taub, J. and Elliot, M. (2019). The synthetic data challenge. UNECE/Eurostat Work Session on SDC.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> people = pd.DataFrame({"region": list("NNSSEE"), "ill": ["yes", "yes", "no", "no", "no", "yes"]})
    >>> released = people.assign(ill=["yes", "yes", "no", "yes", "yes", "yes"])
    >>> someone = sl.Intruder(known=["region"], synthesized=["ill"])
    >>> print(sl.attribute_disclosure(people, released, someone, target="ill").title)
    The release tells ill rightly and for sure of 50.0% of 6 people (DiSCO), to an intruder who knows region; the confidential data
    would tell it of 66.7% (Dorig)
    """
    check_intruder(intruder, "attribute_disclosure", ("missing",))
    target = _checks.check_text(target, "target")
    if target not in intruder.synthesized:
        raise InputError("target: is not among the synthesized variables of the intruder; choose one of them")
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    own, others = key_codes(frame, release, intruder, "attribute_disclosure", target, refused=REFUSED)
    if target in radius_names(intruder) or _checks.looks_continuous(frame[target]):
        raise InputError(
            f"target={target!r}: holds measurements, which are almost never equal; convert them to groups with group_numbers"
        )
    values = [one[target] for one in (frame, *release)]
    kept = _not_harmless(values, harmless)
    found = disclosed_values([own, *others], block_codes([frame, *release], [target], "category"), kept)
    return AttributeDisclosureResult(
        determined=_checks.read_only(found.determined[0]),
        present=_checks.read_only(found.present),
        claimed=_checks.read_only(found.claimed),
        disclosed=_checks.read_only(found.disclosed),
        synthetic_determined=_checks.read_only(np.array([float(one.mean()) for one in found.determined[1:]])),
        levels=_checks.read_only(pd.factorize(frame[target], use_na_sentinel=False)[0]),
        cells=_checks.read_only(found.cells),
        counted=_checks.read_only(kept[0]),
        records=frame[[*intruder.known, target]].reset_index(drop=True),
        intruder=intruder,
        target=target,
    )


@dataclass(frozen=True, slots=True, eq=False)
class DisclosedValues:
    """Rows whose known values determine their target; see `AttributeDisclosureResult`.

    determined : for each file, whether the value of each row is determined in this file. present, claimed, disclosed : (n, m).
    cells : (n,) codes of known values and target of the confidential rows.
    """

    determined: list[BoolArray]
    present: BoolArray
    claimed: BoolArray
    disclosed: BoolArray
    cells: IntArray


def disclosed_values(
    keys: Sequence[IntArray],
    targets: Sequence[IntArray],
    kept: Sequence[BoolArray],
    counts: Sequence[IntArray] | None = None,
) -> DisclosedValues:
    """Return the rows whose target is determined, from codes of known values and of the target in each file.

    `kept` marks the rows whose value is not harmless. `counts` gives the number of records that each row stands for.
    """
    cells = _joined(keys, targets)
    sizes, many = record_counts(keys, counts), record_counts(cells, counts)
    determined, present, claimed, disclosed = [], [], [], []
    for key, cell, left, size, number in zip(keys, cells, kept, sizes, many, strict=True):
        sure = number[cell] == size[key]
        determined.append(sure & left)
        sure_keys = np.zeros(size.size, dtype=bool)
        sure_keys[key[sure]] = True
        present.append((size[keys[0]] > 0) & kept[0])
        claimed.append(sure_keys[keys[0]] & kept[0])
        disclosed.append((number[cells[0]] > 0) & claimed[-1])
    there, sure_there, right = (np.column_stack(one[1:]) for one in (present, claimed, disclosed))
    return DisclosedValues(determined, there, sure_there, right, cells[0])


def _joined(keys: Sequence[IntArray], targets: Sequence[IntArray]) -> list[IntArray]:
    """Return one code per record for the combination of key and target, in each file."""
    ends = np.cumsum([codes.size for codes in keys])[:-1]
    target = np.concatenate(targets)
    pairs = np.concatenate(keys) * np.int64(target.max(initial=0) + 1) + target
    return np.split(pd.factorize(pairs)[0].astype(np.int64), ends)


def _not_harmless(values: Sequence[pd.Series], harmless: Sequence[object]) -> list[BoolArray]:
    """Return which values are not harmless; raise if a harmless value never occurs."""
    what = "a list of values of the target"
    if (
        isinstance(harmless, str | bytes | Set | Mapping)
        or not isinstance(harmless, Iterable)
        or _checks.dimensions(harmless) == 0
    ):
        raise InputError(f"harmless: must be {what}, got {_checks.described(harmless)}")
    listed: list[Any] = list(harmless)
    found = [np.zeros(series.size, dtype=bool) for series in values]
    for position, one in enumerate(listed):
        if not pd.api.types.is_scalar(one):
            raise InputError(f"harmless: must be {what}, got {_checks.described(one)} at position {position}")
        same = [(series.isna() if pd.isna(one) else (series == one).fillna(False)).to_numpy(bool) for series in values]
        if not any(s.any() for s in same):
            raise InputError(
                f"harmless: the value at position {position} of {len(listed)} does not occur in the target; remove it"
            )
        found = [f | s for f, s in zip(found, same, strict=True)]
    return [~f for f in found]
