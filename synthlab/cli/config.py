"""Keys of the TOML file of `--config`: their definitions, and how the file is read."""

from __future__ import annotations

import re
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
    "table": (Mapping, "a table"),
}


@dataclass(frozen=True, slots=True)
class Key:
    """A key that the file has and the command line does not."""

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
    Key("table", "text", "sheet of Excel files, or data frame of RData files, if there are several"),
)
EVALUATE = (
    Key("intruders", "table", "several intruders, a table [intruders.NAME] each, instead of known and synthesized"),
    Key("boundary", "text", "interval of a radius: closed (default) or open", "closed"),
    Key("norm", "text", "several continuous variables: box (default) or euclidean", "box"),
    Key("convention", "text", "irc: count as the R package IdentificationRiskCalculation"),
    Key("targets", "rows", "row positions, from 0, of the people the intruder looks for: '3,17,200-299'"),
    Key("singletons", "text", "IR of a record with a unique pattern: formula (default) or certain", "formula"),
    Key("categorical", "names", "variables stored as numbers that are categories", ()),
    Key("model", "text", "classifier of pMSE: logistic (default) or cart", "logistic"),
    Key("predict", "text", "variable to predict: train on synthetic data, test on confidential data"),
    Key("data_kind", "text", "kind of the confidential data: real or simulated"),
    Key("overview", "path", "table to write: .csv, .md or .xlsx"),
    Key("dossier", "table", "purpose, assumptions, decision, ...: the report becomes the dossier of the release"),
    Key("title", "text", "title of the report"),
    Key("date", "text", "date printed on the report"),
    Key("show_values", "switch", "print confidential values on the report", False),
    *FILES,
)
SYNTHESIZE = (
    Key("models", "table", "model of a variable, such as age = 'normal'; a tree by default"),
    Key("order", "names", "order of synthesis, of all variables"),
    Key("constraints", "table", "edit rules: [[constraints.bounds]], zero_unless, allowed_combinations, sum_of", {}),
    Key("missing", "text", "missing values: keep (default) or raise", "keep"),
    Key("missing_codes", "table", "numbers that mean missing, such as rent = [-8, -9]"),
    Key(
        "smooth",
        "columns",
        "move the numbers that fewer than 10 records hold: true (default), false or variables",
        True,
    ),
    Key("strata", "text", "column of the strata of the sample"),
    Key("clusters", "text", "column of the primary sampling units, nested in strata"),
    Key("fpc", "text", "column of the number of primary sampling units in the population, or of the share drawn"),
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
VALUES = "synthlab.config"  # place of the values in the context of a command


def epilog(command: str) -> str | None:
    """Return the table of the keys for the help of a command; None if it has no `--config`."""
    if command not in KEYS:
        return None
    width = max(len(key.name) for key in KEYS[command])
    intro = "Keys of the TOML file of --config are the arguments and options above, with underscores, and:"
    return "\n".join(["\b", intro, *(f"  {key.name:{width}}  {key.help}" for key in KEYS[command])])


def name_keys(message: str, command: str) -> str:
    """Return the message of an error with the note that an argument that it names is a key of the file."""
    named = [key.name for key in KEYS.get(command, ()) if re.search(rf"(?<![\w.'\"-]){key.name}[=:]", message)]
    return f"{message} ({named[0]} is a key of the TOML file of --config)" if named else message


def file_values(context: typer.Context) -> SimpleNamespace:
    """Return the values of the keys that only the file has."""
    values: SimpleNamespace = context.meta[VALUES]
    return values


def _read(context: typer.Context, files: Any) -> Any:
    """Take the values of the files as the defaults of the options, and keep those of the other keys."""
    keys = {key.name: key for key in KEYS[str(context.command.name)]}
    options = {str(p.name): p for p in context.command.params if p.name not in ("config", "help")}
    others = {name: key.default for name, key in keys.items()}
    defaults: dict[str, Any] = {}
    for file in files or ():
        from synthlab._system.atomic_write import read_toml

        for name, value in read_toml(file, "config").items():
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
    """Return the value of a file as it is typed on the command line; a path is relative to the folder of the file."""
    several = getattr(option, "multiple", False) or option.nargs != 1
    if isinstance(value, Mapping):
        value = [f"{key}={one}" for key, one in value.items()]
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
        help="TOML file with these options and the keys below; options typed here have priority. Repeated: the last file has "
        "priority.",
    ),
]
