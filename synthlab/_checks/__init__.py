"""Every argument check of the package, by parameter name.

A check returns the value in the form the caller works with, or raises an `InputError` whose
message names the argument and what is allowed. Column names are data: they are looked up, never
evaluated. What an argument holds is `shown` only where it is one number or word, or a short list of
them; of anything longer, and of whatever may be data, a message gives type, shape and position alone.
"""

from __future__ import annotations

from synthlab._checks._arguments import *  # noqa: F403
from synthlab._checks._arrays import *  # noqa: F403
from synthlab._checks._dates import *  # noqa: F403
from synthlab._checks._frames import *  # noqa: F403
from synthlab._checks._messages import *  # noqa: F403
from synthlab._checks._missing import *  # noqa: F403
from synthlab._checks._numeric import *  # noqa: F403
from synthlab._checks._value_types import *  # noqa: F403
