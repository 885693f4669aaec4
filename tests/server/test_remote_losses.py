"""A host reached by SSH loses its cable, a connection, its lab or its power. Each is a namespace: `remote_hosts`."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from dbdyno.core import HostError
from dbdyno.hosts.remote import RemoteHost, connect
from dbdyno.lab import find_generator
from network_host import processes_in
from remote_hosts import RemoteMachine, comes_true, remote_machines

pytestmark = pytest.mark.server


@pytest.mark.parametrize("seconds", [3, 8])
def test_a_cut_cable_delays_what_is_done_and_changes_nothing(
    seconds: int, host: RemoteHost, machine: RemoteMachine
) -> None:
    marks = host.home.root / f"marks-{seconds}"
    machine.cut()
    threading.Timer(seconds, machine.mend).start()
    began = time.monotonic()
    for number in range(3):
        host.run(["sh", "-c", f"echo {number} >>{marks}"], timeout_s=30)
    assert seconds <= time.monotonic() - began < seconds + 8
    assert host.files.read_text(marks) == "0\n1\n2\n"
    assert host.link.reconnections == (seconds > 5)


def test_after_a_lost_connection_every_open_request_is_done_once(host: RemoteHost) -> None:
    marks = host.home.root / "marks-of-many"
    script = f"import time; open('{marks}', 'a').write('x'); time.sleep(60)"

    def start_some() -> None:
        for _ in range(10):
            host.spawn(["python3", "-c", script], stdout=None, stderr=None)

    threads = [threading.Thread(target=start_some) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        time.sleep(0.02)
        host.link.drop_connection()
        assert comes_true(lambda: host.link.ask("ping") is not None, 10)
    for thread in threads:
        thread.join(30)
    assert host.link.reconnections >= 1
    assert comes_true(lambda: len(host.files.read_bytes(marks)) == 30, 20)
    time.sleep(0.3)
    assert len(host.files.read_bytes(marks)) == 30


def test_without_a_lab_nothing_is_left_on_the_host_after_the_lease(machine: RemoteMachine) -> None:
    host = connect(machine.destination, find_generator(), lease_s=2)
    run = host.home.run / "1-2-3" / "s1"
    host.make_directory(run, for_server=True)
    private = host.make_private_directory()
    host.spawn(["sh", "-c", "setsid sleep 61 & exec sleep 62"], stdout=run / "log", stderr=None)
    assert comes_true(lambda: any("sleep 61" in words for words in machine.processes().values()), 5)
    host.link.close()
    assert comes_true(lambda: not machine.processes(), 15)
    with connect(machine.destination, find_generator()) as other:
        assert other.files.stat(run.parent) is None
        assert other.files.stat(private) is None
        assert [agent.session for agent in other.agents()] == [other.session]


def test_tunnels_to_a_server_that_has_ended_are_closed(machine: RemoteMachine) -> None:
    with connect(machine.destination, find_generator()) as host:
        threads = threading.active_count()
        for port in range(20001, 20011):
            here = host.reach(("127.0.0.1", port))
            assert isinstance(here, tuple)
            socket.create_connection(here, timeout=5).close()
            host.leave(("127.0.0.1", port))
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(here, timeout=5)
        assert comes_true(lambda: threading.active_count() <= threads, 10)


_LAB = """
import sys
from dbdyno.hosts.remote import connect
from dbdyno.lab import find_generator
host = connect(sys.argv[1], find_generator())
with host.lock(host.home.root / "kept.lock", 5):
    print(host.session, flush=True)
    sys.stdin.read()
"""


def test_what_the_agent_of_a_killed_lab_holds_is_free_for_the_next_lab(machine: RemoteMachine) -> None:
    words = [sys.executable, "-c", _LAB, machine.destination]
    killed = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert killed.stdout is not None
    session = killed.stdout.readline().decode().strip()
    killed.kill()
    killed.communicate()
    with (
        connect(machine.destination, find_generator()) as other,
        connect(machine.destination, find_generator()) as host,
    ):
        assert session in {agent.session for agent in host.agents()}
        with pytest.raises(HostError, match="holds"), host.lock(host.home.root / "kept.lock", 0.5):
            pass
        host.end_agents_of_dead_labs()
        assert {agent.session for agent in host.agents()} == {host.session, other.session}
        with host.lock(host.home.root / "kept.lock", 0.5):
            pass


def test_ssh_of_a_lab_that_is_killed_while_the_cable_is_cut_ends_soon(machine: RemoteMachine) -> None:
    words = [sys.executable, "-c", _LAB, machine.destination]
    killed = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert killed.stdout is not None
    session = killed.stdout.readline().decode().strip()

    def has_ssh() -> bool:
        lines = [read_words(pid) for pid in processes_in(machine.switch.pid)]
        return any(session in line and line.split()[0].endswith("ssh") for line in lines if line)

    assert has_ssh()
    machine.cut()
    try:
        killed.kill()
        killed.communicate()
        assert comes_true(lambda: not has_ssh(), 25)
    finally:
        machine.mend()
    with connect(machine.destination, find_generator()) as other:
        other.end_agents_of_dead_labs()


def read_words(pid: int) -> str:
    """Command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_a_host_without_power_is_named_within_fifteen_seconds(tmp_path: Path) -> None:
    with remote_machines(tmp_path, "db2") as (machine,):
        host = connect(machine.destination, find_generator())
        host.run(["true"], timeout_s=10)
        machine.power_off()
        began = time.monotonic()
        with pytest.raises(HostError, match="bench@db2") as raised:
            host.run(["true"], timeout_s=60)
        assert time.monotonic() - began < 15
        assert raised.value.fault == "network"
        host.link.close()
