"""``svydesign`` objects of R's survey: the same frame, design and standard errors on both sides."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, RUnavailableError
from synthlab.r import from_svydesign, probe, session, survey as bridge, to_svydesign

usable = probe().usable
pytestmark = [pytest.mark.r, pytest.mark.skipif(not usable, reason=probe().problem or "R is there")]
live = pytest.mark.skipif(
    not usable or session.package_state("survey") in session.UNUSABLE, reason="the R package survey is not here"
)

# A structure of our own making, with the parts that survey gives its objects; nothing of survey is needed.
RECORDED = """
(function() {
  d <- data.frame(y = c(3, 5, 4, 8, 9, 7), school = c("a", "a", "b", "c", "c", "d"), area = factor(rep(c("n", "s"), each = 3)),
                  w = c(10, 10, 20, 5, 5, 10), units = c(6, 6, 6, 8, 8, 8))
  structure(list(cluster = d["school"], strata = d["area"], has.strata = TRUE, prob = 1 / d$w, allprob = data.frame(w = 1 / d$w),
    call = quote(svydesign(~school, weights = ~w)), variables = d,
    fpc = list(popsize = matrix(d$units, dimnames = list(NULL, "units")), sampsize = matrix(rep(2L, 6))), pps = FALSE),
    class = c("survey.design2", "survey.design"))
})()
"""


def r(code):
    import rpy2.robjects as ro

    return ro.r(code)


def changed(code):
    return r(f"(function(s) {{ {code}; s }})({RECORDED})")


def test_a_recorded_structure_is_read():
    frame, design = from_svydesign(r(RECORDED))
    assert list(frame) == ["y", "school", "area", "w", "units"]
    assert (design.weights, design.strata, design.clusters, design.fpc) == ("w", "area", "school", "units")
    assert design.lonely == "fail"
    sampled = design.read(frame)
    assert sampled.units.tolist() == [2, 2]
    assert sampled.population.tolist() == [6, 8]


def test_a_part_that_is_no_column_is_an_array():
    _, design = from_svydesign(changed("names(s$cluster) <- 'elsewhere'; s$prob <- s$prob / 2"))
    assert design.clusters.tolist() == ["a", "a", "b", "c", "c", "d"]
    assert design.weights.tolist() == [20, 20, 40, 10, 10, 20]
    assert design.strata == "area"


def test_parts_that_are_not_there():
    code = "s$has.strata <- FALSE; s$strata <- data.frame(V1 = rep(1, 6)); s$prob <- rep(1, 6); s$fpc$popsize <- NULL"
    _, design = from_svydesign(
        changed(f"{code}; s$cluster <- data.frame(id = 1:6); s$fpc$sampsize <- matrix(rep(6L, 6))")
    )
    assert (design.weights, design.strata, design.clusters, design.fpc) == (None,) * 4


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("s$postStrata <- list(1)", "calibrated or post-stratified"),
        ("s$pps <- list(1)", "unequal probabilities"),
        ("s$prob[2] <- Inf", "records of weight 0"),
        ("s$cluster$two <- 1:6; s$fpc$popsize <- cbind(s$fpc$popsize, 9)", "several stages with a finite population"),
        ("s$fpc$sampsize[] <- 3L", "fewer primary sampling units than were drawn"),
        ("class(s) <- 'svyrep.design'", "not an R object of class 'svyrep.design'"),
        ("class(s) <- c('pps', class(s)); s$pps <- TRUE", "unequal probabilities"),
    ],
)
def test_a_design_that_ours_does_not_describe(code, message):
    with pytest.raises(InputError, match=message):
        from_svydesign(changed(code))


def test_the_rule_for_one_unit():
    ask = r("function(x) { before <- getOption('survey.lonely.psu'); options(survey.lonely.psu = x); before }")
    before = ask("remove")
    try:
        assert from_svydesign(r(RECORDED))[1].lonely == "certainty"
        assert from_svydesign(r(RECORDED), lonely="adjust")[1].lonely == "adjust"
        ask("average")
        with pytest.raises(InputError, match="lonely: R's options"):
            from_svydesign(r(RECORDED))
    finally:
        ask(before)


def test_only_a_design_is_one():
    with pytest.raises(InputError, match="not DataFrame"):
        from_svydesign(pd.DataFrame({"a": [1]}))
    with pytest.raises(InputError, match="^design="):
        to_svydesign(pd.DataFrame({"a": [1]}), "weight")


def test_without_the_package_the_message_names_it(monkeypatch):
    def missing(package=None):
        raise RUnavailableError(session.package_problem(package, "missing"))

    monkeypatch.setattr(bridge, "require", missing)
    with pytest.raises(RUnavailableError, match="survey is not installed"):
        to_svydesign(pd.DataFrame({"w": [1.0, 2.0]}), sl.SurveyDesign(weights="w"))


# ---- survey itself --------------------------------------------------------------------------------

DESIGNS = {
    "strata": "svydesign(id = ~1, strata = ~stype, weights = ~pw, data = apistrat, fpc = ~fpc)",
    "clusters": "svydesign(id = ~dnum, weights = ~pw, data = apiclus1, fpc = ~fpc)",
    "no fpc": "svydesign(id = ~dnum, weights = ~pw, data = apiclus1)",
    "two stages": "svydesign(id = ~dnum + snum, weights = ~pw, data = apiclus2)",
    "from the fpc": "svydesign(id = ~1, strata = ~stype, data = apistrat, fpc = ~fpc)",
    "nested": "svydesign(id = ~cds, strata = ~stype, weights = ~pw, data = apistrat, nest = TRUE)",
    "vectors": "svydesign(id = apiclus1$dnum, weights = apiclus1$pw, data = apiclus1, fpc = apiclus1$fpc)",
    "a share": "svydesign(id = ~1, strata = ~stype, weights = ~pw, data = transform(apistrat, f = 1 / pw), fpc = ~f)",
    "no weights": "svydesign(id = ~1, strata = ~stype, weights = rep(1, 200), data = apistrat)",
}
ASK = """
function(d) {
  library(survey, warn.conflicts = FALSE, quietly = TRUE)
  m <- svymean(~api00, d); t <- svytotal(~enroll, d, na.rm = TRUE); q <- svymean(~meals, d)
  c(coef(m), SE(m), coef(t), SE(t), coef(q), SE(q))
}
"""


def ours(frame, design):
    asked = [(sl.survey_mean, "api00"), (sl.survey_total, "enroll"), (sl.survey_mean, "meals")]
    results = [estimate(frame, [variable], design=design, missing="never") for estimate, variable in asked]
    return [float(v) for result in results for v in (result.estimate[0], result.std_error[0])]


@live
@pytest.mark.parametrize("what", DESIGNS)
def test_svymean_on_both_sides(what):
    made = r(
        f"(function() {{ library(survey); data(api, package = 'survey', envir = environment()); {DESIGNS[what]} }})()"
    )
    frame, design = from_svydesign(made)
    there = np.array(r(ASK)(made))
    assert np.isfinite(there).all()
    np.testing.assert_allclose(ours(frame, design), there, rtol=1e-9)
    back = to_svydesign(frame, design)
    np.testing.assert_allclose(np.array(r(ASK)(back)), there, rtol=1e-9)
    frame_again, design_again = from_svydesign(back)
    pd.testing.assert_frame_equal(frame_again, frame)
    np.testing.assert_allclose(ours(frame_again, design_again), there, rtol=1e-9)


@live
def test_what_survey_has_beyond_is_refused():
    load = "library(survey); data(api, package = 'survey', envir = environment())"
    made = "d <- svydesign(id = ~1, strata = ~stype, weights = ~pw, data = apistrat, fpc = ~fpc)"
    for code, message in {
        "subset(d, stype == 'E' & api00 > 600)": "domain",
        "postStratify(d, ~stype, data.frame(stype = c('E', 'H', 'M'), Freq = c(4400, 755, 1018)))": "post-stratified",
        "as.svrepdesign(d)": "svyrep.design",
        "svydesign(id = ~dnum + snum, fpc = ~fpc1 + fpc2, data = apiclus2)": "several stages",
    }.items():
        with pytest.raises(InputError, match=message):
            from_svydesign(r(f"(function() {{ {load}; {made}; {code} }})()"))


@live
def test_names_are_data():
    frame = pd.DataFrame({"y": [1.0, 2.0, 4.0, 7.0], "quit('no')": [1.0, 2.0, 3.0, 4.0], "a b": ["u", "u", "v", "v"]})
    design = sl.SurveyDesign(weights="quit('no')", strata="a b")
    made = to_svydesign(frame, design)
    again = from_svydesign(made)[1]
    assert (again.weights, again.strata) == ("quit('no')", "a b")
