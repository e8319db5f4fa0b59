"""Keys of the TOML file of `--config`, and reading of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer

from synthlab.cli.file_options import path as as_path
from synthlab.exceptions import InputError

KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "a text"),
    "names": (list, "a text or a list of texts"),
    "rows": ((str, list), "a text such as '3,17,200-299' or a list of row positions"),
    "path": (str, "the path of a file"),
    "switch": (bool, "true or false"),
    "columns": ((bool, str, list), "true, false or a list of variables"),
    "relations": ((bool, str, list), "'detect', false or a list of relations"),
    "unit rules": ((bool, str, Mapping), "'detect', false, or tables of rules"),
    "number": (int, "a whole number"),
    "table": (Mapping, "a table"),
}


@dataclass(frozen=True, slots=True)
class Key:
    """Key of the TOML file that has no option on the command line."""

    name: str
    kind: str
    help: str
    default: Any = None

    def read(self, value: object, file: Path) -> Any:
        """Return the value of the file, or raise an error that names the key."""
        if self.kind == "names" and isinstance(value, str):
            value = [value]
        expected, words = KINDS[self.kind]
        if not isinstance(value, expected):
            raise InputError(f"config={str(file)!r}: {self.name} must be {words}")
        if self.kind == "path":
            from synthlab import _checks

            return file.parent / _checks.check_path(value, self.name)
        texts = [str(one) for one in value] if isinstance(value, list) else None
        if self.kind == "rows" and texts is not None:
            return ",".join(texts)
        return texts if self.kind == "names" else value


FILES = (
    Key("delimiter", "text", "delimiter of CSV files: one character, or comma, semicolon or tab; detected by default"),
    Key("encoding", "text", "encoding of text files, such as utf-8, cp1252 or latin-1; detected by default"),
    Key("decimal", "text", "decimal mark of CSV files: point or comma; detected by default"),
    Key("dates", "table", "formats of dates, such as visit = '%d/%m/%Y'; 'none' if a column is not a date"),
    Key("table", "text", "sheet of Excel files, or data frame of RData files, if there are several"),
)
EVALUATE = (
    Key("intruders", "table", "several intruders: one table [intruders.NAME] each, instead of known and synthesized"),
    Key("boundary", "text", "interval of a radius: closed (default) or open", "closed"),
    Key("norm", "text", "distance for several continuous variables: box (default) or euclidean", "box"),
    Key("convention", "text", "irc: count like the R package IdentificationRiskCalculation"),
    Key("targets", "rows", "row positions, from 0, of the people the intruder looks for: '3,17,200-299'"),
    Key(
        "max_members",
        "number",
        "largest number of members of a unit, or of waves (default: that of the release, or 50)",
    ),
    Key("singletons", "text", "IR of a record with a unique pattern: formula (default) or certain", "formula"),
    Key("categorical", "names", "variables whose numbers are category codes", ()),
    Key("model", "text", "classifier of pMSE: logistic (default) or cart", "logistic"),
    Key("predict", "text", "variable to predict: train on synthetic data, test on confidential data"),
    Key("data_kind", "text", "kind of the confidential data: real or simulated"),
    Key("overview", "path", "table to write: .csv, .md or .xlsx"),
    Key("dossier", "table", "facts for the approval of the release: purpose, assumptions, decision, ..."),
    Key("title", "text", "title of the report"),
    Key("date", "text", "date printed on the report"),
    Key("show_values", "switch", "print confidential values in the report", False),
    *FILES,
)
SYNTHESIZE = (
    Key("models", "table", "models of variables, such as age = 'normal'; default: a tree"),
    Key("order", "names", "order of synthesis; must contain all variables"),
    Key("constraints", "table", "edit rules: [[constraints.bounds]], zero_unless, allowed_combinations, sum_of", {}),
    Key("missing", "text", "missing values: keep (default) or raise", "keep"),
    Key("missing_codes", "table", "numbers that mean missing, such as rent = [-8, -9]"),
    Key(
        "smooth",
        "columns",
        "smooth numbers that occur in fewer than 10 records: true (default), false or variables",
        True,
    ),
    Key(
        "relations",
        "relations",
        "relations between columns to preserve: detect (default), false, or a list such as ['c = a + b', 'start <= end']",
        "detect",
    ),
    Key(
        "unit_rules",
        "unit rules",
        "rules of units: detect (default), false, or [[unit_rules.exactly_one]], at_most_one, difference, different, "
        "size_of, constant",
        "detect",
    ),
    Key("max_members", "number", "largest number of members of a unit, or of waves (default 50)", 50),
    Key("strata", "text", "column of the strata of the sample"),
    Key("clusters", "text", "column of the primary sampling units, nested in strata"),
    Key("fpc", "text", "column of the number of primary sampling units in the population, or of the sampling fraction"),
    Key("keep_order", "switch", "do not shuffle the rows of the published files", False),
    *FILES,
)
ATTACK_SCORE = (
    Key("record", "text", "column of the guesses with the row numbers (default record)", "record"),
    Key("boundary", "text", "interval of the radius: closed (default) or open", "closed"),
    *FILES,
)


KEYS = {"evaluate": EVALUATE, "synthesize": SYNTHESIZE, "attack-score": ATTACK_SCORE}
PATHS = ("confidential", "synthetic", "guesses", "control", "out", "private", "repeat", "report", "json")  # options
VALUES = "synthlab.config"  # key of the values in the context of a command


def epilog(command: str) -> str | None:
    """Return the table of keys for the help of a command; None without `--config`."""
    if command not in KEYS:
        return None
    width = max(len(key.name) for key in KEYS[command])
    intro = "Keys of the TOML file of --config are the arguments and options above, with underscores, and:"
    return "\n".join(["\b", intro, *(f"  {key.name:{width}}  {key.help}" for key in KEYS[command])])


def file_values(context: typer.Context) -> SimpleNamespace:
    """Return the values of the keys that have no option."""
    values: SimpleNamespace = context.meta[VALUES]
    return values


def _read(context: typer.Context, files: Any) -> Any:
    """Use the values of the files as defaults of the options, and store the rest."""
    keys = {key.name: key for key in KEYS[str(context.command.name)]}
    options = {str(p.name): p for p in context.command.params if p.name not in ("config", "help")}
    others = {name: key.default for name, key in keys.items()}
    defaults: dict[str, Any] = {}
    from synthlab import _checks

    for file in files or ():
        for name, value in _checks.read_toml(file, "config").items():
            if name in keys:
                others[name] = keys[name].read(value, file)
            elif name in options:
                defaults[name] = _as_typed(name, value, file, options[name])
            else:
                (nearest,) = get_close_matches(name, [*options, *keys], n=1, cutoff=0)
                raise InputError(f"config={str(file)!r}: unknown key {name!r}; did you mean {nearest!r}?")
    context.default_map = defaults
    context.meta[VALUES] = SimpleNamespace(**others)
    return files


def _as_typed(name: str, value: Any, file: Path, option: Any) -> Any:
    """Return a value as if typed on the command line.

    A path is relative to the folder of the TOML file.
    """
    several = getattr(option, "multiple", False) or option.nargs != 1
    if isinstance(value, Mapping):
        value = [f"{key}={','.join(map(str, one)) if isinstance(one, list) else one}" for key, one in value.items()]
    if several and not isinstance(value, list):
        value = [value]
    if name in PATHS:
        from synthlab import _checks

        found = [str(file.parent / _checks.check_path(one, name)) for one in (value if several else [value])]
        return found if several else found[0]
    return [str(one) for one in value] if several else value


Config = Annotated[
    list[Path] | None,
    typer.Option(
        parser=as_path,
        is_eager=True,
        callback=_read,
        help="TOML file with these options and the keys below. Options on the command line have priority. If repeated, the last "
        "file has priority.",
    ),
]
