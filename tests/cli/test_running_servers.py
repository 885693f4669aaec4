"""`dbdyno compare --server`: addresses, and passwords that are not for command lines."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from dbdyno.cli._running_servers import parse_server, server_lines
from dbdyno.core import StudyError
from dbdyno.study import ServerAddress, parse_study

PROGRAM = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("db1", ("dbdyno", None, "db1", None)),
        ("db1:3307", ("dbdyno", None, "db1", 3307)),
        ("bench@10.0.0.1:3307", ("bench", None, "10.0.0.1", 3307)),
        ("[::1]:3307", ("dbdyno", None, "::1", 3307)),
        ("root@socket:/run/my sql/s.sock", ("root", "/run/my sql/s.sock", None, None)),
    ],
)
def test_addresses_are_understood(text: str, expected: tuple[object, ...]) -> None:
    address = parse_server(text, "dbdyno")
    assert (address.user, address.socket, address.host, address.port) == expected


@pytest.mark.parametrize("text", ["", "socket:", "socket:run/s.sock", "a b", "host:port", "::1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(StudyError) as refused:
        parse_server(text, "dbdyno")
    assert refused.value.what.startswith(f"--server '{text}'")


def test_a_password_is_refused_and_not_repeated() -> None:
    done = subprocess.run(
        [PROGRAM, "compare", "--server", "bench:s3cret@db1:3306"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "s3cret" not in done.stderr and "DBDYNO_SERVER_PASSWORD" in done.stderr


def test_a_password_variable_that_is_not_set_is_told() -> None:
    words = ["--server", "socket:/nonexistent", "--server-password-env", "NOT_SET"]
    environ = {name: value for name, value in os.environ.items() if name != "NOT_SET"}
    done = subprocess.run(
        [PROGRAM, "compare", *words], capture_output=True, text=True, env=environ, check=False, timeout=60
    )
    assert done.returncode == 2 and "NOT_SET is not set" in done.stderr


def test_passwords_for_some_of_the_servers_are_refused() -> None:
    words = [word for place in "abc" for word in ("--server", f"socket:/nonexistent/{place}")]
    words += ["--server-password-file", "/nonexistent/1", "--server-password-file", "/nonexistent/2"]
    done = subprocess.run([PROGRAM, "compare", *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "2 times for 3 servers" in done.stderr and "hint:" in done.stderr


def test_an_address_is_a_table_of_a_study_file() -> None:
    address = ServerAddress('a "b"', "u", host="h", port=3307, password_env="P", tls="off")
    text = "\n".join(['targets = ["mysql@server:x"]', *server_lines(address), '[servers.x]\nhost = "x"\nuser = "u"'])
    study = parse_study(
        text + '\n[workload]\nname = "sysbench/oltp_read_only"\n[axes]\ntier = ["64MB"]\nconcurrency = [1]',
        "study.toml",
    )
    assert study.servers['a "b"'] == address


def test_nothing_to_compare_is_a_wrong_request() -> None:
    done = subprocess.run([PROGRAM, "compare", "--rows", "10"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2 and "name what to compare" in done.stderr
