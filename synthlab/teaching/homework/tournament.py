"""Tournament of the term project: attack scores and a league table.

A folder holds the confidential file, ``rules.toml``, and for each team a folder ``teams/NAME`` with

* ``about.toml``: ``says``, a sentence on the release, and ``synthesized``, the variables whose values are synthetic;
* ``release/``: a CSV file for each synthetic dataset, made with any tool;
* ``guesses/OTHER.csv``: guesses about people in the release of another team, as ``synthlab attack-score`` takes them.

The rules are ``confidential``, the name of the file; ``target``, the variable guessed; ``radius``, relative to a numeric truth;
``most_guesses`` in a file (200); ``most_excess`` (0.05), to which the interval of the excess of every attack must reach down
for a place; ``categorical``, numbers that are categories. Each file of guesses is scored once per tournament: publish the scores
once, because the difference of two scores can reveal a single answer (see `attack_score`). ``[teams.NAME]`` says what differs for a team, such as its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from synthlab import _checks
from synthlab._typing import PathOrStr
from synthlab._warnings import quiet
from synthlab.exceptions import InputError, SynthlabError
from synthlab.intruder import Intruder
from synthlab.io import read
from synthlab.release import Release
from synthlab.report import EvaluationResult, evaluate
from synthlab.risk import attack_score

RULES: dict[str, Any] = {"confidential": "", "target": "", "radius": None, "categorical": []}
RULES |= {"most_guesses": 200, "most_excess": 0.05}
SCORES, MEASURES = ["right", "baseline", "excess", "low", "high"], ["pair_distance", "pmse_ratio", "unique_copies"]
LEAGUE = ["place", "worst_attack", *SCORES, *MEASURES, "what_it_is", "m", "attacks", "says", "wrong"]


@dataclass(frozen=True, slots=True)
class Tournament:
    """Results of the releases and attacks of a class.

    Attributes
    ----------
    league : pandas.DataFrame
        One row per team, by rank: the worst attack on its release, the baseline (the best single guess of an intruder who
        ignores the synthetic values), the excess with its interval, the loss of utility, and problems of the entry.
    attacks : pandas.DataFrame
        One row for each attacker and each release.
    """

    league: pd.DataFrame
    attacks: pd.DataFrame


def play(folder: PathOrStr) -> Tournament:
    """Measure the releases of all teams and score their attacks on each other.

    Parameters
    ----------
    folder : path
        Folder as described in the docstring of this module. Problems of an entry are listed in the column ``wrong``.

    Returns
    -------
    Tournament

    Raises
    ------
    InputError
        If the rules or a confidential file cannot be read, or no team exists.
    """
    root = _checks.check_path(folder, "folder")
    told = _checks.read_toml(root / "rules.toml", "rules")
    own = told.pop("teams", {})
    homes = {path.name: path for path in sorted(root.glob("teams/[!.]*")) if path.is_dir()}
    if not homes or set(own) - set(homes):
        raise InputError(
            f"folder={str(root)!r}: must contain a folder teams/NAME for each team and each table [teams.NAME]"
        )
    rules = {name: {**RULES, **told, **own.get(name, {})} for name in homes}
    if odd := sorted(set().union(*rules.values()) - set(RULES)):
        raise InputError(f"rules: have no {_checks.named(odd)}; there are {', '.join(RULES)}")
    truth: dict[str, pd.DataFrame] = {}
    table: dict[str, dict[str, Any]] = {name: {"attacks": 0, "wrong": []} for name in homes}
    rows: list[dict[str, Any]] = []
    for name, home in homes.items():
        truth[name] = read(root / _checks.check_path(rules[name]["confidential"], "rules: confidential"))
        _checks.check_column(truth[name], rules[name]["target"], "rules: target", where="the confidential data")
        _checks.check_count(rules[name]["most_guesses"], "rules: most_guesses")
        _checks.check_number(rules[name]["most_excess"], "rules: most_excess")
        with _noting(table[name]["wrong"], home, "release"):
            table[name] |= _release(home, truth[name], rules[name])
    for attacker, home in homes.items():
        wrong = table[attacker]["wrong"]
        if odd := sorted({path.stem for path in home.glob("guesses/*.csv")} - (set(homes) - {attacker})):
            wrong.append(f"guesses: no other team has the name {_checks.named(odd)}")
        for name in (n for n in homes if n != attacker and "m" in table[n]):
            rows.append({"attacker": attacker, "release": name})
            with _noting(wrong, home, file := f"guesses/{name}.csv"):
                rows[-1] |= _attack(home / file, truth[name], rules[name])
    attacks = pd.DataFrame(rows, columns=["attacker", "release", "guesses", *SCORES])
    for key, scored in attacks.dropna(subset="right").groupby("release"):
        worst = scored.sort_values("low", ascending=False, kind="stable").iloc[0]
        table[str(key)] |= {"worst_attack": worst["attacker"], "attacks": len(scored), **worst[SCORES]}
    league = pd.DataFrame.from_dict(table, "index", columns=LEAGUE).rename_axis("team").infer_objects()
    league["wrong"] = league["wrong"].map(" | ".join)
    most = [rules[name]["most_excess"] for name in homes]
    fair = (league["what_it_is"] == "") & (league["low"] <= most)
    league["place"] = league.loc[fair, "pair_distance"].rank(method="min")
    return Tournament(league.sort_values("place", kind="stable"), attacks)


@contextmanager
def _noting(wrong: list[str], home: Path, what: str) -> Iterator[None]:
    try:
        with quiet():
            yield
    except (SynthlabError, OSError) as error:
        wrong.append(f"{what}: {' '.join(str(error).replace(f'{home}/', '').split())}")


def _release(home: Path, truth: pd.DataFrame, rules: dict[str, Any]) -> dict[str, Any]:
    about, target = _checks.read_toml(home / "about.toml", "about"), rules["target"]
    says = _checks.check_text(about.get("says"), "about.toml: says")[:80]
    names = _checks.check_columns(truth, about.get("synthesized"), "about.toml: synthesized", where="the data")
    if target not in names:
        raise InputError(f"about.toml: synthesized must contain {target!r}, the variable that is guessed")
    release = Release.from_files(sorted(home.glob("release/*.csv")), names, like=truth)
    anybody = Intruder(known=[], synthesized=[target], radius=rules["radius"], missing="category")
    result = evaluate(truth, release, anybody, variables=list(truth.columns), categorical=rules["categorical"])
    kinds = "; ".join(sorted({_copied(truth, frame) for frame in release} - {""}))
    return {"says": says, "m": release.m, "what_it_is": kinds, **_measures(result)}


def _measures(result: EvaluationResult) -> dict[str, float]:
    """Return the utility of a release, and the largest number of copies of unique people in a dataset."""
    utility = result.summary().loc[MEASURES[:-1], "synthetic"]
    return {**utility, MEASURES[-1]: float(result["exact_copies"].unique_copies.max())}


def _copied(truth: pd.DataFrame, frame: pd.DataFrame) -> str:
    columns = list(truth.columns)
    if frame[columns].equals(truth):
        return "the confidential file"
    one, other = (each[columns].sort_values(columns, ignore_index=True) for each in (truth, frame))
    return "the confidential file in another order" if one.equals(other) else ""


def _attack(path: Path, truth: pd.DataFrame, rules: dict[str, Any]) -> dict[str, Any]:
    guesses = read(path, like=truth)
    if len(guesses) > rules["most_guesses"]:
        raise InputError(f"{len(guesses)} guesses; at most {rules['most_guesses']} are allowed")
    score = attack_score(truth, guesses, target=rules["target"], radius=rules["radius"], missing="never")
    numbers = score.records.size, score.attack, score.baseline, score.excess, *score.excess_interval
    return dict(zip(["guesses", *SCORES], numbers, strict=True))
