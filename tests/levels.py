"""Which tests belong to `make check`, `make test` and `make test-all`.

An item belongs to `make test` unless its file is listed in `ONLY_IN_ALL` or it has the marker ``full``. `make check` leaves
out more: what is listed in `NOT_IN_CHECK`, R, and real data.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import pytest

Level = Literal["check", "test", "added", "all"]

ROOT = Path(__file__).resolve().parents[1]

# Folders and files all of whose tests run in `make test-all` only.
ONLY_IN_ALL = (
    "course/instructor",
    "course/pages",
    "course/replications",
    "course/solutions",
    "tests/browser",
    "tests/course/test_editions.py",
    "tests/course/test_other_releases.py",
    "tests/course/test_project.py",
    "tests/course/test_tournament.py",
    "tests/crosscheck",
    "tests/mutation",
    "tests/r",
    "tests/replications",
    "tests/scale/test_scale_cluster.py",
    "tests/scale/test_scale_page.py",
    "tests/site",
    "tests/teaching/homework",
    "tests/test_benchmarks.py",
    "tests/test_binder.py",
    "tests/test_course_outputs.py",
    "tests/test_forked_kernels.py",
    "tests/test_snippets.py",
    "tests/test_stopping.py",
    "tests/test_wheel.py",
)

# Folders and files that take longest: they begin, so that no process works alone at the end.
FIRST = (
    "course",
    "tests/verdict",
    "tests/test_threads.py",
    "tests/test_saving.py",
    "tests/report",
    "tests/recorded",
    "tests/site",
    "tests/teaching/homework",
)

# Folders and files that `make test` runs and `make check` does not: notebooks, samplers, R, other processes, whole files.
NOT_IN_CHECK = (
    "course",
    "synthlab",
    "tests/counts/test_count_families.py",
    "tests/counts/test_fixed_margins.py",
    "tests/course",
    "tests/datasets/test_datasets_registry.py",
    "tests/dp/test_dp_claims.py",
    "tests/dp/test_dp_leaks.py",
    "tests/hostile",
    "tests/io/test_expansion.py",
    "tests/recorded",
    "tests/report",
    "tests/risk/test_dates.py",
    "tests/risk/test_intruder_models.py",
    "tests/risk/test_linkage.py",
    "tests/risk/test_missing_rules.py",
    "tests/risk/test_replicated_uniques.py",
    "tests/scale",
    "tests/synthesis",
    "tests/synthesizers",
    "tests/teaching",
    "tests/test_at_once.py",
    "tests/test_cli.py",
    "tests/test_cli_verdict.py",
    "tests/test_doctor.py",
    "tests/test_file_modes.py",
    "tests/test_parallel.py",
    "tests/test_r_packages.py",
    "tests/test_readme.py",
    "tests/test_saving.py",
    "tests/test_seed_attack.py",
    "tests/test_threads.py",
    "tests/test_typed.py",
    "tests/utility/test_rule_of_release.py",
    "tests/verdict",
    "tests/weights/test_clipped.py",
)


@cache
def is_below(path: Path, places: tuple[str, ...]) -> bool:
    """Return whether a file is one of some files or below one of some folders of the repository."""
    return any(path == ROOT / place or ROOT / place in path.parents for place in places)


def is_left_out(path: Path, level: Level) -> bool:
    """Return whether no item of a file or folder can belong to the level."""
    if level == "added":
        return path.is_file() and not is_below(path, ONLY_IN_ALL) and b"mark.full" not in path.read_bytes()
    return is_below(path, ONLY_IN_ALL) or (level == "check" and is_below(path, NOT_IN_CHECK))


def includes(item: pytest.Item, level: Level) -> bool:
    """Return whether an item of a file that is not left out belongs to the level."""
    full = is_below(item.path, ONLY_IN_ALL) or item.get_closest_marker("full") is not None
    if level == "added":
        return full
    if item.get_closest_marker("whole") is not None:
        return False
    return not full and (level == "test" or not {"r", "real"} & {*item.keywords})
