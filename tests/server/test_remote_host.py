"""A host reached by SSH: what is done there, and how it is found and left. Each is a namespace, see `remote_hosts`."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shlex
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.core import HostError
from dbdyno.hosts import ProcessLimits
from dbdyno.hosts.remote import RemoteHost, connect
from dbdyno.lab import find_generator
from error_codes import raises_code
from network_host import run
from remote_hosts import RemoteMachine, comes_true

pytestmark = pytest.mark.server
CANARY = "canary-5f1c02d9"


def test_files_of_the_host_are_its_own_and_answer_as_those_of_this_machine(host: RemoteHost) -> None:
    folder = Path("/tmp/dbdyno-4242-test")
    host.files.make_directory(folder, mode=0o700, is_new=True)
    with pytest.raises(FileExistsError):
        host.files.make_directory(folder, is_new=True)
    host.write_private(folder / "f", "text")
    assert not folder.exists()  # here
    facts = host.files.stat(folder / "f")
    assert facts is not None
    assert (facts.kind, facts.mode, facts.user_id, facts.size_bytes) == ("file", 0o600, 4242, 4)
    assert [entry.path for entry in host.files.entries(folder)] == [folder / "f"]
    assert host.files.stat(folder / "missing") is None
    with pytest.raises(FileNotFoundError):
        host.files.read_bytes(folder / "missing")
    with pytest.raises(PermissionError):
        host.files.read_bytes(Path("/etc/shadow"))
    assert host.files.read_many([folder / "f", folder / "missing"]) == [b"text", None]
    large = os.urandom((5 << 20) + 7)
    host.files.write(folder / "large", large, mode=0o600)
    assert host.files.read_bytes(folder / "large") == large
    assert host.files.read_bytes(folder / "large", offset=-9) == large[-9:]
    assert host.copy_tree(folder, folder.with_name("dbdyno-4242-copy")) in ("reflink", "copy")
    assert host.files.digest(folder / "large") == host.files.digest(Path("/tmp/dbdyno-4242-copy/large"))
    host.remove_tree(folder)
    host.remove_tree(folder)
    with host.lock(Path("/tmp/dbdyno-4242-copy/lock"), 1), raises_code(HostError, "in-use"):
        with host.lock(Path("/tmp/dbdyno-4242-copy/lock"), 0.1):
            pass


def test_commands_and_processes_run_there(host: RemoteHost) -> None:
    done = host.run(["sh", "-c", "cat; hostname; exit 3"], stdin="fed ", timeout_s=10, check=False)
    assert (done.exit_code, done.stdout) == (3, "fed db1\n")
    with raises_code(HostError, "command-missing", "'mysqld'"):
        host.run(["mysqld"], timeout_s=10)
    began = time.monotonic()
    with raises_code(HostError, "timed-out", "1 s"):
        host.run(["sleep", "60"], timeout_s=1)
    assert time.monotonic() - began < 30
    piped = host.spawn_piped(["sh", "-c", "while read line; do echo got $line; done; echo bad >&2"], stdin=b"a\nb\n")
    assert list(piped.lines()) == ["got a", "got b"]
    assert (piped.wait(10).exit_code, piped.wait(10).stderr) == (0, "bad\n")
    process = host.spawn(["sleep", "60"], stdout=None, stderr=None, limits=ProcessLimits([0], 100))
    assert process.poll() is None
    assert host.find_process(process.pid, process.start_ticks + 1) is None
    found = host.find_process(process.pid, process.start_ticks)
    assert found is not None
    found.terminate()
    assert process.wait(10) == -signal.SIGTERM
    assert host.boot_id() != Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def test_sockets_of_the_host_are_reached_here(host: RemoteHost) -> None:
    server = "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('/tmp/echo')\ns.listen()\n"
    server += (
        "print('up', flush=True)\nwhile True:\n c, _ = s.accept()\n while d := c.recv(65536): c.sendall(d.upper())\n"
    )
    process = host.spawn_piped(["python3", "-c", server], stdin=b"")
    assert next(process.lines()) == "up"
    assert host.listener(Path("/tmp/echo")) == process.pid
    assert host.listener(Path("/tmp/nobody")) is None
    here = host.reach(Path("/tmp/echo"))
    assert isinstance(here, Path)
    for text in (b"small", b"x" * 3_000_000):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(here))
            threading.Thread(target=client.sendall, args=(text,), daemon=True).start()
            answer = b""
            while len(answer) < len(text):
                answer += client.recv(1 << 20)
            assert answer == text.upper()
    assert host.reach(("10.1.0.2", 3306)) == ("10.1.0.2", 3306)


def test_files_are_read_there_at_instants_of_our_clock(host: RemoteHost) -> None:
    watch = host.watch(100_000_000)
    start_ns = time.monotonic_ns() + 100_000_000
    lag_ns = []
    for look in range(8):
        instant_ns = start_ns + look * 100_000_000
        time.sleep(max(instant_ns - time.monotonic_ns(), 0) / 1e9)
        began_ns = watch.at(instant_ns)
        uptime_s = float(watch.read(Path("/proc/uptime")).split()[0])
        assert abs(uptime_s - host.clock().monotonic_ns / 1e9) < 5
        with pytest.raises(FileNotFoundError):
            watch.read(Path("/proc/nothing"))
        if began_ns is not None:
            lag_ns.append(began_ns - instant_ns)
    watch.close()
    assert len(lag_ns) >= 5
    assert min(lag_ns) >= -5_000_000
    assert sorted(lag_ns)[len(lag_ns) // 2] < 50_000_000


def test_the_clock_of_a_host_that_booted_at_another_time_is_mapped(host: RemoteHost) -> None:
    assert abs(host.clock().monotonic_ns - time.monotonic_ns()) > 100_000_000_000_000
    clock = host.clock_map()
    # Both clocks are the machine's own, set off by whole seconds.
    offset_ns = clock.there(time.monotonic_ns()) - time.monotonic_ns()
    assert abs(offset_ns - round(offset_ns, -9)) < clock.bound_ns + 1_000_000


def test_the_program_is_pushed_once_and_resumed_where_a_push_ended(machine: RemoteMachine) -> None:
    connect(machine.destination, find_generator()).end()
    (cached,) = (machine.home / ".cache/dbdyno").glob("agent-*")
    content = cached.read_bytes()
    with connect(machine.destination, find_generator()) as host:
        assert host.program.pushed_bytes == 0
    cached.with_name(f"{cached.name}.part").write_bytes(content[:1_000_000])
    cached.unlink()
    os.chown(f"{cached}.part", 4242, 4242)
    with connect(machine.destination, find_generator()) as host:
        assert host.program.pushed_bytes == len(content) - 1_000_000
    assert cached.read_bytes() == content
    damaged = cached.with_name(f"{cached.name}.part")
    damaged.write_bytes(b"x" * 1000)
    cached.unlink()
    os.chown(damaged, 4242, 4242)
    with connect(machine.destination, find_generator()) as host:
        assert host.program.pushed_bytes == len(content)
    assert cached.read_bytes() == content
    assert list(cached.parent.glob("agent-*")) == [cached]


def test_a_folder_that_allows_no_programs_is_named(machine: RemoteMachine) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "noexec,mode=1777", "none", "/mnt"]
    subprocess.run(["nsenter", "--mount", "-t", str(machine.init), "--", *mount], check=True, timeout=10)
    with raises_code(HostError, "not-executable"):
        connect(machine.destination, find_generator(), home="/mnt/dbdyno")


def test_a_folder_that_the_user_may_not_write_is_named_with_what_helps(machine: RemoteMachine) -> None:
    with raises_code(HostError, "not-writable") as refused:
        connect(machine.destination, find_generator(), home="/data/dbdyno")
    assert "'/data'" in refused.value.why and "`home` of [hosts.NAME]" in refused.value.remedy


@contextlib.contextmanager
def small_disk(machine: RemoteMachine, size: str) -> Iterator[str]:
    """A folder for dbdyno on a disk of its own that is soon full."""
    there = ["nsenter", "--target", str(machine.init), "--mount", "--pid", "--"]
    run(*there, "mkdir", "-p", "/home/bench/small")
    run(*there, "mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "small", "/home/bench/small")
    try:
        yield "/home/bench/small/d"
    finally:
        run(*there, "umount", "--lazy", "/home/bench/small")


def test_a_full_disk_is_named_when_the_program_is_pushed(machine: RemoteMachine) -> None:
    with (
        small_disk(machine, "1m") as home,
        raises_code(HostError, "disk-full", machine.destination) as refused,
    ):
        connect(machine.destination, find_generator(), home=home)
    assert os.strerror(errno.ENOSPC) in refused.value.why and "--home" in refused.value.remedy


def test_a_full_disk_is_named_with_its_host_when_data_are_copied(machine: RemoteMachine) -> None:
    with small_disk(machine, "16m") as home, connect(machine.destination, find_generator(), home=home) as host:
        source = host.home.root / "data"
        host.make_directory(source)
        host.files.write(source / "rows", b"x" * (5 << 20))
        with pytest.raises(HostError, match=f"can't copy to .* on {machine.destination}") as refused:
            host.copy_tree(source, host.home.root / "copy")
    assert os.strerror(errno.ENOSPC) in refused.value.why
    assert refused.value.remedy == "free some space there, then run the same command again"


def test_a_name_that_nobody_knows_is_told_from_a_host_that_is_off(machine: RemoteMachine) -> None:
    with raises_code(HostError, "unreachable", "bench@nobody.invalid") as refused:
        connect("bench@nobody.invalid", find_generator())
    assert "resolve hostname" in refused.value.why and "check the name" in refused.value.remedy


def test_files_are_pushed_by_content_and_resumed(host: RemoteHost, machine: RemoteMachine, tmp_path: Path) -> None:
    source, there = tmp_path / "snapshot", host.home.root / "snapshots/s"
    source.write_bytes(os.urandom(3_000_000))
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    incoming = machine.home / ".cache/dbdyno/incoming"
    incoming.mkdir(exist_ok=True)
    (incoming / sha256).write_bytes(source.read_bytes()[:1_000_000])
    for path in (incoming, incoming / sha256):
        os.chown(path, 4242, 4242)
    assert host.push(source, there, sha256) == 2_000_000
    assert host.push(source, there, sha256) == 0
    assert host.files.digest(there) == sha256
    (incoming / sha256).write_bytes(b"x" * 1_000_000)
    os.chown(incoming / sha256, 4242, 4242)
    with pytest.raises(HostError, match="mismatch"):
        host.push(source, there.with_name("t"), sha256)


@pytest.mark.parametrize("known", ["", "another"])
def test_a_host_key_is_never_accepted_silently(
    known: str,
    machine: RemoteMachine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    key = (machine.state.parent / "client_key.pub").read_text().split()
    (tmp_path / "known_hosts").write_text(f"{machine.name} {key[0]} {key[1]}\n" if known else "")
    ssh = shlex.split(os.environ["DBDYNO_SSH"])
    monkeypatch.setenv("DBDYNO_SSH", shlex.join([*ssh, "-o", f"UserKnownHostsFile={tmp_path}/known_hosts"]))
    assert main(["doctor", "--host", machine.destination]) == 3
    told = capsys.readouterr().err
    assert "SHA256:" in told
    assert ("ssh-keygen -R db1" if known else f"StrictHostKeyChecking=ask {machine.destination}") in told
    assert (tmp_path / "known_hosts").read_text().count("\n") == bool(known)


def has_canary(path: Path) -> bool:
    """Whether a file holds the secret; one that is gone meanwhile, or is none, does not."""
    try:
        return CANARY.encode() in path.read_bytes()
    except OSError:
        return False


def test_a_secret_is_in_no_argument_environment_or_log(host: RemoteHost, machine: RemoteMachine) -> None:
    folder = host.make_private_directory()
    host.write_private(folder / "password", CANARY)
    process = host.spawn_piped(["sh", "-c", "cat; sleep 60"], stdin=f"{CANARY}\n".encode())
    assert next(process.lines()) == CANARY
    assert host.read_private(folder / "password") == CANARY
    processes = [path for path in Path("/proc").glob("[0-9]*") if path.name != str(os.getpid())]
    told = [path for path in processes if has_canary(path / "cmdline") or has_canary(path / "environ")]
    kept = [path for path in machine.home.rglob("*") if has_canary(path)]
    assert (told, kept) == ([], [])
    assert CANARY not in (machine.state / "console").read_text()


def test_doctor_judges_the_host_and_the_way_to_it(machine: RemoteMachine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--host", machine.destination, "--json"]) in (0, 1)
    told = json.loads(capsys.readouterr().out)
    outcomes = {outcome["id"]: outcome for outcome in told["outcomes"]}
    for check in ("remote-agent", "remote-round-trip", "remote-connection"):
        assert outcomes[check]["state"] == "clear", outcomes[check]
    assert outcomes["remote-clock-drift"]["state"] in ("clear", "unknown")
    assert told["machine"]["disk"]["path"].startswith("/home/bench")
    assert comes_true(lambda: not machine.processes(), 5)


_STUDY = """\
targets = ["mariadb:11.8"]
[workload]
name = "sysbench/oltp_read_write"
[axes]
tier = "32TB"
concurrency = 2
[hosts.db1]
ssh = "{destination}"
[bench.a]
server = "db1"
"""


def test_doctor_checks_the_host_of_a_study_for_what_the_study_needs(
    machine: RemoteMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dbdyno.cli._remote._DRIFT_S", 1.0)  # its clock is no matter here
    study = tmp_path / "large.toml"
    study.write_text(_STUDY.format(destination=machine.destination))
    assert main(["doctor", str(study), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    outcomes = {outcome["id"]: outcome for outcome in told["outcomes"]}
    assert outcomes["remote-agent"]["state"] == "clear"
    assert (outcomes["memory"]["state"], outcomes["memory"]["severity"]) == ("found", "blocker")
    assert told["machine"]["disk"]["path"].startswith("/home/bench")


def test_clean_offers_to_remove_programs_of_other_versions_that_no_agent_runs(
    machine: RemoteMachine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = machine.home / ".cache/dbdyno"
    other = tmp_path / "dbdyno-load"  # another content that runs as well
    other.write_bytes(find_generator().read_bytes() + b"another version")
    unused, cut_short = home / f"agent-{'a' * 64}", home / f"agent-{'b' * 64}.part"
    with connect(machine.destination, other) as running:
        for path in (unused, cut_short):
            path.write_bytes(b"x" * 1_000_000)
            os.chown(path, 4242, 4242)
        used = Path(str(machine.home) + running.program.path.removeprefix("/home/bench"))
        for path in (unused, cut_short, used):
            os.utime(path, (time.time() - 3 * 86400, time.time() - 3 * 86400))
        just_pushed = home / f"agent-{'c' * 64}"
        just_pushed.write_bytes(b"x")
        assert main(["clean", "--host", machine.destination]) == 0
        told = capsys.readouterr()
        listed = [line for line in told.out.splitlines() if line.startswith("agent program")]
        assert [line.split()[-1].rpartition("/")[2] for line in listed] == [unused.name, cut_short.name]
        assert all("unused for 72 h" in line for line in listed), listed
        assert "--remove removes what is left over there" in told.err
        assert main(["clean", "--host", machine.destination, "--remove"]) == 0
        assert capsys.readouterr().out.count("removed the unused agent program") == 2
        assert not unused.exists() and not cut_short.exists() and used.exists() and just_pushed.exists()
    os.utime(used, (time.time() - 3600, time.time() - 3600))
    with connect(machine.destination, other):  # looked for, so its time is that of now
        assert time.time() - used.stat().st_mtime < 60
    just_pushed.unlink()
    used.unlink()


def test_clean_lists_what_dead_and_living_agents_have_and_removes_what_is_left(
    machine: RemoteMachine, capsys: pytest.CaptureFixture[str]
) -> None:
    dead = connect(machine.destination, find_generator())
    left = dead.home.run / "7-8-9abcdef0" / "s1"
    dead.make_directory(left)
    dead.files.write(left / "ibdata1", b"x" * 100_000, mode=0o600)
    dead.link.close()
    for pid in machine.processes():
        os.kill(pid, signal.SIGKILL)
    with connect(machine.destination, find_generator()) as living:
        assert main(["clean", "--host", machine.destination, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert living.session in {agent["session"] for agent in told["agents"] if agent["is_alive"]}
        assert main(["clean", "--host", machine.destination, "--remove"]) == 0
        capsys.readouterr()
        assert living.files.stat(left) is None
        assert living.link.ask("ping") is not None
    assert main(["clean", "--host", machine.destination, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {told[kind] == [] for kind in ("agents", "servers", "folders", "groups")} == {True}, told
