"""The table of make bench: exponents are those of the times, a benchmark is a file."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.benchmarks import __main__ as bench, apart
from tests.benchmarks.rows import Row, growths


def rows(exponent: float, sizes: tuple[int, ...], noise: float = 0.0) -> list[Row]:
    wobble = np.exp(noise * np.resize([1.0, -1.0], len(sizes)))
    return [Row("work", n, 3e-6 * n**exponent * w, grows="n") for n, w in zip(sizes, wobble, strict=True)]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.5])
def test_the_exponent_of_a_power_is_found_exactly(exponent):
    (found,) = growths(rows(exponent, (100, 300, 1_000, 5_000)))
    assert (found.what, found.grows) == ("work", "n")
    assert [found.exponent, found.low, found.high] == pytest.approx([exponent] * 3, abs=1e-9)


def test_the_interval_holds_the_exponent_of_noisy_times_and_is_wider_for_more_noise():
    few, much = (growths(rows(1.0, (100, 300, 1_000, 5_000, 20_000), noise))[0] for noise in (0.05, 0.5))
    assert much.low < few.low < 1.0 < few.high < much.high
    # By hand, for four sizes a factor of ten apart: slope -0.4 d / log(10), residuals from it, two degrees of freedom.
    (four,) = growths(rows(1.0, (10, 100, 1_000, 10_000), 0.1))
    x, y = np.arange(4.0) - 1.5, np.array([0.1, -0.1, 0.1, -0.1])
    slope = (x @ y) / (x @ x)
    error = np.sqrt(((y - slope * x) @ (y - slope * x)) / 2 / (x @ x))
    assert four.exponent == pytest.approx(1 + slope / np.log(10))
    assert four.high - four.exponent == pytest.approx(4.302652729911 * error / np.log(10))


def test_three_sizes_are_too_few_and_works_are_fitted_apart_in_whatever_number_grows():
    assert growths(rows(1.0, (100, 300, 1_000))) == []
    assert growths([Row("work", n, 1.0) for n in (1, 2, 3, 4)]) == []
    copies = [Row("work", 100, 0.5 * m**2, grows="m", size=m) for m in (1, 2, 4, 8)]
    found = growths([*rows(1.0, (100, 300, 1_000, 5_000)), *copies])
    assert [(g.grows, round(g.exponent, 6)) for g in found] == [("n", 1.0), ("m", 2.0)]
    assert found[1].sizes == (1, 2, 4, 8)


@pytest.mark.parametrize(("numbers", "across", "down"), [("nm", 2, 1), ("nmdk", 3, 2)])
def test_growth_is_drawn_with_a_panel_for_each_number(tmp_path, numbers, across, down):
    series = [Row("work", 100, 0.5 * m, grows=grows, size=m) for grows in numbers for m in (1, 2, 4, 8)]
    image = plt.imread(bench.plot(growths(series), tmp_path / "new" / "growth.png"))
    assert image.shape[1] / image.shape[0] == pytest.approx(5 * across / (5.5 * down), rel=0.01)


def test_an_unknown_benchmark_is_refused_with_the_names_there_are(capsys):
    with pytest.raises(SystemExit) as stopped:
        bench.main(["matching", "nothing"])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert "no benchmark nothing" in error
    assert "matching" in error


def test_a_benchmark_that_fails_is_told_and_ends_in_an_error_the_others_are_printed(monkeypatch, capsys):
    def measured(name):
        from concurrent.futures import Future

        done: Future[list[Row]] = Future()
        done.set_exception(ValueError("broken")) if name == "matching" else done.set_result(rows(1.0, (1, 2, 3, 4)))
        return done

    monkeypatch.setattr(bench, "in_own_process", measured)
    monkeypatch.setattr(bench, "plot", lambda found: "a plot")
    assert bench.main(["matching", "weights"]) == 1
    printed = capsys.readouterr().out
    assert "ValueError: broken" in printed
    assert "FAILED: matching" in printed
    assert "0.000 x" not in printed
    assert "1 to 4" in printed


def test_a_benchmark_runs_in_a_process_of_its_own():
    refused = apart.in_own_process("that_is_not_there").exception()
    assert isinstance(refused, ModuleNotFoundError)
    assert "bench_that_is_not_there" in str(refused)


def test_every_benchmark_is_a_file_with_a_function_that_gives_rows():
    import importlib

    names = [p.stem for p in bench.HERE.glob("bench_*.py")]
    assert {"bench_matching", "bench_dpmpm", "bench_counts", "bench_weights"} <= set(names)
    for name in names:
        assert callable(importlib.import_module(f"tests.benchmarks.{name}").run), name
