"""The one form of a replication: data, jobs that resume, what is recorded, published numbers, claims, a page."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pandas as pd

from synthlab._system import parallel
from synthlab._typing import PathOrStr, RngLike
from synthlab.datasets._files import packaged_file
from synthlab.exceptions import InputError
from synthlab.replication import checkpoints, claims, page, published
from synthlab.replication.checkpoints import Job

Tables = dict[str, pd.DataFrame]
SAID = {"claims": 8, "published": 10}  # tables that every study has, and their significant digits


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Result:
    """The findings of a study.

    Attributes
    ----------
    claims : pandas.DataFrame
        One row a statement of the paper: see `synthlab.replication.claims`.
    published : pandas.DataFrame
        One row a published number: see `synthlab.replication.published`.
    folder : Path or None
        Where tables, figures and the page were written.
    """

    claims: pd.DataFrame
    published: pd.DataFrame
    folder: Path | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return every published number with the result, one row each."""
        return self.published.copy()

    def summary(self) -> pd.DataFrame:
        """Return the claims of the paper and whether they hold here."""
        return self.claims.copy()

    def describe(self) -> str:
        """Say how it went."""
        return counted(self.claims, self.published)

    def __str__(self) -> str:
        where = "" if self.folder is None else f"\n\npage: {self.folder / 'index.html'}"
        return f"{self.describe()}\n\n{claims.lines(self.claims)}{where}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.describe())}</p>" + self.claims.to_html(index=False)


R = TypeVar("R", bound=Result)


class Study(ABC, Generic[R]):
    """A replication: subclasses say what is run, what is recorded, and what follows from what is recorded.

    Attributes
    ----------
    name : str
        The folder of its record, and of what a run writes.
    paper, title : str
        Authors, and the title of the page.
    result : type
        What `recorded` and `run` return.
    seed : int or None
        That of the recorded run; None: no random numbers.
    full, quick : mapping
        Sizes of the recorded run and of one that shows that it works; no `quick`: it takes seconds anyway.
    raw, derived : mapping {table: significant digits}
        What a run computes and records, and what follows from it.
    packed : tuple of str
        The tables whose files are compressed.
    options : tuple of str
        What `run` takes besides.
    takes : tuple of two str
        How long a full and a quick run take, in words; empty: seconds.
    small : bool
        Whether a quick run may be over before other processes have started.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    title: ClassVar[str]
    result: type[R]
    seed: ClassVar[int | None] = None
    full: Mapping[str, Any] = {}
    quick: Mapping[str, Any] = {}
    raw: ClassVar[Mapping[str, int]]
    derived: ClassVar[Mapping[str, int]] = {}
    packed: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[str, str]] = ("", "")
    small: ClassVar[bool] = False

    @abstractmethod
    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return all else that the result has, claims and published numbers among it, from what is recorded."""

    def content(self, result: R) -> dict[str, Any]:
        """Return what the template of the page needs, ``figures`` among it: what `content.py` of the folder says."""
        found: dict[str, Any] = import_module(f"{__package__}.{self.name}.content").page_content(result)
        return found

    def load(self, size: Mapping[str, Any], **options: Any) -> Any:
        """Return the data of the study."""

    def source(self, data: Any) -> dict[str, Any]:
        """Return what else than seed and size decides the finished pieces of a run."""
        return {}

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the work of every piece."""
        raise NotImplementedError

    def collect(self, pieces: checkpoints.Pieces, data: Any) -> Tables:
        """Return the raw tables from the finished pieces."""
        raise NotImplementedError

    def compute(self, seed: int, size: Mapping[str, Any], folder: Path, progress: bool, **options: Any) -> Tables:
        """Return the raw tables; pieces of an interrupted run in the folder are used again."""
        data = self.load(size, **options)
        pieces = checkpoints.Pieces(folder / "pieces", {"seed": seed, **self.source(data), **size})
        pieces.finish(self.jobs(seed, size, data), progress, probe=self.small)
        return self.collect(pieces, data)

    def assemble(self, raw: Tables, folder: Path | None = None) -> R:
        """Return the result from the raw tables."""
        return self.result(**raw, **self.derive(raw), folder=folder)

    def run(
        self,
        *,
        quick: bool = False,
        folder: PathOrStr | None = None,
        rng: RngLike = None,
        progress: bool = False,
        **options: Any,
    ) -> R:
        """Run the study, and write tables (CSV), figures and an HTML page.

        Parameters
        ----------
        quick : bool
            A smaller run, to see that it works.
        folder : path, optional
            Where it all goes; by default ``build/replication`` and the name (with ``_quick``). Finished pieces of an
            interrupted run with the same seed are used again.
        rng : int, optional
            Seed; by default that of the recorded result.
        progress : bool
            Show a progress bar on standard error.
        **options
            What a study takes besides: `intruder` the ``version`` of its data.

        Returns
        -------
        Result
            That of the study.

        Raises
        ------
        InputError
            If the study takes no such option, has no quick form or no random numbers, `rng` is not a whole number, or the folder holds
            pieces of a run with another seed, size or data.
        """
        self.check(quick, rng, options)
        seed = checkpoints.check_seed(rng, self.seed or 0)
        where = Path(folder if folder is not None else f"build/replication/{self.name}" + ("_quick" if quick else ""))
        if progress and self.takes[quick]:
            sys.stderr.write(f"{self.name}: {self.takes[quick]}; finished pieces in {where} are used again\n")
        with (
            parallel.one_thread()
        ):  # on a busy machine a matrix of hundreds of rows takes two threads many times as long
            tables = self.compute(seed, self.quick if quick else self.full, where, progress, **options)
        # What follows is computed from what is recorded, to the digits that are recorded.
        raw = {name: checkpoints.rounded(tables[name], digits) for name, digits in self.raw.items()}
        result = self.assemble(raw, where)
        for name, digits in {**self.raw, **self.derived, **SAID}.items():
            table = raw[name] if name in raw else getattr(result, name)
            checkpoints.write_table(table, where / self.file(name), digits)
        self.page(result, where)
        return result

    def check(self, quick: bool, rng: RngLike, options: Mapping[str, Any]) -> None:
        """Refuse what the study does not take."""
        said = self.name.replace("_", "-")
        for name in options:
            if name not in self.options:
                raise InputError(f"{name}: {said!r} takes no such argument")
        if quick and not self.quick:
            raise InputError(f"quick=True: {said!r} has no quick form, it takes seconds anyway")
        if rng is not None and self.seed is None:
            raise InputError(f"rng={rng!r}: {said!r} draws no random numbers")

    def recorded(self) -> R:
        """Return the recorded result of the full run; all that follows from it is recomputed.

        Examples
        --------
        >>> from synthlab.replication import dp
        >>> dp.recorded().table_2["published"].tolist()
        [10.1, 8.16, 7.3, 6.09, 5.71]
        """
        return self.assemble({name: self.read(name) for name in self.raw})

    def read(self, name: str) -> pd.DataFrame:
        """Return a table of the recorded run."""
        with packaged_file(f"replication/{self.name}/{self.file(name)}").open("rb") as file:
            return pd.read_csv(file, compression="gzip" if name in self.packed else None)

    def file(self, name: str) -> str:
        """Return the name of the file of a table."""
        return f"{name}.csv.gz" if name in self.packed else f"{name}.csv"

    def summary(self) -> pd.DataFrame:
        """Return how many claims and published numbers of the recorded result have which verdict and status."""
        found = self.recorded()
        return tally(found.claims, found.published)

    def page(self, result: R, folder: PathOrStr) -> Path:
        """Write ``index.html`` and the figures next to it; return the page."""
        content: dict[str, Any] = {"description": result.describe(), **self.content(result)}
        content |= {"claims": page.claims(result.claims), "published": page.published(result.published)}
        return page.write(Path(folder), f"{self.name}.html.j2", title=self.title, **content)


def tally(found: pd.DataFrame, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return one row a paper and one in all: claims by verdict, published numbers by status."""
    verdicts = pd.crosstab(found["paper"], found["verdict"]).reindex(columns=list(claims.VERDICTS), fill_value=0)
    statuses = pd.crosstab(numbers["paper"], numbers["status"]).reindex(columns=list(published.STATUSES), fill_value=0)
    names = dict.fromkeys([*found["paper"], *numbers["paper"]])
    table = pd.concat({"claims": verdicts, "published numbers": statuses}, axis=1).reindex(list(names)).fillna(0)
    table.loc["in all"] = table.sum()
    return table.astype(int).rename_axis(index="paper", columns=["", ""])


def counted(found: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """Say how many claims hold and where the published numbers lie."""
    verbs = dict(zip(claims.VERDICTS, ("hold", "hold in part", "do not hold", "cannot be tested"), strict=True))
    statuses = dict(zip(published.STATUSES, published.STATUSES, strict=True))
    parts = []
    for what, column, words in (
        ("statements", found["verdict"], verbs),
        ("published numbers", numbers["status"], statuses),
    ):
        counts = [f"{n} {text}" for word, text in words.items() if (n := int((column == word).sum()))]
        parts += [f"Of {len(column)} {what} {', '.join(counts)}."] * bool(counts)
    return " ".join(parts)
