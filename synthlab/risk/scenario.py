"""What the agency releases beside the data, and how the intruder attacks with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from synthlab import _checks
from synthlab._knowledge import Knowledge, OneOf, check_knowledge
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder

Released = Literal["nothing", "models", "everything"]
Strategy = Literal["probability", "mode"]
Parameters = Literal["fixed", "drawn"]
Draws = int | Literal["exact"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scenario:
    """What the agency publishes about the synthesis beside the synthetic data.

    Parameters
    ----------
    released : {"nothing", "models", "everything"}
        What the agency tells about its models: nothing; their form, so that the intruder fits them to each synthetic
        dataset; or everything, the posterior distribution of the parameters included.
    models : synthesizer, fitted synthesizer, or sequence of them
        With ``released="models"`` what the intruder fits (of a fitted one, its specification); with
        ``released="everything"`` the agency's own fits. Several follow one another as in `Sequential`.
    selection : mapping {synthesized variable: Interval or OneOf}, optional
        What is released about why records were synthesized, as the admissible true values of each record; a
        record that was left alone has the set of its released value.

    Raises
    ------
    InputError
        For a value that is not allowed, or values that contradict one another.

    Examples
    --------
    >>> from synthlab.risk import Scenario
    >>> print(Scenario())
    Nothing is released about the models.
    """

    released: Released = "nothing"
    models: Any = field(default=None, repr=False)
    selection: Mapping[str, Knowledge] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _checks.check_choice(self.released, "released", ("nothing", "models", "everything"))
        if self.released == "nothing" and self.models is not None:
            raise InputError('models: are given, and released="nothing"; say released="models" or "everything"')
        if self.released != "nothing" and self.models is None:
            raise InputError(f"models: released={self.released!r} needs the models that are released")
        for column, known in (check_knowledge(self.selection, "selection") or {}).items():
            if isinstance(known, OneOf) and isinstance(known.values, Mapping):
                raise InputError(
                    f"selection[{column!r}]: give OneOf a list with a set of admissible values for each record"
                )

    @property
    def parts(self) -> tuple[Any, ...]:
        """The models, in order."""
        several = isinstance(self.models, Sequence) and not isinstance(self.models, str)
        return tuple(self.models) if several else (self.models,)

    def describe(self) -> str:
        """Say in a sentence what is released."""
        if self.released == "nothing":
            return "Nothing is released about the models."
        return f"{'The form of the models is' if self.released == 'models' else 'The models and their posterior are'} released."

    def __str__(self) -> str:
        return self.describe()


NOTHING_RELEASED = Scenario()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Attack:
    """How an intruder uses what is released: the arguments of `intruder_risk`, checked."""

    intruder: Intruder
    scenario: Scenario
    strategy: Strategy
    parameters: Parameters
    draws: Draws
    fallback: bool
    threshold: float
    may_decline: bool

    def __post_init__(self) -> None:
        if not isinstance(self.scenario, Scenario):
            raise InputError(f"scenario: must be a Scenario, got {type(self.scenario).__name__}")
        _checks.check_choice(self.strategy, "strategy", ("probability", "mode"))
        _checks.check_choice(self.parameters, "parameters", ("fixed", "drawn"))
        for name in ("fallback", "may_decline"):
            _checks.check_choice(getattr(self, name), name, (True, False))
        threshold = _checks.check_number(self.threshold, "threshold", low=0.0, high=1.0, open_high=True)
        object.__setattr__(self, "threshold", threshold)
        if not (isinstance(self.draws, str) and self.draws == "exact"):
            _checks.check_count(self.draws, "draws")
        if self.scenario.released == "nothing":
            return
        if self.strategy == "mode":
            raise InputError('strategy="mode": is for released="nothing"; with models the intruder simulates')
        if self.draws == "exact":
            found = {
                "parameters": (self.parameters, "fixed"),
                "in_file": (self.intruder.in_file, True),
                "selection": (self.scenario.selection, None),
            }
            for name, (given, wanted) in found.items():
                if given != wanted:
                    raise InputError(
                        f'draws="exact": there is no closed limit unless {name}={_checks.shown(wanted)}; give a number of draws'
                    )

    def describe(self) -> str:
        """Say the attack in two sentences."""
        if self.scenario.released == "nothing":
            how = "weighs the synthetic datasets equally"
            if self.strategy == "mode":
                how = "takes the most frequent synthetic values"
        else:
            size = "in the limit of infinitely many" if self.draws == "exact" else f"{self.draws:,}"
            how = f"simulates {size} datasets with parameters {self.parameters}"
        released = self.scenario.describe().removesuffix(".")
        return f"{released}; the intruder {how}. {self.intruder.describe_file()}"
