"""The page: complete in itself, escaped, and without a confidential value unless asked for."""

from __future__ import annotations

import base64
import re
from html import escape
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, SynthlabWarning, TermsLeftOutWarning

VOID = {"meta", "link", "img", "br", "hr"}


class Outline(HTMLParser):
    """Collect tags with their attributes and the visible text; hold that every tag is closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(result) -> str:
    return result.to_html()


@pytest.fixture(scope="module")
def outline(page: str) -> Outline:
    return Outline(page)


def pictures(page: str) -> str:
    """Return the text of every embedded figure."""
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(found) >= 3
    return "\n".join(base64.b64decode(image).decode() for image in found)


def leaked(page: str, people: pd.DataFrame) -> set[object]:
    """Return the confidential values that stand on a page or in one of its figures, however written."""
    shown = re.sub(r"base64,[^\"]+", "", page) + pictures(page)
    numbers = set(re.findall(r"(?<![\d.])\d[\d,]*(?:\.\d+)?", shown))
    numbers |= {number.replace(",", "") for number in numbers}
    found = {
        value
        for value in people["income"]
        if {f"{value:.0f}", f"{value:.1f}", f"{value:.6g}", repr(float(value))} & numbers
    }
    return found | {region for region in set(people["region"]) if region in shown or escape(region) in shown}


def test_nothing_confidential_is_on_the_page(page: str, people: pd.DataFrame) -> None:
    assert leaked(page, people) == set()
    assert "This page contains no confidential values." in page


def test_the_search_for_confidential_values_finds_them(result, page: str, people: pd.DataFrame) -> None:
    top = set(people.loc[result["identification_risk"].most_exposed(10)["record"], "income"])
    assert leaked(result.to_html(show_values=True), people) >= top
    value = people["income"][3]
    assert leaked(page.replace("</main>", f"<p>{value:,.0f}</p>"), people) == {value}


def test_confidential_values_are_there_when_asked_for(result, people: pd.DataFrame) -> None:
    page = result.to_html(show_values=True)
    outline = Outline(page)
    top = result["identification_risk"].most_exposed(10)["record"]
    for value in people.loc[top, "income"]:
        assert str(value) in outline.text
    for value in people.loc[top, "region"]:
        assert value in outline.text
    assert "This page contains confidential values. Do not share it." in page
    assert "No confidential value" not in page


def test_the_most_exposed_are_listed_by_row_number(outline: Outline, result) -> None:
    for record in result["identification_risk"].most_exposed(10)["record"]:
        assert str(record) in outline.text


def test_names_are_escaped(page: str, outline: Outline) -> None:
    assert "<script" not in page.lower()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "noise &lt;b&gt;bold&lt;/b&gt;" in page
    assert not outline.all("script")
    assert not outline.all("b")
    assert not outline.open


def test_title_date_and_values_are_escaped(people: pd.DataFrame, release: sl.Release) -> None:
    nasty = people.assign(region='"><img src=x onerror=alert(1)>')
    frames = [nasty.assign(income=frame["income"].to_numpy()) for frame in release]
    result = sl.evaluate(
        nasty, frames, sl.Intruder(known=["region"], synthesized=["income"], radius=0.03), rows="aligned"
    )
    page = result.to_html(title="<i>t</i>", date="<i>d</i>", show_values=True)
    assert len(Outline(page).all("img")) == page.count("data:image/svg+xml")
    assert not Outline(page).all("i")
    assert "onerror=alert(1)&gt;" in page


def test_the_page_loads_nothing(page: str, outline: Outline) -> None:
    links = [v for _, attributes in outline.tags for k, v in attributes.items() if k in ("src", "href", "srcset")]
    assert links
    assert all(link.startswith("data:") for link in links)
    assert "url(" not in page
    assert "@import" not in page
    policy = [m["content"] for m in outline.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]
    assert 'xlink:href="http' not in pictures(page)


def test_the_page_can_be_read_aloud(outline: Outline) -> None:
    assert outline.all("html") == [{"lang": "en"}]
    headings = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(headings))
    assert all(cell.get("scope") in ("row", "col") for cell in outline.all("th"))
    assert all(len(image["alt"] or "") > 40 for image in outline.all("img"))
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    named = [attributes["aria-labelledby"] for _, attributes in outline.tags if "aria-labelledby" in attributes]
    assert set(named) <= set(ids)
    assert len(named) >= 6


@pytest.mark.parametrize(
    ("kind", "words"),
    [("real", "Real data: the records are about people"), (None, "real or simulated")],
)
def test_real_simulated_or_not_stated(people: pd.DataFrame, release: sl.Release, kind: str | None, words: str) -> None:
    plain, frames = people.copy(), [frame.copy() for frame in release]
    for frame in (plain, *frames):
        frame.attrs.clear()
    made = sl.Release(frames, ["income"], {} if kind is None else {"dataset": {"kind": kind}})
    result = sl.evaluate(plain, made, sl.Intruder(known=["region"], synthesized=["income"], radius=0.03))
    assert words in result.to_html()


def test_warnings_are_listed_by_name(people: pd.DataFrame) -> None:
    with pytest.warns(SynthlabWarning):
        result = sl.evaluate(
            people,
            people.assign(income=people["income"] * 1e6),
            sl.Intruder(known=["region"], synthesized=["income"], radius=0.01),
        )
    page = result.to_html()
    assert result.warnings
    for name, _ in result.warnings:
        assert f"<strong>{name}</strong>" in page


def test_no_warning_is_said_too(people: pd.DataFrame, release: sl.Release) -> None:
    result = sl.evaluate(people, release, sl.Intruder(known=["region"], synthesized=["income"], radius=0.03))
    assert result.warnings == ()
    assert "There were no warnings." in result.to_html()


def test_the_same_evaluation_gives_the_same_page(result, page: str) -> None:
    assert result.to_html() == page
    dated = result.to_html(date="21 November 2026")
    assert "21 November 2026" in dated
    assert dated.replace(" · 21 November 2026", "") == page


def test_shares_show_the_largest_gap(result) -> None:
    from synthlab.report.measures.ecdf import shares

    for curve in range(result.m):
        synthetic, confidential = (np.asarray(part[curve]) for part in shares(result.question, "income", publish=False))
        assert synthetic[[0, -1]].tolist() == confidential[[0, -1]].tolist() == [0.0, 1.0]
        gap = np.abs(synthetic - confidential).max()
        assert 0 < gap <= result["ecdf"].ecdf_max[0, curve] + 1e-12
        assert gap == pytest.approx(result["ecdf"].ecdf_max[0, curve], abs=2 / 120 + 1e-12)


def test_more_variables_than_figures_are_named() -> None:
    rng = np.random.default_rng(3)
    names = [f"amount {i}" for i in range(8)]
    frame = pd.DataFrame(rng.normal(100, 10, (150, 8)), columns=names)
    other = frame + rng.normal(0, 1, frame.shape)
    radius = dict.fromkeys(names, 0.05)
    with pytest.warns(TermsLeftOutWarning, match="28 two-way products"):
        result = sl.evaluate(frame, other, sl.Intruder(known=[], synthesized=names, radius=radius), rows="aligned")
    page = result.to_html()
    assert page.count("data:image/svg+xml") == 3 + 6 + 1 + 1
    gaps = pd.Series(result["ecdf"].ecdf_max[:, 0], names).sort_values(ascending=False, kind="stable")
    assert f"Measured above but not drawn: {', '.join(gaps.index[6:])}." in page
    assert page.count("For any limit") == 1  # said once for all


@pytest.mark.parametrize(
    ("options", "message"),
    [({"title": ""}, "title=''"), ({"date": 3}, "date=3"), ({"show_values": "no"}, "show_values='no'")],
)
def test_bad_options_are_named(result, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        result.to_html(**options)


@pytest.mark.filterwarnings("ignore::synthlab.exceptions.SynthlabWarning")
def test_the_share_of_right_claims_is_told_once_and_keeps_its_percent_sign():
    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {"region": rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 300), "age": rng.integers(18, 28, 300)}
    )
    people["vote"] = rng.choice(["yes", "no", "none"], 300)
    frames = [people.sample(size, random_state=k, ignore_index=True) for k, size in enumerate((60, 200))]
    frames = [one.assign(vote=rng.permutation(one["vote"])) for one in frames]
    frames = [one.sample(200, replace=True, random_state=3, ignore_index=True) for one in frames]
    someone = sl.Intruder(known=["region", "age"], synthesized=["vote"])
    result = sl.evaluate(people, frames, someone, variables=["vote"])
    tcap = sl.attribute_disclosure(people, frames, someone, target="vote").to_frame()["TCAP"]
    page = result.to_html()
    said = re.search(r"implies a single value, ([\d.]+%) have this value", page)
    assert said is not None
    assert tcap.nunique() == 2
    assert said[1] == f"{100 * tcap.mean():.1f}%"
    assert f"<td>{said[1]}</td>" in page
