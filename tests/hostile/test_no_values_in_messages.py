"""No error, no warning and no result shows a confidential or synthetic value that it was not asked for.

Every public callable is called as its example calls it, with planted values in the place of one argument at a time;
what is said and shown is searched for them. Some of the values are tried in the place of each argument, others for
each; `make hostile` tries all of them.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pkgutil
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthlab as sl
from synthlab import cli
from synthlab.exceptions import InputError
from synthlab.synthesizers.registry import SYNTHESIZERS
from tests.hostile import examples
from tests.hostile.leaks import NUMBERS, TEXT, days, faces, found_in, frames, listen, numbers, spoilt, texts
from tests.loops import every

PUBLIC = examples.public()
QUICK = 2  # values tried in the place of one argument; three times as many of a frame
NOT_SWEPT = {
    r".*Result|counts\.(CountPrivacy|ExpectedTau|LogLinearFit|SquaredLoss|SynthesizedTables)": "made by the package; looked at where it is returned",
    r"dp\.(ChoiceProbabilities|Composition|RandomizedResponse)|utility\.Margin": "made by the package; looked at where it is returned",
    r"weights\.(BoundBySize|ClippedEpsilon|FittedMechanism|LipschitzWeights|MatchedWeight|PolicyFrontier|RiskWeights)": "made by the package; looked at where it is returned",
    r"synthesizers\.(Fitted.*|PlugInNormal|Synthesizer)|counts\.CountFamily|counts\.GammaFamily": "what others are built on",
    r"widgets\.(Agency|LaplaceNoise|OneRecordProbability|TwoDials|UniqueRecords)": "made by the package; looked at where it is returned",
    r"widgets\..*_explorer": "draws what the function of the same name that ends with _figure does",
    r"plots\.(attribute\.plot_(truth|guesses|links)|weights\.plot_(policy_frontier|risk_groups|estimates))": "drawn by the method plot of a result",
    r"plots\.labels\.label_points|plots\.gamma_family.*|plots\.dp_noise\..*|plots\.adjacent_databases\.plot_discrete.*": "is given no data",
}
# What may be shown. (who, argument, why); of a result, its type.
SAID = [
    (r".*", r"synthetic|release|paths?|folder", "a text is the path of a file, and an error about a file names it"),
    (
        r".*",
        r"labels?|names|title|.label|parameter|description|what|query|stated",
        "the caller's own words for a figure",
    ),
]
# Arguments that a result shows. (who, argument, why)
ECHOED = [
    (r"tau|expected_tau", "k", "the numbers that were asked about are the rows of the result"),
    (r"count_delta", "epsilon", "the numbers that were asked about are the rows of the result"),
    (
        r"epsilon_lower_bound",
        "outputs|outputs_without",
        "the event that tells most is one of the outputs that were given",
    ),
    (r"BoundBySize", "table", "one row a file with its bound, made by the package; what makes it is swept itself"),
    (
        r"private_(histogram|mode)|randomized_response",
        "categories",
        "they are declared, not read from the data, and what the answer is about",
    ),
    (
        r"column_differences",
        "confidential|synthetic",
        "a category that differs is the answer; in files of equal size, at least 13 records have it",
    ),
]
SHOWN = {
    r"DataFrame|Series|ndarray|list|dict|float|float64|int|bool|str": "the numbers or the text that were asked for",
    r"Release": "in a notebook it shows its first synthetic records; that is what it is for",
    r"Fitted.*": "its summary names coefficients by the levels of the data; the test of fits looks at the rest",
    r"Axes|Figure": "its size, and the caller's own words for it",
    r"GAF|NBI|PIG|Delaporte|Sichel|GeneralizedPoisson|Poisson|LaplaceCount|Discretized|Intruder|RareCombinations|SurveyDesign|ReleasedInformation|Interval|OneOf|.*Mechanism": "a specification shows the caller's arguments",
    rf"{'|'.join(SYNTHESIZERS)}|Bounds|ZeroUnless|AllowedCombinations|SumOf": (
        "a specification shows the caller's arguments"
    ),
    r"BarycenterResult|BootstrapResult|AnalysisUtilityResult|CombinedResult|IntervalOverlapResult|SurveyResult": (
        "estimates; of six records, or of one number repeated, some equal a record"
    ),
    r"LipschitzWeights|EpsilonResult|PolicyFrontier|WhackAMoleResult": "statistics of numbers the caller gave, not of records",
}


def of_class(name: str) -> str:
    return next((why for pattern, why in NOT_SWEPT.items() if re.fullmatch(pattern, name)), "")


def test_every_public_callable_is_swept_or_is_named_with_a_reason() -> None:
    without = [name for name, thing in PUBLIC.items() if ">>>" not in (thing.__doc__ or "") and not of_class(name)]
    assert without == []
    assert len(PUBLIC) > 150
    for pattern in NOT_SWEPT:
        assert any(re.fullmatch(pattern, name) for name in PUBLIC), f"{pattern} names nothing"


def allowed(rules: list[tuple[str, str, str]], call: examples.Call, argument: str) -> bool:
    return any(re.fullmatch(who, call.name) and re.fullmatch(what, argument) for who, what, _ in rules)


def leaks_of(call: examples.Call, argument: str, planted: Any) -> list[str]:
    """Return what a call gives away with planted data in the place of one argument."""
    said = listen(call, **{argument: planted})
    found = [] if allowed(SAID, call, argument) else said.texts
    kind = type(said.result[0] if isinstance(said.result, tuple) and said.result else said.result).__name__
    kept = any(re.fullmatch(pattern, kind) for pattern in SHOWN) or allowed(ECHOED, call, argument)
    if said.error is None and not kept:
        found = [*found, *faces(said.result)]
    return [f"{found_in(text)[:3]} in {text.strip()[-300:]}" for text in found if found_in(text)]


def chosen(call: examples.Call, argument: str, whole: bool) -> Iterator[tuple[str, Any]]:
    """Yield what to plant: all of it, or some, which are others for every argument."""
    kinds = list(spoilt(call.arguments[argument]))
    if whole:
        yield from kinds
        return
    number = 3 * QUICK if len(kinds) > 30 else QUICK
    start = zlib.crc32(f"{call.name} {argument}".encode())
    step = max(1, len(kinds) // number)
    for place in range(start % step, len(kinds), step):
        yield kinds[place]


def sweep(name: str, whole: bool) -> None:
    calls = examples.calls_of(PUBLIC[name])
    assert calls, f"the example of {name} does not call it"
    found = {}
    with no_sampler():
        for call in calls:
            for argument in call.arguments:
                for kind, planted in chosen(call, argument, whole):
                    for leak in leaks_of(call, argument, planted):
                        found[f"{call.name}({argument}={kind})"] = leak
    assert found == {}


class SampledError(Exception):
    """Stands for the sampler, which gets numbers that were checked."""


@contextlib.contextmanager
def no_sampler() -> Iterator[None]:
    def stop(*_: Any, **__: Any) -> None:
        raise SampledError

    with pytest.MonkeyPatch.context() as patch:
        for _, name, _ in pkgutil.iter_modules(sl.synthesizers.__path__, "synthlab.synthesizers."):
            module = importlib.import_module(name)
            if hasattr(module, "sample"):
                patch.setattr(module, "sample", stop)
        yield


SWEPT = [name for name in PUBLIC if not of_class(name)]


@every("name", SWEPT[::20])
def test_planted_values_of_some_calls_are_not_shown(name: str) -> None:
    sweep(name, whole=False)


@pytest.mark.whole
@pytest.mark.timeout(7200)
@every("name", SWEPT)
def test_no_planted_value_is_shown(name: str) -> None:
    sweep(name, whole=True)


N = 60
SETTING = sl.Intruder(known=["region", "age"], synthesized=["job", "income"], radius={"income": 0.1})


def people(seed: int = 1) -> pd.DataFrame:
    """Return a table of planted values alone, its labels too."""
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "region": draw.choice(texts(3), N),
            "age": draw.choice(NUMBERS[40:43], N).astype(np.int64),
            "job": draw.choice([f"{TEXT} job {k}" for k in range(4)], N),
            "income": draw.choice(NUMBERS[:40], N) * 1.0,
        },
        index=texts(N, N),
    )


def release(seed: int = 2) -> pd.DataFrame:
    """Return a synthetic version of the table: other planted values."""
    return people().assign(job=people(seed)["job"], income=people(seed)["income"])


MODELS: dict[str, Callable[[], Any]] = {
    **{name: declaration.example for name, declaration in SYNTHESIZERS.items()},
    "normal, knots": lambda: sl.NormalRegression("income ~ cr(age, knots=[1, 2]) + region", transform="log"),
    "normal, polynomial": lambda: sl.NormalRegression("income ~ poly(region, 2)"),
    "normal, levels": lambda: sl.NormalRegression("income ~ C(region, levels=[1, 2])"),
    "normal, bounds": lambda: sl.NormalRegression("income ~ region", bounds=(0, 1)),
    "coding": lambda: sl.Topcoding("income", top_share=0.4, bottom_share=0.9),
    "chain": lambda: sl.Sequential(
        [sl.CART(["job"], predictors=["region"]), sl.Topcoding("income", top_share=0.1)],
        constraints=[sl.AllowedCombinations(["job", "region"], [("a", "b")]), sl.Bounds("income", high=1.0)],
    ),
}


@every("name", [*MODELS][::4])
def test_some_fits_and_what_they_generate_say_no_value(name: str) -> None:
    check_fits(name, whole=False)


@pytest.mark.full
@every("name", MODELS)
def test_fits_and_what_they_generate_say_no_value(name: str) -> None:
    check_fits(name, whole=True)


def check_fits(name: str, whole: bool) -> None:
    MODELS[name]()  # its own arguments are right
    frame = people()
    frame = frame.assign(
        region=np.random.default_rng(3).choice(texts(2), N),
        children=frame["age"],
        hours=frame["income"].where(np.arange(N) % 3 > 0, 0.0),
    )
    other = frame.assign(region=f"{TEXT}-unseen", job=f"{TEXT}-unseen")

    def fit_and_generate(confidential: Any, weights: Any = None) -> Any:
        fitted = MODELS[name]().fit(confidential, weights=weights, rng=1)
        # Not the summary: it names the coefficients by the levels of the data, and a fit is not published.
        shown = [repr(fitted), str(fitted), str(fitted.generate(2, rng=1))]
        for method in ("log_density", "predictive_probability", "likelihood"):
            said = listen(getattr(fitted, method, list), other)
            shown += said.texts
        return "\n".join(shown)

    calls = [(kind, (planted,)) for kind, planted in frames(frame)]
    calls += [(f"weights: {kind}", (frame, weights)) for kind, weights in spoilt(np.ones(N))]
    calls = calls if whole else calls[zlib.crc32(name.encode()) % 7 :: 7]
    calls += [("as it is", (frame,)), ("other", (other,))]
    found = {}
    with no_sampler():
        for kind, arguments in calls:
            said = listen(fit_and_generate, *arguments)
            for text in [*said.texts, str(said.result)]:
                if found_in(text):
                    found[kind] = text.strip()[-300:]
    assert found == {}


RIGHT: dict[str, Callable[[], Any]] = {
    "evaluate": lambda: sl.evaluate(people(), release(), SETTING),
    "compare": lambda: sl.compare(people(), {"one": release(), "two": release(3)}, SETTING),
    "identification_risk": lambda: sl.identification_risk(people(), release(), SETTING),
    "identification_probability": lambda: sl.identification_probability(
        people(), release(), sl.Intruder(known=["region"], synthesized=["income"], radius=0.1)
    ),
    "cap": lambda: sl.cap(people(), release(), SETTING, target="job"),
    "cap of numbers": lambda: sl.cap(
        people(), release(), sl.Intruder(known=["region"], synthesized=["income"], radius=0.1), target="income"
    ),
    "pmse": lambda: sl.pmse(people(), release(), rng=1),
    "pmse of a tree": lambda: sl.pmse(people(), release(), model="cart", permutations=3, rng=1),
    "ecdf_utility": lambda: sl.ecdf_utility(people(), release()),
    "table_utility": lambda: sl.table_utility(people(), release(), variables=["region", "job"]),
    "cluster_utility": lambda: sl.cluster_utility(people(), release(), clusters=3, rng=1),
    "Release": lambda: str(
        sl.Release([release(), release(3)], synthesized=["job", "income"], provenance={"by": "hand"})
    ),
    "Table": lambda: sl.counts.Table.from_frame(people()[["region", "job"]]),
    "risk_weights": lambda: sl.risk_weights(
        people(), sl.Intruder(known=["region"], synthesized=["income"], radius=0.1)
    ),
}


@every("name", RIGHT)
def test_results_of_right_calls_show_no_value(name: str) -> None:
    said = listen(RIGHT[name])
    assert said.error is None, said.error
    shown = [*said.texts, *faces(said.result)]
    assert [text for text in shown if found_in(text)] == []
    assert any(shown)


FILES: dict[str, Callable[[str], str | bytes]] = {
    "as it is": lambda text: text,
    "a line too long": lambda text: text + f"{TEXT},{NUMBERS[0]},1,2,3,4,5\n",
    "a line cut off": lambda text: text[:-60],
    "an open quote": lambda text: text + f'"{TEXT},{NUMBERS[0]}',
    "no header": lambda text: text.partition("\n")[2],
    "one column": lambda text: "\n".join(line.partition(",")[0] for line in text.splitlines()),
    "semicolons": lambda text: text.replace(",", ";"),
    "Latin-1": lambda text: text.replace(TEXT, TEXT + "\u00e9").encode("latin-1"),
    "holes": lambda text: text.replace(str(NUMBERS[0]), ""),
    "text among numbers": lambda text: text.replace(str(NUMBERS[1]), TEXT),
    "other names": lambda text: text.replace("income", "wage", 1),
    "fewer rows": lambda text: "\n".join(text.splitlines()[:20]) + "\n",
    "NUL": lambda text: text.replace(TEXT, TEXT + "\0", 1),
    "empty": lambda text: "",
}


@pytest.mark.parametrize("spoil", FILES)
@pytest.mark.parametrize("which", ["confidential", "synthetic"])
def test_the_command_line_says_no_value(tmp_path: Any, which: str, spoil: str) -> None:
    for name, frame in (("confidential", people()), ("synthetic", release())):
        text = frame.to_csv(index=False)
        made = FILES[spoil](text) if name == which else text
        (tmp_path / f"{name}.csv").write_bytes(made.encode() if isinstance(made, str) else made)
    files = [str(tmp_path / "confidential.csv"), str(tmp_path / "synthetic.csv")]
    options = ["--known", "region,age", "--synthesized", "job,income", "--radius", "income=0.1"]
    page, numbers_ = tmp_path / "page.html", tmp_path / "numbers.json"
    said = listen(cli.main, ["evaluate", *files, *options, "--report", str(page), "--json", str(numbers_)])
    (tmp_path / "record.toml").write_text('record = "age"\n')
    config = ["--config", str(tmp_path / "record.toml")]
    guesses = ["attack-score", files[1], "--confidential", files[0], "--target", "job", *config]
    texts_ = [*said.texts, *listen(cli.main, guesses).texts]
    texts_ += [re.sub(r"data:[^\"']*", "", path.read_text()) for path in (page, numbers_) if path.exists()]
    if spoil == "as it is":
        assert page.exists()
        assert numbers_.exists()
    # A category whose share differs clearly is named if it is released. The confidential values of the same column are not.
    rows = json.loads(numbers_.read_text())["column_differences"] if numbers_.exists() else None
    named = {row["category"] for row in rows or () if row["category"] is not None}
    released = (
        pd.read_csv(files[1], encoding="latin-1" if (which, spoil) == ("synthetic", "Latin-1") else "utf-8", dtype=str)
        if named
        else pd.DataFrame()
    )
    assert named <= set(released.to_numpy().ravel())
    assert bool(named) == (spoil == "Latin-1")
    for category in sorted(named):
        texts_ = [text.replace(category, "") for text in texts_]
    # The header is the names of the columns; in a file without one the first record stands there.
    if spoil not in ("no header",):
        assert [text[:300] for text in texts_ if found_in(text)] == []


@pytest.mark.parametrize(
    "leaky",
    [
        lambda frame: (_ for _ in ()).throw(InputError(f"frame: got {frame}")),
        lambda frame: float(frame["region"].iloc[0]),
        lambda frame: int(f"{frame['income'].iloc[0]:,.0f}"),
        lambda frame: warnings.warn(f"the largest is {frame['income'].max():.4g}", UserWarning, stacklevel=1),
        lambda frame: warnings.warn(f"row {frame.index[0]}", UserWarning, stacklevel=1),
        lambda frame: print(days(3)[0]),
        lambda frame: frame.loc["nobody", frame["region"].iloc[0]],
        lambda frame: f"<td>{int(frame['age'].iloc[0]):,}</td>",
        lambda frame: {"mean": 1.0, "who": repr(frame["income"].iloc[0])},
    ],
    ids=["error", "foreign error", "thousands", "warning", "label", "date", "key", "result", "mapping"],
)
def test_a_leak_is_found(leaky: Callable[[pd.DataFrame], Any]) -> None:
    said = listen(leaky, people())
    assert any(found_in(text) for text in [*said.texts, *faces(said.result)])


def test_a_leak_in_what_led_to_an_error_or_in_its_notes_is_found() -> None:
    def chained(frame: pd.DataFrame) -> None:
        try:
            float(frame["region"].iloc[0])
        except ValueError as error:
            raise InputError("region: must be numbers") from error

    def noted(frame: pd.DataFrame) -> None:
        error = InputError("income: must be numbers")
        error.add_note(f"the first is {frame['income'].iloc[0]:e}")
        raise error

    def quiet(frame: pd.DataFrame) -> None:
        try:
            float(frame["region"].iloc[0])
        except ValueError:
            raise InputError("region: must be numbers") from None

    for function, leaks in ((chained, True), (noted, True), (quiet, False)):
        assert any(found_in(text) for text in listen(function, people()).texts) is leaks


@pytest.mark.parametrize("text", ["4185 records of 98 in 12.5 s", "row 40, 1e-09, 0.987", "n = 9,876", "Jane, 1938"])
def test_other_texts_are_no_leaks(text: str) -> None:
    assert found_in(text) == []


def test_numbers_is_enough_to_tell_one_record_from_another() -> None:
    assert len({f"{v:.3e}" for v in numbers(40)}) == 40
