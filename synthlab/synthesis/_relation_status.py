"""Relations of the file that a release preserves, and warnings about the others."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from synthlab._warnings import warn
from synthlab.exceptions import RelationWarning
from synthlab.synthesis._arguments import Asked
from synthlab.synthesis.relations import PRESERVED, Values, share_of

SHOWN = 8  # relations named in a warning


def relation_statuses(asked: Asked, frames: Sequence[pd.DataFrame]) -> tuple[str, ...]:
    """Return each relation with its status, and warn about those that are not preserved.

    Also warn about relations that hold in nearly all confidential records.
    """
    if asked.found.nearly:
        listed = "; ".join(map(str, asked.found.nearly[:SHOWN]))
        more = f"; and {len(asked.found.nearly) - SHOWN} more" if len(asked.found.nearly) > SHOWN else ""
        warn(
            f"relations: nearly all confidential records satisfy {listed}{more}. These relations are not preserved; "
            "correct the other records, or declare the relations with `relations`",
            RelationWarning,
            stacklevel=3,
        )
    if not asked.found.exact:
        return ()
    synthetic = [Values.of(frame, asked.released, asked.codes) for frame in frames]
    statuses, lost = [], []
    for relation in asked.found.exact:
        shares = [share_of(relation, values) for values in synthetic]
        status = asked.preserved.status(relation)
        if min(shares) < PRESERVED:
            statuses.append(f"{relation}: not preserved")
            lost.append(f"{relation} (holds in {sum(shares) / len(shares):.0%} of the synthetic records)")
        elif status is not None:
            statuses.append(status)
    if lost:
        more = f"; and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
        warn(
            f"relations: {len(lost)} relation{'s' * (len(lost) > 1)} between columns of the file {'are' if len(lost) > 1 else 'is'} "
            f"not preserved in the release: {'; '.join(lost[:SHOWN])}{more}. Synthesize all columns of a relation with "
            "trees, or leave one column out and compute it from the others",
            RelationWarning,
            stacklevel=3,
        )
    return tuple(statuses)
