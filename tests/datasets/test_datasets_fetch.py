"""Fetching: from a server on loopback, whole and checked, or nothing at all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synthlab import datasets
from synthlab.datasets import _fetch
from synthlab.exceptions import ChecksumError, DatasetUnavailableError, ExtraUnavailableError, InputError

TOY = f"/someone/data/{'0' * 40}/a%20folder/toy.csv"
SYN = f"/someone/data/{'0' * 40}/syn.csv"


def contents(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


def test_fetched_files_are_cached_converted_and_loaded(toy, server, cache, capsys):
    paths = datasets.fetch("toy", base_url=server.url)
    assert paths == [cache / "toy.csv", cache / "toy_synthetic.csv"]
    assert contents(cache) == ["toy.csv", "toy_synthetic.csv"]
    assert (cache / "toy_synthetic.csv").read_bytes().startswith(b'"sex","income"\n1,900\n')
    survey = datasets.load("toy")
    assert survey.kind == "real"
    assert survey.labels == ("first",)
    assert "toy_homemade.csv" in survey.notes
    assert survey.frame["income"].tolist() == [1200.5, -40.0, 0.0]
    assert capsys.readouterr().err == ""


def test_a_second_fetch_asks_for_nothing(toy, server):
    datasets.fetch("toy", base_url=server.url)
    assert server.asked == [TOY, SYN]
    datasets.fetch("toy", base_url=server.url + "/")
    assert server.asked == [TOY, SYN]
    datasets.fetch("toy", base_url=server.url, force=True)
    assert server.asked == [TOY, SYN] * 2


def test_a_damaged_cached_file_is_replaced(toy, server, cache):
    datasets.fetch("toy", base_url=server.url)
    (cache / "toy.csv").write_bytes(b"sex,income\n1,")
    datasets.fetch("toy", base_url=server.url)
    assert server.asked == [TOY, SYN, TOY]
    assert datasets.load("toy").n == 3


def test_another_folder_is_found_through_the_environment(toy, server, cache, tmp_path, monkeypatch):
    datasets.fetch("toy", base_url=server.url, folder=tmp_path / "mine")
    assert not cache.exists()
    with pytest.raises(DatasetUnavailableError, match="not on this machine"):
        datasets.load("toy", version="real")
    monkeypatch.setenv("SYNTHLAB_DATA_DIR", str(tmp_path / "mine"))
    assert datasets.load("toy", version="real").kind == "real"


@pytest.mark.parametrize("path", [TOY, SYN])
def test_a_wrong_file_leaves_nothing_behind(toy, server, cache, path):
    server.answers[path] = server.answers[path].replace(b"1", b"7")
    with pytest.raises(ChecksumError, match="is not the published file .* nothing was written"):
        datasets.fetch("toy", base_url=server.url)
    assert contents(cache) == []


@pytest.mark.parametrize("path", [TOY, SYN])
def test_a_broken_transfer_leaves_nothing_behind(toy, server, cache, path):
    server.cut_off.add(path)
    with pytest.raises(DatasetUnavailableError, match="cannot fetch .* Nothing was written"):
        datasets.fetch("toy", base_url=server.url)
    assert contents(cache) == []


def test_a_broken_transfer_keeps_the_old_files(toy, server, cache):
    datasets.fetch("toy", base_url=server.url)
    server.cut_off.add(SYN)
    with pytest.raises(DatasetUnavailableError, match="cannot fetch"):
        datasets.fetch("toy", base_url=server.url, force=True)
    assert contents(cache) == ["toy.csv", "toy_synthetic.csv"]
    assert datasets.load("toy").labels == ("first",)


def test_a_missing_file_names_its_address(toy, server, cache):
    del server.answers[TOY]
    with pytest.raises(DatasetUnavailableError, match=rf"cannot fetch {server.url}{TOY}: 404"):
        datasets.fetch("toy", base_url=server.url)
    assert contents(cache) == []


def test_no_server_at_all(toy, server, cache):
    with pytest.raises(DatasetUnavailableError, match="set HTTPS_PROXY"):
        datasets.fetch("toy", base_url="http://127.0.0.1:9")
    assert contents(cache) == []


def test_a_wrong_conversion_is_caught(toy, server, cache, monkeypatch):
    monkeypatch.setattr(_fetch, "convert", lambda data, how: data)
    with pytest.raises(ChecksumError, match=r"toy_synthetic.csv, made from .*, is not the expected file"):
        datasets.fetch("toy", base_url=server.url)
    assert contents(cache) == []


def test_a_missing_library_is_named_with_its_extra(toy, server, cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ExtraUnavailableError, match=r"needs pooch, .*\[data\]: python -m pip install"):
        datasets.fetch("toy", base_url=server.url)
    assert server.asked == []
    assert contents(cache) == []


def test_the_proxy_of_the_environment_is_used(toy, server, cache, monkeypatch):
    published = "http://data.example.invalid"
    server.answers = {published + path: body for path, body in server.answers.items()}
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("http_proxy", server.url)
    datasets.fetch("toy", base_url=published)
    assert server.asked == [published + TOY, published + SYN]
    assert contents(cache) == ["toy.csv", "toy_synthetic.csv"]


def test_a_folder_that_cannot_be_made(toy, server, tmp_path):
    (tmp_path / "a_file").write_bytes(b"")
    with pytest.raises(InputError, match="path='.*toy.csv': cannot write: Not a directory"):
        datasets.fetch("toy", base_url=server.url, folder=tmp_path / "a_file")


@pytest.mark.parametrize("name", ["affairs", "anes96", "ce2017", "nb_mixture"])
def test_nothing_to_fetch(name):
    with pytest.raises(InputError, match=f"name='{name}': has no files to fetch"):
        datasets.fetch(name)


def test_unknown_dataset():
    with pytest.raises(InputError, match="unknown dataset"):
        datasets.fetch("acs2")


def test_the_published_addresses_are_pinned():
    commit = "e11127ee5cad8bf98901d339b7195410c9aab1fb"
    urls = {
        file.name: file.upstream.url()
        for entry in map(_fetch.find_entry, ("acs", "ce", "ce_lecture"))
        for version in entry.versions
        for file in version.files
        if file.upstream is not None
    }
    course = f"https://raw.githubusercontent.com/monika76five/Data-Confidentiality/{commit}/"
    assert urls["acs_confidential.csv"] == course + "datasets/ACSdata_org.csv"
    assert urls["ce_lecture.csv"] == course + "Lectures/Lecture3-Bayesian-Synthesis-Models-1/CEdata.csv"
    assert set(urls) == {
        "acs_confidential.csv",
        "acs_synthetic_lecture.csv",
        "acs_synthetic_2.csv",
        "acs_synthetic_3.csv",
        "ce_hornby.csv",
        "ce_lecture.csv",
        "acs_slides_synthetic.csv",
        "ce_slides.csv",
        "ce_slides_synthetic.csv",
    }
    slides = (
        "https://raw.githubusercontent.com/monika76five/StatisticalDataPrivacy/5d615c8b57c180385f6a4ff616e1ee836ae0bace/"
        "lectures/Lecture%208%20Methods%20for%20risk%20evaluation%20part%201/"
    )
    assert urls["ce_slides.csv"] == slides + "CEdata.csv"
    assert all(url.startswith("https://raw.githubusercontent.com/") for url in urls.values())
