"""Synthesizers before they are fitted."""

from __future__ import annotations

from typing import ClassVar

from synthlab import _checks
from synthlab.synthesizers.base import Fitted


class Unfitted(_checks.Unfitted):
    """Base class of synthesizers, which raise an error for the attributes of `Fitted`."""

    _made: ClassVar[type] = Fitted


__all__ = ["Unfitted"]
