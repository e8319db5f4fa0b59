"""Registry of all datasets.

To add a dataset, write an `Entry` in a file of `synthlab.datasets.entries`, add it here, and put its file and the
script that makes it into ``data/``.
"""

from __future__ import annotations

from synthlab.datasets._entry import Entry
from synthlab.datasets.entries.acs import ACS
from synthlab.datasets.entries.affairs import AFFAIRS
from synthlab.datasets.entries.anes96 import ANES96
from synthlab.datasets.entries.consumers import CE, CE2017, CE_LECTURE
from synthlab.datasets.entries.household_survey import HOUSEHOLDS
from synthlab.datasets.entries.interviews import CE2015
from synthlab.datasets.entries.mixture import NB_MIXTURE
from synthlab.datasets.entries.pupils import ESC
from synthlab.datasets.entries.youth import YOUTHS

REGISTRY: dict[str, Entry] = {
    entry.name: entry
    for entry in (AFFAIRS, ANES96, ACS, CE, CE_LECTURE, CE2017, CE2015, NB_MIXTURE, ESC, YOUTHS, HOUSEHOLDS)
}
