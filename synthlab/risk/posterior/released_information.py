"""Information about the synthesis that the agency releases with the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.intruder.partial_knowledge import Knowledge, OneOf, check_knowledge
from synthlab.risk.posterior.rare_combinations import RareCombinations

Released = Literal["nothing", "models", "everything"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReleasedInformation:
    """Information about the synthesis that the agency releases with the synthetic data.

    Parameters
    ----------
    released : {"nothing", "models", "everything"}
        Released information about the models. "nothing" (default): none. "models": their form, so that the intruder can fit
        them to each synthetic dataset. "everything": the fitted models with the posterior distribution of the parameters.
    models : synthesizer, fitted synthesizer, or sequence of them
        With ``released="models"``, the models that the intruder fits (the specification of a fitted model). With
        ``released="everything"``, the fits of the agency. Several models are applied in order, as in `Sequential`.
    selection : mapping {synthesized variable: Interval or OneOf}, RareCombinations, or list of both, optional
        The released rule that selected records for synthesis. A mapping contains the admissible true values of each record; the
        set of an unchanged record contains only its released value. `RareCombinations` restricts the true values of all selected
        records jointly, for example to files in which they are unique. A list has one mapping and one `RareCombinations`.

    Raises
    ------
    InputError
        If a value is not allowed, or values contradict one another.

    Examples
    --------
    >>> from synthlab.risk import ReleasedInformation
    >>> print(ReleasedInformation())
    Nothing is released about the models.
    """

    released: Released = "nothing"
    models: Any = field(default=None, repr=False)
    selection: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _checks.check_choice(self.released, "released", ("nothing", "models", "everything"))
        if self.released == "nothing" and self.models is not None:
            raise InputError('models: not allowed with released="nothing"; use released="models" or "everything"')
        if self.released != "nothing" and self.models is None:
            raise InputError(f"models: required with released={self.released!r}; pass the released models")
        if isinstance(self.selection, list | tuple) and not self.selection:
            raise InputError("selection: the list is empty; pass a mapping, a RareCombinations, or a list of both")
        rules = [part for part in self._selections if isinstance(part, RareCombinations)]
        if len(rules) > 1 or len(self._selections) - len(rules) > 1:
            raise InputError("selection: a list must have one mapping and one RareCombinations")
        for column, known in (self.admissible or {}).items():
            if isinstance(known, OneOf) and isinstance(known.values, Mapping):
                raise InputError(
                    f"selection[{column!r}]: pass OneOf a list with one set of admissible values per record"
                )

    @property
    def _selections(self) -> list[Any]:
        several = isinstance(self.selection, list | tuple)
        return list(self.selection) if several else [] if self.selection is None else [self.selection]

    @property
    def admissible(self) -> dict[str, Knowledge] | None:
        """Admissible true values of each record, by variable; None if they are not restricted."""
        for part in self._selections:
            if not isinstance(part, RareCombinations):
                return check_knowledge(part, "selection")
        return None

    @property
    def rule(self) -> RareCombinations | None:
        """Rule for all selected records jointly, or None."""
        return next((part for part in self._selections if isinstance(part, RareCombinations)), None)

    @property
    def parts(self) -> tuple[Any, ...]:
        """Released models, in order."""
        several = isinstance(self.models, Sequence) and not isinstance(self.models, str)
        return tuple(self.models) if several else (self.models,)

    def describe(self) -> str:
        """Return a sentence that states the released information."""
        if self.released == "nothing":
            return "Nothing is released about the models."
        return f"{'The form of the models is' if self.released == 'models' else 'The models and their posterior are'} released."

    def __str__(self) -> str:
        return self.describe()


NOTHING_RELEASED = ReleasedInformation()
