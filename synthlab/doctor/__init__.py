"""Report what is installed on this machine, what is missing, and what that costs.

Nothing is repaired. Packages are looked up by their metadata; whatever has to be started to be known (R, the bridge to it,
compiled code, Jupyter) is asked in a process of its own, and no question is waited for without end.
"""

from synthlab.doctor._check import Check, within
from synthlab.doctor._examine import examine, is_working, to_dict, to_frame

__all__ = ["Check", "examine", "is_working", "to_dict", "to_frame", "within"]
