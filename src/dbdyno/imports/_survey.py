"""Surveys every log: checksum, which runs it holds, what each says of itself. Several at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dbdyno.imports._file_text import read_file_text
from dbdyno.imports._run import PartFacts
from dbdyno.imports._tools import TOOLS


@dataclass(frozen=True, slots=True)
class LogSurvey:
    """Holds what the first look at a log gave.

    Parameters
    ----------
    parts : its runs, in order
    is_log : it has traces of the tool, though perhaps no run
    why_none : why it has no run, for a diagnostic; empty when it has some, or is no matter
    problem : why it can't be read at all; empty when it can
    """

    sha256: str
    size: int
    parts: tuple[PartFacts, ...] = ()
    is_log: bool = False
    why_none: str = ""
    problem: str = ""
    line: int = 1


def survey_log(tool: str, path: Path) -> LogSurvey:
    """Look into a log.

    Parameters
    ----------
    tool : name of the one that wrote it
    """
    try:
        content = read_file_text(path)
    except OSError as error:
        return LogSurvey("", 0, problem=f"can't be read: {error.strerror or error}")
    if not content.sha256:
        return LogSurvey("", content.size, problem=content.diagnostics[0][1])
    parts = TOOLS[tool].survey(content.text)
    if parts:
        return LogSurvey(content.sha256, content.size, parts, is_log=True)
    reason, line = TOOLS[tool].why_none(content.text)
    return LogSurvey(content.sha256, content.size, is_log=TOOLS[tool].is_log(content.text), why_none=reason, line=line)
