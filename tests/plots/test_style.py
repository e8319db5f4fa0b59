"""One style, nothing global, and every figure says what its data are."""

from __future__ import annotations

import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.plots import style


def kind_words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text() in style.WORDS.values()]


def test_the_style_is_gone_after_the_block_even_after_an_error() -> None:
    before = dict(matplotlib.rcParams)
    with style.context():
        assert dict(matplotlib.rcParams) != before
    with pytest.raises(ZeroDivisionError), style.context():
        _ = 1 / 0
    assert dict(matplotlib.rcParams) == before


def test_no_text_is_smaller_than_twelve_points() -> None:
    with style.context():
        sizes = [matplotlib.rcParams[f"{part}.labelsize"] for part in ("xtick", "ytick", "axes")]
        sizes += [matplotlib.rcParams["legend.fontsize"], matplotlib.rcParams["font.size"]]
    assert min(sizes) >= 12


def test_two_series_never_share_colour_and_line() -> None:
    looks = [style.series(number) for number in range(20)]
    assert len({(look["color"], str(look["linestyle"])) for look in looks}) == 20
    assert len({str(look["linestyle"]) for look in looks[:5]}) == 5
    with pytest.raises(InputError, match="number=-1"):
        style.series(-1)


def test_own_axes_are_used_and_returned() -> None:
    own = plt.subplots()[1]
    assert style.axes(own) is own
    with style.context():
        assert style.off_screen().figure not in [plt.figure(n) for n in plt.get_fignums()]


@pytest.mark.parametrize(("kind", "words"), [("real", ["real data"]), ("simulated", ["simulated data"]), (None, [])])
def test_the_figure_says_what_the_data_are(kind: str | None, words: list[str]) -> None:
    with style.context():
        ax = style.finish(style.off_screen(), kind=kind, xlabel="x", ylabel="y", title="t")
    assert kind_words(ax) == words
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("x", "y", "t")


def test_the_kind_is_found_wherever_the_data_carry_it() -> None:
    frame = pd.DataFrame({"a": [1]})
    assert style.data_kind(frame, None) is None
    said = frame.copy()
    said.attrs["synthlab"] = {"kind": "simulated"}
    assert style.data_kind(frame, said) == "simulated"
    assert style.data_kind(sl.Release([said])) == "simulated"
    assert style.data_kind(sl.Release([frame], provenance={"kind": "real"})) == "real"
    assert style.data_kind(sl.Release([frame], provenance={"dataset": {"kind": "real"}})) == "real"
    assert style.data_kind(sl.Release([frame], provenance={"dataset": "a file"})) is None
    assert style.data_kind(sl.datasets.load("ce2017")) == "simulated"
    assert style.data_kind("real", said) == "real"
    odd = frame.copy()
    odd.attrs["synthlab"] = "real"
    assert style.data_kind(odd) is None
    with pytest.raises(InputError, match="data='genuine'"):
        style.data_kind("genuine")


@pytest.mark.parametrize("name", ["$x_1$", "100 $ and 200 $", r"\frac{1}{", "<script>", "a_b^c", "__import__('os')"])
def test_a_name_is_printed_as_it_is(name: str) -> None:
    with style.context():
        ax = style.finish(style.off_screen(), xlabel=name)
        svg = style.svg(ax.figure)
    assert ax.xaxis.label.get_text().replace(r"\$", "$") == name
    assert svg.startswith("<svg")


def test_images_depend_on_the_figure_alone() -> None:
    def make() -> tuple[str, bytes]:
        with style.context():
            ax = style.off_screen()
            ax.plot([0, 1], [0, 1])
            return style.svg(ax.figure), style.png(ax.figure)

    (svg, png), again = make(), make()
    assert (svg, png) == again
    assert png.startswith(b"\x89PNG")
    assert not re.search(r"<dc:date>|Matplotlib v", svg)


def test_a_described_figure_shows_picture_and_words_once() -> None:
    fig, axs = plt.subplots(1, 2)
    shown = sl.figure_with_description(axs, "  Two <empty> pairs of axes. ")
    html = shown._repr_html_()
    assert shown.figure is fig
    assert fig.number not in plt.get_fignums()
    assert html.count("Two &lt;empty&gt; pairs of axes.") == 2
    assert re.search(r'<img alt="Two &lt;empty&gt; pairs of axes\." src="data:image/png;base64,[A-Za-z0-9+/=]+"', html)
    assert str(shown) == "Figure: Two <empty> pairs of axes."


@pytest.mark.parametrize("figure", [plt.figure, lambda: plt.subplots()[1], lambda: [plt.subplots()[1]]])
def test_a_described_figure_takes_figure_axes_or_a_list(figure) -> None:
    assert sl.figure_with_description(figure(), "words").figure is not None


@pytest.mark.parametrize("words", ["", "   ", None, 3])
def test_a_described_figure_needs_words(words: object) -> None:
    with pytest.raises(InputError, match="description="):
        sl.figure_with_description(plt.figure(), words)  # type: ignore[arg-type]


@pytest.mark.parametrize("figure", [3, "figure", [], None, np.arange(3)])
def test_a_described_figure_needs_a_figure(figure: object) -> None:
    with pytest.raises(InputError, match="figure: must be matplotlib Axes or a Figure"):
        sl.figure_with_description(figure, "words")  # type: ignore[arg-type]
