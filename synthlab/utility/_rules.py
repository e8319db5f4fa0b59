"""Select the combining rule of a release by its provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from synthlab import _checks
from synthlab._typing import FloatArray
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.release.manifest import GIVEN, PARAMETERS, SYNTHESIS
from synthlab.utility._combined import CombinedResult
from synthlab.utility.combining import (
    PARAMETER_STATUSES,
    combine_full,
    combine_nested,
    combine_partial,
    without_rule,
)
from synthlab.utility.combining_populations import combine_pseudo_populations

# The key of the provenance that gives the number of nests, by kind of synthesis.
KEYS = {"nested": "nests", "pseudo-population": "pseudo_populations"}
MAKERS = {"nested": "Imputed.synthesize", "pseudo-population": "synthesize_pseudo_populations"}
BY_HAND = {"nested": "combine_nested", "pseudo-population": "combine_pseudo_populations"}
STATED = ("partial", "full", *KEYS)
SYNTHESES = (*STATED, "none")
ASK = (
    'state how it was made: synthesis="full" if every variable is synthetic, with parameters="fixed" (one set of estimates, '
    'such as trees), "drawn" (new parameters for each dataset) or "mixed" (some drawn, or weighted records)'
)
Rule = Callable[..., CombinedResult]


def rule_of(
    release: Release | None, synthesis: str | None, parameters: str | None, ratio: float | None
) -> tuple[Rule, str]:
    """Return the combining rule, a function of estimates and variances of shape (m, p), and who stated the synthesis.

    Parameters
    ----------
    release : Release or None
        None for fitted models, which have no provenance.
    synthesis, parameters : str or None
        The arguments of `analysis_utility`.
    ratio : float or None
        n_syn / n; None if it is not known.

    Returns
    -------
    rule : callable
    stated_by : {"provenance", "synthesis", "default"}
        Whether the kind of synthesis is stated by the provenance or by the argument `synthesis`, or is not stated.

    Raises
    ------
    InputError
        The choice contradicts the provenance, the provenance does not fit the datasets, or the kind of synthesis must
        be stated.
    """
    provenance: Mapping[str, Any] = MappingProxyType({}) if release is None else release.provenance
    if synthesis == "none":
        if parameters is not None:
            raise InputError('parameters: applies only to synthesis="full"; omit it')
        return without_rule, "synthesis"
    if provenance.get(GIVEN) is not None:
        raise InputError(
            "synthetic: its records were generated with given=, which chose their rows, so no combining rule applies; "
            'use synthesis="none" to get the estimates and the dataset overlap without combined intervals'
        )
    stated = _stated(provenance)
    if stated is not None and synthesis not in (None, stated):
        maker = f"comes from {MAKERS[stated]}" if stated in MAKERS else f"states {stated} synthesis in its provenance"
        raise InputError(f'synthesis="{synthesis}": the release {maker}, so its rule is "{stated}"; omit synthesis')
    kind = synthesis or stated
    stated_by = "provenance" if stated else "synthesis" if synthesis else "default"
    if kind is None:
        if ratio not in (None, 1.0):
            raise InputError(
                "synthetic: has another number of records than the confidential data, and its provenance does not state how "
                f"it was made; {ASK}"
            )
        kind = "partial"
    if kind == "full":
        return _full(provenance, parameters, ratio), stated_by
    if parameters is not None:
        raise InputError(
            f'parameters: applies only to synthesis="full", but the kind of synthesis is "{kind}"; omit it'
        )
    if kind == "partial":
        if release is not None and ratio != 1.0:
            raise InputError(
                'synthesis="partial": the synthetic data must have as many records as the confidential data; compare them '
                f'with the confidential records of which they were made, use synthesis="none", or {ASK}'
            )
        return combine_partial, stated_by
    return _nested(kind, release, provenance, stated == kind), stated_by


def _stated(provenance: Mapping[str, Any]) -> str | None:
    """Return the kind of synthesis that a provenance states, if any."""
    kinds = [kind for kind, key in KEYS.items() if provenance.get(key) is not None]
    if len(kinds) > 1:
        raise InputError("synthetic: its provenance has both nests and pseudo_populations; give the one that applies")
    stated = provenance.get(SYNTHESIS)
    if stated is not None and (stated not in STATED or (kinds and stated != kinds[0])):
        raise InputError(
            f"synthetic: its provenance must state in {SYNTHESIS!r} one of {_checks.shorten(STATED)}, and the one of its nests"
        )
    return kinds[0] if kinds else stated


def _full(provenance: Mapping[str, Any], parameters: str | None, ratio: float | None) -> Rule:
    """Return the rule for full synthesis."""
    known = provenance.get(PARAMETERS)
    if known is not None and known not in PARAMETER_STATUSES:
        raise InputError(
            f"synthetic: its provenance must state in {PARAMETERS!r} one of {_checks.shorten(PARAMETER_STATUSES)}"
        )
    if parameters is None and known is None:
        raise InputError(f"parameters: must be given, because the provenance does not state it; {ASK}")
    if None not in (parameters, known) and parameters != known:
        raise InputError(f'parameters="{parameters}": the provenance of the release states "{known}"; omit parameters')
    if ratio is None:
        raise InputError(
            "size_ratio: must be given for synthesis='full', because not all models state their number of records, or the "
            "synthetic datasets differ in size"
        )
    return partial(combine_full, parameters=parameters or known, size_ratio=ratio)


def _nested(kind: str, release: Release | None, provenance: Mapping[str, Any], stated: bool) -> Rule:
    """Return the rule for datasets in nests."""
    if release is None or not stated:
        raise InputError(
            f'synthesis="{kind}": requires a release of {MAKERS[kind]}, whose provenance states the number of nests; '
            f"combine other estimates with {BY_HAND[kind]}"
        )
    nests, least = provenance.get(KEYS[kind]), 2 if kind == "nested" else 1
    if type(nests) is not int or nests < 2 or release.m % nests or release.m < least * nests:
        raise InputError(
            f"synthetic: its provenance must state in {KEYS[kind]!r} the number of nests, at least 2, with {least} or more of the "
            f"m = {release.m} datasets in each"
        )
    if kind == "nested":
        return partial(_in_nests, combine_nested, nests)
    options = {
        "parameters": provenance.get(PARAMETERS, "fixed"),
        "fraction": provenance.get("sampling_fraction", 0.0),
    }
    return partial(_in_nests, combine_pseudo_populations, nests, **options)


def _in_nests(rule: Rule, nests: int, estimates: FloatArray, variances: FloatArray, **options: Any) -> CombinedResult:
    shape = (nests, -1, estimates.shape[1])
    return rule(estimates.reshape(shape), variances.reshape(shape), **options)
