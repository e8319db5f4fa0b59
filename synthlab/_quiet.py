"""Warnings of the package that say nothing new where they are raised."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from synthlab.exceptions import SynthlabWarning


@contextmanager
def quiet(*kinds: type[Warning]) -> Iterator[None]:
    """Silence warnings of the package, by default all of them: what they say is in the result, or measured there."""
    with warnings.catch_warnings():
        for kind in kinds or (SynthlabWarning,):
            warnings.simplefilter("ignore", kind)
        yield
