"""``course/r/synthlab.R``: synthlab from R, by reticulate, against the same calls in Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.r import reticulate
from synthlab.r.session import UNUSABLE, package_state

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "course" / "r"
SCRIPT = FOLDER / "synthlab.R"
has_r = pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not on PATH")
needs = pytest.mark.skipif(
    shutil.which("Rscript") is None or package_state("reticulate") in UNUSABLE,
    reason="the R package reticulate is not here",
)
pytestmark = pytest.mark.r

# One row has all there is, the next nothing, then again.
FRAME = """
# As tagged_na of haven, which need not be installed: the bits of NA and a letter.
tagged <- function(letter) readBin(c(as.raw(c(0xA2, 0x07, 0, 0)), charToRaw(letter), as.raw(c(0, 0xF8, 0x7F))), "double", endian = "little")
d <- data.frame(age = c(30L, NA, 41L, 52L), income = c(950.5, NA, -0.25, 1e300), member = c(TRUE, NA, FALSE, TRUE),
  name = c("a", NA, "\\u00fc", "NA"), stringsAsFactors = FALSE)
d$region <- factor(c("n", NA, "w", "n"), levels = c("w", "n", "unused"))
d$edu <- factor(c("lo", NA, "hi", "mid"), levels = c("lo", "mid", "hi"), ordered = TRUE)
d$none <- addNA(factor(c("x", NA, "y", "x")))
d$day <- as.Date(c("2020-01-31", NA, "1950-02-01", "2020-03-01"))
d$whole_day <- structure(c(18262L, NA, 1L, -5L), class = "Date")
d$moment <- as.POSIXct(c("2020-01-31 10:30:00", NA, "1999-12-31 23:59:59", "2020-07-01 00:00:00"), tz = "America/New_York")
d$vote <- structure(c(1, NA, 2, 1), labels = c(yes = 1, no = 2), label = "A question", format.spss = "F8.0",
  class = c("haven_labelled", "vctrs_vctr", "double"))
d$pay <- structure(c(10L, NA, 20L, 99L), labels = c(refused = 99L), na_values = 99L,
  class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "integer"))
d$why <- structure(c(1, tagged("a"), 2, tagged("z")), labels = c(yes = 1, no = 2, refused = tagged("z")),
  class = c("haven_labelled", "vctrs_vctr", "double"))
d$code <- structure(c("f", NA, "X", "m"), labels = c(female = "f", male = "m", unknown = "X"), na_values = "X",
  class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "character"))
d$twice <- structure(c(1, 2, 3, NA), labels = c(other = 1, other = 2, no = 3), class = c("haven_labelled", "vctrs_vctr", "double"))
d$word <- structure(c("f", NA, "m", "m"), labels = c(female = "f", male = "m"), class = c("haven_labelled", "vctrs_vctr", "character"))
d$hmisc <- structure(c(1L, NA, 3L, 4L), label = "of Hmisc", class = c("labelled", "integer"))
d$span <- as.difftime(c(1.5, NA, 0, 48), units = "hours")
d$nothing <- NA
"""


def rscript(code, tmp_path, python=sys.executable, path=str(ROOT), **settings):
    """Run R code after the script; return what it printed."""
    file = tmp_path / "asked.R"
    file.write_text(f"source({json.dumps(str(SCRIPT))}, encoding = 'UTF-8')\n{code}", encoding="utf-8")
    hidden = ("RETICULATE_PYTHON", "LD_LIBRARY_PATH", "R_HOME", "VIRTUAL_ENV", "PYTHONPATH")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    environment |= {"MPLBACKEND": "agg", "LC_ALL": "C.UTF-8", "PYTHONPATH": path, **settings}
    if python is not None:
        environment["RETICULATE_PYTHON"] = str(python)
    return subprocess.run(
        ["Rscript", "--vanilla", str(file)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=environment,
        timeout=500,
        check=False,
    )


def answer(code, tmp_path):
    """Return what R says, as JSON, of a list named `told`."""
    asked = f"sl <- synthlab()\n{code}\ncat('ANSWER', jsonlite::toJSON(told, digits = NA, auto_unbox = TRUE, null = 'null'))"
    done = rscript(asked, tmp_path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.rsplit("ANSWER", 1)[1])


def types_in_r():
    """What becomes of a column of each type: there and back, and in Python."""
    return f"""{FRAME}
    back <- .from_python(.frame(d), d)
    same <- function(n) identical(back[[n]], d[[n]], single.NA = n != "why")  # compares the tags
    python <- .frame(d)
    told <- list(names = names(back), same = lapply(stats::setNames(nm = names(d)), same),
      dtypes = reticulate::py_to_r(python$dtypes$astype("str")$to_dict()),
      json = reticulate::py_to_r(python$to_json(orient = "split", date_format = "iso", force_ascii = FALSE)))
    """


@pytest.fixture(scope="module")
def told_at_once(tmp_path_factory):
    """What one R says of several lists, each made with variables of its own: it takes seconds to start, and Python in it."""
    asked = {"types": types_in_r(), "refused": refused_in_r(), "synds": SYNDS}
    code = "".join(f"at_once${name} <- local({{\n{lines}\ntold\n}})\n" for name, lines in asked.items())
    return answer(f"at_once <- list()\n{code}\ntold <- at_once", tmp_path_factory.mktemp("at_once"))


@pytest.fixture
def types(told_at_once):
    return told_at_once["types"]


COLUMNS = re.findall(r"^d\$(\w+) <-", FRAME, re.M) + ["age", "income", "member", "name"]


@needs
@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_comes_back_as_it_went(types, column):
    assert types["same"][column] is True


@needs
def test_what_python_sees(types):
    seen = json.loads(types["json"])
    frame = pd.DataFrame(seen["data"], columns=seen["columns"])
    assert frame["age"].tolist()[::2] == [30, 41]
    assert frame.isna().to_numpy()[1].sum() == len(frame.columns) - 1  # all but "twice" are missing in row 2
    assert frame["name"].tolist()[2:] == ["ü", "NA"]
    assert frame["income"].tolist()[2:] == [-0.25, 1e300]
    assert frame["vote"].tolist()[::2] == ["yes", "no"]
    assert frame["twice"].tolist()[:3] == ["other [1]", "other [2]", "no"]
    assert frame["word"].tolist()[::2] == ["female", "male"]
    assert frame["pay"].isna().tolist() == [False, True, False, True]
    assert frame["moment"][0].startswith("2020-01-31T15:30:00")
    assert frame["whole_day"][0].startswith("2020-01-01")
    assert (
        types["dtypes"] | {"age": "Int64", "member": "boolean", "income": "float64", "day": "datetime64[us]"}
        == types["dtypes"]
    )


def survey():
    """A made-up file, as Python and R both read it from a CSV file."""
    rng = np.random.default_rng(5)
    n = 80
    return pd.DataFrame(
        {
            "age": rng.integers(18, 60, n),
            "region": pd.Categorical(rng.choice(["n", "s", "w"], n), ["n", "s", "w", "unused"]),
            "income": np.round(rng.lognormal(7, 0.5, n), 2),
            "kids": rng.integers(0, 4, n),
        }
    )


READ = """
d <- read.csv({file}, stringsAsFactors = FALSE)
d$region <- factor(d$region, levels = c("n", "s", "w", "unused"))
who <- sl$Intruder(known = c("age", "region"), synthesized = list("income"), radius = c(income = 0.2))
"""


@needs
def test_the_same_numbers_as_in_python(tmp_path):
    frame = survey()
    frame.to_csv(tmp_path / "survey.csv", index=False)
    code = (
        READ.format(file=json.dumps(str(tmp_path / "survey.csv")))
        + """
    release <- suppressWarnings(sl$synthesize(d, m = 2, rng = 1, keep = c("age", "region", "kids")))
    risk <- suppressWarnings(sl$identification_risk(d, release, who))
    weights <- suppressWarnings(sl$risk_weights(d, who))
    fitted <- sl$NormalRegression("income ~ C(region) + age")$fit(d, rng = 3, draws = 1000, tune = 500)
    drawn <- fitted$generate(m = 2, rng = 4)
    again <- sl$identification_risk(d, as.list(release$frames), who)
    file <- plot(risk, file.path(getwd(), "risk.png"))
    told <- list(income = release[[2]]$income, class = class(release[[1]]$region), levels = levels(release[[1]]$region),
      m = length(release), rows = nrow(as.data.frame(release)), columns = names(as.data.frame(release)),
      emr = as.data.frame(risk)$expected_match_risk, again = as.data.frame(again)$expected_match_risk,
      weights = weights$weights, storage = typeof(release[[1]]$kids),
      drawn = drawn[[1]]$income, size = file.size(file))
    """
    )
    told = answer(code, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.exceptions.SynthlabWarning)
        who = sl.Intruder(known=["age", "region"], synthesized=["income"], radius={"income": 0.2})
        release = sl.synthesize(frame, m=2, rng=1, keep=["age", "region", "kids"])
        risk = sl.identification_risk(frame, release, who)
        weights = sl.risk_weights(frame, who)
    drawn = sl.NormalRegression("income ~ C(region) + age").fit(frame, rng=3, draws=1000, tune=500).generate(m=2, rng=4)
    assert told["income"] == pytest.approx(release[1]["income"].tolist(), rel=1e-14)
    assert told["class"] == "factor"
    assert told["levels"] == ["n", "s", "w", "unused"]
    assert (told["m"], told["rows"], told["columns"]) == (2, 160, ["dataset", *frame.columns])
    assert told["emr"] == pytest.approx(risk.to_frame()["expected_match_risk"].tolist(), rel=1e-14)
    assert told["again"] == told["emr"]
    assert told["weights"] == pytest.approx(weights.weights.tolist(), rel=1e-14)
    assert told["storage"] == "integer"
    assert told["drawn"] == pytest.approx(drawn[0]["income"].tolist(), rel=1e-12)
    assert told["size"] > 1000


REFUSED = {
    "a matrix": ("d$x <- matrix(1:8, 4)", "'x' of R is a matrix or an array"),
    "a list": ("d$x <- I(list(1, 2, 3, 4))", "has no counterpart"),
    "complex": ("d$x <- 1:4 + 1i", "class 'complex' has no counterpart"),
    "two of one name": ("names(d)[2] <- 'age'", "two columns have the same name as text: 'age'"),
}


def refused_in_r():
    asked = "\n".join(
        f"told[[{json.dumps(name)}]] <- tryCatch({{ e <- d; d -> keep; {code}; .frame(d); 'passed' }}, error = conditionMessage); d <- keep"
        for name, (code, _) in REFUSED.items()
    )
    more = """
    told$one <- sl$Intruder(known = "age", synthesized = "income")$known[[1]]
    told$typo <- tryCatch(sl$sinthesize, error = conditionMessage)
    told$fun <- tryCatch(sl$Intruder(known = mean), error = conditionMessage)
    who <- sl$Intruder(known = list("age"), synthesized = list("income"))
    told$warned <- tryCatch(sl$risk_weights(d[c(1, 3, 4), ], who), warning = conditionMessage)
    told$syntax <- tryCatch(sl$identification_risk(d, d, sl$Intruder(known = "kanton", synthesized = "age")), error = conditionMessage)
    told$choice <- tryCatch(sl$Intruder(known = c("region", "edu"), synthesized = "age", missing = TRUE), error = conditionMessage)
    told$beyond <- tryCatch(sl$Release(list(d))[[2]], error = conditionMessage)
    told$latin <- identical(.from_python(.frame(data.frame(x = iconv("\\u00fc", "UTF-8", "latin1"))))$x, "\\u00fc")
    empty <- d[0, ]
    told$empty <- identical(lapply(.from_python(.frame(empty), empty), typeof), lapply(empty, typeof))
    e <- data.frame(x = 1:2)
    e$x <- structure(c(5e-324, 0), class = "integer64")
    told$whole64 <- identical(as.numeric(.from_python(.frame(e), e)$x), c(1, 0))
    told$names <- "synthesize" %in% names(sl)
    """
    return f"{FRAME}\ntold <- list()\n{asked}\n{more}"


SYNDS = """
    d <- data.frame(a = c(1, 2, 3), g = factor(c("x", "y", "x")))
    made <- structure(list(m = 2, syn = list(d, d[3:1, ]), method = c(a = "cart", g = ""), n = 3, k = 3), class = "synds")
    release <- sl$identification_risk(d, made, sl$Intruder(known = list("g"), synthesized = list("a")))
    told <- list(m = nrow(as.data.frame(release)), made = .object(.to_python(made))$synthesized)
    """


@needs
def test_what_is_refused_by_name(told_at_once):
    told = told_at_once["refused"]
    for name, (_, message) in REFUSED.items():
        assert message in told[name], name
    assert told["one"] == "age"
    assert "sinthesize" in told["typo"]
    assert "a function of R is not passed to Python" in told["fun"]
    assert told["warned"].startswith("SingletonPatternWarning: ")
    assert told["syntax"].startswith("InputError: known: ")
    assert told["choice"].startswith("InputError: missing = TRUE: ")
    assert "there are 1 of them" in told["beyond"]
    assert told["latin"] is True
    assert told["empty"] is True
    assert told["whole64"] is True
    assert told["names"] is True


@needs
def test_a_synds_object_is_a_release(told_at_once):
    assert told_at_once["synds"] == {"m": 2, "made": "a"}


@needs
def test_a_python_without_synthlab_is_named(tmp_path):
    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "bare" / "bin" / "python"
    done = rscript("synthlab()", tmp_path, python=python, path="")
    assert done.returncode != 0
    assert "synthlab is not in the Python at" in done.stderr
    assert f"install it with: {python} -m pip install synthlab-sdc, or" in done.stderr.replace("\n", " ").replace(
        "  ", " "
    )


@has_r
def test_where_python_is_looked_for(tmp_path):
    for folder in ("above/.venv/bin", "active/bin"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "python").touch()
    below = tmp_path / "above" / "course" / "r"
    below.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    asked = f"""
    say <- function(x) cat(if (is.null(x)) "none" else x, "\\n", sep = "")
    Sys.unsetenv("VIRTUAL_ENV")
    say(synthlab_python(from = {json.dumps(str(below))}))
    say(synthlab_python(from = {json.dumps(str(tmp_path / "elsewhere"))}))
    Sys.setenv(VIRTUAL_ENV = {json.dumps(str(tmp_path / "active"))})
    say(synthlab_python(from = {json.dumps(str(tmp_path / "elsewhere"))}))
    Sys.setenv(RETICULATE_PYTHON = "/set/python")
    say(synthlab_python(from = {json.dumps(str(below))}))
    tryCatch(synthlab_python("/no/such"), error = function(e) say(conditionMessage(e)))
    """
    done = rscript(asked, tmp_path, python=None)
    real = tmp_path.resolve()
    assert done.stdout.splitlines() == [
        f"{real}/above/.venv/bin/python",
        "none",
        f"{tmp_path}/active/bin/python",
        "/set/python",
        "python: there is no file /no/such",
    ], done.stderr


@has_r
def test_reticulate_missing_is_said(tmp_path):
    hidden = (
        "requireNamespace <- function(...) FALSE\ntryCatch(synthlab(), error = function(e) cat(conditionMessage(e)))"
    )
    done = rscript(hidden, tmp_path, python=None)
    assert 'install it in R with: install.packages("reticulate")' in done.stdout


CHUNK = re.compile(r"^```\{r[^}]*\}\n(.*?)^```$", re.M | re.S)


def test_the_page_shows_the_code_of_its_source():
    source, page = (FOLDER / name for name in ("synthlab.Rmd", "synthlab.md"))
    shown = re.findall(r"^```r\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    written = CHUNK.findall(source.read_text(encoding="utf-8"))
    assert len(written) >= 6
    assert "".join(shown).split() == "".join(written).split()
    assert "## Error" not in page.read_text(encoding="utf-8")


@needs
def test_the_page_runs_and_prints_what_it_shows(tmp_path):
    source = (FOLDER / "synthlab.Rmd").read_text(encoding="utf-8")
    code = "\n".join(CHUNK.findall(source)).replace('source("synthlab.R")', "")
    done = rscript(code, tmp_path)
    assert done.returncode == 0, done.stderr
    page = (FOLDER / "synthlab.md").read_text(encoding="utf-8")
    for row in re.findall(r"^## (expected match risk .*)$", page, re.M):
        assert row in done.stdout
    assert "Identification risk by matching" in done.stdout


# ---- the Python side, without R -------------------------------------------------------------------


def sent(values, storage, classes=(), absent=None, dims=0, **more):
    """A column as R sends it."""
    gone = [False] * len(values) if absent is None else absent
    data = values if storage == "character" else np.asarray(values, dtype=reticulate.DTYPES[storage]).tobytes()
    return {
        "storage": storage,
        "values": data,
        "absent": bytes(gone),
        "classes": list(classes),
        "dims": dims,
        **more,
    }


def test_bytes_become_columns():
    level = sent(["a", "b"], "character", absent=[False, True])
    frame = reticulate.frame(
        ["n", "f", "t"],
        [
            sent([5, 0], "integer", absent=[False, True]),
            sent([1, 2], "integer", ["factor"], levels=level),
            sent(["x", "NA"], "character", absent=[False, True]),
        ],
        2,
    )
    assert str(frame.dtypes["n"]) == "Int64"
    assert frame["f"].tolist()[0] == "a"
    assert frame.isna().iloc[1].all()
    again = reticulate.packed(frame["n"])
    assert np.frombuffer(again["values"], "<i4")[0] == 5
    assert list(again["absent"]) == [0, 1]


def test_a_range_of_missing_codes():
    column = sent(
        [1, 2, -9, -5],
        "integer",
        ["haven_labelled_spss", "haven_labelled"],
        labels=sent([1, -9], "integer"),
        label_names=sent(["one", "refused"], "character"),
        missing_range=sent([-9, -1], "double"),
    )
    assert reticulate.column(column).isna().tolist() == [False, False, True, True]


def test_numbers_are_those_of_python():
    assert reticulate.numbers(sent([5.0], "double"), True) == 5
    assert isinstance(reticulate.numbers(sent([5.0], "double"), True), int)
    assert reticulate.numbers(sent([0.5, 2.0], "double"), False) == [0.5, 2]
    assert reticulate.numbers(sent([1], "logical"), True) is True
    assert np.isnan(reticulate.numbers(sent([1.0, 0.0], "double", absent=[False, True]), False)[1])
    assert reticulate.numbers(sent([1, 0], "integer", absent=[False, True]), False) == [1, None]


def test_objects_are_described_for_r():
    assert reticulate.described(None) == {"kind": "none"}
    assert reticulate.described(2**40)["value"] == 2.0**40
    assert reticulate.described({"a": 1})["names"] == ["a"]
    table = reticulate.described(pd.DataFrame({"v": [1, "a"]}, index=pd.Index(["p", "q"], name="measure")))
    assert table["names"] == ["measure", "v"]
    assert table["columns"][1]["values"] == ["1", "a"]
    assert reticulate.described(np.eye(2))["dim"] == [2, 2]
    assert reticulate.described(("a", "b"))["column"]["values"] == ["a", "b"]
    with pytest.raises(sl.exceptions.InputError, match="cannot be drawn"):
        reticulate.save_plot([1], "x.png", 100)
    with pytest.raises(sl.exceptions.InputError, match="not '.pdf'"):
        reticulate.save_plot([1], "x.pdf", 100)


def test_mixed_values_of_a_result_become_text_and_missing_ones_stay_missing() -> None:
    mixed = pd.DataFrame({"value": pd.Series(["a", 1.5, None, np.nan, (1, 2)], dtype=object)})
    (column,) = reticulate.described(mixed)["columns"]
    assert (column["storage"], list(column["absent"])) == ("character", [0, 0, 1, 1, 0])
    assert [column["values"][i] for i in (0, 1, 4)] == ["a", "1.5", "(1, 2)"]
