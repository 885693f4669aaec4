"""`dbdyno compare --server`: addresses, and passwords that are not for command lines."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.cli._running_servers import parse_server, server_lines, short_labels
from dbdyno.core import StudyError
from dbdyno.study import ServerAddress, parse_study
from error_codes import told_errors

PROGRAM = Path(__file__).parents[2] / ".venv" / "bin" / "dbdyno"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("db1", ("dbdyno", None, "db1", None)),
        ("db1:3307", ("dbdyno", None, "db1", 3307)),
        ("bench@10.0.0.1:3307", ("bench", None, "10.0.0.1", 3307)),
        ("[::1]:3307", ("dbdyno", None, "::1", 3307)),
        ("root@socket:/run/my sql/s.sock", ("root", "/run/my sql/s.sock", None, None)),
        ("/run/mysqld/mysqld.sock", ("dbdyno", "/run/mysqld/mysqld.sock", None, None)),
    ],
)
def test_addresses_are_understood(text: str, expected: tuple[object, ...]) -> None:
    address = parse_server(text, "dbdyno")
    assert (address.user, address.socket, address.host, address.port) == expected


@pytest.mark.parametrize("text", ["", "socket:", "socket:run/s.sock", "a b", "host:port", "::1", "h:65536", "h:0"])
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


@pytest.mark.parametrize(
    "text", ["mysql://root:s3cret@h:3306/db", "mariadb://root:s3cret@h", "mysql://root:s3/s3cret@x@h"]
)
def test_a_scheme_is_no_password_and_a_password_behind_it_is_not_repeated(text: str) -> None:
    with pytest.raises(StudyError) as refused:
        parse_server(text, "dbdyno")
    assert "--server root@h" in refused.value.remedy
    assert "s3cret" not in f"{refused.value.what} {refused.value.why} {refused.value.remedy}"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("jdbc:mysql://h:3306/db?user=root&password=s3cret", "--server h:3306? "),
        ("mysql://h?password=s3@s3cret", "--server h? "),
        ("mysql://root:x?s3cret@h", ""),
    ],
)
def test_a_password_in_the_query_of_a_url_is_not_repeated(text: str, meant: str) -> None:
    with pytest.raises(StudyError) as refused:
        parse_server(text, "dbdyno")
    assert meant in refused.value.remedy
    assert "s3cret" not in f"{refused.value.what} {refused.value.why} {refused.value.remedy}"


@pytest.mark.parametrize("place", ["127.0.0.1:1", "/nonexistent/s.sock"])
def test_where_no_server_listens_that_is_said_and_no_study_is_named(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with told_errors() as errors:
        assert main(["compare", "--server", place]) == 3
    assert [error.code for error in errors] == ["not-listening"]
    printed = capsys.readouterr().err
    assert place in printed and "hint: " in printed
    assert "study" not in printed and "Errno" not in printed


def test_a_password_variable_that_is_not_set_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--server", "socket:/nonexistent", "--server-password-env", "NOT_SET"]
    monkeypatch.delenv("NOT_SET", raising=False)
    with told_errors() as errors:
        assert main(["compare", *words]) == 2
    assert [error.code for error in errors] == ["password-missing"]
    assert "NOT_SET" in capsys.readouterr().err


def test_passwords_for_some_of_the_servers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for place in "abc" for word in ("--server", f"socket:/nonexistent/{place}")]
    words += ["--server-password-file", "/nonexistent/1", "--server-password-file", "/nonexistent/2"]
    with told_errors() as errors:
        assert main(["compare", *words]) == 2
    assert [error.code for error in errors] == ["values-mismatch"]
    told = capsys.readouterr().err
    assert re.search(r"--server-password-file .*\b2 .*\b3 servers", told) and "hint:" in told


def test_an_address_is_a_table_of_a_study_file() -> None:
    address = ServerAddress('a "b"', "u", host="h", port=3307, password_env="P", tls="off")
    text = "\n".join(['targets = ["mysql@server:x"]', *server_lines(address), '[servers.x]\nhost = "x"\nuser = "u"'])
    study = parse_study(
        text + '\n[workload]\nname = "sysbench/oltp_read_only"\n[axes]\ntier = ["64MB"]\nconcurrency = [1]',
        "study.toml",
    )
    assert study.servers['a "b"'] == address


def test_nothing_to_compare_is_a_wrong_request(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", "--rows", "10"])
    assert ended.value.code == 2 and re.search(r"mariadb:\S+ mysql:", capsys.readouterr().err)


def test_labels_are_short_and_tell_servers_apart() -> None:
    def labels(*words: str) -> list[str]:
        return short_labels([parse_server(word, "u") for word in words])

    assert labels("/run/mysqld/s.sock", "db1:3307") == ["s.sock", "db1:3307"]
    assert labels("h:3307", "h") == ["port 3307", "port 3306"]
    assert labels("/run/a/s.sock", "/run/b/s.sock") == ["a/s.sock", "b/s.sock"]
