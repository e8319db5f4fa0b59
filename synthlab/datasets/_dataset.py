"""Class `Dataset`: a frame with a description of its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import pandas as pd
from pandas.api.types import is_numeric_dtype

from synthlab import _checks
from synthlab.datasets._entry import Kind
from synthlab.exceptions import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Dataset:
    """Survey data, real or simulated, with their description.

    ``frame.attrs["synthlab"]`` of every frame contains ``dataset``, ``version`` and ``kind``. For a synthetic version,
    it also contains its label under ``synthetic``; ``kind`` then describes the confidential data.

    Parameters
    ----------
    name, version : str
        Name and version of the dataset.
    kind : {"real", "simulated"}
        Whether the records describe people who answered a survey, or were simulated by a program.
    title : str
        Title of one line.
    frame : pandas.DataFrame, n rows
        The confidential data.
    roles : mapping
        ``known``: the variables that an intruder would know about a person; ``sensitive``: the variables that an agency
        would synthesize.
    source, licence : str
        Source of the data, and their license.
    variables : mapping
        Description of each variable in one line, with its unit or codes.
    sha256 : str
        SHA-256 of the file of `frame`, or of its canonical CSV text if there is no file.
    synthetic : tuple of pandas.DataFrame
        Synthetic versions of the data, with the rows, columns and dtypes of `frame`.
    labels : tuple of str
        Labels of the synthetic versions.
    synthesized : tuple of str
        Variables in which the synthetic versions differ from `frame`.
    notes : str
        Notes for users.
    unit : str
        Unit that a row represents, in the plural.

    Examples
    --------
    >>> from synthlab import datasets
    >>> survey = datasets.load("affairs")
    >>> survey.kind, survey.frame.shape
    ('real', (6366, 9))
    >>> survey.roles["sensitive"]
    ('affairs',)
    >>> survey.frame.attrs["synthlab"]
    {'dataset': 'affairs', 'version': 'real', 'kind': 'real'}
    """

    name: str
    version: str
    kind: Kind
    title: str
    frame: pd.DataFrame
    roles: Mapping[str, tuple[str, ...]]
    source: str
    licence: str
    variables: Mapping[str, str]
    sha256: str
    synthetic: tuple[pd.DataFrame, ...] = ()
    labels: tuple[str, ...] = ()
    synthesized: tuple[str, ...] = ()
    notes: str = ""
    unit: str = "records"

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", _checks.ReadOnlyMapping(self.roles))
        object.__setattr__(self, "variables", _checks.ReadOnlyMapping(self.variables))
        tag = {"dataset": self.name, "version": self.version, "kind": self.kind}
        self.frame.attrs["synthlab"] = tag
        for label, frame in zip(self.labels, self.synthetic, strict=True):
            frame.attrs["synthlab"] = tag | {"synthetic": label}

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.frame)

    @property
    def is_real(self) -> bool:
        """Whether the records describe people who answered a survey."""
        return self.kind == "real"

    def synthetic_version(self, label: str) -> pd.DataFrame:
        """Return the synthetic version with this label, for example ``"lecture"``."""
        if not self.labels:
            raise InputError(f"label={label!r}: dataset {self.name!r} ({self.version}) has no synthetic versions")
        return self.synthetic[self.labels.index(_checks.check_choice(label, "label", self.labels))]

    def summary(self) -> pd.DataFrame:
        """Return one row per variable, with its role, dtype, statistics and description.

        The statistics are the number of distinct values, minimum, median and maximum. The median of codes is NaN, as
        are all three statistics of names.
        """
        rows = []
        for name, text in self.variables.items():
            values = self.frame[name]
            coded = isinstance(values.dtype, pd.CategoricalDtype)
            plain = values.astype(values.cat.categories.dtype) if coded else values
            numeric = is_numeric_dtype(plain.dtype)
            rows.append(
                {
                    "variable": name,
                    "role": next((role for role, names in self.roles.items() if name in names), ""),
                    "type": "codes" if coded else str(values.dtype),
                    "distinct": int(values.nunique()),
                    "minimum": float(plain.min()) if numeric else float("nan"),
                    "median": float("nan") if coded else float(plain.median()),
                    "maximum": float(plain.max()) if numeric else float("nan"),
                    "description": text,
                }
            )
        return pd.DataFrame(rows).set_index("variable")

    def _facts(self) -> dict[str, str]:
        real = "real: records of people who answered a survey"
        simulated = "SIMULATED: made by a program, not about real people"
        facts = {
            "Version": self.version,
            "Kind": real if self.is_real else simulated,
            "Size": f"{self.n:,} {self.unit} x {self.frame.shape[1]}",
            "Known": ", ".join(self.roles["known"]) or "none",
            "Sensitive": ", ".join(self.roles["sensitive"]),
        }
        if self.synthetic:
            facts["Synthetic"] = (
                f"{len(self.synthetic)} ({', '.join(self.labels)}); synthesized: {', '.join(self.synthesized)}"
            )
        facts |= {"Source": self.source, "Licence": self.licence, "SHA-256": self.sha256}
        if self.notes:
            facts["Notes"] = self.notes
        return facts

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, version={self.version!r}, kind={self.kind!r}, n={self.n})"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.title}"]
        lines += [f"  {label + ':':<11}{text}" for label, text in self._facts().items()]
        width = max(map(len, self.variables)) + 2
        lines += ["  Variables:", *(f"    {name:<{width}}{text}" for name, text in self.variables.items())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        facts = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in self._facts().items())
        variables = "".join(f"<tr><td>{escape(k)}</td><td>{escape(v)}</td></tr>" for k, v in self.variables.items())
        return (
            f"<h4>{escape(self.name)}: {escape(self.title)}</h4><table>{facts}</table>"
            f"<table><tr><th>variable</th><th>description</th></tr>{variables}</table>"
        )
