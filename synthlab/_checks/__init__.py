"""Checks of arguments.

A check returns the value in the form that the caller uses, or raises an `InputError` that names the argument and the
allowed values. Column names are data: they are looked up, never evaluated. A message shows a value only if it is one
number or word, or a short list of them. For longer values, and for possible data, it gives only type, shape and
position.
"""

from __future__ import annotations

from synthlab._checks._arguments import *  # noqa: F403
from synthlab._checks._arrays import *  # noqa: F403
from synthlab._checks._dates import *  # noqa: F403
from synthlab._checks._frames import *  # noqa: F403
from synthlab._checks._messages import *  # noqa: F403
from synthlab._checks._missing import *  # noqa: F403
from synthlab._checks._numeric import *  # noqa: F403
from synthlab._checks._rounding_errors import *  # noqa: F403
from synthlab._checks._texts import *  # noqa: F403
from synthlab._checks._undeclared_codes import *  # noqa: F403
from synthlab._checks._unfitted import *  # noqa: F403
from synthlab._checks._value_types import *  # noqa: F403
