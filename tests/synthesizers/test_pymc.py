"""The engine: one compilation a kind, equal seeds equal draws, an interrupt stops it."""

import os
import signal
import threading

import numpy as np
import pytest

from synthlab.exceptions import InputError
from synthlab.synthesizers import _pymc
from synthlab.synthesizers._pymc import SamplerOptions, compilations, sample, sampler_options, width
from tests.loops import every


def normal_mean(pm, data, shape):
    """y ~ N(mu, 1), flat prior: the posterior is N(mean(y), 1/n)."""
    with pm.Model() as model:
        y = pm.Data("y", data["y"])
        mu = pm.Flat("mu", shape=shape)
        pm.Potential("likelihood", -0.5 * pm.math.sum(pm.math.sqr(y - mu[0])))
    return model


def run(y, seed=1, kind="a test of the engine", **options):
    return sample(kind, normal_mean, {"y": y}, (1,), ["mu"], SamplerOptions(**options), seed)


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(3).normal(5.0, 1.0, 40)


def test_one_compilation_serves_other_data_of_other_length(y):
    before = compilations()
    first = run(y)
    assert compilations() == before + 1
    longer = np.concatenate([y, y + 3.0, y - 1.0])
    second = run(longer)
    assert compilations() == before + 1
    for chains, values in ((first, y), (second, longer)):
        draws = chains.values["mu"]
        assert draws.shape == (2, 1000, 1)
        assert abs(draws.mean() - values.mean()) < 5 / np.sqrt(values.size * 500)
        np.testing.assert_allclose(draws.std(), 1 / np.sqrt(values.size), rtol=0.15)


def test_equal_seeds_give_equal_draws(y):
    one, two, other = run(y, 7), run(y, 7), run(y, 8)
    np.testing.assert_array_equal(one.values["mu"], two.values["mu"])
    assert not np.array_equal(one.values["mu"], other.values["mu"])
    generator = run(y, np.random.default_rng(7))
    np.testing.assert_array_equal(one.values["mu"], generator.values["mu"])


def test_pymc_samples_the_same_posterior_and_is_reused(y):
    before = compilations()
    one = run(y, sampler="pymc", draws=500, tune=300)
    two = run(y, sampler="pymc", draws=500, tune=300)
    assert compilations() == before + 1
    np.testing.assert_array_equal(one.values["mu"], two.values["mu"])
    assert abs(one.values["mu"].mean() - y.mean()) < 5 / np.sqrt(y.size * 250)


def test_interrupt_stops_the_sampler(y):
    run(y)
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            run(y, draws=1_000_000)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)
    np.testing.assert_allclose(run(y).values["mu"].mean(), y.mean(), atol=0.05)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="the bar is drawn on terminals only, and this system has no pty")
@pytest.mark.parametrize("progress", [True, False])
def test_progress_bar_is_shown_on_request(y, progress, monkeypatch):
    """The bar goes to the standard error of the process if that is a terminal."""
    monkeypatch.setenv("TERM", "xterm")  # without it no bar is drawn, on a terminal either
    run(y)
    terminal, end = os.openpty()
    shown = bytearray()

    def read():  # a terminal nobody reads from would stop the writer
        try:
            while chunk := os.read(terminal, 4096):
                shown.extend(chunk)
        except OSError:  # the other end was closed
            pass

    reader = threading.Thread(target=read)
    kept = os.dup(2)
    os.dup2(end, 2)
    os.close(end)
    reader.start()
    try:
        run(y, progress=progress, draws=30_000)
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        reader.join(10)
        os.close(terminal)
    assert bool(shown) == progress


@every(
    ("options", "message"),
    [
        ({"draws": 0}, "draws=0"),
        ({"draws": 10.5}, "draws=10.5"),
        ({"tune": 0}, "tune=0"),
        ({"chains": 0}, "chains=0"),
        ({"target_accept": 1.0}, "target_accept=1.0"),
        ({"sampler": "stan"}, "sampler='stan': must be one of None, 'exact', 'independence', 'nutpie', 'pymc'"),
        ({"progress": "yes"}, "progress='yes'"),
        ({"iterations": 5}, "unknown option 'iterations'; the options of the sampler are draws, tune"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        sampler_options(options)


def test_widths_cover_every_number_of_columns():
    assert [width(k) for k in (1, 8, 9, 33, 128, 129, 200)] == [8, 8, 16, 64, 128, 192, 256]


def test_importing_the_synthesizers_does_not_import_the_samplers():
    import subprocess
    import sys

    code = (
        "import sys, synthlab.synthesizers as s; [getattr(s, name) for name in s.__all__];"
        "sys.exit(any(m in sys.modules for m in ('pymc', 'nutpie', 'sklearn', 'matplotlib', 'arviz')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert "pymc" not in vars(_pymc)


def test_a_compilation_is_announced_once(caplog, capsys):
    """The ten seconds of the first fit are explained: to the log always, on standard error where progress is shown."""
    with caplog.at_level("INFO", logger="synthlab"):
        for progress in (True, False):
            say = _pymc.announce("a model of this test", SamplerOptions(progress=progress))
            say()
            say()
    said = "compiling the sampler of 'a model of this test': about ten seconds, once"
    assert [record.getMessage() for record in caplog.records] == [said, said]
    assert capsys.readouterr().err == said + "\n"
