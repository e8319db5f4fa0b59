"""Seal the answers of a master notebook: run it, and keep the digests."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from synthlab import _checks, _files
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.lab.homework.questions import NumberAnswer, PropertyAnswer, WrittenAnswer
from synthlab.lab.homework.versions import is_answers, read_master, read_notebook


@dataclass(frozen=True, slots=True)
class SealedMaster:
    """A master that was run.

    Attributes
    ----------
    homework : str
        Its short name.
    text : str
        What is kept about it, as JSON.
    notebook : nbformat.NotebookNode
        The master with the outputs of the run.
    files : mapping {file name: text}
        What has to stand beside a notebook of this homework: the sealed answers, and the checks of its own if there are.
    """

    homework: str
    text: str
    notebook: Any
    files: Mapping[str, str]
