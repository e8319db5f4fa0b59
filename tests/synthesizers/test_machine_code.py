"""What nutpie runs is compiled once on a machine: other processes load it, and draw the same to the last bit."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from filelock import FileLock, Timeout

import synthlab as sl
from synthlab.synthesizers import _compile_cache, _compiled, _gibbs_dpmpm, _gibbs_mixture, _mixture, _pymc
from synthlab.synthesizers._pymc import SamplerOptions, sample

Y = np.random.default_rng(3).normal(5.0, 1.0, 40)


def normal_mean(pm, data, shape):
    with pm.Model() as model:
        y = pm.Data("y", data["y"])
        mu = pm.Flat("mu", shape=shape)
        pm.Potential("likelihood", -0.5 * pm.math.sum(pm.math.sqr(y - mu[0])))
    return model


def shifted_mean(pm, data, shape):
    with pm.Model() as model:
        y = pm.Data("y", data["y"])
        mu = pm.Flat("mu", shape=shape)
        pm.Potential("likelihood", -0.5 * pm.math.sum(pm.math.sqr(y - mu[0] - 1.0)))
    return model


@pytest.fixture
def fit(tmp_path, monkeypatch, caplog):
    """Return a function that samples as a new process would, and says what was compiled."""
    monkeypatch.setattr(_compile_cache, "folder", lambda: tmp_path / "kept")
    (tmp_path / "kept").mkdir()

    def run(build=normal_mean, y=Y):
        monkeypatch.setattr(_pymc, "_compiled", {})
        caplog.clear()
        with caplog.at_level("INFO", logger="synthlab"):
            chains = sample("a kept model", build, {"y": y}, (1,), ["mu"], SamplerOptions(draws=50, tune=50), 1)
        return chains.values["mu"], bool(caplog.records)

    return run


def kept(folder: Path, ending: str) -> list[Path]:
    return sorted((folder / "kept").glob(f"*{ending}"))


@pytest.mark.full  # compiles three times what a process would find compiled
def test_a_second_process_compiles_nothing_and_draws_the_same(fit, tmp_path):
    first, compiled = fit()
    assert compiled
    assert len(kept(tmp_path, ".nbc")) == 2  # the density, and what is written to the trace
    again, compiled = fit()
    assert not compiled
    np.testing.assert_array_equal(again, first)
    moved, compiled = fit(y=np.append(Y, 9.0))  # the data are no part of the code
    assert not compiled
    assert not np.array_equal(moved, first)
    other, compiled = fit(shifted_mean)  # another graph of the same name and shape
    assert compiled
    np.testing.assert_allclose(other.mean() + 1.0, Y.mean(), atol=0.2)
    for path in kept(tmp_path, ".nbc"):  # as a full disk leaves it
        path.write_bytes(path.read_bytes()[:100])
    mended, compiled = fit()
    assert compiled
    np.testing.assert_array_equal(mended, first)
    assert not fit()[1]


def test_what_another_process_compiles_meanwhile_is_waited_for(fit, tmp_path, monkeypatch):
    first, compiled = fit()
    assert compiled
    made = {path: path.read_bytes() for path in (tmp_path / "kept").iterdir() if path.suffix != ".lock"}
    for path in made:
        path.unlink()
    entered = []

    @contextmanager
    def after_the_other(name):
        with alone(name):
            for path, content in made.items():
                path.write_bytes(content)
            entered.append(name)
            yield

    alone = _compile_cache.one_at_a_time
    monkeypatch.setattr(_compile_cache, "one_at_a_time", after_the_other)
    again, compiled = fit()
    assert entered
    assert not compiled
    np.testing.assert_array_equal(again, first)


def test_one_process_at_a_time_is_let_in(tmp_path, monkeypatch):
    monkeypatch.setattr(_compile_cache, "folder", lambda: tmp_path)
    other = FileLock(tmp_path / "a.lock")
    with _compile_cache.one_at_a_time("a"), pytest.raises(Timeout):
        other.acquire(timeout=0)
    other.acquire(timeout=0)  # and it is left open
    monkeypatch.setattr(_compile_cache, "PATIENCE", 0.0)
    with _compile_cache.one_at_a_time("a"):  # no waiting for ever
        pass
    assert other.is_locked
    other.release()


def test_long_constants_are_told_apart():
    """Their text, which has but the first and last values, is the same."""
    import pymc as pm

    def name(middle):
        values = np.arange(5000.0)
        values[2500] = middle
        with pm.Model() as model:
            pm.Potential("likelihood", (pm.Flat("mu") * values).sum())
        return _compile_cache.name_of(model)

    assert name(1.0) == name(1.0)
    assert name(1.0) != name(2.0)


def test_a_folder_that_cannot_be_written_to_is_done_without(fit, tmp_path):
    (tmp_path / "kept").rmdir()
    draws, compiled = fit()
    assert compiled
    assert draws.shape == (2, 50, 1)


def test_code_of_other_versions_is_not_loaded(monkeypatch, tmp_path):
    """A stamp of versions comes with the code; with another one it is compiled anew."""
    file = _compile_cache.IndexDataCacheFile(str(tmp_path), "name", ("1.0",))
    file.save("key", "code")
    assert _compile_cache.IndexDataCacheFile(str(tmp_path), "name", ("1.0",)).load("key") == "code"
    assert _compile_cache.IndexDataCacheFile(str(tmp_path), "name", ("1.1",)).load("key") is None


def gamma_shape(pm, data, shape):
    """The gamma function is in the density, and the digamma function in its derivative."""
    with pm.Model() as model:
        y = pm.Data("y", data["y"])
        mu = pm.Flat("mu", shape=shape)
        a = pm.math.exp(mu[0])
        pm.Potential("likelihood", pm.math.sum(a * pm.math.log(y) - y - _pymc.log_gamma(a)))
    return model


AGAIN = f"""
import sys
from pathlib import Path
import numpy as np
from synthlab.synthesizers import _pymc
from synthlab.synthesizers import _compile_cache

{inspect.getsource(gamma_shape)}
_compile_cache.folder = lambda: Path(sys.argv[1])
compiled = []
_pymc.announce = lambda *given: lambda: compiled.append(given)
y, options = np.array(sys.argv[2:], dtype=float), _pymc.SamplerOptions(draws=50, tune=50)
chains = _pymc.sample("a kept model", gamma_shape, {{"y": y}}, (1,), ["mu"], options, 1)
print(len(compiled), chains.values["mu"].tobytes().hex())
"""


@pytest.mark.full  # compiles, and starts another process
def test_a_density_with_special_functions_is_kept_too(fit, tmp_path):
    """SciPy's functions are at another address in each process; machine code calls them by name."""
    first, compiled = fit(gamma_shape)
    assert compiled
    command = [sys.executable, "-c", AGAIN, str(tmp_path / "kept"), *map(repr, Y.tolist())]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert said == ["0", first.tobytes().hex()]


def test_what_is_called_by_name_is_what_scipy_computes():
    from numba import njit
    from pytensor.link.numba.dispatch import scalar
    from scipy.special import cython_special, gammaln

    before = scalar.wrap_cython_function
    types = np.dtype("float64"), [np.dtype("float64")]
    if not hasattr(before(cython_special.gammaln, *types), "__wrapper_address__"):
        pytest.skip("PyTensor 3 calls the functions by name itself")
    with _compile_cache.functions_by_name():
        named = scalar.wrap_cython_function(cython_special.gammaln, *types)
    assert scalar.wrap_cython_function is before
    values = np.random.default_rng(1).gamma(0.5, 50.0, 1000)
    call = njit(lambda x: named(x, np.intc(1)))  # the second says whether Python may be asked
    assert [call(x) for x in values] == gammaln(values).tolist()
    assert not call.overloads[call.signatures[0]].library.has_dynamic_globals


def test_what_is_said_of_shapes_that_differ_is_short_while_a_model_is_compiled():
    from numba import njit
    from numba.np import arrayobj

    def put(target, source):
        target[...] = source

    before, target = arrayobj.raise_with_shape_context, np.zeros((2, 3))
    with _compiled.short_errors():
        short = njit(put)
        short(target, np.arange(3.0))
        with pytest.raises(ValueError, match=r"^cannot assign slice from input of different size$"):
            short(target, np.arange(2.0))
    assert arrayobj.raise_with_shape_context is before
    assert target.tolist() == [[0.0, 1.0, 2.0]] * 2


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_a_sampler_is_compiled_once_whatever_the_weights_are():
    """Numba has a type of its own for read-only arrays, for other layouts and for other numbers."""
    people, short = pd.DataFrame({"y": Y, "k": np.where(Y > 5.0, "a", "b")}), {"draws": 4, "tune": 4, "chains": 1}
    weights = np.linspace(0.5, 1.0, 80)[::2]
    weights.flags.writeable = False
    compiled = []
    for given in (None, np.ones(40), np.ones(40, dtype=int), weights, pd.Series(weights)):
        sl.FiniteMixture("y ~ 1", classes=2).fit(people, rng=1, weights=given, **short).log_likelihood()
        sl.DPMPM(["k"], classes=2).fit(people, rng=1, weights=given, **short)
        samplers = _gibbs_mixture._iterate, _gibbs_dpmpm._iterate, _mixture.log_density
        compiled.append([len(sampler.dispatcher.signatures) for sampler in samplers])
    assert compiled == compiled[:1] * 5
