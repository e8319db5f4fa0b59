"""``python -m tests.recorded``: write again what every public call returns, after a change that was meant.

With ``--more`` only the answers of the further calls are written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.recorded.calls import CALLS, FILE, FURTHER_NAMES, MORE, REFUSED, SIGNATURES, ask, signatures
from tests.recorded.refusals import ASKED, answers


def main() -> int:
    _write(MORE, {name: ask(name) for name in FURTHER_NAMES})
    if "--more" not in sys.argv[1:]:
        _write(FILE, {name: ask(name) for name in CALLS if name not in FURTHER_NAMES})
        _write(SIGNATURES, signatures())
        _write(REFUSED, {name: answers(case) for name, case in ASKED.items()})
    return 0


def _write(file: Path, content: dict[str, Any]) -> None:
    file.write_text(json.dumps(content, indent=0, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(content)} calls in {file.name}, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    sys.exit(main())
