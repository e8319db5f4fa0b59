"""Check the pseudocount, and warn if it has almost no effect."""

from __future__ import annotations

import numpy as np

from synthlab import _checks
from synthlab._warnings import warn
from synthlab.counts._family import MAX_COUNT, CountFamily, check_family
from synthlab.counts.gamma_family import GAF
from synthlab.exceptions import InputError, PseudocountWarning


def check_pseudocount(family: CountFamily, pseudocount: float) -> float:
    """Return the pseudocount; raise `InputError` if the family or the combination is not allowed."""
    check_family(family)
    value = _checks.check_number(pseudocount, "pseudocount", low=0.0, high=MAX_COUNT)
    if value > 0 and family.takes_zero:
        raise InputError(
            f"pseudocount={value:g}: {family.label} adds noise to zeros as to any other count, so a pseudocount would only "
            "bias them; use 0"
        )
    return value


def warn_of_pseudocount(
    family: CountFamily,
    pseudocount: float,
    n_empty: int,
    zeros_to_ones: float,
    *,
    what: str = "empty cells",
) -> None:
    """Warn if a pseudocount makes almost no zero non-zero.

    `n_empty` is the number of cells that get the pseudocount, and `what` describes them.
    """
    if not isinstance(family, GAF) or np.max(family.nu) > 0 or pseudocount == 0 or zeros_to_ones > 0 or n_empty == 0:
        return
    share = float(np.max(family.at(pseudocount).sf(0)))
    warn(
        f"pseudocount={pseudocount:g} under {family.label} makes a share of {share:.2g} of the {what} non-zero "
        f"(about {share * n_empty:,.0f} of {n_empty:,}; a Poisson would make {-np.expm1(-pseudocount):.2g}): with nu <= 0, a "
        "small mean has a large variance, so nearly all of the mass is at zero; use zeros_to_ones",
        PseudocountWarning,
    )
