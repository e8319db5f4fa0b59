"""Validated arguments of `intruder_risk`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.intruder import Intruder
from synthlab.risk.posterior.released_information import ReleasedInformation

Strategy = Literal["probability", "mode"]
Parameters = Literal["fixed", "drawn"]
Draws = int | Literal["exact"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Attack:
    """Validated arguments of `intruder_risk`: the intruder's use of the release."""

    intruder: Intruder
    scenario: ReleasedInformation
    strategy: Strategy
    parameters: Parameters
    draws: Draws
    fallback: bool
    threshold: float
    may_decline: bool

    def __post_init__(self) -> None:
        if not isinstance(self.scenario, ReleasedInformation):
            raise InputError(f"scenario: must be a ReleasedInformation, got {type(self.scenario).__name__}")
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
            raise InputError('strategy="mode": requires released="nothing", because with models the intruder simulates')
        if self.draws == "exact":
            found = {
                "parameters": (self.parameters, "fixed"),
                "in_file": (self.intruder.in_file, True),
                "selection": (self.scenario.selection, None),
            }
            for name, (given, wanted) in found.items():
                if given != wanted:
                    raise InputError(
                        f'draws="exact": requires {name}={_checks.shown(wanted)}; otherwise pass a number of draws'
                    )

    def describe(self) -> str:
        """Describe the attack in two sentences."""
        if self.scenario.released == "nothing":
            how = "weighs the synthetic datasets equally"
            if self.strategy == "mode":
                how = "takes the most frequent synthetic values"
        else:
            size = "in the limit of infinitely many" if self.draws == "exact" else f"{self.draws:,}"
            how = f"simulates {size} datasets with parameters {self.parameters}"
        released = self.scenario.describe().removesuffix(".")
        return f"{released}; the intruder {how}. {self.intruder.describe_file()}"
