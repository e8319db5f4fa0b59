"""``python -m tests.recorded [NAME ...]``: record again what public calls return and refuse, after an intended change.

With names, only the calls whose name begins with one of them are made; `signatures` stands for the arguments of all calls.
"""

from __future__ import annotations

import sys
from typing import Any

from tests.recorded.calls import CALLS, SIGNATURES, ask, files, signatures, text, write
from tests.recorded.refusals import ASKED, answers, grouped


def main(names: tuple[str, ...]) -> int:
    chosen = [name for name in sorted({*CALLS, *ASKED}) if not names or name.startswith(names)]
    kept = {name: recorded for content in files().values() for name, recorded in content.items()}
    write(
        {name: value for name, value in kept.items() if name in {*CALLS, *ASKED}}
        | {name: record(name) for name in chosen}
    )
    if not names or "signatures" in names:
        SIGNATURES.write_text(text(signatures()), encoding="utf-8")
    print(f"{len(chosen)} calls recorded; read the difference before it is committed")
    return 0


def record(name: str) -> dict[str, Any]:
    """Return what a call returns, and what it answers to wrong and odd arguments."""
    found = {"returned": ask(name)} if name in CALLS else {}
    return found | ({"refused": grouped(answers(ASKED[name]))} if name in ASKED else {})


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
