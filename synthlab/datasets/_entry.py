"""Descriptions of datasets, their versions and their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import pandas as pd

from synthlab._typing import RngLike

Kind: TypeAlias = Literal["real", "simulated"]
Conversion: TypeAlias = Literal["as_is", "drop_row_names", "r_data"]
Make: TypeAlias = Callable[[RngLike, int], pd.DataFrame]

RAW_GITHUB = "https://raw.githubusercontent.com"
PUBLIC_DOMAIN = "work of the U.S. government, in the public domain"
OURS = "BSD-3-Clause, as synthlab"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """Description of a variable, and its dtype in every frame of the dataset.

    `dtype` is ``"int64"``, ``"float64"``, or a `pandas.CategoricalDtype` whose categories are the codes or names that
    occur. Levels that do not occur are omitted because they would be empty columns in a model. `missing` states whether
    values can be missing.
    """

    text: str
    dtype: Literal["int64", "float64"] | pd.CategoricalDtype
    missing: bool = False


def number(text: str) -> Variable:
    """Describe a numeric variable with fractions."""
    return Variable(text=text, dtype="float64")


def whole(text: str) -> Variable:
    """Describe a count, a score or an integer amount."""
    return Variable(text=text, dtype="int64")


def codes(text: str, *categories: int, ordered: bool = False) -> Variable:
    """Describe a variable with integer codes that stand for categories."""
    return Variable(text=text, dtype=pd.CategoricalDtype(pd.Index(categories, dtype="int64"), ordered=ordered))


def levels(text: str, last: int, *, ordered: bool = False) -> Variable:
    """Describe a variable with the codes 1 to `last`."""
    return codes(text, *range(1, last + 1), ordered=ordered)


def named(text: str, names: Sequence[object]) -> Variable:
    """Describe a variable whose levels are names."""
    return Variable(text=text, dtype=pd.CategoricalDtype(pd.Index(list(map(str, names)))))


def with_missing(variable: Variable) -> Variable:
    """Declare that values of a variable can be missing.

    An integer dtype cannot have missing values.
    """
    return replace(variable, missing=True)


@dataclass(frozen=True, slots=True)
class Upstream:
    """File in a public GitHub repository, at one commit.

    `convert` names the conversion of the published file: unchanged, without the column of row names that R writes, or
    from an R data file. `sha256` is the digest of the published file if it differs from the converted file.
    """

    repository: str
    commit: str
    path: str
    sha256: str | None = None
    convert: Conversion = "as_is"

    def url(self, base_url: str | None = None) -> str:
        """Return the address of the raw file."""
        from urllib.parse import quote

        base = (base_url or RAW_GITHUB).rstrip("/")
        return f"{base}/{self.repository}/{self.commit}/{quote(self.path)}"


@dataclass(frozen=True, slots=True)
class DataFile:
    """CSV or R data file with its name, its SHA-256, and the label of a synthetic version.

    A file of confidential data has no label. `more_columns` states whether the file can have further columns, in any
    order. The SHA-256 of a file that users supply is "", see `_user_files`.
    """

    name: str
    sha256: str
    label: str | None = None
    upstream: Upstream | None = None
    more_columns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """Version of a dataset.

    `files` are in the package (`packaged=True`) or on the user's machine. The first file contains the confidential
    data, the others its synthetic versions. A version without files is made by `make(rng, n)`: it is read from another
    package, with the SHA-256 `sha256` of its canonical CSV text, or drawn anew if `seeded` is true. `synthesized`
    replaces the synthesized variables of the dataset for this version. `recode` makes the dataset from the
    columns of a published file; `bring` describes where users get a file that they supply themselves. `title` replaces the title of the dataset for this version.
    """

    name: str
    kind: Kind
    rows: int
    source: str
    licence: str
    files: tuple[DataFile, ...] = ()
    packaged: bool = False
    make: Make | None = None
    sha256: str | None = None
    seeded: bool = False
    notes: str = ""
    synthesized: tuple[str, ...] | None = None
    recode: Callable[[pd.DataFrame, str], pd.DataFrame] | None = None
    bring: str = ""
    title: str = ""


def labelled(name: str, files: Mapping[str, str]) -> tuple[DataFile, ...]:
    """Describe synthetic versions; labels replace the braces in the name."""
    return tuple(DataFile(name.format(label), sha256, label) for label, sha256 in files.items())


def stand_in(*, rows: int, source: str, files: tuple[DataFile, ...], notes: str) -> Version:
    """Describe a simulated version that is included in the package."""
    return Version(
        name="simulated",
        kind="simulated",
        rows=rows,
        source=source,
        licence=OURS,
        packaged=True,
        files=files,
        notes=notes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Dataset with its versions, in the order in which `load` tries them.

    Versions after one that is always available are loaded only by name. `unit` is the unit of a row, in the plural.
    """

    name: str
    title: str
    known: tuple[str, ...]
    sensitive: tuple[str, ...]
    variables: dict[str, Variable]
    versions: tuple[Version, ...]
    synthesized: tuple[str, ...] = ()
    unit: str = "records"

    def title_of(self, version: Version) -> str:
        """Return the title of a version; the title of a stand-in states that it is one."""
        stands_in = version.kind == "simulated" and self.versions[0].kind == "real"
        return f"simulated stand-in for: {self.title}" if stands_in else version.title or self.title
