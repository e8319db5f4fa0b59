"""The nested mixture for households: exact answers, rules, sizes, weights and errors."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError, TruncationWarning
from synthlab.units import AtMostOne, Difference, Different, ExactlyOne, SizeOf, UnitRules
from tests.units.survey import households, panel

pytestmark = [
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning"),
]
TWO = pd.DataFrame(
    {
        "hhid": [1, 2, 2],
        "region": ["n", "s", "s"],
        "relation": ["head", "head", "child"],
        "age": [10, 40, 10],
    }
)
RULES = UnitRules([ExactlyOne("relation", "head"), Difference("age", older="head", younger="child", at_least=12)])


def kinds() -> list[tuple[str, tuple[tuple[str, int], ...]]]:
    """All households of one or two members: region, and relation and age of each member."""
    people = list(itertools.product(["child", "head"], [10, 40]))
    members = [*((p,) for p in people), *itertools.product(people, people)]
    return list(itertools.product(["n", "s"], members))


def as_frame(listed) -> pd.DataFrame:
    rows = [(i, region, *person) for i, (region, members) in enumerate(listed) for person in members]
    return pd.DataFrame(rows, columns=["hhid", "region", "relation", "age"])


POSSIBLE = RULES.holds(as_frame(kinds()), "hhid")


def probabilities(layout, pi, omega, household, phi, weight=1.0) -> np.ndarray:
    """Probabilities of all kinds of households, one row per draw, from the formula of the model."""
    F, S = omega.shape[1:]
    by_head = layout.head is not None
    inner = phi.reshape(*phi.shape[:2], F, S)

    def row(column, value, of_head=None):
        if of_head is None:
            j = layout.members.index(column)
            seen, start = layout.seen_member[j], layout.first[j]
        else:
            k = layout.households.index((column, of_head))
            seen, start = layout.seen_household[k], layout.first_household[k + 1]
        code = layout.levels[column].values.get_loc(value)
        return start + list(seen).index(code) if code in seen else None

    result = np.zeros((len(pi), len(kinds())))
    for number, (region, members) in enumerate(kinds()):
        rows = [list(layout.sizes).index(len(members)), row("region", region, False)]
        people = list(members)
        if by_head:
            if people[0][0] != "head" or "head" in [relation for relation, _ in people[1:]]:
                continue  # the head has no order among the members
            head, people = people[0], people[1:]
            rows.append(row("age", head[1], True))
        own = [[row("relation", relation), row("age", age)] for relation, age in people]
        if None in rows or any(None in r for r in own):
            continue
        inside = pi * np.prod(household[:, rows] ** weight, axis=1)
        for r in own:
            inside = inside * (omega * np.prod(inner[:, r] ** weight, axis=1)).sum(axis=2)
        result[:, number] = inside.sum(axis=1)
    return result


def from_prior(rng, number, layout, F, S, a, b):
    """Parameters drawn from the prior."""
    alpha, beta = rng.gamma(a, 1 / b, number), rng.gamma(a, 1 / b, number)

    def sticks(concentration, K):
        v = rng.beta(1.0, concentration[..., None] * np.ones(K))
        v[..., -1] = 1.0
        left = np.cumprod(np.concatenate([np.ones((*v.shape[:-1], 1)), 1 - v[..., :-1]], axis=-1), axis=-1)
        return v * left

    def levels(first, K):
        parts = [rng.dirichlet(np.ones(size), (number, K)).transpose(0, 2, 1) for size in np.diff(first)]
        return np.concatenate(parts, axis=1)

    omega = sticks(np.repeat(beta[:, None], F, axis=1), S)
    return sticks(alpha, F), omega, levels(layout.first_household, F), levels(layout.first, F * S)


@pytest.mark.parametrize(
    ("head", "weights", "rules", "draws", "tolerance"),
    [
        ("member", [1.5, 0.75], RULES, 3000, 0.02),
        pytest.param("member", None, RULES, 15_000, 0.006, marks=pytest.mark.full),
        pytest.param("member", [1.5, 0.75], RULES, 15_000, 0.006, marks=pytest.mark.full),
        pytest.param("household", [1.5, 0.75], RULES, 15_000, 0.006, marks=pytest.mark.full),
        pytest.param("member", None, False, 15_000, 0.006, marks=pytest.mark.full),
    ],
)
def test_equals_the_exact_posterior_of_two_households(head, weights, rules, draws, tolerance):
    """Two household classes with two person classes: prior draws are weighted with the exact likelihood."""
    F, S, a, b = 2, 2, 2.0, 2.0
    model = sl.NestedDPMPM(
        "hhid", unit_variables="region", rules=rules, head=head, household_classes=F, member_classes=S, a=a, b=b, thin=2
    )
    fitted = model.fit(TWO, weights=weights, rng=1, chains=1, draws=draws, tune=500)
    layout, kept = fitted.layout, fitted.kept
    possible = POSSIBLE if rules else np.ones(len(POSSIBLE), dtype=bool)
    observed = [kinds().index(("n", (("head", 10),))), kinds().index(("s", (("head", 40), ("child", 10))))]

    prior = from_prior(np.random.default_rng(3), 12 * draws, layout, F, S, a, b)
    table = probabilities(layout, *prior)
    w = [1.0, 1.0] if weights is None else weights
    mass = (table * possible).sum(axis=1)
    density = np.prod(
        [probabilities(layout, *prior, power)[:, i] for i, power in zip(observed, w, strict=True)], axis=0
    )
    density = density / mass ** sum(w)
    expected = density @ (table * possible / mass[:, None]) / density.sum()

    ours = probabilities(layout, kept.pi[0], kept.omega[0], kept.household[0], kept.phi[0])
    ours = ours * possible / (ours * possible).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours.mean(axis=0), expected, atol=tolerance)
    assert expected[observed[0]] > 0.05


def test_augmentation_by_size_gives_the_posterior_given_the_sizes_for_one_class_of_households():
    weights, a, draws = [1.5, 0.75], 2.0, 4000
    model = sl.NestedDPMPM(
        "hhid", unit_variables="region", rules=RULES, household_classes=1, member_classes=2, a=a, b=a, thin=2,
        augmentation="by size",
    )  # fmt: skip
    fitted = model.fit(TWO, weights=weights, rng=1, chains=1, draws=draws, tune=500)
    layout, kept = fitted.layout, fitted.kept
    observed = [kinds().index(("n", (("head", 10),))), kinds().index(("s", (("head", 40), ("child", 10))))]
    of_size = [np.array([len(members) == size for _, members in kinds()]) & POSSIBLE for size in (1, 2)]

    prior = from_prior(np.random.default_rng(3), 12 * draws, layout, 1, 2, a, a)
    table = probabilities(layout, *prior)
    ours = probabilities(layout, kept.pi[0], kept.omega[0], kept.household[0], kept.phi[0])
    density = np.ones(len(table))
    for i, w, rows in zip(observed, weights, of_size, strict=True):
        density *= probabilities(layout, *prior, w)[:, i] / table[:, rows].sum(axis=1) ** w
    for rows in of_size:
        expected = density @ (table[:, rows] / table[:, rows].sum(axis=1, keepdims=True)) / density.sum()
        found = (ours[:, rows] / ours[:, rows].sum(axis=1, keepdims=True)).mean(axis=0)
        np.testing.assert_allclose(found, expected, atol=0.02)


def test_log_likelihood_is_that_of_possible_households():
    model = sl.NestedDPMPM("hhid", unit_variables="region", rules=RULES, household_classes=2, member_classes=2)
    fitted = model.fit(TWO, rng=1, chains=1, draws=8, tune=50)
    kept = fitted.kept
    table = probabilities(fitted.layout, kept.pi[0], kept.omega[0], kept.household[0], kept.phi[0])
    found = fitted.log_density(as_frame(kinds()))
    assert found.shape == (8, len(kinds()))
    assert np.array_equal(np.isneginf(found), np.tile(~POSSIBLE, (8, 1)))
    share = fitted.possible_share()
    mass = (table * POSSIBLE).sum(axis=1)
    np.testing.assert_allclose(np.log(share.estimate), np.log(mass), atol=4 * share.log_standard_error.max())
    exact = np.log(table[:, POSSIBLE]) - np.log(share.estimate)[:, None]
    np.testing.assert_allclose(found[:, POSSIBLE], exact, rtol=1e-9)
    assert fitted.log_likelihood().shape == (8, 2)


FILE = households(250).drop(columns="income")
FILE["age"] = FILE["age"] // 5 * 5
DECLARED = UnitRules(
    [
        ExactlyOne("relation", "head"),
        AtMostOne("relation", "partner"),
        Difference("age", older="head", younger="child", at_least=10),
        SizeOf("hhsize"),
    ]
)


@pytest.fixture(scope="module", params=["member", "household"])
def fitted(request):
    model = sl.NestedDPMPM("hhid", rules=DECLARED, head=request.param, household_classes=10, member_classes=6)
    return model.fit(FILE, rng=1, chains=1, tune=150, draws=40)


def test_generated_households_are_possible_and_have_the_sizes_of_the_file(fitted):
    release = fitted.generate(m=3, rng=2)
    sizes = np.sort(FILE.groupby("hhid").size())
    for made in release:
        assert made.dtypes.equals(FILE.dtypes)
        assert [*made.columns] == [*FILE.columns]
        assert DECLARED.holds(made, "hhid").all()
        assert np.array_equal(np.sort(made.groupby("hhid").size()), sizes)
        assert (made.groupby("hhid")["region"].nunique() == 1).all()
        assert made.groupby("hhid")["relation"].first().eq("head").all()
    assert release.provenance["synthesis"] == "full"
    more = fitted.generate(m=2, rng=2, n=400)
    assert [frame["hhid"].nunique() for frame in more] == [400, 400]
    assert len(more[0]) == len(more[1])
    assert DECLARED.holds(more[0], "hhid").all()


def test_tables_within_households_are_kept(fitted):
    def couples(frame):
        one, other = (frame[frame["relation"] == r].set_index("hhid")["age"] for r in ("head", "partner"))
        return np.corrcoef(pd.concat([one, other], axis=1, join="inner").to_numpy().T)[0, 1]

    release = fitted.generate(m=10, rng=3)
    shares = [frame["relation"].value_counts(normalize=True).sort_index() for frame in (FILE, *release)]
    np.testing.assert_allclose(np.mean(shares[1:], axis=0), shares[0], atol=0.03)
    assert np.mean([couples(frame) for frame in release]) > 0.25  # 0 for independent persons
    share = fitted.impossible["mean"]
    assert share.index.tolist() == sorted(FILE.groupby("hhid").size().unique())
    assert ((share >= 0) & (share < 1)).all()


def test_the_same_seed_gives_the_same_result(fitted):
    again = fitted.specification.fit(
        FILE.sample(frac=1, random_state=3).sort_index(), rng=1, chains=1, tune=150, draws=40
    )
    np.testing.assert_array_equal(again.kept.phi, fitted.kept.phi)
    assert again.generate(m=1, rng=5)[0].equals(fitted.generate(m=1, rng=5)[0])
    assert not again.generate(m=1, rng=6)[0].equals(fitted.generate(m=1, rng=5)[0])


def test_weights_of_households(fitted):
    units = FILE["hhid"].nunique()
    model = fitted.specification
    options = {"rng": 1, "chains": 1, "tune": 20, "draws": 4}
    plain = model.fit(FILE, **options)
    for ones in (np.ones(len(FILE)), np.ones(units)):
        np.testing.assert_array_equal(model.fit(FILE, weights=ones, **options).kept.phi, plain.kept.phi)
    region = FILE.groupby("hhid", sort=False)["region"].first()
    weighted = model.fit(FILE, weights=np.where(region == "n", 1.0, 0.0), **options)
    values = weighted.pseudo_log_likelihood()
    assert values.shape == (4, units)
    assert (values[:, (region != "n").to_numpy()] == 0).all()
    assert np.isfinite(weighted.log_likelihood()[:, (region == "n").to_numpy()]).all()


def test_one_class_and_a_size_of_one_household():
    frame = FILE[FILE["hhsize"] <= 2]
    large = FILE[FILE["hhsize"] == FILE["hhsize"].max()]
    frame = pd.concat([frame, large[large["hhid"] == large["hhid"].iloc[0]]])
    model = sl.NestedDPMPM("hhid", rules=DECLARED, household_classes=1, member_classes=1)
    made = model.fit(frame, rng=1, chains=1, tune=20, draws=8).generate(m=1, rng=1)[0]
    assert made["hhsize"].value_counts().equals(frame["hhsize"].value_counts())
    assert DECLARED.holds(made, "hhid").all()


def test_units_of_one_member_without_rules():
    frame = FILE.drop_duplicates("hhid").drop(columns="hhsize")
    model = sl.NestedDPMPM("hhid", rules=False, household_classes=5, member_classes=1)
    made = model.fit(frame, rng=1, chains=1, tune=20, draws=8).generate(m=1, rng=1)[0]
    assert made["hhid"].is_unique
    assert len(made) == len(frame)


def test_constraints_on_a_member():
    rule = sl.AllowedCombinations(["relation", "age"])
    model = sl.NestedDPMPM("hhid", rules=DECLARED, constraints=[rule], household_classes=5, member_classes=4)
    made = model.fit(FILE, rng=1, chains=1, tune=30, draws=8).generate(m=1, rng=1)[0]
    assert rule.fitted_to(FILE).holds(made).all()


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda f: f.assign(educ=f["educ"].where(f["age"] > 10)), {}, ["'educ'", "impute", "sequential"]),
        (lambda f: f.assign(income=np.random.default_rng(1).normal(size=len(f))), {}, ["'income'", "continuous"]),
        (lambda f: f, {"rules": UnitRules([ExactlyOne("relation", "aunt")])}, ["break", "aunt"]),
        (lambda f: f, {"rules": UnitRules([Different("region", "head", "partner")])}, ["break", "remove"]),
        (lambda f: f, {"rules": False, "head": "household"}, ["ExactlyOne"]),
        (lambda f: f, {"constraints": [sl.AllowedCombinations(["region", "hhsize"])]}, ["two variables"]),
        (lambda f: f, {"unit": None}, ["unit", "required"]),
    ],
)
def test_errors(change, options, words):
    given = {"unit": "hhid", "rules": DECLARED} | options
    with pytest.raises(InputError) as error:
        sl.NestedDPMPM(**given).fit(change(FILE), rng=1)
    assert all(word in str(error.value) for word in words)


def test_a_panel_is_refused():
    with pytest.raises(InputError, match="panel"):
        sl.NestedDPMPM("pid", unit_order="year").fit(panel(100).drop(columns="income"), rng=1)


def test_a_few_households_that_break_a_declared_rule_are_refused():
    frame = FILE.copy()
    frame.loc[frame.index[frame["relation"] == "head"][0], "relation"] = "child"
    with pytest.raises(InputError, match="1 of 250 units of the file break"):
        sl.NestedDPMPM("hhid", rules=UnitRules([ExactlyOne("relation", "head")])).fit(frame, rng=1)


def test_a_warning_if_all_classes_are_occupied():
    with pytest.warns(TruncationWarning, match="household_classes"):
        sl.NestedDPMPM("hhid", rules=DECLARED, household_classes=2).fit(FILE, rng=1, chains=1, tune=10, draws=4)


def test_a_saved_fit_generates_the_same_households(fitted, tmp_path):
    again = sl.load_fit(fitted.save(tmp_path / "fit.zip"))
    assert again.specification == fitted.specification
    for one, other in zip(again.generate(m=2, rng=2), fitted.generate(m=2, rng=2), strict=True):
        pd.testing.assert_frame_equal(one, other)
    pd.testing.assert_frame_equal(again.impossible, fitted.impossible)
    np.testing.assert_array_equal(again.log_likelihood()[:1], fitted.log_likelihood()[:1])
    with pytest.raises(InputError, match="data=False"):
        fitted.save(tmp_path / "other.zip", data=False)
