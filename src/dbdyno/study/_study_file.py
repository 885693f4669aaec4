"""Finds, reads and parses study files: those of the user, and those that come with dbdyno."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dbdyno.core import InvalidValueError, StudyError, read_input_text, toml_document, words_of
from dbdyno.nearest import nearest
from dbdyno.study._read import StudyReader
from dbdyno.study._scale import SCALE, scaled_document
from dbdyno.study._spelling import current_spelling
from dbdyno.study._values import Study

_MOST_BYTES = 4 << 20
"""Of a study file; those in use have some ten thousand."""


def read_study(path: Path, scale: str | None = None, places: Mapping[str, Any] | None = None) -> Study:
    """Read and check a study file that is to be run.

    Parameters
    ----------
    scale : one of its scales; without it the study is read at its own
    places : tables ``hosts`` and ``bench`` that replace those of the file

    Raises
    ------
    StudyError : the file can't be read, a key or value is wrong, or its results were imported
    """
    path = find_study(path)
    try:
        text = read_input_text(path, _MOST_BYTES, is_fixed=True)
    except (OSError, ValueError) as error:
        what, why = f"study file {path} can't be read", words_of(error)
        raise StudyError(what, why, _remedy_for(path), code="unreadable") from error
    study = parse_study(text, str(path), scale, places)
    if study.imported is not None:
        why = f"it describes logs of {study.imported.tool}, which don't contain enough to repeat the runs"
        remedy = "show its results with `dbdyno show`, or write a study file"
        raise StudyError(f"{path} can't be run", why, remedy, code="imported")
    return study


def find_study(path: Path) -> Path:
    """Return the file of a study: one that is there, else one of those that come with dbdyno.

    Those are called by name, or as ``studies/NAME.toml``.

    >>> find_study(Path("first")).name, find_study(Path("studies/first.toml")).name
    ('first.toml', 'first.toml')
    """
    if path.exists() or path.parent not in (Path(), Path("studies")):
        return path
    return bundled_studies().get(path.name.removesuffix(".toml"), path)


def bundled_studies() -> dict[str, Path]:
    """Return the studies that come with dbdyno, by name."""
    package = Path(__file__).parents[1]
    folders = (package / "studies", package.parents[1] / "studies")  # in an installation; in a clone
    files = next((sorted(folder.glob("*.toml")) for folder in folders if folder.is_dir()), [])
    return {file.stem: file for file in files}


def _remedy_for(path: Path) -> str:
    if path.is_dir() and (path / "study.toml").is_file():
        return f"did you mean {path / 'study.toml'}?"
    study_names = bundled_studies()
    if ":" in path.name:
        return f"a study is a file; to compare an engine: dbdyno compare {path}"
    return nearest(path.name.removesuffix(".toml"), study_names, f"give its path, or one of: {', '.join(study_names)}")


def scales_of(path: Path) -> tuple[str, ...]:
    """Return names of the scales of a study file that was read before."""
    return tuple(toml_document(read_input_text(path, _MOST_BYTES, is_fixed=True)).get(SCALE, {}))


def parse_study(text: str, source: str, scale: str | None = None, places: Mapping[str, Any] | None = None) -> Study:
    """Check the text of a study file; `source` names it in errors and gives the study its default name.

    Scale and places are those of `read_study`.

    >>> study = parse_study('''
    ... targets = ["mariadb:11.8", "mysql:9.7"]
    ... workload.name = "sysbench/oltp_read_only"
    ... axes = {tier = "64MB", concurrency = [1, 4]}
    ... ''', "example.toml")
    >>> study.name, study.concurrencies, study.window_ns
    ('example', (1, 4), 300000000000)
    """
    try:
        document = toml_document(text)
    except InvalidValueError as error:
        raise StudyError(f"{source}:{error.line}: {error.words}") from error
    except ValueError as error:
        raise StudyError(f"{source} is not valid TOML", str(error), "see the examples in studies/") from error
    try:
        document = scaled_document(current_spelling(document), scale, Path(source).stem)
    except StudyError as error:
        raise StudyError(f"{source}: {error.what}", error.why, error.remedy, code=error.code) from error
    if places:
        document = {key: table for key, table in document.items() if key != "fleet"} | dict(places)
    return StudyReader(text, source).study(document)
