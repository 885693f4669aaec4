"""Writes the commands that repeat one cell of a study."""

from __future__ import annotations

import re
import shlex

from dbdyno.core import Cell
from dbdyno.study import Study, words_of_cell

_UNSAFE_RE = re.compile(r"[^A-Za-z0-9._-]+")


def study_file_name(study: Study) -> str:
    """Return a name for the study file that needs no quotes in a shell."""
    return f"{_UNSAFE_RE.sub('-', study.name).strip('-.') or 'study'}.toml"


def command_of_cell(study: Study, cell: Cell) -> str:
    """Return the command that runs one cell, from the study file in the present folder; empty for imported results."""
    if study.imported is not None:
        return ""
    choices = [f"--where {shlex.quote(words)}" for words in words_of_cell(study, cell)]
    return " ".join(["dbdyno run", study_file_name(study), *choices])
