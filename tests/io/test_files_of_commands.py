"""Commands that read files: any format, one type for a column of all files, and what was found out is printed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from synthlab import cli
from tests.test_cli import configured

N = 40


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        out = capsys.readouterr()
        return int(stopped.value.code or 0), out.out, out.err

    return call


@pytest.fixture
def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "county": ["01", "1", "001", "02"] * (N // 4),
            "answer": ["None", "NA", "yes", "no"] * (N // 4),
            "income": 100.0 * 1.1 ** np.arange(N),
        }
    )


ASKED = ("--known", "county,answer", "--synthesized", "income", "--radius", "0.1")


def test_answers_and_codes_that_look_missing_or_alike_stay_apart(run, people, tmp_path):
    people.to_csv(tmp_path / "own.csv", index=False, sep=";", decimal=",", encoding="cp1252")
    people.to_excel(tmp_path / "other.xlsx", index=False)
    code, out, err = run("evaluate", tmp_path / "own.csv", tmp_path / "other.xlsx", *ASKED, "--missing", "raise")
    assert code == 0
    assert err.splitlines()[-2:] == [
        "read own.csv: CSV, delimiter semicolon, UTF-8, decimal comma; 40 records, 3 columns",
        "read other.xlsx: Excel, sheet 'Sheet1'; 40 records, 3 columns",
    ]
    assert "40 records" in out


def test_a_stata_file_is_compared_with_text(run, people, tmp_path):
    coded = people.assign(county=pd.Categorical(people["county"]).codes + 1)
    labels = dict(enumerate(sorted(people["county"].unique()), start=1))
    pyreadstat.write_dta(coded, str(tmp_path / "own.dta"), variable_value_labels={"county": labels})
    people.to_csv(tmp_path / "other.csv", index=False)
    code, _, err = run("evaluate", tmp_path / "own.dta", tmp_path / "other.csv", *ASKED)
    assert code == 4  # a copy
    assert "ColumnTypeWarning" not in err
    assert "KnownVariableChangedWarning" not in err
    people.assign(county=coded["county"] + 10).to_csv(tmp_path / "coded.csv", index=False)
    report = tmp_path / "report.json"
    code, *_ = run("evaluate", tmp_path / "own.dta", tmp_path / "coded.csv", *ASKED, "--json", report)
    assert code == 4
    assert "county has another type or coding in the release and was not compared" in report.read_text()


def test_a_code_of_missing_values_is_suggested_in_the_words_of_the_command(run, people, tmp_path):
    texts = people.assign(income=people["income"].round(2).astype(object))
    texts.loc[3, "income"] = "NA"
    texts.to_csv(tmp_path / "own.csv", index=False)
    people.to_csv(tmp_path / "other.csv", index=False)
    files = (tmp_path / "own.csv", tmp_path / "other.csv")
    code, _, err = run("evaluate", *files, *ASKED)
    assert code == 2
    assert "warning: ColumnTypeWarning: confidential: '" in err
    assert (
        "column 'income' is text because of the words 'NA' in 1 cell; all other cells are numbers or bools; --na NA makes them missing"
        in err
    )
    code, _, err = run("evaluate", *files, *ASKED, "--na", "NA,-9", "--missing", "category")
    assert code == 0
    assert "ColumnTypeWarning" not in err


def test_columns_that_shall_be_text_are_named(run, people, tmp_path):
    numbers = people.assign(county=[1, 2] * (N // 2))
    numbers.to_csv(tmp_path / "own.csv", index=False)
    numbers.assign(county="0" + numbers["county"].astype(str)).to_csv(tmp_path / "other.csv", index=False)
    files = (tmp_path / "own.csv", tmp_path / "other.csv")
    code, out, _ = run("evaluate", *files, *ASKED)
    assert code == 4
    assert "county: numbers are stored as text; compared as numbers" in " ".join(out.split())
    code, out, _ = run("evaluate", *files, *ASKED, "--text", "county,answer")
    assert "do not correspond" in " ".join(out.split())  # 1 and 01 are two counties, so that the rows do not correspond
    code, _, err = run("evaluate", *files, *ASKED, "--text", "nobody")
    assert code == 2
    assert err.startswith("error: --text: 'nobody' not in")


def test_a_wrong_delimiter_is_answered_with_the_option(run, people, tmp_path):
    people.to_csv(tmp_path / "own.csv", index=False, sep=";")
    code, _, err = run(
        "evaluate", tmp_path / "own.csv", tmp_path / "own.csv", *ASKED, *configured(tmp_path, delimiter=",")
    )
    assert code == 2
    assert "use delimiter=';', or omit delimiter" in err
    assert err.endswith("(delimiter is a key of the TOML file of --config)\n")
    assert "Traceback" not in err


def test_the_sheet_is_chosen_for_all_workbooks(run, people, tmp_path):
    with pd.ExcelWriter(tmp_path / "own.xlsx") as book:
        people.to_excel(book, sheet_name="data", index=False)
        people.head(2).to_excel(book, sheet_name="notes", index=False)
    people.to_csv(tmp_path / "other.csv", index=False)
    files = (tmp_path / "own.xlsx", tmp_path / "other.csv")
    code, _, err = run("evaluate", *files, *ASKED)
    assert code == 2
    assert "2 sheets: 'data', 'notes'; choose one, for example table='data' (table is a key of" in err
    assert run("evaluate", *files, *ASKED, *configured(tmp_path, table="data"))[0] == 0


def test_guesses_have_the_type_of_what_is_guessed(run, people, tmp_path):
    people.to_csv(tmp_path / "own.csv", index=False)
    pd.DataFrame({"record": range(30), "county": [1] * 30}).to_csv(tmp_path / "guesses.csv", index=False)
    call = ("attack-score", tmp_path / "guesses.csv", "--confidential", tmp_path / "own.csv", "--target", "county")
    code, out, err = run(*call)
    assert code == 0
    assert "8 of 30 guesses of county are right" in out
    assert "read guesses.csv: CSV, delimiter comma, UTF-8; 30 records, 2 columns" in err
