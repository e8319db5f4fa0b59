"""The agency's statements about the synthesis, published with the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from synthlab import _checks
from synthlab.exceptions import InputError
from synthlab.matching.partial_knowledge import Knowledge, OneOf, check_knowledge

Released = Literal["nothing", "models", "everything"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReleasedInformation:
    """The agency's statements about the synthesis, published with the synthetic data.

    Parameters
    ----------
    released : {"nothing", "models", "everything"}
        The models as released: nothing; their form, so that the intruder fits them to each synthetic
        dataset; or everything, the posterior distribution of the parameters included.
    models : synthesizer, fitted synthesizer, or sequence of them
        With ``released="models"`` what the intruder fits (of a fitted one, its specification); with
        ``released="everything"`` the agency's own fits. Several follow one another as in `Sequential`.
    selection : mapping {synthesized variable: Interval or OneOf}, optional
        The released reason for the synthesis of records, as the admissible true values of each record; a
        record that was left alone has the set of its released value.

    Raises
    ------
    InputError
        For a value that is not allowed, or values that contradict one another.

    Examples
    --------
    >>> from synthlab.risk import ReleasedInformation
    >>> print(ReleasedInformation())
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


NOTHING_RELEASED = ReleasedInformation()
