"""Connections to a server that is silent, lies, or wants more than it should get."""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
from pymysql.constants import CR

import dbdyno.connections
from dbdyno.connections import PathLostError, ServerConnection, TlsPolicy, UnansweredError, connect
from dbdyno.hosts import ProcessState, ProcessWatch, process_state
from rogue_server import Behaviour, RogueServer, local_infile

PASSWORD = "secret-canary-ü"
WORDS = ("off", "preferred", "required")


def open_to(server: RogueServer, word: str = "off", **more: float) -> ServerConnection:
    limits = {"login_s": 1.0, "answer_s": 1.0, **more}
    if server.socket_path is not None:
        where: dict[str, object] = {"socket": str(server.socket_path)}
    else:
        where = {"host": "127.0.0.1", "port": server.port}
    return connect(user="app", password=PASSWORD, tls=TlsPolicy.of(word), **where, **limits)  # type: ignore[arg-type]


def ask(server: RogueServer, statement: str = "SELECT 1", **more: float) -> object:
    with open_to(server, **more) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as started:
        yield started
        started.kill()


def watch_of(process: subprocess.Popen[bytes], timeout_s: float) -> ProcessWatch:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return ProcessWatch(Path.read_bytes, process.pid, int(fields[19]), timeout_s)


def test_a_well_behaved_server_is_understood() -> None:
    with RogueServer() as server:
        assert ask(server) == (("1",),)


@pytest.mark.parametrize("moment", ["greeting", "login", "SELECT 1"])
def test_a_silent_server_is_named_with_what_it_was_asked_and_for_how_long(moment: str) -> None:
    with RogueServer(Behaviour(silent_at=moment)) as server:
        with pytest.raises(UnansweredError, match=rf"127.0.0.1:{server.port} .* 1 s") as caught:
            ask(server)
    assert ("SELECT 1" if moment == "SELECT 1" else "logging in") in str(caught.value)


def test_an_answer_that_trickles_is_not_waited_for_without_end() -> None:
    """Each byte comes in time; the whole answer does not. The driver's own limit is for one read only."""
    listener = socket.create_server(("127.0.0.1", 0))

    def trickle() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(struct.pack("<I", 80)[:3] + b"\x00")
            try:
                for _ in range(80):
                    connection.sendall(b"x")
                    time.sleep(0.1)
                is_whole.set()
            except OSError:
                return  # the client has given up

    is_whole = threading.Event()
    thread = threading.Thread(target=trickle)
    thread.start()
    with listener, pytest.raises(UnansweredError):
        connect(user="a", password="", host="127.0.0.1", port=listener.getsockname()[1], login_s=0.5)
    thread.join()
    assert not is_whole.is_set()


def test_a_statement_may_be_given_more_time() -> None:
    with RogueServer(Behaviour(silent_at="SLOW")) as server, open_to(server, answer_s=0.2) as connection:
        began = time.monotonic()
        with connection.within(0.6), pytest.raises(UnansweredError, match=r"\(SLOW\)"), connection.cursor() as cursor:
            cursor.execute("SLOW")
        assert time.monotonic() - began >= 0.6


def test_an_endless_answer_is_cut_off_before_it_fills_the_memory() -> None:
    with RogueServer(Behaviour(endless="SELECT 1", row_bytes=100_000)) as server:
        with pytest.raises(pymysql.MySQLError, match="longer than 64 MiB"):
            ask(server, answer_s=60)


@pytest.mark.parametrize(
    "payloads", [[local_infile("/etc/passwd")], [b"\x05"], [b"\xfc"], [b"\x02", b"\x01x"], [b"\x00\xff"]]
)
def test_what_the_protocol_does_not_allow_is_an_error_of_the_server(payloads: list[bytes]) -> None:
    with RogueServer(Behaviour(answers={"SELECT": payloads})) as server, pytest.raises(pymysql.MySQLError):
        ask(server)
    assert b"root:" not in server.received


def test_a_thread_that_waits_for_an_answer_is_let_go_by_another() -> None:
    with RogueServer(Behaviour(silent_at="SELECT 1")) as server:
        connection = open_to(server, answer_s=60)
        failures: list[Exception] = []

        def read() -> None:
            try:
                connection.query("SELECT 1")
            except pymysql.MySQLError as error:
                failures.append(error)

        thread = threading.Thread(target=read)
        thread.start()
        assert server.is_silent.wait(10)
        connection.abandon()
        thread.join(30)  # half of what it would wait for an answer
        assert failures and not thread.is_alive()
        connection.close()


def test_a_full_queue_of_a_server_that_hangs_is_no_end_of_waiting(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for client in waiting:
            client.setblocking(False)
            try:
                client.connect(str(path))
            except BlockingIOError:
                break
        with pytest.raises(pymysql.MySQLError, match=r"answered nothing .*logging in"):
            connect(user="a", password="", socket=str(path), login_s=0.5)
        for client in waiting:
            client.close()


def test_a_stopped_process_is_named_with_its_state(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGSTOP)
    with RogueServer(Behaviour(silent_at="SELECT 1")) as server:
        began = time.monotonic()
        where = {"host": "127.0.0.1", "port": server.port, "title": "mariadb:11.8"}
        connection = connect(user="a", password="", watch=watch_of(process, 1.5), answer_s=30, **where)  # type: ignore[arg-type]
        with pytest.raises(UnansweredError, match=r"mariadb:11.8 .* \d s; process stopped \(T\)"):
            connection.query("SELECT 1")
        assert time.monotonic() - began < 25  # of the 30 s that a process that runs on is given


def test_a_process_is_given_up_once_it_is_halted_without_a_break(process: subprocess.Popen[bytes]) -> None:
    now = [0.0]
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    excused = [False]
    watch = ProcessWatch(
        Path.read_bytes, process.pid, int(fields[19]), 10, clock=lambda: now[0], is_excused=lambda: excused[0]
    )
    assert watch.verdict() is None
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    assert watch.verdict() is None and watch.state() == "process stopped (T)"
    now[0] = 9
    assert watch.verdict() is None
    now[0] = 12
    assert str(watch.verdict()).endswith(" 12 s; process stopped (T)")
    excused[0] = True  # held by ourselves
    assert watch.verdict() is None
    excused[0], now[0] = False, 30
    assert watch.verdict() is None  # counted anew
    os.kill(process.pid, signal.SIGCONT)
    os.waitid(os.P_PID, process.pid, os.WCONTINUED | os.WNOWAIT)
    now[0] = 60
    assert watch.verdict() is None


def test_a_process_that_answers_is_not_looked_at(process: subprocess.Popen[bytes]) -> None:
    looks: list[Path] = []

    def read(path: Path) -> bytes:
        looks.append(path)
        return path.read_bytes()

    watch = ProcessWatch(read, process.pid, 1)
    with (
        RogueServer() as server,
        connect(user="a", password="", host="127.0.0.1", port=server.port, watch=watch) as connection,
    ):
        for _ in range(3):
            connection.query("SELECT 1")
    assert not looks, "each look at a process of another host would be a round trip"


def test_an_answer_ends_a_halt(process: subprocess.Popen[bytes]) -> None:
    now = [0.0]
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    watch = ProcessWatch(Path.read_bytes, process.pid, int(fields[19]), 10, clock=lambda: now[0])
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    assert watch.verdict() is None
    watch.note_answer()
    now[0] = 12
    assert watch.verdict() is None
    now[0] = 22
    assert watch.verdict() is not None


def test_a_process_of_another_start_time_is_none(process: subprocess.Popen[bytes]) -> None:
    assert process_state(Path.read_bytes, process.pid, 1) is None
    assert process_state(Path.read_bytes, 2**30, 1) is None
    assert not ProcessState("R").is_halted and ProcessState("Z").is_halted


@pytest.mark.parametrize("word", WORDS)
def test_a_password_in_clear_is_never_sent_over_an_open_connection(word: str) -> None:
    with RogueServer(Behaviour(asks_clear_password=True)) as server, pytest.raises(pymysql.MySQLError):
        open_to(server, word)
    assert PASSWORD.encode() not in server.received and PASSWORD.encode("latin1") not in server.received


def test_a_password_in_clear_over_a_socket_stays_on_the_machine(tmp_path: Path) -> None:
    with RogueServer(Behaviour(asks_clear_password=True), tmp_path / "s") as server:
        open_to(server, "preferred").close()
    assert PASSWORD.encode() + b"\0" in server.received


@pytest.mark.parametrize("word", ["required", "verify-ca", "verify-identity"])
def test_without_the_encryption_that_is_required_nothing_is_sent(word: str, tmp_path: Path) -> None:
    policy = TlsPolicy.of(word, authority(tmp_path) if word != "required" else None)
    with RogueServer() as server, pytest.raises(pymysql.MySQLError) as caught:
        connect(user="app", password=PASSWORD, tls=policy, host="127.0.0.1", port=server.port, login_s=1)
    assert caught.value.args[0] == CR.CR_SSL_CONNECTION_ERROR
    assert server.received == b""


def test_an_authority_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    for content in (None, "no certificate"):
        file = tmp_path / "ca.pem"
        if content is not None:
            file.write_text(content)
        with RogueServer() as server, pytest.raises(pymysql.MySQLError, match=r"tls_ca .*ca\.pem: "):
            connect(user="a", password="", tls=TlsPolicy("verify-ca", str(file)), host="127.0.0.1", port=server.port)


def test_an_authority_that_may_never_end_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ca.pem")
    for path, words in ((tmp_path / "ca.pem", "it is a named pipe"), (Path("/dev/zero"), "it is a device")):
        with RogueServer() as server, pytest.raises(pymysql.MySQLError, match=words):
            connect(user="a", password="", tls=TlsPolicy("verify-ca", str(path)), host="127.0.0.1", port=server.port)


def test_a_resolver_that_says_nothing_is_named_and_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def silent(*_: object, **__: object) -> list[object]:
        ended.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    began = time.monotonic()
    with pytest.raises(PathLostError, match=r"db\.example:3306: .*\(DNS\)"):
        connect(user="any", password="", host="db.example", login_s=0.3)
    assert time.monotonic() - began < 20
    ended.set()


def test_a_name_is_looked_up_and_an_unknown_one_is_an_error() -> None:
    with RogueServer() as server, connect(user="any", password="", host="localhost", port=server.port) as connection:
        assert connection.open
    with pytest.raises(pymysql.OperationalError):
        connect(user="any", password="", host="a..b", port=1)


def test_the_kernel_gives_a_silent_path_up_when_the_study_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the kernel says then is not taken for a wait that goes on."""
    with (
        RogueServer() as server,
        connect(user="any", password="", host="127.0.0.1", port=server.port, path_s=3) as connection,
    ):
        opened = connection._sock
        assert opened is not None
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 3000
        assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 1

        def lost() -> socket.socket:
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))

        monkeypatch.setattr(connection, "_ready_socket", lost)
        with pytest.raises(PathLostError, match=r"\b3 s"):
            connection.query("SELECT 1")


def test_nobody_else_connects_to_servers() -> None:
    """One way in: the time limits and the policy of encryption hold for it, and for no other."""
    source = Path(dbdyno.connections.__file__).parents[1]
    outside = [path for path in source.rglob("*.py") if path.parent.name != "connections"]
    calls = re.compile(r"pymysql\.connect\(|pymysql\.connections\.Connection\(|\bConnection\(")
    assert [path.name for path in outside if calls.search(path.read_text())] == []


def authority(folder: Path) -> str:
    from certificates import make_authority

    return str(make_authority(folder, "dbdyno test").certificate)
