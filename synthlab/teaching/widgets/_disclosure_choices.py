"""Intruder risk by three choices of an agency: released models, m and variables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from synthlab import _checks, _rng
from synthlab.intruder import Intruder
from synthlab.risk import IntruderRiskResult, ReleasedInformation, intruder_risk
from synthlab.risk.posterior.released_information import NOTHING_RELEASED, Released
from synthlab.teaching.widgets._interactive import choice, explorer, number
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

    If the models are released, the results are exact: they are the limit for infinitely many simulations, and have no
    simulation noise.

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
    unchanged = [c for c in agency.models if c not in names]
    return intruder_risk(
        agency.frame,
        release,
        Intruder(known=[*agency.known, *unchanged], synthesized=names),
        scenario=scenario,
        sampler=agency.sampler,
        rng=_rng.as_generator(agency.seed),
        draws=100 if silent else "exact",
    )


def three_knobs_figure(
    agency: Agency, *, released: Released = "nothing", m: int = 2, synthesized: Sequence[str] | None = None
) -> DescribedFigure:
    """Draw the expected match risk and its baselines, with a description.

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
    unsynthesized = float(table["confidential"].to_dict()["expected match risk"])
    return (
        f"Released: {RELEASED[released]}; m = {risk.m}; synthesized: {', '.join(risk.intruder.synthesized)}. The intruder knows "
        f"{', '.join(risk.intruder.used)} of each person. Expected matches among {risk.targets.size:,} people: "
        f"{risk.expected_match_risk:.1f}. Without the synthetic values, {risk.known_only:.1f}; from the confidential data, "
        f"{unsynthesized:.1f}. True matches: {risk.true_match_risk}. Perceived matches (a match probability above "
        f"{risk.attack.threshold:g}): {risk.perceived_match_risk():,}."
    )


def three_knobs_explorer(
    agency: Agency, *, released: Released = "nothing", m: int = 2, synthesized: Sequence[str] | None = None
) -> Any:
    """Return controls for the three choices of the agency, with a figure.

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
    m = _checks.check_count(m, "m", 1, MOST_DATASETS)
    subsets = [subset for k in range(len(agency.models)) for subset in itertools.combinations(agency.models, k + 1)]
    return explorer(
        partial(three_knobs_figure, agency),
        released=choice("Released information", [(text, key) for key, text in RELEASED.items()], released),
        m=number("Number of datasets, m", m, 1, MOST_DATASETS),
        synthesized=choice("Synthesized variables", [(" and ".join(subset), subset) for subset in subsets], names),
    )
