"""The tournament: the same table twice, copies shown for what they are, a bad entry one line; and the notebook of the lecturer."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from synthlab.cli import main
from synthlab.exceptions import InputError
from synthlab.teaching.figures.risk_utility_league import plot_league
from synthlab.teaching.homework.tournament import play

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "course" / "instructor" / "tournament.ipynb"
N = 120
ABOUT = 'says = "income is synthetic"\nsynthesized = ["income"]\n'
RULES = 'confidential = "confidential.csv"\ntarget = "income"\nradius = 0.2\n'


def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 70, N), "region": rng.choice(list("NSW"), N)})
    return frame.assign(income=np.exp(rng.normal(6 + frame["age"] / 50, 0.6)).round(2))


def guesses(values: object, rows: object = range(N)) -> pd.DataFrame:
    return pd.DataFrame({"record": rows, "income": values})


def hand_in(
    root: Path, team: str, frames: list[pd.DataFrame], said: dict[str, pd.DataFrame], about: str = ABOUT
) -> None:
    home = root / "teams" / team
    for name in ("release", "guesses"):
        (home / name).mkdir(parents=True, exist_ok=True)
    (home / "about.toml").write_text(about, encoding="utf-8")
    for number, frame in enumerate(frames):
        frame.to_csv(home / "release" / f"{number}.csv", index=False)
    for other, table in said.items():
        table.to_csv(home / "guesses" / f"{other}.csv", index=False)


@pytest.fixture
def game(tmp_path) -> Path:
    """Four teams, each of which guesses about the three others what stands in their first file, by the row or by the age."""
    truth, rng = people(), np.random.default_rng(4)
    frames = {
        "plain": truth.assign(income=np.exp(rng.normal(6 + truth["age"] / 50, 0.6)).round(2)),
        "copy": truth,
        "shuffled": truth.sample(frac=1, random_state=5),
        "noise": truth.assign(income=rng.uniform(0, 1e6, N).round(2)),
    }
    by_row = {name: guesses(frame["income"].to_numpy()) for name, frame in frames.items()}
    for team, frame in frames.items():
        hand_in(tmp_path, team, [frame], {name: said for name, said in by_row.items() if name != team})
    keys = ["age", "region"]
    first = frames["shuffled"].groupby(keys)["income"].first().reset_index()
    found = truth[keys].merge(first, on=keys, how="left")["income"]
    guesses(found.to_numpy()).to_csv(tmp_path / "teams/plain/guesses/shuffled.csv", index=False)
    truth.to_csv(tmp_path / "confidential.csv", index=False)
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    return tmp_path


def test_the_same_folder_gives_the_same_tables(game):
    one, two = play(game), play(game)
    pd.testing.assert_frame_equal(one.league, two.league)
    pd.testing.assert_frame_equal(one.attacks, two.attacks)
    assert (one.league["wrong"] == "").all()


def test_copies_are_shown_for_what_they_are_and_have_no_place(game):
    league = play(game).league
    assert league.loc["copy", "what_it_is"] == "the confidential file"
    assert league.loc["shuffled", "what_it_is"] == "the confidential file in another order"
    for name in ("copy", "shuffled"):
        assert league.loc[name, ["pair_distance", "unique_copies"]].tolist() == [0, N]
        assert league.loc[name, "low"] > 0.3
        assert np.isnan(league.loc[name, "place"])
    assert league.loc["copy", "right"] == 1
    assert league["what_it_is"][["plain", "noise"]].tolist() == ["", ""]


def test_noise_is_safe_and_last(game):
    league = play(game).league
    assert league["place"].dropna().to_dict() == {"plain": 1, "noise": 2}
    assert league.loc["noise", "excess"] < 0
    assert league.loc["noise", "pair_distance"] > 3 * league.loc["plain", "pair_distance"]
    assert list(league.index[:2]) == ["plain", "noise"]


def test_a_copy_of_one_dataset_of_several_is_seen(game):
    hand_in(game, "plain", [people(), people().assign(income=5.0)], {})
    assert play(game).league.loc["plain", "what_it_is"] == "the confidential file"


def test_a_risky_release_has_no_place_however_useful(game):
    near = people().assign(income=lambda frame: (frame["income"] * 1.01).round(2))
    hand_in(game, "plain", [near], {})
    guesses(near["income"]).to_csv(game / "teams/noise/guesses/plain.csv", index=False)
    league = play(game).league
    assert league.loc["plain", "what_it_is"] == ""
    assert league.loc["plain", "worst_attack"] in ("copy", "noise", "shuffled")
    assert np.isnan(league.loc["plain", "place"])


def test_scores_are_those_of_the_command(game, capsys):
    row = play(game).attacks.set_index(["attacker", "release"]).loc[("noise", "plain")]
    file = str(game / "teams/noise/guesses/plain.csv")
    options = ["--confidential", str(game / "confidential.csv"), "--target", "income", "--radius", "0.2"]
    with pytest.raises(SystemExit):
        main(["attack-score", file, *options])
    printed = capsys.readouterr().out
    for name, number in (("attack", "right"), ("baseline", "baseline"), ("excess", "excess")):
        assert float(re.search(rf"^{name} +(-?[\d.]+)", printed, re.MULTILINE)[1]) == pytest.approx(
            row[number], abs=1e-4
        )


BAD_GUESSES = {
    "no such row": (guesses(5.0, range(1, N + 1)), r"must name rows from 0 to 119"),
    "a person twice": (guesses(5.0, [0, *range(N - 1)]), "names a person twice"),
    "wrong columns": (guesses(5.0).rename(columns={"income": "wage"}), "'income' not in guesses"),
    "too many": (pd.concat([guesses(5.0), guesses(5.0)]), "240 guesses; at most 200 are allowed"),
    "too few": (guesses(5.0).head(3), "3 guesses; at least 20"),
    "words": (guesses("much"), "income"),
    "nothing": (pd.DataFrame(), "guesses/copy.csv"),
}


@pytest.mark.parametrize("case", BAD_GUESSES)
def test_bad_guesses_are_one_line_and_touch_no_other_team(game, case):
    before = play(game)
    table, said = BAD_GUESSES[case]
    table.to_csv(game / "teams/plain/guesses/copy.csv", index=False)
    after = play(game)
    line = after.league.loc["plain", "wrong"]
    assert re.search(said, line)
    assert "guesses/copy.csv" in line
    assert str(game) not in line
    assert "\n" not in line
    assert (after.league["wrong"] == "").sum() == 3
    assert after.league.loc["copy", "attacks"] == before.league.loc["copy", "attacks"] - 1
    numbers = ["right", "baseline", "excess", "low", "high", "pair_distance"]
    pd.testing.assert_frame_equal(before.league[numbers].drop("copy"), after.league[numbers].drop("copy"))


def test_a_missing_file_and_a_team_that_is_none_are_named(game):
    (game / "teams/plain/guesses/copy.csv").rename(game / "teams/plain/guesses/coppy.csv")
    line = play(game).league.loc["plain", "wrong"]
    assert line == "guesses: no other team has the name 'coppy' | guesses/copy.csv: path: no file 'guesses/copy.csv'"


def spoil(home: Path, case: str) -> None:
    release, about = home / "release" / "0.csv", home / "about.toml"
    match case:
        case "no release":
            release.unlink()
        case "a column is missing":
            people().drop(columns="age").to_csv(release, index=False)
        case "no records":
            people().head(0).to_csv(release, index=False)
        case "words for numbers":
            people().assign(income="much").to_csv(release, index=False)
        case "no table":
            release.write_bytes(b"\x00\xff\x80" * 50)
        case "no description":
            about.unlink()
        case "no TOML":
            about.write_text("income is synthetic", encoding="utf-8")
        case "says nothing":
            about.write_text('synthesized = ["income"]', encoding="utf-8")
        case "target not synthetic":
            about.write_text(ABOUT.replace("income", "age"), encoding="utf-8")
        case "no such variable":
            about.write_text(ABOUT.replace("income", "wage"), encoding="utf-8")


SPOILT = {
    "no release": "paths",
    "a column is missing": "'age'",
    "no records": "record",
    "words for numbers": "income",
    "no table": "release/0.csv",
    "no description": "about.toml",
    "no TOML": "about.toml",
    "says nothing": "about.toml: says",
    "target not synthetic": "must contain 'income'",
    "no such variable": "'wage' not in the data",
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_bad_release_is_out_of_the_game_and_says_why(game, case):
    spoil(game / "teams" / "plain", case)
    played = play(game)
    league = played.league
    assert SPOILT[case] in league.loc["plain", "wrong"]
    assert "much" not in league.loc["plain", "wrong"]
    assert league.loc["plain", ["place", "m", "right"]].isna().all()
    assert "plain" not in set(played.attacks["release"])
    assert (league["wrong"].drop("plain") == "").all()
    assert league.loc["noise", "place"] == 1


def test_a_class_of_bad_entries_has_a_table_too(game):
    for home in (game / "teams").iterdir():
        spoil(home, "no release")
    played = play(game)
    assert len(played.attacks) == 0
    assert (played.league["wrong"] != "").all()
    assert played.league["place"].isna().all()


def test_a_release_that_was_not_attacked_has_no_place(game):
    for file in (game / "teams").glob("*/guesses/plain.csv"):
        file.unlink()
    league = play(game).league
    assert league.loc["plain", "attacks"] == 0
    assert np.isnan(league.loc["plain", "place"])
    assert league.loc["noise", "place"] == 1


def test_a_team_may_have_a_file_of_its_own(game):
    truth = people().rename(columns={"income": "wage"})
    truth.to_csv(game / "own.csv", index=False)
    (game / "rules.toml").write_text(
        RULES + '[teams.noise]\nconfidential = "own.csv"\ntarget = "wage"\n', encoding="utf-8"
    )
    hand_in(game, "noise", [truth], {}, ABOUT.replace("income", "wage"))
    for team in ("copy", "plain", "shuffled"):
        guesses(truth["wage"]).rename(columns={"income": "wage"}).to_csv(
            game / f"teams/{team}/guesses/noise.csv", index=False
        )
    league = play(game).league
    assert (league["wrong"] == "").all()
    assert league.loc["noise", ["right", "what_it_is"]].tolist() == [1, "the confidential file"]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("confidential = 3", "confidential"),
        (RULES + "nonsense = 1\n", "nonsense"),
        (RULES.replace("confidential.csv", "gone.csv"), "gone.csv"),
        (RULES.replace("income", "wage"), "wage"),
        (RULES + "[teams.nobody]\nradius = 0.1\n", "teams"),
        ("radius", "rules"),
        (RULES + 'most_guesses = "all"\n', "most_guesses"),
        (RULES + 'most_excess = "none"\n', "most_excess"),
    ],
)
def test_the_rules_are_the_lecturers_and_raise(game, rules, said):
    (game / "rules.toml").write_text(rules, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        play(game)


def test_a_folder_without_teams_raises(tmp_path):
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    with pytest.raises(InputError, match="teams/NAME"):
        play(tmp_path)


def test_the_map_has_a_point_for_each_release_that_was_attacked(game):
    league = play(game).league
    ax = plot_league(league, data="simulated")
    assert {"copy", "shuffled", "noise", "plain"} <= {text.get_text() for text in ax.texts}


@pytest.fixture(scope="module")
def cells():
    return [cell for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"]


def test_one_variable_leads_to_the_folder_of_a_class(cells):
    named = [
        n for cell in cells for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.Name) and n.id == "CLASS"
    ]
    assert [type(n.ctx).__name__ for n in named if isinstance(n.ctx, ast.Store)] == ["Store"]
    # The made-up class is written to a folder of its own, whatever the variable says.
    assert {cell.id for cell in cells if "CLASS" in cell.source} == {"folder", "play", "map"}


def test_the_notebook_compares_its_tables_and_shows_what_it_should(cells):
    checked = [cell for cell in cells if "nbval-check-output" in cell.metadata.get("tags", ())]
    assert len(checked) >= 4
    shown = {cell.id: "".join(o.get("data", {}).get("text/plain", "") for o in cell.outputs) for cell in cells}
    places = re.findall(r"^(\S.*?) +(NaN|\d\.0) ", shown["table_risk"], re.MULTILINE)
    first = [("careful", "1.0"), ("noise", "2.0")]
    assert places == first + [(name, "NaN") for name in ("careless", "copy", "late", "shuffled copy")]
    assert "the confidential file in another order" in shown["table_utility"]
    assert "at most 200 are allowed" in shown["faults"]
    assert "Income" in shown["faults"]
