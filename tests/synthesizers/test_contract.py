"""The contract of `Fitted`, checked on every synthesizer of the package.

A registered synthesizer gets these tests. A public synthesizer that is not registered fails the first test.
"""

from __future__ import annotations

from inspect import isclass
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import synthesizers
from synthlab.exceptions import InputError, MissingValueError, NotFittedError
from synthlab.synthesizers import Fitted, Synthesizer
from synthlab.synthesizers.registry import SYNTHESIZERS
from synthlab.weights import PseudoPosteriorMechanism
from tests import stubs
from tests.fitted_examples import SURVEY, WEIGHTS, fitted

pytestmark = [
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ApproximationWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning"),
    pytest.mark.parametrize("name", SYNTHESIZERS),
]


OF_UNITS = {"NestedDPMPM"}  # needs units of records, which the survey of the contract lacks; see test_nested_dpmpm.py


def first(name: str) -> str:
    return fitted(name).synthesized[0]


def fit_example(name: str, frame: pd.DataFrame, **arguments: Any) -> Fitted:
    declaration = SYNTHESIZERS[name]
    made: Fitted = declaration.example().fit(frame, rng=1, **arguments, **declaration.options)
    return made


def test_public_synthesizers_are_registered(name):
    public = {thing: getattr(synthesizers, thing) for thing in synthesizers.__all__}
    fitting = {
        thing
        for thing, kind in public.items()
        if isclass(kind) and hasattr(kind, "fit") and kind is not Synthesizer and not issubclass(kind, Fitted)
    }
    assert fitting == {*SYNTHESIZERS, *OF_UNITS}
    declaration = SYNTHESIZERS[name]
    assert type(declaration.example()) is declaration.specification is public[name] is getattr(sl, name)
    assert not stubs.absent("synthesizers")
    assert not stubs.absent("")


def test_fit_changes_neither_the_specification_nor_the_data(name):
    declaration = SYNTHESIZERS[name]
    model, other = declaration.example(), declaration.example()
    before, data = repr(model), SURVEY.copy()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    fit = model.fit(data, rng=1, **declaration.options)
    assert (repr(model), hash(model)) == (before, hash(other))
    assert fit.specification == model == other
    pd.testing.assert_frame_equal(data, SURVEY)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    with pytest.raises(AttributeError):
        fit.synthesized = ()  # frozen


def test_rng_decides_every_draw(name):
    again = fit_example(name, SURVEY.copy())
    three, two = fitted(name).generate(m=3, rng=2), again.generate(m=2, rng=2)
    for dataset, same in zip(three, two, strict=False):  # m = 2 is the beginning of m = 3
        pd.testing.assert_frame_equal(dataset, same)
    if name != "Topcoding":  # nothing is drawn
        assert not three[0].equals(three[1])


def test_a_dataset_has_the_form_of_the_data(name):
    fit = fitted(name)
    release = fit.generate(m=2, rng=2)
    assert release.synthesized == fit.synthesized
    assert release.rows == "aligned"  # every example keeps a column
    for dataset in release:
        assert list(dataset.columns) == list(SURVEY.columns)
        pd.testing.assert_index_equal(dataset.index, SURVEY.index)
        kept = [column for column in SURVEY.columns if column not in fit.synthesized]
        pd.testing.assert_frame_equal(dataset[kept], SURVEY[kept])
        assert not dataset[list(fit.synthesized)].isna().any(axis=None)
    drawn = fit.draw(SURVEY.iloc[[3, 3, 9]] if fit.records_independent else SURVEY, 0, np.random.default_rng(1))
    assert tuple(drawn) == fit.synthesized


def test_weights_are_used_or_refused(name):
    for wrong in (np.ones(3), -WEIGHTS, np.zeros(len(SURVEY)), np.full(len(SURVEY), np.nan), "income"):
        with pytest.raises(InputError, match="weights"):
            fit_example(name, SURVEY, weights=wrong)
    fit = fitted(name, weighted=True)
    np.testing.assert_array_equal(fit.weights, WEIGHTS)
    assert fit.generate(m=1, rng=1).provenance["weighted"] is True
    if SYNTHESIZERS[name].density:
        log_likelihood = fit.pseudo_log_likelihood()
        assert (np.abs(log_likelihood[:, WEIGHTS == 0]) < 1e-12).all()  # a record of weight 0 has no effect
        assert np.isfinite(log_likelihood).all()


def test_missing_values_are_kept_or_refused(name):
    column = first(name)
    incomplete = SURVEY.assign(**{column: SURVEY[column].mask(np.arange(len(SURVEY)) % 5 == 0)})
    if SYNTHESIZERS[name].missing:
        with pytest.raises(MissingValueError, match='missing values.*missing="keep"'):
            fit_example(name, incomplete, missing="raise")
        with pytest.raises(InputError, match="missing='drop': must be one of 'keep', 'raise'"):
            fit_example(name, incomplete, missing="drop")
        assert fit_example(name, incomplete, missing="keep").generate(m=1, rng=1)[0][column].isna().any()
    else:
        with pytest.raises(MissingValueError, match=column):
            fit_example(name, incomplete)


def test_given_unchanged_values_give_the_same_records(name):
    fit = fitted(name)
    given = SURVEY.drop(columns=list(fit.synthesized))
    if not SYNTHESIZERS[name].given:
        with pytest.raises(InputError, match="given"):
            fit.generate(2, 3, given=given)
        return
    for dataset, same in zip(fit.generate(2, 3), fit.generate(2, 3, given=given), strict=True):
        pd.testing.assert_frame_equal(dataset, same)


def test_a_survey_design_multiplies_the_weights_and_changes_the_population(name):
    design = sl.SurveyDesign(weights=np.linspace(20.0, 60.0, len(SURVEY)), clusters=np.arange(len(SURVEY)) // 4)
    fit = fit_example(name, SURVEY, weights=WEIGHTS, design=design)
    product = WEIGHTS * np.linspace(0.5, 1.5, len(SURVEY))  # the survey weights are normalized to n
    np.testing.assert_allclose(fit.weights, product)
    same = fit_example(name, SURVEY, weights=product)
    pd.testing.assert_frame_equal(fit.generate(1, rng=2)[0], same.generate(1, rng=2)[0])
    assert fit.estimates.startswith("The model refers to the population")
    assert same.estimates.startswith("The model refers to the sample")
    assert "of the population" in str(fit)
    assert fit.generate(1, rng=2).provenance["estimates"] == fit.estimates


def test_a_model_without_a_fit_says_what_to_do(name):
    model = SYNTHESIZERS[name].example()
    for attribute in ("generate", "summary", "log_likelihood", "save"):
        with pytest.raises(
            NotFittedError, match=rf"{attribute}: this {name} is not fitted.*model\.fit\(confidential\)"
        ):
            getattr(model, attribute)
    assert not hasattr(model, "generate")
    with pytest.raises(AttributeError, match="no_such"):
        model.no_such  # noqa: B018


def test_it_is_a_part_of_a_sequence(name):
    declaration = SYNTHESIZERS[name]
    if name == "Sequential":
        return
    whole = sl.Sequential([sl.Resample(["age"]), declaration.example()]).fit(SURVEY, rng=1, **declaration.options)
    assert whole.synthesized == ("age", *fitted(name).synthesized)
    assert whole.generate(m=2, rng=1).m == 2


def test_log_density_is_the_likelihood_or_is_refused(name):
    fit = fitted(name)
    column, impossible = first(name), SYNTHESIZERS[name].impossible
    if not SYNTHESIZERS[name].density:
        with pytest.raises(InputError, match="has no likelihood"):
            fit.log_density(SURVEY)
        return
    log_density = fit.log_density(SURVEY)
    assert log_density.shape == (fit.n_draws, len(SURVEY))
    np.testing.assert_allclose(log_density, fit.log_likelihood())
    few = SURVEY.iloc[[7, 7, 3]].reset_index(drop=True)
    np.testing.assert_allclose(fit.log_density(few), log_density[:, [7, 7, 3]])
    guess = few.astype({column: type(impossible) if isinstance(impossible, float) else object})
    guess.loc[1, column] = impossible
    for as_drawn in (False, True):
        density = fit.log_density(guess, as_drawn=as_drawn)
        assert (density[:, 1] == -np.inf).all()
        assert np.isfinite(density[:, [0, 2]]).all()
    guess[column] = guess[column].astype(object)
    guess.loc[1, column] = None
    with pytest.raises(MissingValueError, match=column):
        fit.log_density(guess)


def test_a_clipped_likelihood_is_fitted_or_refused(name):
    declaration = SYNTHESIZERS[name]
    if declaration.clipped:
        fit = declaration.example().fit_clipped(SURVEY, bound=10.0, rng=1, draws=8, tune=8, chains=1)
        assert fit.n_draws == 8
        return
    with pytest.raises(InputError, match="cannot be clipped"):
        PseudoPosteriorMechanism(synthesizer=declaration.example(), clip=4.0).fit(SURVEY)


def test_bad_input_is_an_input_error_that_shows_no_value(name):
    cases = {
        "no frame": SURVEY["income"].to_numpy(),
        "no rows": SURVEY.iloc[:0],
        "no variable": SURVEY.drop(columns=first(name)),
        "no text names": SURVEY.rename(columns={"age": 3}),
    }
    for case, data in cases.items():
        with pytest.raises(InputError) as raised:
            fit_example(name, data)
        assert not any(f"{value:.6g}" in str(raised.value) for value in SURVEY["income"]), case
    with pytest.raises(InputError, match="no_such_option"):
        fit_example(name, SURVEY, no_such_option=1)
    for m in (0, 1.5, True):
        with pytest.raises(InputError, match=rf"^m={m}"):
            fitted(name).generate(m=m, rng=1)


def test_a_fit_and_its_release_can_be_saved(name, tmp_path):
    fit = fitted(name)
    copy = cloudpickle.loads(cloudpickle.dumps(fit))  # as worker processes receive it
    release = fit.generate(m=2, rng=3)
    release.save(tmp_path / "release", allow_short_seed=True, keep_order=True)
    for dataset, copied, loaded in zip(
        release, copy.generate(m=2, rng=3), sl.Release.load(tmp_path / "release"), strict=True
    ):
        pd.testing.assert_frame_equal(dataset, copied)
        pd.testing.assert_frame_equal(dataset, loaded)
