"""Attribute disclosure by keys that determine a value: Dorig, DiSCO, DiS and both readings of TCAP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import BoolArray, FrameLike, FrameOrFrames, IntArray
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder, check_intruder
from synthlab.matching.kernel import block_codes
from synthlab.release import as_release
from synthlab.risk.attribute._disclosure_result import AttributeDisclosureResult
from synthlab.risk.identification.replicated_uniques import key_codes, radius_names

REFUSED = {"never": "records whose missing value equals no other value form no classes"}


def attribute_disclosure(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    intruder: Intruder,
    *,
    target: str,
    harmless: Sequence[object] = (),
) -> AttributeDisclosureResult:
    r"""Share of the people whose value of a variable follows from what the intruder knows, in the data and the release.

    The known values k determine the target in a file if all its records with k have one value of it. A confidential record
    is disclosed if its known values determine the target in the release, and rightly:

    .. math:: DiSCO = \frac{1}{n} \#\{i : s_{k_i t_i} = s_{k_i} > 0\},

    where :math:`s_k` and :math:`s_{kt}` count the synthetic records with known values k, and with target t besides.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        The data as collected.
    synthetic : DataFrame, sequence of DataFrames, Release, or paths of files
        m datasets, of any number of rows.
    intruder : Intruder
        `known` are the keys, at least one, compared by value; `target` is among `synthesized`. With ``missing="category"``
        a missing value is a value like others; "never" is an error, because records whose missing value equals no other value
        form no classes.
    target : str
        The variable that is to follow, compared by value. A continuous one is refused: by value nothing would ever follow;
        `group_numbers` makes groups of it.
    harmless : sequence of values
        Values of the target that do no harm when they are told, such as "no illness": whoever has one is counted nowhere,
        but for the denominators n and the number of synthetic records. None or NaN stands for a missing value.

    Returns
    -------
    AttributeDisclosureResult

    Raises
    ------
    InputError
        If the intruder knows nothing, the target is none of the synthesized variables or looks continuous, a variable is
        not in both files, an option of the intruder plays no part here, or a harmless value is no value of the target.
    DtypeMismatchError
        A column holds numbers in one frame and text in the other.
    MissingValueError
        Missing values with ``missing="raise"``.

    Notes
    -----
    The order of the rows plays no part. Where the keys say much about the target in the population they do so in any useful
    release; a high `level_share` means that one frequent value makes up most of what is disclosed.

    R's synthpop 1.9-3 (``disclosure``) gives the same numbers as percentages, with these differences. What it calls TCAP is
    `TCAP_present`; `TCAP` here is that of the literature. A missing value is a value, as with ``missing="category"``. Numbers are
    grouped on request, here by `group_numbers`. ``not.targetlev`` is `harmless`; there it makes records unique that are not
    (UiO, repU), and counts for its TCAP only keys that the release has with another value; here it does not touch
    `replicated_uniques`, and `TCAP_present` stays DiSCO / iS. Its checks are the methods `check_1way` and `check_2way`, in shares
    and with a row also where nothing is flagged. It matches tables by position where the text order of ungrouped numbers is not
    their order, and is wrong there; here values are matched by value. It counts a key's level that the release only declares as
    present in it; it takes a level called "Missing" for a missing value; and it looks at the first dataset alone where
    any column, key or not, is whole in one file and has fractions in the other. ``synthlab crosscheck synthpop`` shows both.

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
        raise InputError("target: is not among the synthesized variables of the intruder, one of which is to follow")
    frame = _checks.check_frame(confidential, "confidential")
    release = as_release(synthetic, like=frame)
    own, others = key_codes(frame, release, intruder, "attribute_disclosure", target, refused=REFUSED)
    if target in radius_names(intruder) or _checks.looks_continuous(frame[target]):
        raise InputError(
            f"target={target!r}: holds measurements, which are never equal; give groups of them, such as group_numbers makes"
        )
    values = [one[target] for one in (frame, *release)]
    kept, *rest = _not_harmless(values, harmless)
    cells, released = _joined([own, *others], block_codes([frame, *release], [target], "category"))
    size = 1 + max(int(codes.max(initial=0)) for codes in (own, *others))
    many = 1 + max(int(codes.max(initial=0)) for codes in (cells, *released))
    present, claimed, disclosed, determined = [], [], [], []
    for keys, joint, left in zip(others, released, rest, strict=True):
        key_counts, cell_counts = np.bincount(keys, minlength=size), np.bincount(joint, minlength=many)
        sure = cell_counts[joint] == key_counts[keys]
        determined.append(float((sure & left).mean()))
        sure_keys = np.zeros(size, dtype=bool)
        sure_keys[keys[sure]] = True
        present.append((key_counts[own] > 0) & kept)
        claimed.append(sure_keys[own] & kept)
        disclosed.append((cell_counts[cells] > 0) & claimed[-1])
    alone = np.bincount(cells, minlength=many)[cells] == np.bincount(own, minlength=size)[own]
    return AttributeDisclosureResult(
        determined=_checks.read_only(alone & kept),
        present=_checks.read_only(np.column_stack(present)),
        claimed=_checks.read_only(np.column_stack(claimed)),
        disclosed=_checks.read_only(np.column_stack(disclosed)),
        synthetic_determined=_checks.read_only(np.array(determined)),
        levels=_checks.read_only(pd.factorize(frame[target], use_na_sentinel=False)[0]),
        cells=_checks.read_only(cells),
        counted=_checks.read_only(kept),
        records=frame[[*intruder.known, target]].reset_index(drop=True),
        intruder=intruder,
        target=target,
    )


def _joined(keys: Sequence[IntArray], targets: Sequence[IntArray]) -> tuple[IntArray, list[IntArray]]:
    """Return one code per record of key and target together, of the confidential data and of each dataset."""
    ends = np.cumsum([codes.size for codes in keys])[:-1]
    target = np.concatenate(targets)
    pairs = np.concatenate(keys) * np.int64(target.max(initial=0) + 1) + target
    own, *others = np.split(pd.factorize(pairs)[0].astype(np.int64), ends)
    return own, others


def _not_harmless(values: Sequence[pd.Series], harmless: Sequence[object]) -> list[BoolArray]:
    """Return where a value is none of the harmless ones, each of which must be a value somewhere."""
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
            raise InputError(f"harmless: the value at position {position} of {len(listed)} is no value of the target")
        found = [f | s for f, s in zip(found, same, strict=True)]
    return [~f for f in found]
