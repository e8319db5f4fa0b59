"""``synds`` objects of R's synthpop: read into releases, and releases that synthpop's own functions take."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.r import from_synds, probe, session, to_r, to_synds

usable = probe().usable
pytestmark = [pytest.mark.r, pytest.mark.skipif(not usable, reason=probe().problem or "R is there")]
live = pytest.mark.skipif(
    not usable or session.package_state("synthpop") in session.UNUSABLE,
    reason="the R package synthpop is not here",
)

# A structure of our own making, with the parts that synthpop 1.9-3 gives its objects; nothing of synthpop is needed.
RECORDED = """
(function() {
  one <- data.frame(id = 1:4, age = c(30L, NA, 52L, 41L), sex = factor(c("f", "m", "f", "f"), levels = c("f", "m", "x")),
                    income = c(900.5, -8, 1200, NA))
  two <- transform(one, age = c(31L, 40L, NA, 55L), income = c(-8, 850, 990.25, 1010))
  names <- names(one)
  each <- function(x) stats::setNames(rep(list(x), 4), names)
  structure(list(call = quote(syn(data = d, m = 2, seed = 77)), m = 2, syn = list(one, two),
    method = c(id = "", age = "sample", sex = "", income = "cart"), visit.sequence = c(age = 2, income = 4),
    predictor.matrix = matrix(0, 4, 4, dimnames = list(names, names)), smoothing = c(id = "", age = "", sex = "", income = ""),
    proper = FALSE, n = 4L, k = 4L, cont.na = c(each(NA)[1:3], list(income = c(-8, NA))), models = NULL, seed = 77,
    obs.vars = names), class = "synds")
})()
"""
BY_STRATA = """
(function(made) {
  method <- rbind(made$method, c("", "", "", "cart"))
  visit <- rbind(made$visit.sequence, c(2, 4))
  made$method <- method; made$visit.sequence <- visit
  made$strata.syn <- list(factor(c("a", "a", "b", "b")), factor(c("a", "a", "b", "b")))
  made$n <- c(a = 2L, b = 2L); made$k <- list(c(a = 2L, b = 2L), c(a = 2L, b = 2L))
  made
})
"""


def r(code):
    import rpy2.robjects as ro

    return ro.r(code)


def test_a_recorded_structure_is_read():
    release = from_synds(r(RECORDED))
    assert release.m == 2
    assert release.synthesized == ("age", "income")
    assert release.rows == "aligned"
    assert release[0]["income"].tolist()[:3] == [900.5, -8.0, 1200.0]
    assert release[1]["age"].isna().tolist() == [False, False, True, False]
    assert release[0]["sex"].cat.categories.tolist() == ["f", "m", "x"]
    told = release.provenance
    assert told["synthesizer"] == "synthpop"
    assert [v["method"] for v in told["variables"]] == ["", "sample", "", "cart"]
    assert [v["missing_codes"] for v in told["variables"]] == [[], [], [], [-8.0]]
    assert told["visit_sequence"] == ["age", "income"]
    assert (told["proper"], told["n"], told["k"]) == (False, 4, 4)
    assert (told["synthesis"], told["parameters"], told["records"]) == ("partial", "fixed", 4)


def test_seed_and_call_are_kept_private(tmp_path):
    release = from_synds(r(RECORDED))
    assert release.private["seed"] == [77.0]
    assert "seed = 77" in release.private["call"]
    assert "77" not in str(dict(release.provenance))
    again = sl.Release.load(release.save(tmp_path / "release", allow_short_seed=True, keep_order=True))
    assert again.provenance["visit_sequence"] == ["age", "income"]
    assert dict(again.private) == {"seed": None}


def test_one_dataset_and_other_sizes():
    one = from_synds(r(f"(function(s) {{ s$m <- 1; s$syn <- s$syn[[1]]; s$n <- 9L; s }})({RECORDED})"))
    assert one.m == 1
    assert one.rows == "unknown"  # 9 records were there, 4 are released
    assert one.provenance["n"] == 9
    same = from_synds(r(f"(function(s) {{ s$m <- 1; s$syn <- s$syn[[1]]; s }})({RECORDED})"))
    assert (same.m, same.rows) == (1, from_synds(r(RECORDED)).rows)


def test_by_strata():
    release = from_synds(r(BY_STRATA)(r(RECORDED)))
    assert release.synthesized == ("age", "income")
    assert release.rows == "unknown"
    assert release.provenance["n"] == 4


def test_a_variable_outside_the_visit_sequence_is_not_synthesized():
    release = from_synds(r(f"(function(s) {{ s$visit.sequence <- c(income = 4); s }})({RECORDED})"))
    assert release.synthesized == ("income",)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("structure(list(m = 0, syn = NULL), class = 'synds')", "contains no synthetic data"),
        ("list(m = 1)", "must be a synds object of R's synthpop, not an R object of class 'list'"),
        ("1:3", "not an R object of class 'integer'"),
    ],
)
def test_what_is_no_synds(code, message):
    with pytest.raises(InputError, match=message):
        from_synds(r(code))
    with pytest.raises(InputError, match="not DataFrame"):
        from_synds(pd.DataFrame({"a": [1]}))


def test_there_and_back_is_the_same_object():
    made = r(RECORDED)
    back = to_synds(from_synds(made))
    same = r(
        "function(a, b) sapply(c('m', 'method', 'visit.sequence', 'proper', 'n', 'k', 'obs.vars'),"
        " function(p) isTRUE(all.equal(a[[p]], b[[p]])))"
    )(made, back)
    assert list(same) == [True] * 7
    assert r("function(a, b) isTRUE(all.equal(a$syn, b$syn))")(made, back)[0]
    assert r("function(a, b) isTRUE(all.equal(a$cont.na$income[1], b$cont.na$income)) && is.na(b$cont.na$age)")(
        made, back
    )[0]


def survey():
    rng = np.random.default_rng(3)
    n = 120
    sex = rng.choice(["f", "m"], n)
    age = rng.integers(20, 70, n)
    frame = pd.DataFrame({"age": age, "sex": pd.Categorical(sex)})
    frame["income"] = np.round(500 + 12.0 * age + 100 * (sex == "m") + rng.normal(0, 60, n), 2)
    return frame


def release_of(frame, m=3):
    rng = np.random.default_rng(4)
    frames = [frame.assign(income=rng.permutation(frame["income"].to_numpy())) for _ in range(m)]
    return sl.Release(frames, ["income"], rows="aligned")


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {}, "proper=None: must be True or False"),
        ({"synthesized": None}, {"proper": True}, "does not state its synthesized variables"),
        ({"rows": "unknown"}, {"proper": True}, "^n: is required"),
        ({}, {"proper": True, "n": 0}, "^n="),
        ({}, {"proper": True, "method": {"age": "cart"}}, "method: 'age' is not synthesized"),
        ({}, {"proper": True, "method": {"income": 3}}, "method: must be a mapping"),
        (
            {},
            {"proper": True, "visit_sequence": ["age"]},
            "visit_sequence: must contain each synthesized variable once",
        ),
    ],
)
def test_what_must_be_stated(change, options, message):
    made = release_of(survey())
    release = sl.Release(made.frames, change.get("synthesized", made.synthesized), rows=change.get("rows", made.rows))
    with pytest.raises(InputError, match=message):
        to_synds(release, **options)
    with pytest.raises(InputError, match="release: must be a Release, got DataFrame"):
        to_synds(survey(), proper=True)


def test_what_is_written():
    synds = to_synds(release_of(survey()), proper=True, n=150, method={"income": "cart"})
    told = r("function(s) list(class(s), s$m, names(s$syn[[3]]), s$method, s$visit.sequence, s$n, s$k, s$proper)")(
        synds
    )
    assert [list(part) for part in told] == [
        ["synds"],
        [3],
        ["age", "sex", "income"],
        ["", "", "cart"],
        [3],
        [150],
        [120],
        [True],
    ]


# ---- synthpop itself ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made():
    """An object of synthpop's own, and the same through a release."""
    frame = to_r(survey())
    synds = r(
        "function(d) suppressMessages(synthpop::syn(d, m = 3, method = c('', 'cart', 'cart'), visit.sequence = 2:3,"
        " seed = 5, print.flag = FALSE))"
    )(frame)
    return frame, synds, to_synds(from_synds(synds))


QUIET = "function(...) { sink(nullfile()); on.exit(sink()); f(...) }"
SAME = {
    "lm.synds": "function(d, s) coef(summary(synthpop::lm.synds(income ~ age + sex, data = s)))",
    "population": "function(d, s) coef(summary(synthpop::lm.synds(income ~ age, data = s), population.inference = TRUE))",
    "compare": "function(d, s) unlist(synthpop::compare(s, d, plot = FALSE)$tab.utility)",
    "utility.gen": "function(d, s) synthpop::utility.gen(s, d, method = 'logit', maxorder = 0, print.flag = FALSE)$pMSE",
    "utility.tab": "function(d, s) synthpop::utility.tab(s, d, vars = c('sex', 'income'), print.flag = FALSE)$pMSE",
    "replicated": "function(d, s) unlist(Filter(is.numeric, unclass(synthpop::replicated.uniques(s, d))))",
    "summary": "function(d, s) { summary(s); print(s); s$m }",
}


@live
@pytest.mark.parametrize("what", SAME)
def test_synthpop_says_the_same_of_what_came_back(made, what):
    frame, first, second = made
    ask = r(f"local({{ f <- {SAME[what]}; {QUIET} }})")
    there, back = (np.array(ask(frame, s), dtype=float).ravel() for s in (first, second))
    assert there.size
    np.testing.assert_allclose(back, there, rtol=1e-12)


@live
def test_synthpop_takes_a_release_of_ours():
    frame = survey()
    release = release_of(frame)
    synds = to_synds(release, proper=True)
    quiet = (
        "local({ f <- function(s) coef(summary(synthpop::lm.synds(income ~ age, data = s), population.inference = TRUE)); "
        + QUIET
        + "})"
    )
    found = np.array(r(quiet)(synds))
    slopes, variances = zip(*[_slope(f) for f in release], strict=True)
    # age is not synthesized, so synthpop's rule is that of partial synthesis: b / m + mean of the variances.
    assert found[1, 0] == pytest.approx(np.mean(slopes), rel=1e-10)
    assert found[1, 1] == pytest.approx(np.sqrt(np.var(slopes, ddof=1) / 3 + np.mean(variances)), rel=1e-10)
    ask = (
        "local({ f <- function(s, d) synthpop::utility.gen(s, d, method = 'logit', maxorder = 0, print.flag = FALSE)$pMSE; "
        + QUIET
        + "})"
    )
    assert np.array(r(ask)(synds, to_r(frame))).size == 3


def _slope(frame):
    x, y = frame["age"].to_numpy(float), frame["income"].to_numpy()
    x = x - x.mean()
    slope = (x * y).sum() / (x**2).sum()
    residual = y - y.mean() - slope * x
    return slope, (residual**2).sum() / (len(x) - 2) / (x**2).sum()
