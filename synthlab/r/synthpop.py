"""Releases of R's synthpop: a ``synds`` object as a `Release`, and a `Release` as a ``synds`` object.

Only the structure is read and written, so synthpop itself need not be installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.r.convert import from_r, to_r, vector_to_r
from synthlab.r.session import require
from synthlab.r.sexp import ask, by_name, classes_of, described, element, named_list, names_of, values_of
from synthlab.r.vectors import INT_MAX
from synthlab.release import Release

MADE_BY = "synthpop"
OTHER = "synthlab"  # the method of a variable of a release that synthpop did not make
_WRITTEN = "function(x) paste(deparse(x$call), collapse = ' ')"  # a call that is passed as such would be evaluated
_CALL = "quote(synthlab.r.to_synds(release))"


def from_synds(synds: Any) -> Release:
    """Return the release that a ``synds`` object of R's synthpop holds.

    Parameters
    ----------
    synds : rpy2.rinterface.ListSexpVector
        What ``syn`` or ``syn.strata`` returns; not what ``sdc`` returns where that removed records, as its datasets then
        differ in their number.

    Returns
    -------
    Release
        `synthesized`: the variables that have a method and are in the visit sequence. `provenance`: the method of each
        variable, the visit sequence, whether the synthesis is proper, n and k, and the codes of missing values
        (``cont.na``), which stay in the data. `private`: seed and call. `rows` is "aligned" where some variable was not
        synthesized and n = k, as synthpop then keeps the order of the records; "unknown" for a synthesis by strata.

    Raises
    ------
    InputError
        What is no such object, holds no synthetic data (m = 0), or holds a column without a counterpart.
    RUnavailableError
        R or rpy2 is missing. The package synthpop need not be there.

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
        raise InputError("synds: holds no synthetic data (m = 0); give syn() an m of at least 1")
    datasets = [from_r(frame) for frame in frames]
    columns = list(datasets[0].columns)
    # By strata there is a row of methods and of places for each stratum.
    methods = {name: [str(m) for m in found if m] for name, found in by_name(element(synds, "method")).items()}
    visited = [name for name in names_of(element(synds, "visit.sequence")) if name in columns]
    made = [name for name in columns if methods.get(name) and name in visited]
    n, k = (_sum(element(synds, part)) for part in ("n", "k"))
    aligned = element(synds, "strata.syn") is None and len(made) < len(columns) and n == k == len(datasets[0])
    codes = {name: values_of(found) for name, found in _parts(element(synds, "cont.na"))}
    proper = values_of(element(synds, "proper"))
    provenance = {
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
    """Return a release as a ``synds`` object, which synthpop's ``compare``, ``lm.synds`` and ``utility.gen`` take.

    Parameters
    ----------
    release : Release
        A release whose `synthesized` is stated: synthpop's inference differs where a variable is not synthesized.
    proper : bool, optional
        Whether the parameters of the models were drawn from their posterior distribution (the regressions of this package: True).
        synthpop computes standard errors by it, so it must be given, but for a release that came from `from_synds`.
    n : int, optional
        Number of confidential records. By default that of the release, where its rows are aligned or shuffled; else it
        must be given, but for a release that came from `from_synds`.
    method : mapping, optional
        The method of each synthesized variable, as synthpop shows it. By default as in the provenance, else "synthlab".
    visit_sequence : sequence of str, optional
        The synthesized variables in the order of synthesis. By default as in the provenance, else in that of the columns.

    Returns
    -------
    rpy2.rinterface.ListSexpVector
        The object. It has no ``predictor.matrix`` and no ``models``; seeds are left out.

    Raises
    ------
    InputError
        What is no release, one that does not state `synthesized`, or an argument that is missing or does not fit.
    RUnavailableError
        R or rpy2 is missing. The package synthpop need not be there.

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
        raise InputError("release: does not state its synthesized variables; make it with synthesized=[...]")
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
    """Return the elements of a list with their names."""
    return [] if value is None else list(zip(names_of(value), value, strict=False))


def _sum(counts: Any) -> int:
    """Return a number of records, that of all strata."""
    if classes_of(counts) == ["list"]:  # by dataset and stratum: as many in each dataset
        counts = counts[0]
    return int(sum(v for v in values_of(counts) if v is not None))


def _named(vector: Any, names: Sequence[str]) -> Any:
    from rpy2 import rinterface

    vector.do_slot_assign("names", rinterface.StrSexpVector(list(names)))
    return vector


def _methods(method: Mapping[str, str] | None, made: Sequence[str]) -> dict[str, str]:
    """Return the methods a caller states, checked."""
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
        raise InputError(f"visit_sequence: must hold each synthesized variable once: {_checks.named(list(made))}")
    return names


def _records(release: Release, n: int | None, known: int | None) -> int:
    if n is not None:
        return _checks.check_count(n, "n", maximum=INT_MAX)
    if known:
        return known
    if release.rows == "unknown":
        raise InputError(
            "n: the number of confidential records must be given, as the rows of the release are not declared to be aligned; "
            "synthpop's standard errors depend on it"
        )
    return release.n
