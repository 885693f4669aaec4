"""Reads the command line, calls one command, and turns errors into words and exit codes.

Exit codes: 0 done; 1 done, but something asked for did not hold; 2 the request was wrong; 3 the world failed;
4 dbdyno failed; 141 (as the shell says of a program that SIGPIPE ended) the reader of the output went away before all
of it was written.
"""

from __future__ import annotations

import argparse
import atexit
import codecs
import errno
import gc
import io
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from dbdyno import __version__
from dbdyno.cli._color import CHOICES, take_color, tell
from dbdyno.cli._commands import OTHER_WORDS, SUMMARIES, grouped_commands
from dbdyno.cli._format import plain
from dbdyno.cli._help import Parser, add_help_options
from dbdyno.nearest import nearest, nearest_word

if TYPE_CHECKING:
    from dbdyno.core import DbdynoError, HostError

_LINE_MOST = 2000
_NAME_MOST = 300
_ESCAPED = "dbdyno-escaped"
_NOBODY_READS = 128 + signal.SIGPIPE
_COLLECT_EVERY = 100_000
"""Objects made between two searches for garbage. With Python's 700, imports of a command, which leave none, take longer
by a tenth; with 20,000, a summary takes longer by a twentieth."""

_BEGINNING = """\
dbdyno compares MySQL-compatible database servers: which is faster, by how much, and how certain that is.

  dbdyno compare mariadb:11.8 mysql:9.7   fetch, configure, fill and drive both; write the report
  dbdyno show DIR                         the answer again, in the terminal
  dbdyno diff BASE NEW                    what changed between two results folders

dbdyno -h lists all commands; dbdyno COMMAND --help explains one.
"""
_STORY = """\
dbdyno compares MySQL-compatible database servers: it fetches them, configures them alike, fills the data once, drives
the load, samples server and machine each second, and writes one page that says which server is faster, by how much,
and how certain that is.

  dbdyno compare mariadb:11.8 mysql:9.7      compare two engines and write a report
  dbdyno plan studies/first.toml             show what a study would run; changes nothing
  dbdyno run studies/first.toml -o DIR       run it; the same command again resumes it

An engine is written FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]: mariadb:11.8, mariadb:11.8+rocksdb.
Engines and filled datasets are kept in DBDYNO_HOME (default ~/.cache/dbdyno, for root /var/cache/dbdyno); files
engines.d/*.toml there (or *.toml in DBDYNO_TABLES) add to what dbdyno knows: docs/guides/add-an-engine.md.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the value is the exit code."""
    # No command multiplies large matrices, and NumPy's OpenBLAS starts a thread per processor, which spin at first.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_COLLECT_EVERY)
    atexit.register(gc.freeze)  # the process ends here, so a last garbage collection would be wasted
    _open_closed_streams()
    try:
        return _run_and_flush(arguments)
    except BrokenPipeError:  # of the error stream, while an error was printed: nothing more can be said
        return _NOBODY_READS
    except OSError as error:  # of the output stream, while help was printed
        from dbdyno.core import HostError

        _print_error(_system_error(error))
        return HostError.exit_code
    finally:
        for stream in (sys.stdout, sys.stderr):
            _flush_or_drop(stream)


def _run_and_flush(arguments: Sequence[str] | None) -> int:
    """Run one command; help and a version also count as printed only once they are written."""
    try:
        return _run_arguments(arguments)
    except SystemExit:
        with suppress(BrokenPipeError):  # a reader who closes the help early is no failure
            sys.stdout.flush()
        raise


def _run_arguments(arguments: Sequence[str] | None) -> int:
    _allow_any_text()
    words, wrong_color = take_color(sys.argv[1:] if arguments is None else arguments)
    if wrong_color:
        tell(f"error: --color is {plain(wrong_color)}\nhint: write one of {', '.join(CHOICES)}")
        return 2
    if not words:
        print(_BEGINNING, end="")
        return 0
    choices, unknown = _command_parser(words[0], words[1:]).parse_known_args(words)
    # Only `compare` takes options that it does not list: those of the workload.
    choices.workload_options = unknown
    if unknown and words[0] != "compare":
        choices.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return _run_command(choices)


def _run_command(choices: argparse.Namespace) -> int:
    from dbdyno.core import DbdynoError, HostError  # late, as all that a command needs: help is answered without it

    code = 0
    try:
        _load_user_tables()
        with _handle_end_signals():
            code = int(choices.command(choices))
        sys.stdout.flush()
    except DbdynoError as error:
        _print_error(error)
        for command in commands_again(error.remedy, sys.argv[1:]):
            print(f"  {command}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        tell("error: interrupted")
        return 3
    except BrokenPipeError:
        # The reader went away (`dbdyno show | head`): nothing more can be printed, and a gate's result may be missing.
        return _NOBODY_READS
    except OSError as error:
        # Not handled elsewhere: a full disk or a file without rights, where neither was expected.
        _print_error(_system_error(error))
        return HostError.exit_code
    except Exception as error:
        import traceback  # late: only this needs it

        traceback.print_exc()
        tell(f"error: dbdyno failed: {error}")
        tell("hint: this is a bug in dbdyno; please report it with the lines above")
        return 4
    return code


def _unknown_command_hint(word: str, next_words: Sequence[str]) -> str:
    """Return what a word that is no command asks for: another tool's word, or one that was misspelt."""
    other_word = word if word in OTHER_WORDS else nearest_word(word, [*SUMMARIES, *OTHER_WORDS])
    if other_word == "help" and next_words and next_words[0] in SUMMARIES:
        return f"dbdyno {next_words[0]} --help"
    return OTHER_WORDS.get(other_word) or nearest(word, SUMMARIES, "dbdyno -h lists the commands")


def _command_parser(command: str, next_words: Sequence[str] = ()) -> Parser:
    """Return a parser that knows the options of one command: modules of the others are not imported.

    Raises
    ------
    SystemExit : the word is no command; help was asked for
    """
    parser = Parser(prog="dbdyno", story=_STORY, usage="dbdyno COMMAND [-h] [--help] ...", epilog=grouped_commands())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_help_options(parser)
    parser.add_argument("--version", action="version", version=f"dbdyno {__version__}")
    parser.set_defaults(parser=parser)
    if command in SUMMARIES:
        commands = parser.add_subparsers(prog="dbdyno", metavar="COMMAND", required=True)
        import_module(f"dbdyno.cli._{command.replace('-', '_')}").add_command(commands)
    elif not command.startswith("-"):
        parser.fail(f"'{command}' is not a command", _unknown_command_hint(command, next_words))
    return parser


def _load_user_tables() -> None:
    """Load rows that the user has put next to the tables of engines."""
    from dbdyno.core import Home

    folder = os.environ.get("DBDYNO_TABLES")
    files = sorted((Path(folder) if folder else Home.of_user().tables).glob("*.toml"))
    if files:
        from dbdyno.engines import use_tables

        use_tables({file.name: _table_text(file) for file in files})


def _table_text(file: Path) -> str:
    from dbdyno.core import StudyError, read_input_text, words_of

    try:
        return read_input_text(file)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"the engine tables of {file} can't be read", words_of(error), "correct or remove that file"
        ) from error


def _allow_any_text() -> None:
    """Have results printed in any locale, and the same in each of them.

    What is no terminal gets UTF-8, as files do that are written; names of files may hold bytes that are no text. A
    terminal that does not know a sign, and an encoding that was asked for, get it in a form that JSON knows, too.
    """
    codecs.register_error(_ESCAPED, _escape_unprintable)
    if isinstance(sys.stdout, io.TextIOWrapper):
        is_unicode = codecs.lookup(sys.stdout.encoding).name.startswith("utf")
        if not is_unicode and not sys.stdout.isatty() and not os.environ.get("PYTHONIOENCODING"):
            sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
        else:
            sys.stdout.reconfigure(errors="surrogateescape" if is_unicode else _ESCAPED)


def _escape_unprintable(error: UnicodeError) -> tuple[str, int]:
    r"""Return unprintable signs as UTF-16 code units, ``\u00b1``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", errors="surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)), error.end


@contextmanager
def _handle_end_signals() -> Iterator[None]:
    """Handle signals that end a program as Ctrl-C, so that no process that a command has started is left.

    A signal that is ignored, as SIGHUP is under ``nohup``, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    endings = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    numbers = [number for number in endings if signal.getsignal(number) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _open_closed_streams() -> None:
    """Open streams that were closed (``>&-``) on nothing: the next file that is opened would get their descriptors."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        descriptor = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
        if descriptor != number:
            os.dup2(descriptor, number)
            os.close(descriptor)
        setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))


def _flush_or_drop(stream: TextIO) -> None:
    """Print what can be printed; what can't is dropped, or Python would complain of it once more when it ends."""
    try:
        stream.flush()
    except OSError:
        null_descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_descriptor, stream.fileno())
        os.close(null_descriptor)


def _has_working_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _system_error(error: OSError) -> HostError:
    from dbdyno.core import HostError

    message = error.strerror or str(error)
    if error.filename is not None:
        message = f"{os.fsdecode(error.filename)[:_NAME_MOST]}: {message}"
    elif error.errno == errno.ENOENT and not _has_working_folder():
        return HostError("the working folder was removed", message, "change to a folder that exists")
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return HostError(message, "", "free space and try again" if is_full else "")


def _print_error(error: DbdynoError) -> None:
    tell(f"error: {_one_line(error.what)}")
    for line in error.why.strip().splitlines():
        print(f"  {_one_line(line)}", file=sys.stderr)
    if error.remedy:
        tell(f"hint: {_one_line(error.remedy)}")


def commands_again(remedy: str, words: Sequence[str]) -> list[str]:
    """Return the command with each engine that a remedy names in place of the one written, to be copied.

    >>> commands_again("5.6.24 is available as mysql:5.6@npm:a@5", ["engines", "get", "mysql:5.6"])
    ['dbdyno engines get mysql:5.6@npm:a@5']
    >>> commands_again("the nearest version is mysql:9.7.4; also mysql:8.4@image", ["compare", "mysql:8.4"])
    ['dbdyno compare mysql:9.7.4', 'dbdyno compare mysql:8.4@image']

    An engine that the command has already, with fewer digits of its version, would be compared with itself:

    >>> commands_again("the nearest version is mysql:9.7.4; also mysql:8.4@image", ["x", "mysql:8.4", "mysql:9.7"])
    ['dbdyno x mysql:8.4@image mysql:9.7']
    """
    return [
        shlex.join(["dbdyno", *(replacement if argument == word else argument for argument in words)])
        for word in words
        if ":" in word and f"{word}@" in remedy
        for replacement in re.findall(rf"(?<!\S){re.escape(word)}@[^\s,;]+|(?<=nearest version is )[^\s,;]+", remedy)
        if not any(":" in other and f"{replacement}.".startswith(f"{other}.") for other in words if other != word)
    ]


def _one_line(text: str) -> str:
    """Return text on one line, cut where a value from a file would fill the screen."""
    words = plain(text).replace("\n", " ")
    return words if len(words) <= _LINE_MOST else f"{words[:_LINE_MOST]} … ({len(words):,} characters)"
