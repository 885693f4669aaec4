"""A server that attacks the load generator: each command ends soon, says which server did what, and keeps its memory.

The commands ask in phases of their own (log-in, settings, tables, rows, checks), so each attack comes with the first
statement and with a later one.
"""

from __future__ import annotations

import json
import random
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rounds import repeats

from dbdyno.lab import find_generator
from error_codes import load_codes
from load_commands import COMMANDS, OK_EVERYWHERE, RESIDENT_KIB, Ended, good, start, start_argv
from rogue_server import (
    OK_PACKET,
    Behaviour,
    RogueServer,
    column,
    empty_set,
    error,
    length_encoded,
    local_infile,
    result_set,
)

pytestmark = pytest.mark.attack

LIMIT_S = 20.0
SCRIPT_MEMORY_BYTES = 3 << 30  # address space only: states and stacks of a script reserve much of it
EOF = b"\xfe\x00\x00\x02\x00"
MORE_RESULTS = b"\x00\x00\x00\x0a\x00\x00\x00"
LATE = {
    "run": "SHOW SESSION STATUS",
    "run tpcc": "SHOW SESSION STATUS",
    "search": "SHOW SESSION STATUS",
    "populate": "COUNT",
    "verify": "information_schema.tables",
    "fingerprint": "COUNT",
    "sums": "COUNT",
    "cleanup": "DROP TABLE IF EXISTS dbdyno_filling",
}
"""A statement of each command that comes after others."""

ATTACKS: dict[str, tuple[Callable[[str], dict[str, Any]], str, str]] = {
    "endless rows": (lambda at: {"endless": at}, "answer-too-large", "64 MiB"),
    "endless results": (lambda at: {"floods": {at: [MORE_RESULTS]}}, "answer-too-large", "1000"),
    "endless columns": (lambda at: {"answers": {at: [b"\xfc\xff\xff"]}}, "answer-too-large", "4096"),
    "large columns": (
        lambda at: {"answers": {at: [b"\xfc\x00\x10"]}, "floods": {at: [column("x" * 60_000)]}},
        "answer-too-large",
        "64 MiB",
    ),
    "a row without an end": (
        lambda at: {"answers": {at: [b"\x01", column("a"), EOF]}, "floods": {at: [bytes(0xFFFFFF)]}},
        "answer-too-large",
        "64 MiB",
    ),
    "a file asked for": (
        lambda at: {"answers": {at: [local_infile("/etc/passwd"), OK_PACKET]}},
        "protocol-broken",
        "a file",
    ),
    "a file waited for": (lambda at: {"answers": {at: [local_infile("/etc/passwd")]}}, "protocol-broken", "a file"),
    "no result set": (lambda at: {"answers": {at: [OK_PACKET]}}, "protocol-broken", "protocol"),
    "columns of no length": (lambda at: {"answers": {at: [b"\x01", b"\x03de"]}}, "protocol-broken", "protocol"),
    "a packet out of order": (
        lambda at: {"raw": {at: b"\x01\x00\x00\x01\x01\x03\x00\x00\x09def"}},
        "protocol-broken",
        "protocol",
    ),
}

LATE_ATTACKS = ("endless rows", "endless results", "a packet out of order")


def attacked(command: str, behaviour: Behaviour, *options: str, is_named: bool = False) -> Ended:
    with RogueServer(behaviour) as server:
        ended = start(command, server, *options).wait(LIMIT_S)
        assert ended.returncode in (0, 1, 2, 3), ended
        assert ended.resident_kib < RESIDENT_KIB, ended
        assert ended.returncode != 3 or not is_named or f"127.0.0.1:{server.port}" in ended.said, ended
        assert b"root:" not in server.received  # of /etc/passwd
        return ended


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_attack_ends_a_command_with_the_name_of_the_server_and_the_limit(command: str, name: str) -> None:
    departure, code, part = ATTACKS[name]
    for at in (".", LATE[command]) if name in LATE_ATTACKS else (".",):
        ended = attacked(command, good(**departure(at)), is_named=True)
        if command == "cleanup" and name == "no result set":
            continue  # it asks for no rows
        assert ended.returncode == 3, ended
        assert code in load_codes(ended.stderr) and part in ended.stderr, ended


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_server_says_never_reaches_the_terminal_as_a_command(command: str) -> None:
    sequences = "\x1b]0;title\x07\x1b[2J\x9b31m\u202etxet\u2066\x7f\r"
    attacks = [
        good(answers={".": [error(1105, sequences)]}),
        good(version=f"8.0{sequences}", answers={LATE[command]: [error(1105, sequences)]}),
        good(answers={"LIMIT 1001": result_set([[sequences]]), "COUNT": result_set([[sequences] * 5])}),
    ]
    for behaviour in attacks if command != "search" else attacks[:2]:
        ended = attacked(command, behaviour, *(["--events", "5"] if command.startswith("run") else []))
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", ended.said), ended
    assert "\\u{1b}]0;title" in attacked(command, attacks[0]).stderr


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"cleanup"}))
def test_a_server_that_says_ok_to_everything_has_proven_nothing(command: str) -> None:
    ended = attacked(command, OK_EVERYWHERE)
    assert ended.returncode == 3, ended
    assert "protocol-broken" in load_codes(ended.stderr), ended
    assert "consistent:" not in ended.stdout.replace("inconsistent:", ""), ended


@pytest.mark.parametrize(
    ("command", "protocol"), [("run", "prepared"), ("run", "text"), ("run tpcc", "prepared"), ("search", "prepared")]
)
def test_a_select_that_was_answered_by_an_ok_packet_is_no_work_done(command: str, protocol: str) -> None:
    """What the server is asked before the load it answers well."""
    answers = {r"^SELECT (c|DISTINCT|SUM)\b": [OK_PACKET]} if protocol == "text" else {}
    behaviour = good(answers=answers, executes_by_ok=True)
    ended = attacked(command, behaviour, "--protocol", protocol, is_named=True)
    assert ended.returncode == 3, ended
    assert "protocol-broken" in load_codes(ended.stderr) and "SELECT" in ended.stderr, ended


@pytest.mark.parametrize("columns", [1, 3, 4, 6])
def test_sums_with_other_columns_than_asked_for_are_no_sums(columns: int) -> None:
    answers = {r"COUNT\(\*\), ": result_set([["1"] * columns])}
    for command in ("populate", "sums"):
        ended = attacked(command, good(answers=answers))
        assert ended.returncode == 3, ended
        assert "protocol-broken" in load_codes(ended.stderr) and f" {columns} " in ended.stderr, ended


def test_sums_of_several_rows_are_no_sums() -> None:
    ended = attacked("sums", good(answers={r"COUNT\(\*\), ": result_set([["1"] * 5, ["2"] * 5])}))
    assert (ended.returncode, load_codes(ended.stderr)[0]) == (3, "checksums-unreadable"), ended
    assert " 2 " in ended.stderr, ended


def test_rows_whose_commit_fails_again_and_again_are_counted_once() -> None:
    answers = {"^COMMIT": [error(1213, "Deadlock found")], "^SELECT 1 FROM sbtest1": empty_set(1)}
    ended = attacked("populate", good(answers=answers), "--json")
    assert ended.returncode == 3, ended
    records = [json.loads(line) for line in ended.stdout.splitlines()]
    assert records[-1]["repeats"] > 0, ended
    assert max(record.get("rows_done", 0) for record in records) == 100, ended


def test_a_ledger_with_too_few_columns_is_an_error() -> None:
    answers = {"SHOW TABLES": result_set([["dbdyno_filling"]]), "SELECT step": result_set([["filling"]])}
    ended = attacked("populate", good(answers=answers), "--resume")
    assert (ended.returncode, load_codes(ended.stderr)) == (3, ["step-log-unusable", "protocol-broken"]), ended


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_in_the_middle_of_a_run_ends_it(name: str) -> None:
    departure, expected_code, part = ATTACKS[name]
    behaviour = good(**departure(r"SELECT c FROM sbtest1 WHERE id=\d"))
    timing = ("--time", "2s", "--drain", "2s", "--answer-timeout", "2s")
    ended = attacked("run", behaviour, "--protocol", "text", *timing)
    if name in ("endless rows", "large columns", "a row without an end", "no result set"):
        return  # nobody keeps the rows: they are counted and passed over, until the run is over
    assert ended.returncode == 3, ended
    (code,) = load_codes(ended.stderr)
    assert code == "no-answer" or (code == expected_code and part in ended.stderr), ended


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_on_a_script_fails_its_query(name: str, tmp_path: Path) -> None:
    script = tmp_path / "query.lua"
    script.write_text(
        """
        function thread_init() con = sysbench.sql.driver():connect() end
        function event() local set = con:query("SELECT 1") for _ = 1, set.nrows do set:fetch_row() end end
        """
    )
    with RogueServer(good(**ATTACKS[name][0]("SELECT 1"))) as server:
        argv = [str(find_generator()), "script", str(script), "run", "--threads", "1", "--events", "1", "--time", "3s"]
        argv = [*argv, "--host", "127.0.0.1", "--port", str(server.port), "--no-password", "--tls", "off"]
        running = start_argv(argv, memory_bytes=SCRIPT_MEMORY_BYTES)
        if name in ("columns of no length", "large columns"):
            running.process.send_signal(signal.SIGTERM)  # sysbench, too, waits on where an answer has no end
        ended = running.wait(LIMIT_S)
        assert ended.returncode in (0, 1, -signal.SIGTERM), ended
        assert ended.resident_kib < 2 * RESIDENT_KIB, ended
        if name == "endless rows":
            assert "256 MiB" in ended.said, ended
        assert b"root:" not in server.received


def test_random_answers_end_every_command() -> None:
    draw = random.Random(16)
    for _ in repeats(3):
        for command in COMMANDS:
            packets = [draw.randbytes(draw.choice([1, 2, 5, 9, 40, 300])) for _ in range(draw.randint(1, 6))]
            tail = length_encoded(b"x" * 50_000)
            at = draw.choice([".", LATE[command]])
            behaviour = good(answers={at: packets}, floods={at: [tail, *packets]})
            attacked(command, behaviour, *(["--events", "5"] if command.startswith("run") else []))
