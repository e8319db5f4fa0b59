"""The registry's description of a dataset: its variables, its versions, its files and their sources.

Plain descriptions, nothing is read here.
"""

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
    """One line on a variable, and the dtype it has in every frame of the dataset.

    `dtype` is ``"int64"``, ``"float64"``, or a `pandas.CategoricalDtype` whose categories are the codes (or names)
    that occur: a level that does not occur would be an empty column in a model. `missing`: some values may be absent.
    """

    text: str
    dtype: Literal["int64", "float64"] | pd.CategoricalDtype
    missing: bool = False


def number(text: str) -> Variable:
    """Describe a measurement."""
    return Variable(text=text, dtype="float64")


def whole(text: str) -> Variable:
    """Describe a count, a score or a whole amount."""
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
    """Say that some did not answer; a number must be a measurement, whose dtype has a missing value."""
    return replace(variable, missing=True)


@dataclass(frozen=True, slots=True)
class Upstream:
    """A file in a public GitHub repository, at one commit.

    `convert` names how the published file becomes the one of this package: as it is, without the column of row names
    that R writes, or from an R data file; `sha256` is the published file's where that is another.
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
    """A CSV file: its name, its SHA-256, and, unless it holds the confidential data, its label.

    `more_columns`: the declared variables are among its columns, in any order. A file that users bring, see `_own`, has
    the SHA-256 "" here.
    """

    name: str
    sha256: str
    label: str | None = None
    upstream: Upstream | None = None
    more_columns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a dataset.

    `files` are in the package (`packaged=True`) or on the user's machine; the first holds the
    confidential data, the others its synthetic versions. A version without files is made by
    `make(rng, n)`: read from another package, with the SHA-256 `sha256` of its canonical CSV text,
    or, where `seeded` is true, drawn anew. `synthesized` is for a version whose synthetic versions synthesize other
    variables than those of the dataset. `recode` makes the dataset from the one file that users bring, `bring` says where
    they get it. `title` is its own where that of the dataset is not right.
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
    """Describe synthetic versions: the SHA-256 of each label, which stands in the name of its file for the braces."""
    return tuple(DataFile(name.format(label), sha256, label) for label, sha256 in files.items())


def stand_in(*, rows: int, source: str, files: tuple[DataFile, ...], notes: str) -> Version:
    """Describe the simulated version that is in the package."""
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
    """One dataset: the versions stand in the order in which `load` tries them; `unit` is what a row is, in the plural.

    Those after one that is always there are loaded by name alone.
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
        """Return the title, which for a stand-in says what it is."""
        stands_in = version.kind == "simulated" and self.versions[0].kind == "real"
        return f"simulated stand-in for: {self.title}" if stands_in else version.title or self.title
