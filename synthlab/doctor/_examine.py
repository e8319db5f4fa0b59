"""All checks, and the forms in which they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from synthlab.doctor import _lessons, _machine, _package, _r
from synthlab.doctor._check import Check, within

if TYPE_CHECKING:
    import pandas as pd

SECONDS = 180.0
REQUIRED = ("packages", "compiled code", "bundled data")


def examine() -> list[Check]:
    """Look for everything the package and a class can use, and say what is missing and what that costs.

    Returns
    -------
    list of Check
        What is required comes first. A check that cannot be made in time is "broken", and says so.

    Examples
    --------
    >>> from synthlab.doctor import examine
    >>> examine()[0].name
    'Python'
    """
    return within(
        SECONDS,
        {
            "packages": _package.look_up,
            "compiled code": _machine.compiled_code,
            "bundled data": _machine.bundled_data,
            "extras": _package.extras,
            "R": _r.look_up,
            "data": _machine.surveys,
            "folders": _machine.folders,
            "machine": _machine.machine,
            "compiler": _machine.compiler,
            "browser": _machine.browser,
            "kernel": _lessons.kernel,
            "port": _lessons.port,
        },
        required=REQUIRED,
    )


def is_working(checks: Sequence[Check]) -> bool:
    """Return whether everything that is required is in order.

    Examples
    --------
    >>> from synthlab.doctor import Check, is_working
    >>> is_working([Check("numpy", "ok", required=True), Check("R", "missing")])
    True
    """
    return all(check.state == "ok" for check in checks if check.required)


def to_frame(checks: Sequence[Check]) -> pd.DataFrame:
    """Return one row per check.

    Examples
    --------
    >>> from synthlab.doctor import Check, to_frame
    >>> to_frame([Check("R", "missing")])["state"].tolist()
    ['missing']
    """
    import pandas as pd

    return pd.DataFrame([asdict(check) for check in checks])


def to_dict(checks: Sequence[Check], version: str) -> dict[str, Any]:
    """Return the versions, whether everything required is in order, and every check, for JSON.

    Examples
    --------
    >>> from synthlab.doctor import Check, to_dict
    >>> to_dict([Check("numpy", "missing", required=True)], "1.0")["works"]
    False
    """
    from synthlab import _about

    known, (digest, files) = _about.commit(), _about.data_version()
    return {
        "version": version,
        "distribution": _about.DISTRIBUTION,
        "commit": known.name,
        "commit_source": known.source,
        "commit_changed": known.changed,
        "data_sha256": digest,
        "data_files": files,
        "works": is_working(checks),
        "checks": [asdict(check) for check in checks],
    }
