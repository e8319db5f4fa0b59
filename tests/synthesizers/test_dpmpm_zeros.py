"""Structural zeros of the DPMPM: exact posteriors of small tables, boxes, and what is drawn."""

import itertools

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError
from synthlab.synthesizers._gibbs_structural_zeros import Boxes, add_impossible
from synthlab.synthesizers._levels import Levels
from synthlab.synthesizers._structural_zeros import region_of
from tests.loops import every

pytestmark = [
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.TruncationWarning"),
    pytest.mark.filterwarnings("ignore::synthlab.exceptions.ConvergenceWarning"),
]
ALLOWED = [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)]
PAIR = sl.AllowedCombinations(["u", "v"], ALLOWED)
X = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [2, 1], [2, 2], [2, 2], [2, 2]])
TWO = pd.DataFrame(X, columns=["u", "v"])


def exact(weights, a, b, truncated, draws=100_000):
    """Posterior mean of the probabilities of the possible cells, two classes: draws of the prior, weighted by the likelihood."""
    rng = np.random.default_rng(11)
    alpha = rng.gamma(a, 1 / b, draws)
    first = rng.beta(1.0, alpha)
    pi = np.stack([first, 1 - first], axis=1)
    u, v = rng.dirichlet(np.ones(3), (draws, 2)), rng.dirichlet(np.ones(3), (draws, 2))
    cells = np.einsum("sk,ski,skj->sij", pi, u, v)
    inside = cells[:, *np.array(ALLOWED).T]
    mass = inside.sum(axis=1)
    log = -weights.sum() * np.log(mass) * truncated
    for (i, j), w in zip(X, weights, strict=True):
        log += np.log(np.sum(pi * (u[:, :, i] * v[:, :, j]) ** w, axis=1))
    share = np.exp(log - log.max())
    assert share.sum() ** 2 / (share**2).sum() > 1_000  # effective number of draws
    return share @ (inside / mass[:, None]) / share.sum()


@pytest.mark.parametrize("weights", [np.ones(len(X)), np.array([2.0, 0.5, 1.0, 1.5, 1.0, 0.3, 1.0, 1.0])])
def test_posterior_of_the_truncated_mixture(weights):
    model = sl.DPMPM(["u", "v"], classes=2, a=2.0, b=1.0, thin=3, constraints=[PAIR])
    fitted = model.fit(TWO, weights=weights, rng=1, tune=500, draws=6_000)
    found = np.array([fitted.two_way("u", "v").loc[cell] for cell in ALLOWED])
    right, wrong = (exact(weights, 2.0, 1.0, truncated) for truncated in (True, False))
    np.testing.assert_allclose(found.sum(), 1.0)
    np.testing.assert_allclose(found, right, atol=0.004)
    assert np.abs(right - wrong).max() > 0.02  # what rejection from the model without zeros would give


def people(n=400):
    """Four variables, some of whose combinations do not occur."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({
        "age": rng.choice(["child", "young", "old"], n),
        "status": rng.choice(["single", "married", "widowed"], n, p=[0.4, 0.4, 0.2]),
        "works": rng.choice(["no", "yes"], n),
        "hours": rng.choice([0, 20, 40], n),
    })  # fmt: skip
    married = frame["status"] != "single"
    kept = ~((frame["age"] == "child") & married) & ~((frame["age"] == "young") & (frame["status"] == "widowed"))
    return frame[kept & ((frame["works"] == "yes") | (frame["hours"] == 0))].reset_index(drop=True)


RULES = [
    sl.AllowedCombinations(["status", "age"]),
    sl.ZeroUnless("hours", "works", ["yes"]),
]
NAMES = ["age", "status", "works", "hours"]


def fit(synthesized=None, **options):
    model = sl.DPMPM(NAMES, synthesized, classes=6, thin=2, constraints=RULES, **options)
    return model.fit(people(), rng=3, tune=300, draws=100)


@pytest.fixture(scope="module")
def fitted():
    return fit()


def cells_of(frame, names):
    return pd.DataFrame(itertools.product(*(sorted(frame[n].unique()) for n in names)), columns=names)


def all_hold(frame):
    rules = [rule.fitted_to(people()) if isinstance(rule, sl.AllowedCombinations) else rule for rule in RULES]
    return np.logical_and.reduce([rule.holds(frame) for rule in rules])


@every("seed", range(8))
def test_every_cell_is_in_one_box_and_on_its_side(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 4)
    names = list("abcd")
    cells = pd.DataFrame(np.indices(sizes).reshape(4, -1).T, columns=names)
    rules = []
    for _ in range(rng.integers(1, 4)):
        columns = list(rng.permutation(names)[: rng.integers(1, 5)])
        listed = cells[columns].drop_duplicates()
        chosen = listed[rng.random(len(listed)) < rng.uniform(0.2, 1.0)]
        rules.append(sl.AllowedCombinations(columns, [*map(tuple, chosen.to_numpy().tolist()), (99,) * len(columns)]))
    levels = [Levels.of(cells, name) for name in names]
    first = np.concatenate([[0], np.cumsum(sizes)])
    region = region_of(rules, levels, first)
    allowed = np.logical_and.reduce([rule.holds(cells) for rule in rules])
    if region is None:
        assert allowed.all()
        return
    rows = cells.to_numpy() + first[:-1]
    for boxes, expected in ((region.possible, allowed), (region.impossible, ~allowed)):
        inside = np.array([[box[row].all() for box in boxes] for row in rows]).reshape(len(rows), -1)
        np.testing.assert_array_equal(inside.sum(axis=1), expected)
    np.testing.assert_array_equal(region.are_impossible(rows), ~allowed)


def test_the_records_added_are_those_of_the_mixture():
    """Means of the counts against the cells of the impossible region, one by one."""
    frame = people()
    levels = [Levels.of(frame, name) for name in NAMES]
    first = np.concatenate([[0], np.cumsum([len(level) for level in levels])])
    rules = [RULES[0].fitted_to(frame), RULES[1]]
    region = region_of(rules, levels, first)
    boxes = Boxes.of(region.impossible, first)
    rng = np.random.default_rng(5)
    K, records, repetitions = 3, 7.5, 20_000
    pi = rng.dirichlet(np.ones(K))
    psi = np.ascontiguousarray(np.concatenate([rng.dirichlet(np.ones(len(level)), K).T for level in levels]))
    cells = cells_of(frame, NAMES)
    rows = np.column_stack([first[j] + level.codes(cells) for j, level in enumerate(levels)])
    joint = pi * psi[rows].prod(axis=1)
    joint[all_hold(cells)] = 0.0
    p = joint.sum()
    members, counts, squares = np.zeros(K), np.zeros(psi.shape), 0.0
    for _ in range(repetitions):
        before = members.sum()
        add_impossible(
            members, counts, records, pi, psi, first, boxes.levels, boxes.levels_from, boxes.variable, boxes.factors,
            boxes.factors_from, rng,
        )  # fmt: skip
        squares += (members.sum() - before) ** 2
    scale = records / (1 - p)
    mean, variance = records * p / (1 - p), records * p / (1 - p) ** 2
    np.testing.assert_allclose(squares / repetitions, variance + mean**2, rtol=0.05)
    np.testing.assert_allclose(members / repetitions, joint.sum(axis=0) * scale, rtol=0.05)
    expected = np.array([joint[(rows == row).any(axis=1)].sum(axis=0) for row in range(len(psi))]) * scale
    np.testing.assert_allclose(counts / repetitions, expected, rtol=0.1, atol=0.02)
    assert (counts[expected == 0] == 0).all()


@pytest.mark.parametrize(
    ("synthesized", "options"),
    [(None, {}), (["status", "hours"], {}), (["age", "works"], {"membership": "record"}), (["hours"], {})],
)
def test_impossible_records_are_never_drawn(synthesized, options):
    release = fit(synthesized, **options).generate(m=40, rng=4)
    assert all(all_hold(frame).all() for frame in release)
    if synthesized:
        kept = [name for name in NAMES if name not in synthesized]
        assert all(frame[kept].equals(people()[kept]) for frame in release)


def test_density_adds_up_to_one_over_the_possible_cells(fitted):
    cells = cells_of(people(), NAMES)
    density = np.exp(fitted.log_density(cells))
    assert (density[:, ~all_hold(cells)] == 0).all()
    np.testing.assert_allclose(density.sum(axis=1), 1.0)
    table = cells.assign(p=density.mean(axis=0)).pivot_table("p", "status", "hours", aggfunc="sum")
    np.testing.assert_allclose(fitted.two_way("status", "hours"), table)
    np.testing.assert_allclose(
        fitted.posterior["mean_log_likelihood"].reshape(-1), fitted.log_likelihood().mean(axis=1)
    )


def test_probability_of_values_given_the_others():
    """The closed probabilities are those of the density as drawn, and of what is drawn."""
    partial = fit(["status", "hours"])
    frame, s = people(), 17
    values = cells_of(frame, ["status", "hours"])
    found = partial.probability_of(frame, values, s)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    guess = frame.head(len(values)).assign(**{name: values[name].to_numpy() for name in values})
    density = np.exp(partial.log_density(guess, as_drawn=True))[s]
    np.testing.assert_allclose(density, found[np.arange(len(values)), np.arange(len(values))], atol=1e-12)
    rng, times = np.random.default_rng(1), 300
    drawn = [partial.draw(frame, s, rng) for _ in range(times)]
    share = np.mean(
        [[(d["status"] == v.status) & (d["hours"] == v.hours) for v in values.itertuples()] for d in drawn], 0
    )
    error = np.sqrt(found * (1 - found) / times).T
    assert np.abs(share - found.T).max() < 6 * error.max()
    np.testing.assert_allclose(share.mean(axis=1), found.mean(axis=0), atol=0.01)


def test_sequential_builds_them_in():
    frame = people()
    alone = fit()
    model = sl.Sequential([sl.DPMPM(NAMES, classes=6, thin=2)], constraints=RULES, max_tries=1)
    within = model.fit(frame, rng=3, tune=300, draws=100)
    part = within.parts[0]
    np.testing.assert_allclose(
        part.two_way("age", "status"), alone.two_way("age", "status"), atol=0.05
    )  # another stream of random numbers
    assert part.region is not None
    assert within.has_probabilities
    assert all(all_hold(one).all() for one in within.generate(m=20, rng=1))
    np.testing.assert_allclose(np.exp(within.log_density(cells_of(frame, NAMES), as_drawn=True)).sum(axis=1), 1.0)


def test_a_rule_about_other_variables_as_well_is_still_kept_by_rejection():
    frame = people().assign(town=lambda f: np.where(f["age"] == "old", "north", "south"))
    model = sl.Sequential(
        [sl.Resample(["town"]), sl.DPMPM(NAMES, ["age"], classes=6)],
        constraints=[sl.AllowedCombinations(["town", "age"])],
    )
    fitted = model.fit(frame, rng=1, tune=100, draws=20)
    assert fitted.parts[1].region is None
    assert not fitted.has_probabilities


def test_what_makes_nothing_impossible_changes_no_draw():
    frame = people()
    plain, bounded = (
        sl.DPMPM(NAMES, classes=6, thin=2, constraints=rules).fit(frame, rng=3, tune=30, draws=20)
        for rules in ((), [sl.Bounds("hours", 0, 40)])
    )
    np.testing.assert_array_equal(plain.kept.psi, bounded.kept.psi)
    assert bounded.region is None


class Even:
    """A constraint of a user."""

    columns = ("a", "b")

    def holds(self, frame):
        return ((frame["a"] + frame["b"]) % 2 == 0).to_numpy()


def test_a_constraint_that_says_its_columns():
    frame = pd.DataFrame({"a": [0, 1, 2, 1, 0, 2] * 10, "b": [2, 1, 0, 1, 0, 2] * 10})
    fitted = sl.DPMPM(["a", "b"], classes=3, constraints=[Even()]).fit(frame, rng=1, tune=100, draws=20)
    assert all(Even().holds(one).all() for one in fitted.generate(m=10, rng=1))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (7, "constraints=7: must be a list of constraints"),
        ([len], "is not a constraint"),
        ([sl.Bounds("wage", 0, 1)], "must refer only to variables of the mixture"),
        ([type("Silent", (), {"holds": lambda self, frame: frame["age"] != ""})()], "must refer only to variables"),
        ([sl.AllowedCombinations(["age", "works"], [("old", "no")])], "confidential records break"),
    ],
)
def test_bad_constraints(constraints, message):
    with pytest.raises(InputError, match=message):
        sl.DPMPM(NAMES, constraints=constraints).fit(people(), rng=1)


def test_too_many_cells_for_a_constraint_of_a_user():
    wide = Even()
    wide.columns = tuple(f"v{j}" for j in range(25))
    levels = [Levels.of(pd.DataFrame({name: [0, 1]}), name) for name in wide.columns]
    with pytest.raises(InputError, match="33,554,432 combinations"):
        region_of([wide], levels, np.arange(0, 51, 2))


def test_more_boxes_than_are_kept():
    rng = np.random.default_rng(1)
    names = [f"v{j}" for j in range(12)]
    frame = pd.DataFrame(rng.integers(0, 4, (12_000, 12)), columns=names)
    levels = [Levels.of(frame, name) for name in names]
    rule = sl.AllowedCombinations(names).fitted_to(frame)
    with pytest.raises(InputError, match="more than 20,000 boxes"):
        region_of([rule], levels, np.arange(0, 49, 4))


def test_repr_names_constraints_where_there_are_some():
    assert "constraints" not in repr(sl.DPMPM(["a", "b"]))
    assert "constraints=(ZeroUnless(" in repr(sl.DPMPM(["works", "hours"], constraints=[RULES[1]]))
