"""What the server is asked, statement by statement: by the bundled scripts through Lua, and by the native events.

One worker and the same seed. The reference streams were recorded from sysbench 1.0.20 (`sysbench_streams.json`); where
it is installed, streams of other options are recorded from it now. Nothing is left out of a recording but the log-in.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import Server
from recording_proxy import RecordingProxy
from sysbench_program import Outcome, Program, reach

VECTORS = Path(__file__).parents[2] / "contract" / "vectors" / "sysbench_streams.json"
SCHEMA = "dbdyno_streams"
FORMS = ("native", "lua")
FAMILIES = ("mariadb", "mysql")
COMMANDS = ("prepare", "run", "cleanup")
OTHER_OPTIONS = (
    "oltp_read_write --tables=3 --table-size=200 --range-size=7 --point-selects=3 --simple-ranges=2 --rand-seed=7",
    "oltp_read_write --tables=1 --table-size=50 --skip-trx --delete-inserts=2 --index-updates=3 --rand-seed=8",
    "oltp_read_only --tables=2 --table-size=100 --range-selects=off --rand-type=pareto --rand-seed=9",
    "oltp_read_only --tables=2 --table-size=100 --sum-ranges=0 --order-ranges=2 --rand-type=gaussian --rand-seed=10",
    "oltp_write_only --tables=2 --table-size=100 --non-index-updates=2 --percentile=0 --rand-seed=11",
    "oltp_point_select --table-size=1000 --rand-spec-pct=10 --rand-spec-res=50 --rand-spec-iter=5 --rand-seed=12",
    "oltp_delete --tables=2 --table-size=30 --rand-type=uniform --rand-seed=13",
    "oltp_insert --tables=2 --table-size=30 --rand-seed=14",
    "oltp_update_index --tables=2 --table-size=30 --index-updates=2 --rand-seed=15",
    "oltp_update_non_index --table-size=30 --rand-pareto-h=0.4 --rand-type=pareto --rand-seed=16",
    "select_random_points --table-size=30 --random-points=3 --rand-seed=17",
    "select_random_ranges --table-size=30 --number-of-ranges=4 --delta=9 --rand-seed=18",
)

pytestmark = pytest.mark.server


@dataclass(frozen=True)
class Stream:
    """What a command asked, and what it printed."""

    lines: list[str]
    outcome: Outcome

    @property
    def sha256(self) -> str:
        return hashlib.sha256("".join(f"{line}\n" for line in self.lines).encode()).hexdigest()


Record = Callable[[Program, list[str], str], Stream]


@pytest.fixture(scope="module", params=FAMILIES)
def server(request: pytest.FixtureRequest) -> Server:
    running: Server = request.getfixturevalue(request.param)
    return running


@pytest.fixture
def record(server: Server) -> Record:
    """Runs a command through a proxy, in a schema that is empty when the test begins."""
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {SCHEMA}")
        cursor.execute(f"CREATE DATABASE {SCHEMA}")

    def recorded(program: Program, words: list[str], command: str) -> Stream:
        with RecordingProxy(("127.0.0.1", server.endpoint.port or 0)) as proxy:
            outcome = program.run([*words, command], server=reach(server, SCHEMA, proxy.port))
        assert outcome.exit_code == 0, outcome.text
        return Stream([line for recording in proxy.recordings for line in recording.lines], outcome)

    return recorded


def _entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(VECTORS.read_text())["entries"]
    return entries


def _entry_name(entry: dict[str, Any]) -> str:
    options = [option for option in entry["options"] if not option.startswith(("--tables", "--table-size"))]
    return "-".join([entry["script"], str(entry["seed"]), entry["db_ps_mode"], *(part.strip("-") for part in options)])


def _is_plain(entry: dict[str, Any]) -> bool:
    """The first seed, prepared statements, no options: enough for a family that only refuses to prepare BEGIN."""
    sizes = ("--tables", "--table-size")
    plain = all(option.startswith(sizes) for option in entry["options"])
    return bool(plain and entry["seed"] == 1 and entry["db_ps_mode"] == "auto")


def _cases() -> list[Any]:
    """Each entry on MariaDB, the plain ones also on MySQL."""
    cases = [(family, entry) for family in FAMILIES for entry in _entries() if family == "mariadb" or _is_plain(entry)]
    return [pytest.param(family, entry, id=f"{family}-{_entry_name(entry)}") for family, entry in cases]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("server", "entry"), _cases(), indirect=["server"])
def test_the_stream_is_that_of_the_reference_recording(
    program: Program, record: Record, server: Server, entry: dict[str, Any], form: str, request: pytest.FixtureRequest
) -> None:
    words = [*_test(program, entry["script"], form, request), *entry["options"], "--threads=1"]
    words += [f"--rand-seed={entry['seed']}", f"--db-ps-mode={entry['db_ps_mode']}"]
    for command in COMMANDS:
        wanted = entry["commands"][command]
        limits = [f"--events={entry['events']}", "--time=0"] if command == "run" else []
        stream = record(program, words + limits, command)
        if not program.is_ours and wanted.get("random_state") == "upstream":
            continue  # Debian's LuaJIT seeds the C library with the time
        assert stream.sha256 == _digest(wanted, server), f"{command}:\n{_beginning(stream, wanted)}"
        if command == "run":
            assert _counts(stream.outcome) == wanted["counts"]


@pytest.mark.parametrize("server", ["mariadb"], indirect=True)
@pytest.mark.parametrize("mode", ["auto", "disable"])
@pytest.mark.parametrize("words", OTHER_OPTIONS, ids=lambda words: str(words).replace(" --", "-"))
def test_the_stream_is_that_of_sysbench_with_other_options_too(
    program: Program, sysbench: Program, record: Record, words: str, mode: str, request: pytest.FixtureRequest
) -> None:
    """What is asked does not hang on what was found, so all run on the same tables."""
    script, *options = words.split()
    options += ["--threads=1", f"--db-ps-mode={mode}"]
    run = [*options, "--events=12", "--time=0"]
    record(sysbench, [script, *options], "prepare")
    theirs = record(sysbench, [script, *run], "run")
    for form in FORMS if program.is_ours else FORMS[1:]:
        ours = record(program, [*_test(program, script, form, request), *run], "run")
        assert ours.lines == theirs.lines, form


def _test(program: Program, script: str, form: str, request: pytest.FixtureRequest) -> list[str]:
    """Words that name a test: natively by the builtin's name, through Lua by the script's file."""
    if not program.is_ours:
        if form == "native":
            pytest.skip("sysbench has no native events")
        return [script]
    if form == "native":
        return [script]
    folder: Path = request.getfixturevalue("package_scripts")
    return ["--native=off", str(folder / f"{script}.lua")]


def _digest(wanted: dict[str, Any], server: Server) -> str:
    sha256: str = wanted["sha256"]
    if server.installation.family == "mysql":
        return str(wanted.get("sha256_mysql_8_0_31", sha256))
    return sha256


def _beginning(stream: Stream, wanted: dict[str, Any]) -> str:
    """Where the stream leaves the reference, as far as the reference shows its lines."""
    for index, (line, reference) in enumerate(zip(stream.lines, wanted.get("first", []), strict=False)):
        if isinstance(reference, str) and line != reference:
            return f"line {index} is {line!r}\ninstead of {reference!r}"
    return f"{len(stream.lines)} statements instead of {wanted['statements']}, or a difference later on"


def _counts(outcome: Outcome) -> list[str]:
    """Label and number of each count in the final report."""
    found = re.findall(
        r"^ +(read|write|other|total|transactions|queries|ignored errors|reconnects|total number of events): +(\d+)",
        outcome.stdout,
        re.MULTILINE,
    )
    return [f"{label}: {number}" for label, number in found]
