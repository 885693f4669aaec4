"""Reads the command line, calls one command, and turns errors into words and exit codes.

Exit codes: 0 done; 1 done, but something asked for did not hold; 2 the request was wrong; 3 the world failed;
4 dbdyno failed.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from dbdyno import __version__
from dbdyno.cli import (
    _audit,
    _calibrate,
    _claims,
    _clean,
    _compare,
    _diff,
    _doctor,
    _engines,
    _history,
    _import,
    _judge,
    _plan,
    _report,
    _run,
    _self_check,
    _serve,
    _settings,
    _show,
)
from dbdyno.cli._help import Parser, add_help_options
from dbdyno.cli._words import plain
from dbdyno.core import DbdynoError, HostError

# A command's options are read from light modules; the rooms that do its work (and with them charts, data frames and
# drivers) are imported when it runs, so that help and a wrong word are answered at once.
_COMMANDS = (
    _compare,
    _run,
    _plan,
    _show,
    _report,
    _serve,
    _diff,
    _history,
    _import,
    _claims,
    _judge,
    _audit,
    _engines,
    _doctor,
    _clean,
    _settings,
    _calibrate,
    _self_check,
)

_LINE_MOST = 2000

_STORY = """\
dbdyno compares MySQL-compatible database servers: it obtains them, configures them alike, fills the
data once, drives the load, watches server and machine each second, and writes one page that says who
does more work, by how much and how sure that is.

  dbdyno compare mariadb:11.8 mysql:9.7      two engines, a small honest study, a page
  dbdyno plan studies/first.toml             what a study would do and need; touches nothing
  dbdyno run studies/first.toml -o DIR       do it; the same command again goes on where it stopped
  dbdyno show DIR                            the results in the terminal
  dbdyno serve DIR                           a page over many folders, with what runs now
  dbdyno diff BASE NEW                       what changed between two folders; can fail a build
  dbdyno import sysbench LOGS -o DIR         logs of other tools, made into results to show and report
  dbdyno history DIR                         many folders in a row: where levels moved
  dbdyno claims DIR --against REPORT         what a published report prints, held against results
  dbdyno doctor STUDY.toml                   whether this machine is fit to be measured on
  dbdyno self-check                          an engine against itself: what this machine can tell apart
  dbdyno settings                            what a study can set on all engines alike
  dbdyno audit DIR                           whether servers of any comparison were alike, from their dumps

An engine is written FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]: mariadb:11.8, mariadb:11.8+rocksdb.
Engines and filled datasets are kept in DBDYNO_HOME (default ~/.cache/dbdyno, for root /var/cache/dbdyno); files
engines.d/*.toml there (or *.toml in DBDYNO_TABLES) add to what dbdyno knows: docs/guides/add-an-engine.md.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the value is the exit code."""
    parser = _parser()
    choices, unknown = parser.parse_known_args(arguments)
    # Only `compare` takes options that it does not list: those of the workload.
    choices.workload_options = unknown
    if unknown and choices.command is not _compare.compare:
        choices.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    _print_any_text()
    code = 0
    try:
        _use_own_tables()
        code = int(choices.command(choices))
        sys.stdout.flush()
    except DbdynoError as error:
        _print_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 3
    except BrokenPipeError:
        # The reader went away (`dbdyno show | head`): nothing is wrong, and nothing more can be said.
        _let_go_of_stdout()
    except OSError as error:
        # No room knows of it: a disk that is full or a file without rights, where neither was foreseen.
        _print_error(_of_system(error))
        _let_go_of_stdout()
        return HostError.exit_code
    except Exception as error:
        traceback.print_exc()
        print(f"error: dbdyno failed: {error}", file=sys.stderr)
        print("hint: this is a defect of dbdyno; please report it with the lines above", file=sys.stderr)
        return 4
    return code


def _parser() -> Parser:
    parser = Parser(prog="dbdyno", story=_STORY)
    add_help_options(parser)
    parser.add_argument("--version", action="version", version=f"dbdyno {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        module.add_command(commands)
    return parser


def _use_own_tables() -> None:
    """Rows that the user has put beside the tables of engines."""
    from dbdyno.hosts import Home

    folder = os.environ.get("DBDYNO_TABLES")
    files = sorted((Path(folder) if folder else Home.of_user().tables).glob("*.toml"))
    if files:
        from dbdyno.engines import use_tables

        use_tables({file.name: file.read_text(encoding="utf-8") for file in files})


def _print_any_text() -> None:
    """Names of files may hold bytes that are no text, and a terminal may not know a sign: neither stops a result."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        is_unicode = sys.stdout.encoding.lower().replace("-", "").startswith("utf")
        sys.stdout.reconfigure(errors="surrogateescape" if is_unicode else "backslashreplace")


def _let_go_of_stdout() -> None:
    """Print what can be printed; what can't is dropped, or Python would complain of it once more when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _of_system(error: OSError) -> HostError:
    what = error.strerror or str(error)
    if error.filename is not None:
        what = f"{os.fsdecode(error.filename)}: {what}"
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return HostError(what, "", "free space and try again" if is_full else "")


def _print_error(error: DbdynoError) -> None:
    print(f"error: {_line(error.what)}", file=sys.stderr)
    for line in error.why.strip().splitlines():
        print(f"  {_line(line)}", file=sys.stderr)
    if error.remedy:
        print(f"hint: {_line(error.remedy)}", file=sys.stderr)


def _line(text: str) -> str:
    """Text on one line, cut where a value from a file would fill the screen."""
    words = plain(text).replace("\n", " ")
    return words if len(words) <= _LINE_MOST else f"{words[:_LINE_MOST]} … ({len(words):,} characters)"
