"""Conversion of ``synds`` objects of R's synthpop to a `Release`, and back.

The conversion only reads and writes the structure of the objects, so synthpop does not have to be installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.io.r_vectors import INT_MAX
from synthlab.r.convert import from_r, to_r, vector_to_r
from synthlab.r.session import require
from synthlab.r.sexp import ask, by_name, classes_of, described, element, named_list, names_of, values_of
from synthlab.release import Release
from synthlab.release.manifest import PARAMETERS, RECORDS, SYNTHESIS

MADE_BY = "synthpop"
OTHER = "synthlab"  # method of a synthesized variable if synthpop did not create the release
_WRITTEN = "function(x) paste(deparse(x$call), collapse = ' ')"  # deparsed, because a call object would be evaluated when passed
_CALL = "quote(synthlab.r.to_synds(release))"


def from_synds(synds: Any) -> Release:
    """Convert a ``synds`` object of R's synthpop to a `Release`.

    Parameters
    ----------
    synds : rpy2.rinterface.ListSexpVector
        Return value of ``syn`` or ``syn.strata``. The return value of ``sdc`` is not supported if it removed records, because
        its datasets then have different numbers of records.

    Returns
    -------
    Release
        `synthesized` contains the variables that have a method and are in the visit sequence. `provenance` contains the
        method of each variable, the visit sequence, whether the synthesis is proper, n and k, and the codes of missing values
        (``cont.na``), which remain in the data. `private` contains the seed and the call. `rows` is "aligned" if a variable
        was not synthesized and n = k, because synthpop then keeps the order of records. For a synthesis by strata, it is
        "unknown".

    Raises
    ------
    InputError
        If `synds` is not such an object, contains no synthetic data (m = 0), or contains a column without a counterpart.
    RUnavailableError
        If R or rpy2 is missing. The package synthpop is not required.

    Examples
    --------
    >>> import synthlab as sl
    >>> import synthlab.r
    >>> if synthlab.r.probe().has("synthpop"):
    ...     r = synthlab.r.require("synthpop").r
    ...     made = r("synthpop::syn(data.frame(a = 1:40, b = 40:1), m = 2, seed = 1, print.flag = FALSE)")
    ...     release = synthlab.r.from_synds(made)
    ...     assert release.m == 2 and release.synthesized == ("a", "b")
    """
    require()
    if "synds" not in classes_of(synds):
        raise InputError(f"synds: must be a synds object of R's synthpop, not {described(synds)}")
    found = element(synds, "syn")
    frames = [found] if "data.frame" in classes_of(found) else list(found) if classes_of(found) == ["list"] else []
    if not frames:
        raise InputError("synds: contains no synthetic data (m = 0); call syn() with m of at least 1")
    datasets = [from_r(frame) for frame in frames]
    columns = list(datasets[0].columns)
    # A synthesis by strata has one row of methods and of positions per stratum.
    methods = {name: [str(m) for m in found if m] for name, found in by_name(element(synds, "method")).items()}
    visited = [name for name in names_of(element(synds, "visit.sequence")) if name in columns]
    made = [name for name in columns if methods.get(name) and name in visited]
    n, k = (_sum(element(synds, part)) for part in ("n", "k"))
    aligned = element(synds, "strata.syn") is None and len(made) < len(columns) and n == k == len(datasets[0])
    codes = {name: values_of(found) for name, found in _parts(element(synds, "cont.na"))}
    proper = values_of(element(synds, "proper"))
    varying = [c for c in columns if c not in made and any(data[c].nunique(dropna=False) > 1 for data in datasets)]
    facts: dict[str, Any] = {RECORDS: len(datasets[0])}
    if element(synds, "strata.syn") is None and proper and proper[0] is not None:
        facts |= {SYNTHESIS: "partial" if varying else "full", PARAMETERS: "drawn" if proper[0] else "fixed"}
    provenance = {
        **facts,
        "synthesizer": MADE_BY,
        "m": len(datasets),
        "variables": [
            {
                "variable": name,
                "method": ", ".join(dict.fromkeys(methods.get(name, []))),
                "missing_codes": [
                    code for code in codes.get(name, []) if any((data[name] == code).any() for data in datasets)
                ],
            }
            for name in columns
        ],
        "visit_sequence": visited,
        "proper": bool(proper[0]) if proper and proper[0] is not None else None,
        "n": n,
        "k": k,
    }
    private = {"seed": values_of(element(synds, "seed")), "call": str(ask(_WRITTEN, synds)[0])}
    return Release(datasets, made, provenance, rows="aligned" if aligned else "unknown", private=private)


def to_synds(
    release: Release,
    *,
    proper: bool | None = None,
    n: int | None = None,
    method: Mapping[str, str] | None = None,
    visit_sequence: Sequence[str] | None = None,
) -> Any:
    """Convert a `Release` to a ``synds`` object for synthpop.

    Parameters
    ----------
    release : Release
        Release with `synthesized` given, because synthpop's inference differs if a variable is not synthesized.
    proper : bool, optional
        Whether the parameters of the models were drawn from their posterior distribution (True for the regressions of this
        package). Required unless the release comes from `from_synds`, because synthpop's standard errors depend on it.
    n : int, optional
        Number of confidential records. By default, the number of records of the release if its rows are aligned or shuffled.
        Otherwise required, unless the release comes from `from_synds`.
    method : mapping, optional
        Method of each synthesized variable, as shown by synthpop. By default from the provenance, or "synthlab".
    visit_sequence : sequence of str, optional
        Synthesized variables in the order of synthesis. By default from the provenance, or in column order.

    Returns
    -------
    rpy2.rinterface.ListSexpVector
        Object for synthpop's ``compare``, ``lm.synds`` and ``utility.gen``, without ``predictor.matrix``, ``models`` and seeds.

    Raises
    ------
    InputError
        If `release` is not a release or has no `synthesized`, or if an argument is missing or does not match the release.
    RUnavailableError
        If R or rpy2 is missing. The package synthpop is not required.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> import synthlab.r
    >>> frame = pd.DataFrame({"age": [30, 41, 52], "income": [1200.0, 800.0, 950.0]})
    >>> release = sl.Release([frame], synthesized=["income"], rows="aligned")
    >>> if synthlab.r.probe().usable:
    ...     synds = synthlab.r.to_synds(release, proper=False)
    ...     assert synthlab.r.from_synds(synds).synthesized == ("income",)
    """
    robjects = require()
    if not isinstance(release, Release):
        raise InputError(f"release: must be a Release, got {type(release).__name__}")
    if release.synthesized is None:
        raise InputError("release: does not state its synthesized variables; create it with synthesized=[...]")
    known = release.provenance if release.provenance.get("synthesizer") == MADE_BY else {}
    about = {v["variable"]: v for v in known.get("variables", [])}
    proper = known.get("proper") if proper is None else proper
    if not isinstance(proper, bool):
        raise InputError(
            f"proper={_checks.shown(proper)}: must be True or False: whether the models' parameters were drawn from their "
            "posterior distribution; synthpop's standard errors depend on it"
        )
    columns, made = list(release.frames[0].columns), list(release.synthesized)
    methods = {c: about.get(c, {}).get("method") or OTHER for c in made} | _methods(method, made)
    order = _order(known.get("visit_sequence", made) if visit_sequence is None else visit_sequence, made)
    frames = [to_r(frame) for frame in release.frames]
    codes = [about.get(c, {}).get("missing_codes") or [None] for c in columns]
    parts = {
        "call": robjects.r(_CALL),
        "m": robjects.IntVector([release.m]),
        "syn": frames[0] if release.m == 1 else named_list(None, frames),
        "method": _named(robjects.StrVector([methods.get(c, "") for c in columns]), columns),
        "visit.sequence": _named(robjects.IntVector([columns.index(c) + 1 for c in order]), order),
        "predictor.matrix": robjects.NULL,
        "proper": robjects.BoolVector([proper]),
        "n": robjects.IntVector([_records(release, n, known.get("n"))]),
        "k": robjects.IntVector([release.n]),
        "cont.na": named_list(columns, [vector_to_r(pd.Series(c)) for c in codes]),
        "obs.vars": robjects.StrVector(columns),
    }
    result = named_list(list(parts), list(parts.values()))
    result.rclass = robjects.StrVector(["synds"])
    return result


def _parts(value: Any) -> list[tuple[str, Any]]:
    """Return the names and elements of a list."""
    return [] if value is None else list(zip(names_of(value), value, strict=False))


def _sum(counts: Any) -> int:
    """Return the number of records, summed over all strata."""
    if classes_of(counts) == ["list"]:  # by dataset and stratum; the sums are equal for all datasets
        counts = counts[0]
    return int(sum(v for v in values_of(counts) if v is not None))


def _named(vector: Any, names: Sequence[str]) -> Any:
    from rpy2 import rinterface

    vector.do_slot_assign("names", rinterface.StrSexpVector(list(names)))
    return vector


def _methods(method: Mapping[str, str] | None, made: Sequence[str]) -> dict[str, str]:
    """Return the validated methods of the caller."""
    if method is None:
        return {}
    if not isinstance(method, Mapping) or not all(isinstance(v, str) and v for v in method.values()):
        raise InputError("method: must be a mapping of synthesized variables to text, such as {'income': 'cart'}")
    other = [name for name in method if name not in made]
    if other:
        raise InputError(f"method: {_checks.named(other)} is not synthesized")
    return dict(method)


def _order(order: object, made: Sequence[str]) -> list[str]:
    names = list(_checks.check_names(order, "visit_sequence"))
    if sorted(names) != sorted(made):
        raise InputError(f"visit_sequence: must contain each synthesized variable once: {_checks.named(list(made))}")
    return names


def _records(release: Release, n: int | None, known: int | None) -> int:
    if n is not None:
        return _checks.check_count(n, "n", maximum=INT_MAX)
    if known:
        return known
    if release.rows == "unknown":
        raise InputError(
            "n: is required because the rows of the release are not declared as aligned; give the number of confidential "
            "records, on which synthpop's standard errors depend"
        )
    return release.n
