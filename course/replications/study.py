"""Base classes of the replications: data, resumable jobs, recorded tables, published numbers and claims."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pandas as pd

from replications import checkpoints, claims, published
from replications.checkpoints import Job
from replications.paper_tables import FOLDER
from synthlab._system import parallel
from synthlab._typing import PathOrStr, RngLike
from synthlab.exceptions import InputError

Tables = dict[str, pd.DataFrame]
SAID = {"claims": 8, "published": 10}  # tables of every study, with their significant digits


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Result:
    """Results of a study.

    Attributes
    ----------
    claims : pandas.DataFrame
        One row per statement of the paper and study; see `replications.claims`.
    published : pandas.DataFrame
        One row per published number; see `replications.published`.
    folder : Path or None
        Folder of the written tables; None for recorded results.
    """

    claims: pd.DataFrame
    published: pd.DataFrame
    folder: Path | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return every published number with the computed number, one row per number."""
        return self.published.copy()

    def summary(self) -> pd.DataFrame:
        """Return the claims of the paper with their verdicts."""
        return self.claims.copy()

    def describe(self) -> str:
        """Return a summary in a few sentences."""
        return counted(self.claims, self.published)

    def notice(self) -> str:
        """Return what a quick run does not judge; empty if every verdict was given."""
        counts = [(self.claims["verdict"], "statements"), (self.published["status"], "published numbers")]
        missing = [
            f"{n} of {len(column)} {what}" for column, what in counts if (n := int((column == claims.QUICK).sum()))
        ]
        if not missing:
            return ""
        return f"Quick run without verdicts on {' and '.join(missing)}: a verdict needs at least {claims.LEAST} repetitions."

    def details(self) -> str:
        """Return the claims as text."""
        return claims.lines(self.claims)

    def __str__(self) -> str:
        tables = "" if self.folder is None else f"tables: {self.folder}"
        return "\n\n".join(part for part in (self.notice(), self.describe(), self.details(), tables) if part)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        text = " ".join(part for part in (self.notice(), self.describe()) if part)
        return f"<p>{escape(text)}</p>" + self.claims.to_html(index=False)


R = TypeVar("R", bound=Result)


class Study(ABC, Generic[R]):
    """Base class of the replications.

    Attributes
    ----------
    name : str
        Name of the folder of the recorded tables and of the output folder.
    paper : str
        Authors.
    result : type
        Type of the return values of `recorded` and `run`.
    seed : int or None
        Seed of the recorded run; None for studies without random numbers.
    full, quick : mapping
        Sizes of the recorded run and of a quick run; `quick` is empty for studies that take seconds.
    raw, derived : mapping {table: significant digits}
        Tables that a run computes, and tables that follow from them.
    packed : tuple of str
        Names of the tables with compressed files.
    options : tuple of str
        Names of the additional arguments of `run`.
    takes : tuple of two str
        Duration of a full and of a quick run in words; empty for seconds.
    small : bool
        Whether a quick run can finish before other processes have started.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
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

    @property
    def notebook(self) -> str:
        """Path of the notebook of the study in the repository."""
        return f"course/replications/{self.name}/{self.name}.ipynb"

    @abstractmethod
    def derive(self, raw: Tables) -> dict[str, Any]:
        """Return the other fields of the result, including claims and published numbers, from the raw tables."""

    def load(self, size: Mapping[str, Any], **options: Any) -> Any:
        """Return the data of the study."""

    def source(self, data: Any) -> dict[str, Any]:
        """Return the settings besides seed and size on which the finished pieces of a run depend."""
        return {}

    def jobs(self, seed: int, size: Mapping[str, Any], data: Any) -> list[Job]:
        """Return the jobs of a run, one per piece."""
        raise NotImplementedError

    def collect(self, pieces: checkpoints.Pieces, data: Any) -> Tables:
        """Return the raw tables from the finished pieces."""
        raise NotImplementedError

    def compute(self, seed: int, size: Mapping[str, Any], folder: Path, progress: bool, **options: Any) -> Tables:
        """Return the raw tables, with the finished pieces of an interrupted run in the folder."""
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
        """Run the study and write its tables as CSV files.

        Parameters
        ----------
        quick : bool
            Run a smaller version as a test. Its claims and published numbers have no verdict from fewer than ten
            repetitions.
        folder : path, optional
            Output folder. Default: ``build/replication`` and the name (with ``_quick``). Finished pieces of an
            interrupted run with the same seed are reused.
        rng : int, optional
            Seed. Default: the seed of the recorded result.
        progress : bool
            Show a progress bar on standard error.
        **options
            Additional arguments of a study, such as the ``version`` of the data of `intruder`.

        Returns
        -------
        Result
            The result of the study.

        Raises
        ------
        InputError
            If the study does not have such an option, a quick version or random numbers, if `rng` is not a whole number, or if
            the folder contains pieces of a run with another seed, size or data.
        """
        self.check(quick, rng, options)
        seed = checkpoints.check_seed(rng, self.seed or 0)
        where = Path(folder if folder is not None else f"build/replication/{self.name}" + ("_quick" if quick else ""))
        if progress and self.takes[quick]:
            sys.stderr.write(f"{self.name}: {self.takes[quick]}; finished pieces in {where} are reused\n")
        with (
            parallel.one_thread()
        ):  # with two threads, a matrix with hundreds of rows takes many times as long on a busy machine
            tables = self.compute(seed, self.quick if quick else self.full, where, progress, **options)
        # Derived tables are computed from the rounded raw tables, so that they follow from the recorded files.
        raw = {name: checkpoints.rounded(tables[name], digits) for name, digits in self.raw.items()}
        result = self.assemble(raw, where)
        if quick:
            result = _without_verdicts(result)
        for name, digits in {**self.raw, **self.derived, **SAID}.items():
            table = raw[name] if name in raw else getattr(result, name)
            checkpoints.write_table(table, where / self.file(name), digits)
        return result

    def check(self, quick: bool, rng: RngLike, options: Mapping[str, Any]) -> None:
        """Raise `InputError` for arguments that the study does not have."""
        said = self.name.replace("_", "-")
        for name in options:
            if name not in self.options:
                raise InputError(f"{name}: {said!r} does not have this argument; omit it")
        if quick and not self.quick:
            raise InputError(
                f"quick=True: {said!r} does not have a quick version; omit it, because the study takes seconds"
            )
        if rng is not None and self.seed is None:
            raise InputError(f"rng={rng!r}: {said!r} does not use random numbers; omit it")

    def recorded(self) -> R:
        """Return the recorded result of the full run; derived tables are recomputed.

        Raises
        ------
        InputError
            If a recorded table is missing or has other columns, because another version of the package wrote it.

        Examples
        --------
        >>> from replications import dp
        >>> dp.recorded().table_2["published"].tolist()
        [10.1, 8.16, 7.3, 6.09, 5.71]
        """
        try:
            return self.assemble({name: self.read(name) for name in self.raw})
        except (KeyError, FileNotFoundError) as error:
            raise InputError(
                f"the recorded result of {self.name} belongs to another version of synthlab ({error}); install the files of "
                f"this version, or compute it with: synthlab replicate {self.name.replace('_', '-')}"
            ) from error

    def read(self, name: str) -> pd.DataFrame:
        """Return a table of the recorded run."""
        with (FOLDER / self.name / self.file(name)).open("rb") as file:
            return pd.read_csv(file, compression="gzip" if name in self.packed else None)

    def file(self, name: str) -> str:
        """Return the name of the file of a table."""
        return f"{name}.csv.gz" if name in self.packed else f"{name}.csv"

    def summary(self) -> pd.DataFrame:
        """Return the counts of claims by verdict and of published numbers by status in the recorded result."""
        found = self.recorded()
        return tally(found.claims, found.published)


def _without_verdicts(result: R) -> R:
    """Return the result of a quick run without the verdicts from too few repetitions."""
    return replace(
        result,
        claims=claims.without_verdicts(result.claims),
        published=published.without_verdicts(result.published),
    )


def tally(found: pd.DataFrame, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of claims by verdict and published numbers by status, one row per paper and a total."""
    verdicts = pd.crosstab(found["paper"], found["verdict"]).reindex(columns=list(claims.VERDICTS), fill_value=0)
    statuses = pd.crosstab(numbers["paper"], numbers["status"]).reindex(columns=list(published.STATUSES), fill_value=0)
    names = dict.fromkeys([*found["paper"], *numbers["paper"]])
    table = pd.concat({"claims": verdicts, "published numbers": statuses}, axis=1).reindex(list(names)).fillna(0)
    table.loc["in all"] = table.sum()
    return table.astype(int).rename_axis(index="paper", columns=["", ""])


def counted(found: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """Return the counts of claims by verdict and of published numbers by status, as text."""
    verbs = dict(zip(claims.VERDICTS, ("hold", "hold in part", "do not hold", "cannot be tested"), strict=True))
    verbs[claims.QUICK] = "have no verdict"
    statuses = {one: one for one in published.STATUSES} | {claims.QUICK: "without a verdict"}
    parts = []
    for what, column, words in (
        ("statements", found["verdict"], verbs),
        ("published numbers", numbers["status"], statuses),
    ):
        counts = [f"{n} {text}" for word, text in words.items() if (n := int((column == word).sum()))]
        parts += [f"Of {len(column)} {what} {', '.join(counts)}."] * bool(counts)
    return " ".join(parts)
