"""The kernel of a submission: ipykernel under limits.

    python -m synthlab.lab.homework.kernel LIMITS ...

LIMITS is a mapping in JSON; what follows goes to ipykernel.
"""

from __future__ import annotations

import json
import sys

from synthlab.lab.homework.limits import Limits


def main() -> None:
    """Put limits upon this process, and become a kernel."""
    from ipykernel.kernelapp import launch_new_instance

    limits = Limits(**json.loads(sys.argv.pop(1)))
    limits.apply()
    launch_new_instance()


if __name__ == "__main__":
    main()
