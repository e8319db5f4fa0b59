"""``python -m tests.recorded``: write again what every public call returns, after a change that was meant.

With ``--more`` only the answers of the further calls are written.
"""

from __future__ import annotations

import json
import sys

from tests.recorded.calls import CALLS, FILE, FURTHER_NAMES, MORE, REFUSED, SIGNATURES, ask, signatures
from tests.recorded.refusals import ASKED


def main() -> int:
    further = {name: ask(name) for name in sorted(FURTHER_NAMES)}
    MORE.write_text(json.dumps(further, indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    if "--more" in sys.argv[1:]:
        print(f"{len(further)} calls in {MORE.name}, {MORE.stat().st_size:,} bytes")
        return 0
    answers = {name: ask(name) for name in CALLS if name not in FURTHER_NAMES}
    FILE.write_text(json.dumps(answers, indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    SIGNATURES.write_text(
        json.dumps(signatures(), indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )
    refused = {name: answers(case) for name, case in ASKED.items()}
    REFUSED.write_text(json.dumps(refused, indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(answers)} calls in {FILE.name}, {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
