"""Sampling of PyMC models: by nutpie, or optionally by ``pm.sample``.

Compiling a model takes seconds, but sampling takes a fraction of a second. A model is therefore compiled once for each
kind and shape of its parameters, and a refit with other weights or records only replaces the data. The code that nutpie
runs is compiled once per machine; see `_compile_cache`. Designs are padded to a few widths, so that formulas of similar
length share one compilation. The padding has its own prior and no effect.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from synthlab import _checks, _rng
from synthlab._system import optional_dependencies, parallel
from synthlab._typing import FloatArray, RngLike
from synthlab._warnings import library_warnings
from synthlab.exceptions import FitError, InputError
from synthlab.synthesizers._compile_cache import functions_by_name, kept_on_disk
from synthlab.synthesizers._compiled import short_errors
from synthlab.synthesizers._posterior import Posterior

NUTS = ("nutpie", "pymc")  # implementations of NUTS
WIDTHS = (8, 16, 32, 64, 128)
EXPECTED = (  # warnings of the samplers that do not concern the draws
    r"\s*ArviZ is undergoing",
    "PyTensor could not link to a BLAS",
    r"np\.dot\(\) is faster on contiguous arrays",
)
Build = Callable[[Any, Mapping[str, FloatArray], tuple[int, ...]], Any]

_compiled: dict[tuple[Any, ...], Any] = {}
_lock = threading.RLock()
_compilations = 0


@dataclass(frozen=True, slots=True)
class SamplerOptions:
    """Sampler options.

    Parameters
    ----------
    draws : int, default 1000
        Draws kept in each chain.
    tune : int, default 500
        Draws of each chain that are used for adaptation and then discarded.
    chains : int, default 2
        Number of independent chains, which run in parallel.
    target_accept : float, default 0.9
        Target acceptance rate of the proposals, in (0, 1).
    sampler : {None, "exact", "independence", "nutpie", "pymc"}
        "exact": independent draws (`NormalRegression`). "independence": independence Metropolis (logistic, Poisson,
        multinomial and ordered logistic regression). "nutpie" and "pymc": NUTS, for every model. Default: the first of
        these that the model has; independence Metropolis falls back to "nutpie" if its proposals do not fit.
    progress : bool, default False
        Whether to show the progress bar of the sampler.
    """

    draws: int = 1000
    tune: int = 500
    chains: int = 2
    target_accept: float = 0.9
    sampler: str | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        _checks.check_count(self.draws, "draws", 4)
        _checks.check_count(self.tune, "tune", 1)
        _checks.check_count(self.chains, "chains", 1)
        _checks.check_number(self.target_accept, "target_accept", low=0.0, high=1.0, open_low=True, open_high=True)
        _checks.check_choice(self.sampler, "sampler", [None, "exact", "independence", *NUTS])
        _checks.check_choice(self.progress, "progress", [True, False])


def sampler_options(options: Mapping[str, Any]) -> SamplerOptions:
    """Return the options of a fit, or raise if one is unknown."""
    known = list(SamplerOptions.__dataclass_fields__)
    for name in options:
        if name not in known:
            raise InputError(f"fit got an unknown option {name!r}; the options of the sampler are {', '.join(known)}")
    return SamplerOptions(**options)


def check_sampler(options: SamplerOptions, model: object, other: tuple[str, ...] = ()) -> SamplerOptions:
    """Return the options, or raise if the model has no such sampler; `other` are its samplers other than NUTS."""
    allowed = (*other, *NUTS)
    if options.sampler is not None and options.sampler not in allowed:
        raise InputError(
            f"sampler={options.sampler!r}: {type(model).__name__} does not have this sampler; use one of "
            f"{', '.join(map(repr, allowed))}, or omit sampler"
        )
    return options


def part_options(options: SamplerOptions) -> SamplerOptions:
    """Return the options of one part of a model: each part uses the fastest sampler, unless NUTS is asked for."""
    return options if options.sampler in NUTS else replace(options, sampler=None)


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Draws of each parameter, shape (chains, draws, ...), and how they were sampled, as in `Posterior`."""

    values: Mapping[str, FloatArray] = field(repr=False)
    divergences: int
    method: str = "nuts"
    reason: str = ""
    trouble: str = ""

    def posterior(self, values: Mapping[str, FloatArray], labels: Mapping[str, tuple[str, ...]]) -> Posterior:
        """Return parameters that were computed from these draws as a posterior."""
        return Posterior(values, labels, self.divergences, self.method, reason=self.reason, trouble=self.trouble)


def width(columns: int) -> int:
    """Return the padded number of columns of a design."""
    return next((w for w in WIDTHS if w >= columns), -(-columns // 64) * 64)


def log_gamma(value: Any) -> Any:
    """Return the log gamma function of a tensor, which ``pm.math`` lacks."""
    from pytensor.tensor import gammaln

    return gammaln(value)


def log_one_minus_exp(value: Any) -> Any:
    """Return log(1 - exp(x)) of a tensor x < 0."""
    from pytensor.tensor import expm1, log

    return log(-expm1(value))


def compilations() -> int:
    """Return the number of models compiled in this process."""
    return _compilations


def sample(
    kind: str,
    build: Build,
    data: Mapping[str, FloatArray],
    shape: tuple[int, ...],
    names: Sequence[str],
    options: SamplerOptions,
    rng: RngLike,
) -> Chains:
    """Sample the posterior of a model.

    Parameters
    ----------
    kind : str
        Name of the model; each name always has the same `build`.
    build : callable
        ``build(pm, data, shape)`` returns a ``pm.Model`` whose data are ``pm.Data`` under the keys of `data`.
    data : mapping of str to ndarray
        The data. Values and lengths can change at a refit, but not the number of dimensions.
    shape : tuple of int
        The numbers of parameters, which are fixed in the compiled model.
    names : sequence of str
        The parameters to return.
    options : SamplerOptions
    rng : int, Generator or None
        Seed or generator. The seed of the sampler is drawn from it, so equal seeds give equal draws.

    Raises
    ------
    FitError
        If the sampler finds no starting point.
    KeyboardInterrupt
        If the user interrupts sampling; unfinished draws are discarded.
    """
    seed = _rng.integer_seed(_rng.as_generator(rng))
    arrays = {name: np.ascontiguousarray(value, dtype=np.float64) for name, value in data.items()}
    run = _with_pymc if options.sampler == "pymc" else _with_nutpie
    with _lock:
        return run((kind, shape), build, arrays, names, options, seed)


@contextmanager
def _libraries() -> Iterator[tuple[Any, Any]]:
    """Import the samplers, and ignore warnings about installation and generated code."""
    with library_warnings("ignore", Warning, *EXPECTED):
        yield tuple(
            optional_dependencies.load("bayes", name, "the sampler of Markov chains") for name in ("pymc", "nutpie")
        )


def _with_nutpie(
    key: tuple[Any, ...],
    build: Build,
    data: Mapping[str, FloatArray],
    names: Sequence[str],
    options: SamplerOptions,
    seed: int,
) -> Chains:
    with _libraries() as (pymc, nutpie):

        def compile_it() -> Any:
            model = build(pymc, data, key[-1])
            with functions_by_name(), short_errors():
                return nutpie.compile_pymc_model(model, pipeline_class=kept_on_disk(model, announce(key[0], options)))

        compiled = _cached(("nutpie", *key), compile_it)
    sampler = nutpie.sample(
        compiled.with_data(**data),
        draws=options.draws,
        tune=options.tune,
        chains=options.chains,
        cores=parallel.workers(options.chains),
        seed=seed,
        target_accept=options.target_accept,
        progress_bar=options.progress,
        save_warmup=False,
        blocking=False,
    )
    try:
        trace = sampler.wait()
    except RuntimeError as error:
        raise FitError(f"the sampler failed on model {key[0]!r}: {str(error).strip().splitlines()[0]}") from None
    except BaseException:  # on an interrupt, chains in other threads must be stopped
        sampler.cancel()
        raise
    return _chains(trace, names)


def _with_pymc(
    key: tuple[Any, ...],
    build: Build,
    data: Mapping[str, FloatArray],
    names: Sequence[str],
    options: SamplerOptions,
    seed: int,
) -> Chains:
    with _libraries() as (pymc, _):
        model, step = _cached(
            ("pymc", *key, options.target_accept), lambda: _pymc_step(pymc, build, data, key, options)
        )
        with model:
            pymc.set_data(dict(data))
            trace = pymc.sample(
                draws=options.draws,
                tune=options.tune,
                chains=options.chains,
                cores=1,
                random_seed=seed,
                step=step,
                progressbar=options.progress,
                quiet=not options.progress,
                # All samplers share the same diagnostics and warnings, so those of PyMC are not used.
                compute_convergence_checks=False,
            )
    return _chains(trace, names)


def _pymc_step(
    pymc: Any, build: Build, data: Mapping[str, FloatArray], key: tuple[Any, ...], options: SamplerOptions
) -> tuple[Any, Any]:
    announce(key[0], options)()
    model = build(pymc, data, key[-1])
    return model, pymc.NUTS(model=model, target_accept=options.target_accept)


def announce(kind: str, options: SamplerOptions) -> Callable[[], None]:
    """Return a function that reports, at its first call, that compilation takes long."""

    @cache
    def say() -> None:
        said = f"compiling the sampler of {kind!r}: about ten seconds, once"
        logging.getLogger("synthlab").info(said)
        if options.progress:
            sys.stderr.write(f"{said}\n")

    return say


def _cached(key: tuple[Any, ...], compile_it: Callable[[], Any]) -> Any:
    global _compilations
    if key not in _compiled:
        _compiled[key] = compile_it()
        _compilations += 1
    return _compiled[key]


def _chains(trace: Any, names: Sequence[str]) -> Chains:
    values = {name: np.asarray(trace.posterior[name].values, dtype=np.float64) for name in names}
    if not all(np.isfinite(v).all() for v in values.values()):
        raise FitError("the sampler returned values that are not finite")
    return Chains(values, int(np.sum(trace.sample_stats["diverging"].values)))
