"""Base classes of synthesizers and of their fits, which generate releases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._description import describe
from synthlab._design_covariance import Sampled
from synthlab._formulas.formula import public_formula
from synthlab._system import parallel
from synthlab._typing import FloatArray, FrameLike, IntArray, PathOrStr, RngLike
from synthlab.design import SurveyDesign, check_unsynthesized, read_design
from synthlab.exceptions import InputError, MissingValueError
from synthlab.io.missing_kinds import without_kinds
from synthlab.release import Release
from synthlab.release.manifest import GIVEN, PARAMETERS, RECORDS, SYNTHESIS
from synthlab.synthesizers._design_effect import adjusted
from synthlab.synthesizers._fit_file import write_fit
from synthlab.synthesizers._given import fit_after
from synthlab.synthesizers._pooling import SHARE, FitsInTurn, pool_posteriors
from synthlab.synthesizers._posterior import Diagnostics, Posterior, diagnose, nested_order


@runtime_checkable
class Synthesizer(Protocol):
    """Immutable specification of a model; `fit` estimates it."""

    def fit(
        self,
        confidential: FrameLike,
        *,
        weights: object = None,
        design: SurveyDesign | None = None,
        rng: RngLike = None,
        **sampler: Any,
    ) -> Fitted:
        """Fit the model to the confidential data.

        The synthesizers of this package also accept ``missing`` and ``missing_codes``.

        Parameters
        ----------
        confidential : DataFrame or Dataset, n rows
            The confidential records, at least one; the column names must be text.
        weights : array_like of shape (n,), optional
            Record weights >= 0, not all 0, such as risk weights in [0, 1]; each multiplies the log-likelihood of its
            record. Default: 1 for every record.
        design : SurveyDesign, optional
            The survey design of the records. An implementation of `fit` passes it to `fit_under_design`.
        rng : int, Generator or None
            The same seed gives the same draws.
        **sampler
            Options of the sampler, such as ``draws``, ``tune`` and ``chains``.

        Returns
        -------
        Fitted
            The fit, which generates releases; the specification is not changed.

        Raises
        ------
        InputError
            If the data, the weights or an option cannot be used.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(ABC):
    """Base class of the fits that `Synthesizer.fit` returns.

    A new synthesizer consists of two classes: an immutable specification with a method `fit`, and a subclass of this
    class, which `fit` returns. The subclass must implement `draw`. The base class provides `generate`, `save`, `keep_draws`,
    `pooled`, `diagnostics` and `summary`, and raises an `InputError` for every feature that the model does not have. A
    regression derives from `synthlab.synthesizers.regression.FittedRegression`, which handles the points below.

    Parameters
    ----------
    specification : Synthesizer
        The synthesizer that was fitted.
    confidential : pandas.DataFrame
        The n records to which it was fitted; a copy.
    weights : ndarray of shape (n,) or None
        The record weights of the fit.
    synthesized : tuple of str
        The variables that get synthetic values.
    posterior : Posterior or None
        The posterior draws; None for a method without parameters.
    survey : SurveyDesign or None
        The survey design of the fit; it determines `estimates`.

    Notes
    -----
    A new synthesizer must handle the following points. ``tests/synthesizers/test_contract.py`` checks them for every
    synthesizer that is declared in `synthlab.synthesizers.registry`.

    - Bad input: `check_fit` checks the data and the weights. Raise an `InputError` that names the argument and what is
      allowed, and never shows a value of the data. Reject unknown options.
    - Weights: each weight multiplies the log-likelihood of its record, and a record of weight 0 has no effect.
      Implement `pseudo_log_likelihood` if a weight acts on something else. Pass a `SurveyDesign` to `fit_under_design`.
    - Missing values: with ``missing="keep"`` synthetic values can be missing (`_keeps`); with ``missing="raise"``, or
      if `fit` has no such argument, raise a `MissingValueError`.
    - Random numbers: draw only from ``rng``. The same seed gives the same fit and the same release. `draw` must not
      change the frame that it gets.
    - Sequences: the predictors in the frame of `draw` can be synthetic values, and the frame can have other records
      than the confidential data. Set `records_independent` to False if a record cannot be drawn without the others,
      and `uses_own_values` to True if a released value depends on the confidential value of the record.
    - Densities: implement `log_likelihood` if the model has a likelihood. `log_density`, Lipschitz weights, epsilon and
      attribute risk are based on it. It is -inf, not an error, for a value that the model cannot produce, and never
      NaN. An impossible confidential record makes `lipschitz_weights` and `achieved_epsilon` raise an `InputError`.
    - Saving: worker processes receive the fit, so cloudpickle must be able to copy it. The specification is described
      in ``release.json``, so it must not hold confidential values.

    A subclass can also implement

    - `_log_mass`, if synthetic values are truncated or their density differs from the likelihood;
    - `with_data`, if the fit holds other data of the confidential records, such as a matrix of predictors;
    - `draws_parameters`, if parameters are drawn outside `posterior`, and `parameter_status`, if only some are drawn;
    - `probability_of`, the exact probability of categories, for the risk from an intruder, and
      `predictive_probability`, the probability of intervals, for `expected_identification_probability`;
    - `scales`, the parameters that an intruder averages over the fits to several datasets, see `pooled`;
    - `rows`, if the meaning of row i differs from the default;
    - `n_observations`, if the likelihood is that of units of several records;
    - `needs_records`, if values can be drawn without the confidential records, so that `save` can omit them;
    - `_after`, if a part of the variables can be given, and `_derived`, if variables are computed from others;
    - `_adjusted` and `has_coefficients`, if the coefficients belong to the parts of a model;
    - `_with_draws`, if draws are held outside `posterior`, and `_diagnose`, if convergence is not judged by the
      parameters.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import pandas as pd
    >>> from synthlab.synthesizers import Fitted
    >>> class FittedShuffle(Fitted):
    ...     def draw(self, frame, draw, rng):
    ...         return {c: frame[c].sample(frac=1, random_state=rng).set_axis(frame.index) for c in self.synthesized}
    >>> @dataclass(frozen=True)
    ... class Shuffle:
    ...     variable: str
    ...
    ...     def fit(self, confidential, *, weights=None, rng=None, **sampler):
    ...         return FittedShuffle(self, confidential, weights, (self.variable,), None)
    >>> survey = pd.DataFrame({"age": [20, 30, 40], "income": [1.0, 2.0, 3.0]})
    >>> release = Shuffle("income").fit(survey).generate(m=2, rng=1)
    >>> sorted(release[0]["income"])
    [1.0, 2.0, 3.0]
    """

    scales: ClassVar[Mapping[str, str]] = {}  # parameters that can be averaged over fits: "real", "positive", "share"

    specification: Any
    confidential: pd.DataFrame = field(repr=False)
    weights: FloatArray | None = field(repr=False)
    synthesized: tuple[str, ...]
    posterior: Posterior | None = field(repr=False)
    survey: SurveyDesign | None = field(default=None, repr=False, kw_only=True)

    @property
    def estimates(self) -> str:
        """Sentence that states whether the model refers to the population or the sample."""
        if self.survey is None:
            return "The model refers to the sample: records are not weighted by their probability of selection."
        kept = [column for column in self.confidential.columns if column not in self.synthesized]
        others = "the other variable, which keeps" if len(kept) == 1 else f"the other {len(kept)} variables, which keep"
        given = f", given {others} the distribution of the sample" if kept else ""
        model = f"The model refers to the population (pseudo-likelihood with survey weights{given})."
        return f"{model} {self.survey.describe()}"

    @property
    def n_draws(self) -> int | None:
        """Number of posterior draws; None if any number of datasets can be generated."""
        return None if self.posterior is None else self.posterior.n_draws

    @property
    def draws_parameters(self) -> bool:
        """True if each dataset has its own draw of the parameters; by default, if there are posterior draws."""
        return self.n_draws is not None

    @property
    def parameter_status(self) -> str:
        """Treatment of the parameters, which determines the combining rule for full synthesis.

        "drawn": all parameters are drawn anew for each dataset. "fixed": none is drawn. "mixed": some are drawn, or the
        records have weights in the fit.
        """
        if self.weights is not None:
            return "mixed"
        return "drawn" if self.draws_parameters else "fixed"

    @property
    def _is_complete(self) -> bool:
        """True if every column that varies is synthesized without the confidential values of the record."""
        kept = (c for c in self.confidential.columns if c not in self.synthesized)
        return not self.uses_own_values and all(self.confidential[c].nunique(dropna=False) <= 1 for c in kept)

    @property
    def records_independent(self) -> bool:
        """True if a draw uses neither other records nor the record's confidential values."""
        return True

    @property
    def rows(self) -> str:
        """Meaning of row i of a synthetic dataset: "aligned" or "unknown".

        "aligned" means that row i holds values of confidential record i, or was drawn with their help. This is the case
        if a variable is not synthesized, or if the draw of a record uses its confidential values. Otherwise "unknown".
        """
        kept = any(column not in self.synthesized for column in self.confidential.columns)
        return "aligned" if kept or self.uses_own_values else "unknown"

    @property
    def uses_own_values(self) -> bool:
        """True if the draw of a record uses its confidential values."""
        return not self.records_independent

    @abstractmethod
    def draw(self, frame: pd.DataFrame, draw: int, rng: np.random.Generator) -> dict[str, pd.Series]:
        """Return synthetic values of `synthesized` for the records of `frame`.

        Parameters
        ----------
        frame : pandas.DataFrame
            Records with the predictors, whose values can be synthetic.
        draw : int
            Number of the posterior draw.
        rng : numpy.random.Generator

        Returns
        -------
        dict {variable: pandas.Series}
            In the order of `synthesized`, each with the index of `frame`.
        """

    def generate(self, m: int, rng: RngLike = None, n: int | None = None, given: FrameLike | None = None) -> Release:
        """Generate m synthetic datasets, optionally for given values of the first variables.

        Parameters
        ----------
        m : int
            Number of datasets, at most the number of posterior draws.
        rng : int, Generator or None
            One random stream is spawned for each dataset. The posterior draws are used in a fixed order that alternates
            between the chains, so the first 5 datasets of m = 20 are the datasets of m = 5. By default, a random
            128-bit key is used. Omit `rng` for a release that is published: a short seed can be found by trial and
            reveals confidential values, so `Release.save` rejects it.
        n : int, optional
            Number of records of each dataset. Default: that of the confidential data. Another number requires that every
            column that varies is synthesized, and that records are drawn without their confidential values.
        given : DataFrame or Dataset, k rows, optional
            Values for which the other variables are generated, one synthetic record per row: all unchanged variables,
            and the first variables in the order of synthesis (`synthesized`), none to all but the last. Variables that
            one model draws together can only be given together. A total of `SumOf` can be omitted, because it is
            computed; it can be given only with all its parts. Each dataset is drawn from the conditional distribution
            under its posterior draw, including the constraints. Default: no values are given.

        Returns
        -------
        Release
            Each dataset has the columns, column order, index and attrs of the confidential data. With another number of
            records, the index is 0, 1, ..., and no row corresponds to a record. The provenance states what determines the
            combining rule of `analysis_utility`: ``records``, the number of records of each dataset; ``synthesis``,
            "full" if every column that varies is synthesized, otherwise "partial"; and ``parameters``, which is
            `parameter_status`. Synthesized numbers of
            a continuous model are floats, even if the confidential column holds integers. With `given`, each dataset
            has the rows, index and values of `given`, only the other variables are listed as synthesized, and the
            provenance names the given variables in ``given``. The attribute `rows` is that of the fit, and "unknown"
            with `n` or `given`. The attribute `private` holds the numbers of the draws and the seed or key; passing the seed or
            key as `rng` reproduces the release.

        Raises
        ------
        InputError
            If m or n is not a whole number >= 1, m exceeds the number of posterior draws, or n differs from the number
            of confidential records although a column is not synthesized or records are not drawn independently. If
            `given` is combined with `n`; lacks an unchanged variable or has a variable that follows one that is not
            given; has values of another type, levels or missing values that the confidential data do not have, or
            values that break a constraint; or if a record cannot be drawn without its confidential values.
        FitError
            If the models hardly ever satisfy the constraints for a given record.

        Examples
        --------
        Generate the variables that follow the given variables:

        >>> import pandas as pd
        >>> import synthlab as sl
        >>> survey = sl.datasets.load("affairs").frame[["age", "educ", "affairs"]]
        >>> model = sl.Sequential([sl.Resample(["age"]), sl.CART(["educ", "affairs"], predictors=["age"])])
        >>> fitted = model.fit(survey, rng=1)
        >>> release = fitted.generate(m=2, rng=2, given=pd.DataFrame({"age": [22.0, 42.0, 42.0]}))
        >>> release[0]["age"].tolist(), release.synthesized
        ([22.0, 42.0, 42.0], ('educ', 'affairs'))
        """
        if given is not None:
            return self._generate_given(m, rng, n, given)
        return self._generate(m, rng, self._records(n), {})

    def _generate_given(self, m: int, rng: RngLike, n: int | None, given: object) -> Release:
        if n is not None:
            raise InputError("n: cannot be combined with given, which has one row per synthetic record; omit n")
        rest: Fitted
        rest, records = fit_after(self, given)
        # The user chose the rows, so no kind of synthesis and no combining rule applies.
        return rest._generate(m, rng, records, {GIVEN: list(records.columns), SYNTHESIS: None})

    def _after(self, given: pd.DataFrame) -> Self:
        """Return the fit of the variables that follow the given ones."""
        together = [v for v in self.synthesized if v in given.columns]
        if together:
            raise InputError(
                f"given: {type(self.specification).__name__} draws {_checks.shorten(self.synthesized)} together; give "
                "all of them or none"
            )
        return self

    @property
    def _derived(self) -> dict[str, tuple[str, ...]]:
        """Variables that are computed from others, with their sources."""
        return {}

    def _generate(self, m: int, rng: RngLike, records: pd.DataFrame, facts: dict[str, Any]) -> Release:
        """Return a release for these records; `facts` are added to the provenance."""
        m = _checks.check_count(m, "m")
        if self.n_draws is not None and m > self.n_draws:
            raise InputError(
                f"m={m}: there are {self.n_draws} posterior draws, and each dataset needs its own; fit with more draws"
            )
        (first, *streams), seed = _rng.spawn_for_release(rng, m + 1)
        if self.n_draws is None:
            order = np.zeros(m, dtype=np.int64)
        else:
            order = nested_order(self.n_draws, int(first.integers(self.n_draws)))[:m]
        frames = parallel.parallel_map(
            partial(self._dataset, records), zip(order.tolist(), streams, strict=True), prefer="processes", probe=True
        )
        private = {
            "seed": seed,
            "draws_used": None if self.n_draws is None else [int(s) for s in order],
        }
        other = bool(facts) or len(records) != len(self.confidential)
        provenance = self._provenance(m) | {RECORDS: len(records)} | facts
        return Release(
            frames, list(self.synthesized), provenance, rows="unknown" if other else self.rows, private=private
        )

    def save(self, path: PathOrStr, *, data: bool = True) -> Path:
        """Save the fit to a file, which `synthlab.load_fit` reads.

        **The file contains confidential data** and must be protected like the confidential file: the records, unless
        ``data=False``, and in any case levels, ranges and knots of the variables, and the estimated parameters. Only its
        owner can read it (mode 0600). A saved fit is not a release; use `Release.save` to publish synthetic data.

        The file is a ZIP archive that contains JSON and NumPy arrays, no pickled objects, and SHA-256 checksums. It can
        be loaded by every version of synthlab that reads its format version.

        Parameters
        ----------
        path : path
            The file, for example "fit.zip"; an existing file is replaced.
        data : bool, default True
            Whether to save the records and their weights. Without them, the fit can generate datasets only with `n` (if
            every variable is synthesized) or `given`, and has no likelihood of the records.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        InputError
            If the file cannot be written; if the synthesizer, a constraint or a value of the data has a class that
            cannot be saved; or if ``data=False`` and the method draws from the records (trees, resampling, top-coding,
            totals, responses with missing values), or the survey design consists of arrays.

        See Also
        --------
        synthlab.load_fit : Load the file.

        Examples
        --------
        A regression needs no records to generate the variables that follow given values:

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import synthlab as sl
        >>> survey = sl.datasets.load("affairs").frame.head(500)
        >>> fitted = sl.DirichletMultinomial(["educ"], given=["religious"]).fit(survey[["educ", "religious"]], rng=1)
        >>> with TemporaryDirectory() as folder:
        ...     again = sl.load_fit(fitted.save(Path(folder) / "fit.zip", data=False))
        >>> len(again.confidential), again.generate(m=1, rng=2, given=survey[["religious"]])[0].shape
        (0, (500, 2))
        """
        _checks.check_choice(data, "data", (True, False))
        return self._save(path, self if data else self._without_records(), data=data)

    def _save(self, path: PathOrStr, saved: Any, *, data: bool) -> Path:
        """Save a fit or an object that contains one."""
        return write_fit(_checks.check_path(path, "path"), saved, data=data)

    def _without_records(self) -> Self:
        """Return the fit without its records, or raise if it cannot draw without them."""
        if self.needs_records:
            raise InputError(
                f"data=False: {type(self.specification).__name__} draws {_checks.named(self.synthesized)} with the help of the "
                "confidential records, so the fit cannot be saved without them; omit data"
            )
        if self.survey is not None and not self.survey.is_named:
            raise InputError(
                "data=False: the survey design has one value per record; give columns of the file, or omit data"
            )
        none = self.confidential.iloc[:0].copy()
        none.attrs = without_kinds(none.attrs)
        empty = self.with_data(none)
        return replace(empty, weights=None if self.weights is None else self.weights[:0])

    @property
    def needs_records(self) -> bool:
        """True if the fit cannot generate values without the confidential records."""
        return True

    def _records(self, n: int | None) -> pd.DataFrame:
        """Return the records for which values are drawn: n records, whose own values are not used."""
        size = len(self.confidential)
        if size == 0:
            kept = [c for c in self.confidential.columns if c not in self.synthesized]
            if kept or n is None:
                raise InputError(
                    "n: the fit was saved without its records; give "
                    + (f"given, with values of {_checks.shorten(kept, 12)}" if kept else "the number of records")
                )
            return self.confidential.reindex(range(_checks.check_count(n, "n")))
        if n is None or _checks.check_count(n, "n") == size:
            return self.confidential
        kept = [c for c in self.confidential.columns if c not in self.synthesized]
        kept = [c for c in kept if self.confidential[c].nunique(dropna=False) > 1]
        if kept:
            raise InputError(
                f"n={n}: differs from the number of confidential records, so every column must be synthesized; "
                f"{_checks.named(kept)} would be released unchanged; synthesize it, leave it out, or omit n"
            )
        if self.uses_own_values:
            raise InputError(
                f"n={n}: {type(self.specification).__name__} uses the confidential values of a record to draw the "
                "record, so it cannot make another number of records; omit n"
            )
        return self.confidential.iloc[np.arange(n) % size].reset_index(drop=True)

    def _dataset(self, records: pd.DataFrame, draw_and_rng: tuple[int, np.random.Generator]) -> pd.DataFrame:
        draw, rng = draw_and_rng
        frame = records.copy()
        for column, values in self.draw(records, draw, rng).items():
            if len(values) != len(frame):
                raise InputError(
                    f"n={len(frame)}: {type(self.specification).__name__} draws {len(values)} values of {column!r}, so "
                    "it cannot make this number of records; omit n"
                )
            frame[column] = values.set_axis(frame.index)  # by position: the index may hold duplicates
        return frame if records.shape[1] == frame.shape[1] else frame[list(self.confidential.columns)]

    def _provenance(self, m: int) -> dict[str, Any]:
        dataset = self.confidential.attrs.get("synthlab")
        formula = getattr(self.specification, "formula", None)
        return {
            "synthesizer": describe(self.specification, self.confidential),
            "formula": public_formula(formula) if isinstance(formula, str) else None,
            "m": m,
            "weighted": self.weights is not None,
            "posterior_draws": self.n_draws,
            PARAMETERS: self.parameter_status,
            SYNTHESIS: "full" if self._is_complete else "partial",
            "dataset": dict(dataset) if isinstance(dataset, Mapping) else dataset,
            **({} if self.survey is None else {"estimates": self.estimates}),
        }

    @property
    def n_observations(self) -> int:
        """Number of records, or of units if the model draws whole units; the second dimension of `log_likelihood`."""
        return len(self.confidential)

    def log_likelihood(self) -> FloatArray:
        """Return the unweighted log-likelihood of every record under every draw.

        Returns
        -------
        ndarray of shape (draws, n), float64

        Raises
        ------
        InputError
            If the method has no likelihood.
        """
        raise InputError(f"{type(self.specification).__name__} has no likelihood")

    def log_density(self, frame: pd.DataFrame, *, as_drawn: bool = False) -> FloatArray:
        """Return the log density of the values in a frame under every draw.

        Parameters
        ----------
        frame : pandas.DataFrame, k rows
            Records with the predictors and with synthetic or guessed values of `synthesized`.
        as_drawn : bool, default False
            False: the density of the likelihood. True: the density of a synthetic value, which is truncated at the
            bounds of the model and therefore -inf outside them.

        Returns
        -------
        ndarray of shape (draws, k), float64
            ``log_density(confidential)`` is `log_likelihood`; -inf at a value that the model cannot take, such as 0.5
            for a count or a level that does not occur in the confidential data.

        Raises
        ------
        InputError
            If the method has no likelihood, or its density is unbounded at a value. With `as_drawn`, also if the
            density of the synthetic values is not known.
        MissingValueError
            If a value of `synthesized` is missing, but the data of the fit had no missing value.
        """
        frame = _checks.check_frame(frame, "frame")
        _checks.check_choice(as_drawn, "as_drawn", (True, False))
        for column in _checks.check_columns(frame, self.synthesized, "synthesized", where="frame"):
            missing = int(frame[column].isna().sum())
            if missing and not self._keeps(column):
                raise MissingValueError(f"frame: column {column!r} has {missing} missing values, which have no density")
        here = self.with_data(frame)
        density = here.log_likelihood()
        if not as_drawn:
            return density
        with np.errstate(invalid="ignore"):  # minus infinity less minus infinity
            drawn = density - here._log_mass()
        drawn[density == -np.inf] = -np.inf
        return drawn

    def _keeps(self, column: str) -> bool:
        """Return whether synthetic values of a variable can be missing."""
        return False

    def with_data(self, frame: pd.DataFrame) -> Self:
        """Return the fit with other, unweighted records in place of the confidential ones."""
        return replace(self, confidential=frame, weights=None)

    def _log_mass(self) -> FloatArray | float:
        """Return the log probability that a drawn value lies within the bounds.

        The shape is (draws, n); 0 if the model has no bounds. This value is subtracted from the log-likelihood. It is
        +inf for a record whose value lies outside the bounds.
        """
        return 0.0

    def pseudo_log_likelihood(self) -> FloatArray:
        """Return the contribution of each record to the log pseudo posterior.

        By default this is its weight times its log-likelihood. In some models the weight is an exponent of another
        density, such as the density of the component of the record. The contribution is then the log of that weighted
        density, summed over the components.

        Returns
        -------
        ndarray of shape (draws, n), float64
            Equal to `log_likelihood` without weights; 0 for a record of weight 0.
        """
        values = self.log_likelihood()
        return values if self.weights is None else weighted(values, self.weights)

    def keep_draws(self, kept: object) -> Self:
        """Return the fit with a subset of its posterior draws.

        Parameters
        ----------
        kept : array_like of bool, shape (draws,), or of int
            The draws to keep, as a mask or as draw numbers.

        Returns
        -------
        Fitted
            A fit without the other draws, which no release or log-likelihood can use. The remaining draws count as one
            chain, so check `diagnostics` first.

        Raises
        ------
        InputError
            If the fit has no draws, or `kept` is empty, has duplicates, or names a draw that does not exist.
        """
        if self.n_draws is None:
            raise InputError(f"{type(self.specification).__name__} has no posterior draws to keep")
        if kept is None:
            raise InputError("kept=None: give a mask, or the numbers of the draws to keep")
        return self._with_draws(_checks.check_positions(kept, self.n_draws, "kept", "draw"))

    def _with_draws(self, rows: IntArray) -> Self:
        return replace(self, posterior=posterior_of(self).keep(rows))

    @property
    def has_probabilities(self) -> bool:
        """True if the model implements `probability_of`."""
        return type(self).probability_of is not Fitted.probability_of

    def probability_of(self, frame: pd.DataFrame, values: pd.DataFrame, draw: int) -> FloatArray:
        """Return the probabilities of given synthetic values under one posterior draw.

        Parameters
        ----------
        frame : pandas.DataFrame, n rows
            Records with the predictors.
        values : pandas.DataFrame, g rows
            Combinations of values of `synthesized`.
        draw : int
            Number of the posterior draw.

        Returns
        -------
        ndarray of shape (n, g), float64
            0 for a value that the model cannot produce.

        Raises
        ------
        InputError
            If the model has no closed form for the probability (`has_probabilities`); use `generate` to simulate
            instead.
        """
        raise InputError(f"{type(self.specification).__name__} has no closed form for the probability of a value")

    def predictive_probability(self, draw: int, lower: FloatArray, upper: FloatArray, rows: Any) -> FloatArray:
        """Return the probability that a synthetic value lies in each interval.

        Parameters
        ----------
        draw : int
            Number of the posterior draw.
        lower, upper : array of float, shape (t,)
            Ends of the intervals.
        rows : array of int, shape (r,)
            Positions of confidential records.

        Returns
        -------
        ndarray of shape (r, t), float64

        Raises
        ------
        InputError
            If the model has no closed form for the probability; estimate it from a release instead.
        """
        raise InputError(
            f"fitted: {type(self).__name__} has no predictive_probability; estimate IR from a release with a large m "
            "instead"
        )

    def pooled(self, others: Sequence[Fitted] = (), *, draws: int | None = None, rng: RngLike = None) -> Any:
        """Combine this fit with the fits of the same model to the other datasets.

        Coefficients are averaged and drawn from ``N(mean, T)``, where T is the variance of partial synthesis (see
        `pool_posteriors`). Positive parameters are combined on the log scale. For a model without coefficients to
        average (trees, mixtures, resampling), the fits are used in turn. If `draws` is None, each fit uses the draw
        with the highest likelihood.

        Parameters
        ----------
        others : sequence of Fitted
            The fits to datasets 2 to m. Default: none, so only this fit is used.
        draws : int, optional
            Number of draws of the parameters. Default: the parameters are fixed at their mean.
        rng : int, Generator or None

        Returns
        -------
        fit
            An object with the methods ``draw(frame, number, rng)``, for number < ``n_draws``, and `probability_of`.
        """
        draws = None if draws is None else _checks.check_count(draws, "draws")
        generator = _rng.as_generator(rng)
        fits = [self, *_checks.check_list(others, "others", "a list of fits")]
        if not all(type(fit) is type(self) for fit in fits):
            raise InputError(f"others: must be fits of the same model, each a {type(self).__name__}")
        if not self.scales or (draws is not None and SHARE in self.scales.values()):
            return FitsInTurn(fits, [_draws_of(fit, draws) for fit in fits])
        posteriors = [posterior_of(fit) for fit in fits]
        return replace(self, posterior=pool_posteriors(posteriors, self.scales, draws, generator))

    @property
    def has_coefficients(self) -> bool:
        """True if the fit has coefficients that `adjust_draws` can adjust."""
        return bool(self.scales) and SHARE not in self.scales.values()

    def adjust_draws(self) -> Self:
        """Return the fit with draws whose spread accounts for the survey design.

        The mean of the pseudo posterior is consistent, but its intervals are those of n independent records of equal
        weight. Under unequal weights and clusters their coverage is therefore wrong (Williams & Savitsky 2021). Let H
        be the curvature of the log pseudo posterior (the inverse of the covariance of the draws). Let s_i be the
        gradient of the contribution of record i at the mean of the draws, and J the design-based covariance of
        ``sum_i s_i``. The draws should then have the covariance ``H^-1 J H^-1``. They are transformed to
        ``mean + (draw - mean) R2^-1 R1``, with ``R1' R1 = H^-1 J H^-1`` and ``R2' R2 = H^-1``, as in the R package
        csSampling. Positive parameters are adjusted on the log scale.

        Returns
        -------
        Fitted
            A fit with the same number of draws and the same mean. Each part of a `Sequential` or `TwoPart` is adjusted
            separately; a part without coefficients does not change.

        Raises
        ------
        InputError
            If the fit has no design, its model has no coefficients (trees, mixtures, resampling), a stratum has one
            primary sampling unit, or the design has fewer degrees of freedom than the model has parameters.

        References
        ----------
        Williams, M. R. and Savitsky, T. D. (2021). Uncertainty estimation for pseudo-Bayesian inference under complex
        sampling. International Statistical Review 89(1), 72-107.
        """
        if self.survey is None:
            raise InputError("adjust_draws: the fit has no survey design; fit with design=SurveyDesign(...)")
        sampled = self.survey.read(self.confidential)
        return self._adjusted(sampled, np.arange(sampled.n))

    def _adjusted(self, sampled: Sampled, rows: IntArray) -> Self:
        """Return the fit with adjusted draws; `rows` are its records in the sample."""
        return replace(self, posterior=adjusted(self, sampled, rows))

    def diagnostics(self) -> Diagnostics:
        """Return R-hat, effective sample sizes and divergences.

        Warns
        -----
        ConvergenceWarning
            If an R-hat is above 1.02, an effective sample size is below 100 per chain, or a transition diverged.
        """
        result = self._diagnose()
        result.warn()
        return result

    def _diagnose(self) -> Diagnostics:
        if self.posterior is None:
            return no_chains()
        return diagnose(self.posterior)

    def summary(self) -> pd.DataFrame:
        """Return the posterior mean, sd and 95% interval of each parameter."""
        return pd.DataFrame() if self.posterior is None else self.posterior.summary()

    def __str__(self) -> str:
        weighted = "weighted, " if self.weights is not None else ""
        weighted += "of the population, " if self.survey is not None else ""
        draws = "no parameters" if self.n_draws is None else f"{self.n_draws:,} posterior draws"
        records = f"{n:,} records" if (n := len(self.confidential)) else "records that are not saved"
        return f"{self.specification!r} fitted to {records} ({weighted}{draws})"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}</p>" + self.summary().to_html(float_format="{:.4g}".format)


F = TypeVar("F", bound=Fitted)
F_co = TypeVar("F_co", bound=Fitted, covariant=True)


class _Fits(Protocol[F_co]):
    """Synthesizer whose `fit` returns an `F_co`."""

    def fit(self, confidential: FrameLike, *, weights: object = None, rng: RngLike = None, **sampler: Any) -> F_co: ...


def check_fit(confidential: object, weights: object) -> tuple[pd.DataFrame, FloatArray | None]:
    """Return a copy of the frame and the weights, or raise if they are invalid."""
    frame = _checks.check_frame(confidential, "confidential")
    checked = None if weights is None else _checks.read_only(_checks.check_weights(weights, len(frame)).copy())
    return frame.copy(), checked


def fit_under_design(
    model: _Fits[F],
    confidential: FrameLike,
    weights: object,
    design: SurveyDesign,
    rng: RngLike,
    sampler: Mapping[str, Any],
) -> F:
    """Fit a synthesizer to a survey by pseudo-likelihood with survey weights.

    With survey weights ``w_i`` and risk weights ``alpha_i`` (`weights`; default 1), the pseudo posterior is
    ``p(theta) prod_i p(y_i | theta)^(alpha_i w~_i)``, where ``w~_i = n w_i / sum_j w_j`` (Savitsky & Toth 2016). The
    normalized survey weights sum to n. They move the estimates to those of the population, but do not increase the
    effective number of records. The risk weights then reduce the contributions of single records. Some synthesizers use
    the weights of `fit` for another purpose: the splits of a tree, the draws of a resample, or the density of a
    component. They use the product of both weights in the same way.

    The mean of the pseudo posterior is consistent, but its spread is wrong: intervals of the parameters do not have
    their nominal coverage under a design; see `Fitted.adjust_draws`. Variables that are released unchanged keep the
    distribution of the sample, so analyses of these variables still need the weights.

    Parameters
    ----------
    model : Synthesizer
        The synthesizer; its `fit` is called with the product of both weights.
    confidential, weights, rng, sampler
        The arguments of `fit`.
    design : SurveyDesign
        The survey design of the records.

    Returns
    -------
    Fitted
        The fit. `Fitted.estimates` states which model is estimated, and `Fitted.survey` holds the design.

    Warns
    -----
    DesignVariableWarning
        A variable of the design is synthesized, so the released weights contradict the released design.

    References
    ----------
    Savitsky, T. D. and Toth, D. (2016). Bayesian estimation under informative sampling. Electronic Journal of
    Statistics 10(1), 1677-1708.
    """
    frame, risk = check_fit(confidential, weights)
    survey = read_design(design, frame).normalised
    fitted = model.fit(frame, weights=survey if risk is None else survey * risk, rng=rng, **sampler)
    check_unsynthesized(design, fitted.synthesized)
    return replace(fitted, survey=design)


def weighted(log_likelihood: FloatArray, weights: FloatArray) -> FloatArray:
    """Return weights times log-likelihoods; 0 if the weight is 0, even for -inf."""
    return np.asarray(np.where(weights > 0, log_likelihood, 0.0) * weights, dtype=np.float64)


def _draws_of(fitted: Fitted, draws: int | None) -> list[int]:
    """Return the numbers of all draws, or of the most likely one if `draws` is None."""
    if fitted.n_draws is None:
        return [0]
    if draws is None:
        return [int(np.argmax(fitted.log_likelihood().sum(axis=1)))]
    return [int(s) for s in nested_order(fitted.n_draws)]


def posterior_of(fitted: Fitted) -> Posterior:
    """Return the posterior of a fit that has one."""
    if fitted.posterior is None:
        raise InputError(f"{type(fitted.specification).__name__} has no posterior draws")
    return fitted.posterior


def no_chains() -> Diagnostics:
    """Return the diagnostics of a method without sampling."""
    nothing = _checks.read_only(np.empty(0))
    return Diagnostics((), nothing, nothing, nothing, 0, 0, 0, "none")
