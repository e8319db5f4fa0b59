"""Control of three choices of an agency: released models, m, synthesized variables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from synthlab import _checks, _rng
from synthlab._warnings import quiet
from synthlab.exceptions import SynthlabError
from synthlab.intruder import Intruder
from synthlab.risk import IntruderRiskResult, ReleasedInformation, intruder_risk
from synthlab.risk.posterior.released_information import NOTHING_RELEASED, Released
from synthlab.teaching.widgets._base import Box, Choice, Control, Number
from synthlab.teaching.widgets.agency import MOST_DATASETS, Agency

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure

RELEASED: dict[Released, str] = {
    "nothing": "nothing about the models",
    "models": "the form of the models",
    "everything": "the models and their posterior",
}


def three_knobs(
    agency: Agency, *, released: Released = "nothing", m: int = 2, synthesized: Sequence[str] | None = None
) -> IntruderRiskResult:
    """Return the intruder's risk for a release with the given choices.

    If the models are released, the intruder simulates infinitely often (the limit) with fixed parameters, so that the results
    have no simulation noise.

    Parameters
    ----------
    agency : Agency
        Data, models and known variables.
    released : {"nothing", "models", "everything"}
        Released information about the models.
    m : int
        Number of synthetic datasets, 1 to 20.
    synthesized : sequence of str, optional
        Synthesized variables; by default all variables with a model. The others are released unchanged.

    Returns
    -------
    IntruderRiskResult

    Raises
    ------
    InputError
        If an argument is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.teaching.widgets import Agency, three_knobs
    >>> people = pd.DataFrame({"sex": ["f", "m"] * 20, "town": ["a", "a", "b", "b"] * 10})
    >>> agency = Agency(people, known=["sex"], models={"town": sl.DirichletMultinomial(["town"])})
    >>> three_knobs(agency, m=3).attack.scenario.released
    'nothing'
    """
    _checks.check_choice(released, "released", tuple(RELEASED))
    names = agency.chosen(list(agency.models) if synthesized is None else synthesized)
    release = agency.release(m, names)
    silent = released == "nothing"
    models = agency.form(names) if released == "models" else agency.fitted(names)
    scenario = NOTHING_RELEASED if silent else ReleasedInformation(released=released, models=models)
    left = [c for c in agency.models if c not in names]
    return intruder_risk(
        agency.frame,
        release,
        Intruder(known=[*agency.known, *left], synthesized=names),
        scenario=scenario,
        sampler=agency.sampler,
        rng=_rng.as_generator(agency.seed),
        draws=100 if silent else "exact",
    )


def three_knobs_figure(
    agency: Agency, *, released: Released = "nothing", m: int = 2, synthesized: Sequence[str] | None = None
) -> DescribedFigure:
    """Draw the expected matches of a setting and its baselines, with a description.

    Parameters
    ----------
    agency, released, m, synthesized
        As `three_knobs`.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `three_knobs`.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.teaching.widgets import Agency, three_knobs_figure
    >>> people = pd.DataFrame({"sex": ["f", "m"] * 20, "town": ["a", "a", "b", "b"] * 10})
    >>> agency = Agency(people, known=["sex"], models={"town": sl.DirichletMultinomial(["town"])})
    >>> print(three_knobs_figure(agency, m=3).description.partition(":")[0])
    Released
    """
    from synthlab.plots import style
    from synthlab.plots.intruder import plot_baselines

    risk = three_knobs(agency, released=released, m=m, synthesized=synthesized)
    with style.context():
        ax = plot_baselines(risk, style.off_screen((8.0, 3.2)), data=agency.frame)
    return style.figure_with_description(ax, describe_setting(risk, released))


def describe_setting(risk: IntruderRiskResult, released: Released) -> str:
    """Return a description of a setting and its risks."""
    table = risk.summary()
    full = table["confidential"]
    return (
        f"Released: {RELEASED[released]}; m = {risk.m}; synthesized: {', '.join(risk.intruder.synthesized)}. The intruder knows of every "
        f"person {', '.join(risk.intruder.used)}. Expected matches {risk.expected_match_risk:.1f} of {risk.targets.size:,}, "
        f"between {risk.known_only:.1f} from the unsynthesized variables alone and {full['expected match risk']:.1f} from the data as they "
        f"are; true matches {risk.true_match_risk}; {risk.perceived_match_risk()} people look found (a match probability above "
        f"{risk.attack.threshold:g})."
    )


def three_knobs_explorer(
    agency: Agency, *, released: Released = "nothing", m: int = 2, synthesized: Sequence[str] | None = None
) -> Any:
    """Return drop-down lists and a number box for the three choices, with a figure.

    Parameters
    ----------
    agency : Agency
        Data, models and known variables.
    released, m, synthesized
        Initial values of the controls.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        As `three_knobs`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    names = agency.chosen(list(agency.models) if synthesized is None else synthesized)
    _checks.check_choice(released, "released", tuple(RELEASED))
    subsets = _subsets(tuple(agency.models))
    boxes: dict[str, Box] = {
        "released": Choice("What is released", {words: key for key, words in RELEASED.items()}, released),
        "m": Number("Number of datasets, m", _checks.check_count(m, "m", 1, MOST_DATASETS), 1, MOST_DATASETS),
        "synthesized": Choice("What is synthesized", {" and ".join(subset): subset for subset in subsets}, names),
    }

    def draw(released: Released, m: int, synthesized: Sequence[str]) -> DescribedFigure:
        return three_knobs_figure(agency, released=released, m=m, synthesized=synthesized)

    for subset in subsets:  # precompute the slow parts, so that the controls respond quickly
        with suppress(SynthlabError), quiet():
            three_knobs(agency, released="models", m=MOST_DATASETS, synthesized=subset)
    return Control(boxes, draw, ahead=["released", "synthesized"]).view


def _subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return every non-empty subset of the names, in order."""
    return [tuple(n for k, n in enumerate(names) if bits >> k & 1) for bits in range(1, 2 ** len(names))]
