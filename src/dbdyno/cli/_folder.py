"""Finds results folders, and checks that they are unchanged."""

from __future__ import annotations

import argparse
import glob
import itertools
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.cli._color import tell
from dbdyno.cli._help import Parser
from dbdyno.core import StoreError, StudyError, counted

if TYPE_CHECKING:
    from dbdyno.store import FolderCheck, JsonValue, Results, StoredStudy
    from dbdyno.study import Study

_MOST_BYTES = 200
_MOST_NAME = 120


def results_folder(given: Path | None, name: str) -> Path:
    """Return the folder that -o names, else one below ``results`` that is called like the study.

    Raises
    ------
    StudyError : the study's name can't be a folder's, or would lead elsewhere

    >>> results_folder(None, "first"), results_folder(Path("/data/a"), "../b")
    (PosixPath('results/first'), PosixPath('/data/a'))
    """
    if given is not None:
        return given
    is_plain = name.isprintable() and "/" not in name and not name.startswith(".")
    if not is_plain or len(name.encode()) > _MOST_BYTES:
        short_name = name if len(name) <= 60 else f"{name[:60]}…"
        raise StudyError(f"the study's name {short_name!r} can't name a folder", "", "name a results folder with -o")
    return Path("results") / name


def default_folder(targets: Sequence[str], today: date) -> Path:
    """Return where a comparison goes that nobody named: its engines and the day.

    >>> default_folder(["mariadb:11.8", "mysql:9.7"], date(2026, 11, 23))
    PosixPath('results/mariadb-11.8-mysql-9.7-2026-11-23')
    """
    words = [re.sub(r"[^\w.+]+", "-", target.partition("#")[0]).strip("-") for target in targets]
    return Path("results") / f"{'-'.join(words)[:_MOST_NAME]}-{today:%Y-%m-%d}"


def unnamed_folder(default: Path, study: Study, *, is_retry: bool) -> Path:
    """Return where a comparison goes that nobody named: where it was begun, else a folder that no other study has.

    A second comparison of the same engines on one day, such as one with more connections, gets a number.

    Parameters
    ----------
    default : what `default_folder` returns for today
    is_retry : stored runs are to be made again
    """
    numbered = (default.with_name(f"{default.name}-{number}") for number in itertools.count(2))
    free_folder = next(
        folder for folder in itertools.chain([default], numbered) if not _has_runs_of_another_study(folder, study)
    )
    return _earlier_folder(default, free_folder, study, is_retry=is_retry) or free_folder


def _has_runs_of_another_study(folder: Path, study: Study) -> bool:
    """Return whether a folder is in the way; what can't be read is left to `check_room`, which says why."""
    from dbdyno.store import FolderCheck, StoredStudy, is_results_folder  # late: see _main

    if not is_results_folder(folder):
        return False
    named_study = replace(study, name=folder.name)
    with suppress(StoreError):
        results = StoredStudy.open(folder, check=FolderCheck(allow_altered=True))
        is_same = _is_study_of(results, named_study) or _has_fewer_repeats(results, named_study)
        return not is_same and any(record.status != "failed" for record in results.records())
    return False


def _earlier_folder(default: Path, today_folder: Path, study: Study, *, is_retry: bool) -> Path | None:
    """Return the newest folder of an earlier day in which an unnamed comparison goes on; None: it is a new one.

    It goes on where runs are missing, where more repeats are asked for, and where runs are to be made again: messages
    say "the same command" for all three, and it may be typed after midnight.
    """
    from dbdyno.store import FolderCheck, StoredStudy, is_results_folder  # late: see _main

    if is_results_folder(today_folder):
        return None
    day_length = len(date.min.isoformat())
    names = f"{glob.escape(default.name[:-day_length])}[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"
    for folder in sorted(default.parent.glob(names), reverse=True):
        with suppress(StoreError):
            results = StoredStudy.open(folder, check=FolderCheck(allow_altered=True))
            named_study = replace(study, name=folder.name)
            if _is_study_of(results, named_study):
                is_unfinished = len(results.records()) < len(results.planned_runs)
                return folder if is_retry or is_unfinished else None
            if _has_fewer_repeats(results, named_study):
                return folder
    return None


def check_room(folder: Path, study: Study, *, fresh: bool, check: FolderCheck | None = None) -> Path | None:
    """Check that a study's results can go into a folder; changes nothing. There may be fewer repeats of the same study.

    Parameters
    ----------
    check : how results are looked at that the study goes on with, so that they are refused before any machine is looked
        at; None: whoever opens them next does that

    Returns
    -------
    Where results must be moved that the study can't go on with; None: nothing is in the way

    Raises
    ------
    StoreError : the folder can't be used, holds good runs of another study, or is being written
    AlteredError : the study goes on with results that are not as dbdyno wrote them, and `check` does not let that pass
    """
    from dbdyno.store import FolderCheck, StoredStudy, check_free, is_results_folder  # late: see _main

    if not is_results_folder(folder):
        check_free(folder)
        return None
    results = StoredStudy.open(folder, check=FolderCheck(allow_altered=True))
    if not fresh and (_is_study_of(results, study) or _has_fewer_repeats(results, study)):
        if check is not None and results.is_being_written:
            raise _in_use_error(folder)
        if check is not None:
            results.refuse_alterations(check)
        return None
    moved_path = next(path for n in itertools.count(1) if not (path := folder.with_name(f"{folder.name}.{n}")).exists())
    if not fresh and any(record.status != "failed" for record in results.records()):
        raise StoreError(
            f"{folder} holds the results of another study",
            _unlike_words(results, study),
            f"--fresh moves them to {moved_path} and starts over; -o names another folder",
            code="other-study",
        )
    if results.is_being_written:
        raise _in_use_error(folder)
    return moved_path


def _in_use_error(folder: Path) -> StoreError:
    what = f"{folder} is in use by another dbdyno process"
    return StoreError(what, "", "wait until that has ended, or name another folder with -o", code="in-use")


def _is_study_of(results: Results, study: Study) -> bool:
    from dbdyno.store import study_digest  # late: see _main
    from dbdyno.study import study_text

    return results.manifest.study_digest == study_digest(study_text(study))


def _has_fewer_repeats(results: StoredStudy, study: Study) -> bool:
    """Return whether a study goes on in a folder that has been asked for fewer repeats of it."""
    try:
        return study.repeats_more_than(results.study)
    except StudyError:  # an older version has stored it, and this one can't read it
        return False


def _unlike_words(results: StoredStudy, study: Study) -> str:
    """Return which study a folder belongs to."""
    words = f"its study is {results.path / 'study.toml'} ('{results.manifest.study_name}')"
    try:
        has_more = results.study.repeats_more_than(study)
    except StudyError:
        return words
    repeats_words = f"with {counted(results.study.repeats, 'repeat')} of each cell instead of {study.repeats}"
    return f"{words}, {repeats_words}" if has_more else words


def make_room(folder: Path, study: Study, *, fresh: bool) -> None:
    """Move results aside that a study can't go on with: those of another study without a good run, or all if `fresh`.

    Raises
    ------
    StoreError : see `check_room`
    """
    from dbdyno.store import Results  # late: see _main

    moved_path = check_room(folder, study, fresh=fresh)
    if moved_path is None:
        return
    with Results.locked(folder):
        folder.rename(moved_path)
    print(f"  {folder} was moved to {moved_path}", file=sys.stderr)


@contextmanager
def hold_results(
    folder: Path,
    study: Study,
    plan: JsonValue,
    host: Mapping[str, JsonValue],
    *,
    fresh: bool,
    check: FolderCheck,
) -> Iterator[Results]:
    """Give the folder of a study, made where it is missing, and lock it while the block runs.

    A folder that was made here goes with a block that fails before it has stored a run there.

    Raises
    ------
    StoreError : see `check_room`
    """
    from dbdyno.store import Results  # late: see _main

    make_room(folder, study, fresh=fresh)
    absolute_folder = folder.absolute()
    missing_folders = [path for path in (absolute_folder, *absolute_folder.parents) if not path.exists()]
    with Results.locked(folder), _removed_unless_used(absolute_folder, missing_folders):
        yield _results_of(folder, study, plan, host, check)


def _results_of(
    folder: Path, study: Study, plan: JsonValue, host: Mapping[str, JsonValue], check: FolderCheck
) -> Results:
    """Return the results in a folder that is locked, made where they are missing; fewer repeats become as many."""
    from dbdyno.store import Results, StoredStudy, is_results_folder  # late: see _main
    from dbdyno.study import study_text

    text = study_text(study)
    if is_results_folder(folder):
        stored = StoredStudy.open(folder, check=check)
        results = Results(folder, stored.manifest, check, stored.alterations, is_locked=True)
        if _is_study_of(stored, study):
            return results
        if _has_fewer_repeats(stored, study):
            earlier = stored.study.repeats
            if earlier != study.repeats:  # a kill in between has left them equal
                words = f"{counted(study.repeats, 'repeat')} of each cell instead of {earlier}"
                print(f"  {folder} continues with {words}", file=sys.stderr)
            return results.raise_repeats(text, plan, earlier, study.repeats)
    results = Results.open_or_create(folder, text, plan, host, study_name=study.name, check=check)
    return replace(results, is_locked=True)


@contextmanager
def _removed_unless_used(folder: Path, missing_folders: Sequence[Path]) -> Iterator[None]:
    """Remove what the block makes in an empty folder, whose lock is held, and the folders that were missing."""
    from dbdyno.core import DbdynoError  # late: see _main

    is_ours, facts = {path.name for path in folder.iterdir()} == {"lock"}, folder.stat()
    try:
        yield
    except (DbdynoError, KeyboardInterrupt):
        is_there = folder.exists() and os.path.samestat(folder.stat(), facts)
        if is_ours and is_there and not any((folder / "runs").glob("*")):
            shutil.rmtree(folder, ignore_errors=True)
            if folder not in missing_folders:
                folder.mkdir()
            for path in missing_folders[1:]:
                with suppress(OSError):  # something else is in it by now
                    path.rmdir()
        raise


def add_check_options(parser: Parser) -> None:
    """Add the options of everything that reads results."""
    group = parser.add_argument_group("altered results")
    group.add_argument(
        "--verify", action="store_true", help="check every stored file (default: those whose size or times changed)"
    )
    add_allow_altered(group)


def add_allow_altered(group: argparse._ArgumentGroup) -> None:
    """Add the option by which altered results are used."""
    group.add_argument(
        "--allow-altered",
        action="store_true",
        help="use results that changed since dbdyno wrote them; every output says so",
    )


def check_of(choices: argparse.Namespace) -> FolderCheck:
    """Return how the options have results looked at."""
    from dbdyno.store import FolderCheck  # late: see _main

    return FolderCheck(is_full=getattr(choices, "verify", False), allow_altered=choices.allow_altered)


def open_results(folder: Path, choices: argparse.Namespace) -> StoredStudy:
    """Open a results folder, checked as the options say; warn of altered files that are allowed.

    Raises
    ------
    StoreError : it is none
    AlteredError : it is not as dbdyno wrote it
    """
    from dbdyno.store import StoredStudy

    results = StoredStudy.open(folder, check=check_of(choices))
    if results.alterations:
        alteration_lines = "\n".join(f"  {alteration}" for alteration in results.alterations)
        tell(f"warning: {folder} has changed since dbdyno wrote it:\n{alteration_lines}")
    return results
