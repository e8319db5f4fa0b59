"""``python -m tests.recorded``: write again what every public call returns, after a change that was meant."""

from __future__ import annotations

import json
import sys

from tests.recorded.calls import CALLS, FILE, SIGNATURES, ask, signatures


def main() -> int:
    answers = {name: ask(name) for name in CALLS}
    FILE.write_text(json.dumps(answers, indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    SIGNATURES.write_text(
        json.dumps(signatures(), indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )
    print(f"{len(answers)} calls in {FILE.name}, {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
