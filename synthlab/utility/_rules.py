"""Select the combining rule of a release by its provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.release._manifest import RECORDS
from synthlab.utility._combined import CombinedResult
from synthlab.utility.combining import combine_full, combine_nested, combine_partial
from synthlab.utility.combining_populations import combine_pseudo_populations

# The key of the provenance that gives the number of nests, by kind of synthesis.
KEYS = {"nested": "nests", "pseudo-population": "pseudo_populations"}
MAKERS = {"nested": "Imputed.synthesize", "pseudo-population": "synthesize_pseudo_populations"}
BY_HAND = {"nested": "combine_nested", "pseudo-population": "combine_pseudo_populations"}
SYNTHESES = ("partial", "full", *KEYS)
Rule = Callable[..., CombinedResult]


def rule_of(release: Release | None, synthesis: str | None) -> Rule:
    """Return the combining rule, a function of estimates and variances of shape (m, p).

    Parameters
    ----------
    release : Release or None
        None for fitted models, which have no provenance.
    synthesis : str or None
        Kind of synthesis chosen by the caller. By default, the kind stated by the provenance, "full" if the number of
        records was chosen, or "partial".

    Raises
    ------
    InputError
        The choice contradicts the provenance, or the provenance does not fit the number of datasets.
    """
    provenance: Mapping[str, Any] = MappingProxyType({}) if release is None else release.provenance
    stated = [kind for kind, key in KEYS.items() if provenance.get(key) is not None]
    if len(stated) > 1:
        raise InputError("synthetic: its provenance has both nests and pseudo_populations; give the one that applies")
    resized = provenance.get(RECORDS) is not None
    kind = synthesis or (stated[0] if stated else "full" if resized else "partial")
    if resized and kind == "partial":
        raise InputError(
            'synthesis="partial": the release has another number of records than the confidential data, so its rows '
            'correspond to no record; use synthesis="full"'
        )
    if stated and kind != stated[0]:
        raise InputError(
            f'synthesis="{kind}": the release comes from {MAKERS[stated[0]]}, so its rule is "{stated[0]}"; omit synthesis'
        )
    if kind not in KEYS:
        return combine_partial if kind == "partial" else combine_full
    if release is None or not stated:
        raise InputError(
            f'synthesis="{kind}": requires a release of {MAKERS[kind]}, whose provenance states the number of nests; '
            f"combine other estimates with {BY_HAND[kind]}"
        )
    nests, least = provenance[KEYS[kind]], 2 if kind == "nested" else 1
    if type(nests) is not int or nests < 2 or release.m % nests or release.m < least * nests:
        raise InputError(
            f"synthetic: its provenance must state in {KEYS[kind]!r} the number of nests, at least 2, with {least} or more of the "
            f"m = {release.m} datasets in each"
        )
    if kind == "nested":
        return partial(_in_nests, combine_nested, nests)
    options = {
        "parameters": provenance.get("parameters", "fixed"),
        "fraction": provenance.get("sampling_fraction", 0.0),
    }
    return partial(_in_nests, combine_pseudo_populations, nests, **options)


def _in_nests(rule: Rule, nests: int, estimates: FloatArray, variances: FloatArray, **options: Any) -> CombinedResult:
    shape = (nests, -1, estimates.shape[1])
    return rule(estimates.reshape(shape), variances.reshape(shape), **options)
