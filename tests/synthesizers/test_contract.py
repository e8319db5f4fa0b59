"""The contract of `Fitted`, checked on every synthesizer of the package.

A new synthesizer gets these tests by one line in `tests/fitted_examples.py`; a public synthesizer without a line fails the first test.
"""

from __future__ import annotations

from inspect import isclass, signature

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import synthesizers
from synthlab.exceptions import InputError, MissingValueError, NotFittedError
from synthlab.synthesizers import Fitted, Synthesizer
from tests.fitted_examples import EXAMPLES, SURVEY, WEIGHTS, fitted

pytestmark = [
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ApproximationWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning"),
    pytest.mark.parametrize("name", EXAMPLES),
]


def first(name: str) -> str:
    return fitted(name).synthesized[0]


def has_density(name: str) -> bool:
    return type(fitted(name)).log_likelihood is not Fitted.log_likelihood and name != "Sequential"


def test_every_public_synthesizer_has_an_example(name):
    public = {thing: getattr(synthesizers, thing) for thing in synthesizers.__all__}
    found = {
        thing
        for thing, kind in public.items()
        if isclass(kind) and hasattr(kind, "fit") and kind is not Synthesizer and not issubclass(kind, Fitted)
    }
    assert found == {*EXAMPLES}
    assert isinstance(EXAMPLES[name][0], public[name])


def test_fit_changes_neither_the_specification_nor_the_data(name):
    model, sampler, _ = EXAMPLES[name]
    before, data = repr(model), SURVEY.copy()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    found = model.fit(data, rng=1, **sampler)
    assert (repr(model), hash(model)) == (before, hash(EXAMPLES[name][0]))
    assert found.specification == model
    pd.testing.assert_frame_equal(data, SURVEY)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    with pytest.raises(AttributeError):
        found.synthesized = ()  # frozen


def test_rng_decides_every_draw(name):
    model, sampler, _ = EXAMPLES[name]
    again = model.fit(SURVEY.copy(), rng=1, **sampler)
    one, other = fitted(name).generate(m=3, rng=2), again.generate(m=2, rng=2)
    for a, b in zip(one, other, strict=False):  # m = 2 is the beginning of m = 3
        pd.testing.assert_frame_equal(a, b)
    if name != "Topcoding":  # nothing is drawn
        assert not one[0].equals(one[1])


def test_a_dataset_has_the_form_of_the_data(name):
    odd = fitted(name)
    release = odd.generate(m=2, rng=2)
    assert release.synthesized == odd.synthesized
    for one in release:
        assert list(one.columns) == list(SURVEY.columns)
        pd.testing.assert_index_equal(one.index, SURVEY.index)
        kept = [column for column in SURVEY.columns if column not in odd.synthesized]
        pd.testing.assert_frame_equal(one[kept], SURVEY[kept])
        assert not one[list(odd.synthesized)].isna().any(axis=None)
    drawn = odd.draw(SURVEY.iloc[[3, 3, 9]] if odd.records_independent else SURVEY, 0, np.random.default_rng(1))
    assert tuple(drawn) == odd.synthesized


def test_weights_are_used_or_refused(name):
    model, sampler, _ = EXAMPLES[name]
    for wrong in (np.ones(3), -WEIGHTS, np.zeros(len(SURVEY)), np.full(len(SURVEY), np.nan), "income"):
        with pytest.raises(InputError, match="weights"):
            model.fit(SURVEY, weights=wrong, rng=1, **sampler)
    found = fitted(name, weighted=True)
    np.testing.assert_array_equal(found.weights, WEIGHTS)
    assert found.generate(m=1, rng=1).provenance["weighted"] is True
    if has_density(name):
        own = found.pseudo_log_likelihood()
        assert (np.abs(own[:, WEIGHTS == 0]) < 1e-12).all()  # a record of weight 0 adds nothing to the posterior
        assert np.isfinite(own).all()


def test_missing_values_are_kept_or_refused(name):
    model, sampler, _ = EXAMPLES[name]
    column = first(name)
    gaps = SURVEY.assign(**{column: SURVEY[column].mask(np.arange(len(SURVEY)) % 5 == 0)})
    if "missing" in signature(model.fit).parameters:
        with pytest.raises(MissingValueError, match=column):
            model.fit(gaps, missing="raise", rng=1, **sampler)
        assert model.fit(gaps, missing="keep", rng=1, **sampler).generate(m=1, rng=1)[0][column].isna().any()
    else:
        with pytest.raises(MissingValueError, match=column):
            model.fit(gaps, rng=1, **sampler)


def test_given_unchanged_values_give_the_same_records(name):
    model, sampler, _ = EXAMPLES[name]
    fitted = model.fit(SURVEY, rng=1, **sampler)
    given = SURVEY.drop(columns=list(fitted.synthesized))
    if fitted.uses_own_values:
        with pytest.raises(InputError, match="given"):
            fitted.generate(2, 3, given=given)
        return
    for one, other in zip(fitted.generate(2, 3), fitted.generate(2, 3, given=given), strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_a_model_without_a_fit_says_what_to_do(name):
    model = EXAMPLES[name][0]
    for attribute in ("generate", "summary", "log_likelihood", "save"):
        with pytest.raises(
            NotFittedError, match=rf"{attribute}: this {name} is not fitted.*model\.fit\(confidential\)"
        ):
            getattr(model, attribute)
    assert not hasattr(model, "generate")
    with pytest.raises(AttributeError, match="no_such"):
        model.no_such  # noqa: B018


def test_it_is_a_part_of_a_sequence(name):
    model, sampler, _ = EXAMPLES[name]
    if name == "Sequential":
        return
    before = sl.Resample(["age"])
    whole = sl.Sequential([before, model]).fit(SURVEY, rng=1, **sampler)
    assert whole.synthesized == ("age", *fitted(name).synthesized)
    assert whole.generate(m=2, rng=1).m == 2


def test_log_density_is_the_likelihood_or_is_refused(name):
    found = fitted(name)
    column, impossible = first(name), EXAMPLES[name][2]
    if not has_density(name):
        with pytest.raises(InputError, match="has no likelihood"):
            found.log_density(SURVEY)
        return
    own = found.log_density(SURVEY)
    assert own.shape == (found.n_draws, len(SURVEY))
    np.testing.assert_allclose(own, found.log_likelihood())
    few = SURVEY.iloc[[7, 7, 3]].reset_index(drop=True)
    np.testing.assert_allclose(found.log_density(few), own[:, [7, 7, 3]])
    guess = few.astype({column: type(impossible) if isinstance(impossible, float) else object})
    guess.loc[1, column] = impossible
    for as_drawn in (False, True):
        density = found.log_density(guess, as_drawn=as_drawn)
        assert (density[:, 1] == -np.inf).all()
        assert np.isfinite(density[:, [0, 2]]).all()
    guess[column] = guess[column].astype(object)
    guess.loc[1, column] = None
    with pytest.raises(MissingValueError, match=column):
        found.log_density(guess)


def test_bad_input_is_an_input_error_that_shows_no_value(name):
    model, sampler, _ = EXAMPLES[name]
    cases = {
        "no frame": SURVEY["income"].to_numpy(),
        "no rows": SURVEY.iloc[:0],
        "no variable": SURVEY.drop(columns=first(name)),
        "no text names": SURVEY.rename(columns={"age": 3}),
    }
    for case, data in cases.items():
        with pytest.raises(InputError) as raised:
            model.fit(data, rng=1, **sampler)
        assert not any(f"{value:.6g}" in str(raised.value) for value in SURVEY["income"]), case
    with pytest.raises(InputError, match="no_such_option"):
        model.fit(SURVEY, rng=1, no_such_option=1, **sampler)
    for m in (0, 1.5, True):
        with pytest.raises(InputError, match=rf"^m={m}"):
            fitted(name).generate(m=m, rng=1)


def test_a_fit_and_its_release_can_be_saved(name, tmp_path):
    found = fitted(name)
    copy = cloudpickle.loads(cloudpickle.dumps(found))  # as worker processes receive it
    release = found.generate(m=2, rng=3)
    for one, other in zip(release, copy.generate(m=2, rng=3), strict=True):
        pd.testing.assert_frame_equal(one, other)
    release.save(tmp_path / "release", allow_short_seed=True, keep_order=True)
    for one, other in zip(release, sl.Release.load(tmp_path / "release"), strict=True):
        pd.testing.assert_frame_equal(one, other)
