"""What every kind of host promises of commands, processes, copies and locks, driven for real."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
import threading
import time
from pathlib import Path

import pytest

from dbdyno.core import Home, HostError
from dbdyno.hosts import EXIT_UNKNOWN, Host, LocalHost, ProcessLimits, System
from dbdyno.hosts.remote import SSH_VARIABLE, _host, connect
from dbdyno.lab import find_generator
from error_codes import raises_code

AS_ROOT = os.geteuid() == 0


def test_a_command_gives_its_output_and_exit_code(host: Host) -> None:
    done = host.run(["sh", "-c", "cat; echo problem >&2; exit 3"], stdin="fed", timeout_s=10, check=False)
    assert (done.exit_code, done.stdout, done.stderr) == (3, "fed", "problem\n")


def test_a_failed_command_names_itself_its_code_and_its_last_words(host: Host) -> None:
    with raises_code(HostError, "command-failed", "exit code 3") as caught:
        host.run(["sh", "-c", "echo last words >&2; exit 3"], timeout_s=10)
    assert "last words" in caught.value.why


def test_a_missing_command_is_named(host: Host) -> None:
    with pytest.raises(HostError, match="no-such-command-here"):
        host.run(["no-such-command-here"], timeout_s=10)


def test_a_timeout_ends_the_children_of_the_command_too(host: Host, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with raises_code(HostError, "timed-out"):
        host.run(["sh", "-c", f"sleep 60 & echo $! > {note}; wait"], timeout_s=0.5)
    child = int(note.read_text())
    with pytest.raises((ProcessLookupError, FileNotFoundError)):
        for _ in range(500):  # the orphan is reaped by init, a moment later
            if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
                raise ProcessLookupError
            os.kill(child, 0)
            time.sleep(0.01)


def test_a_command_reads_a_file_as_its_input(host: Host, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("from a file")
    assert host.run(["cat"], stdin=tmp_path / "in", timeout_s=10).stdout == "from a file"


def test_a_spawned_process_has_its_own_session_and_processors(host: Host, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = host.spawn(
        ["sh", "-c", "ulimit -n; exec cat /proc/self/status"], stdout=out, stderr=None, limits=ProcessLimits([0], 512)
    )
    assert process.wait(10) == 0
    text = out.read_text()
    assert text.startswith("512\n")
    assert "Cpus_allowed_list:\t0\n" in text
    sleeper = host.spawn(["sleep", "60"], stdout=None, stderr=None)
    try:
        assert os.getsid(sleeper.pid) == sleeper.pid != os.getsid(0)
    finally:
        sleeper.kill()
        assert sleeper.wait(10) == -signal.SIGKILL


def test_a_process_is_found_by_pid_and_start_time_only(host: Host) -> None:
    process = host.spawn(["sleep", "60"], stdout=None, stderr=None)
    assert host.find_process(process.pid, process.start_ticks + 1) is None
    found = host.find_process(process.pid, process.start_ticks)
    assert found is not None
    assert found.poll() is None
    found.terminate()
    assert found.wait(10) in (EXIT_UNKNOWN, -signal.SIGTERM)  # an agent has the code of what it started
    assert process.wait(10) == -signal.SIGTERM
    assert host.find_process(process.pid, process.start_ticks) is None


def test_a_number_that_is_by_now_a_threads_is_no_process(host: Host) -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert thread.native_id is not None
        assert host.find_process(thread.native_id, 1) is None
    finally:
        over.set()
        thread.join()


def test_an_agent_ends_where_its_host_turns_out_to_be_unfit(
    ssh_here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> System:
        raise HostError("no user to run servers as")

    monkeypatch.setenv(SSH_VARIABLE, str(ssh_here))
    monkeypatch.setattr(_host, "_read_system", refuse)
    with pytest.raises(HostError, match="no user"):
        connect("here", find_generator(), home=str(tmp_path / "home"))
    deadline = time.monotonic() + 10
    while left := _processes_of(tmp_path):
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.05)


def _processes_of(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            if f"{folder}/" in words and int(process.name) != os.getpid():
                found.append(words)
    return found


def test_waiting_for_a_process_that_goes_on_is_an_error(host: Host) -> None:
    process = host.spawn(["sleep", "60"], stdout=None, stderr=None)
    with raises_code(HostError, "still-running"):
        process.wait(0.01)
    process.kill()
    process.wait(10)


def test_a_piped_process_is_read_while_it_runs_and_can_be_interrupted(host: Host) -> None:
    # Not a shell's trap: a shell started with the signal ignored, as in a background job, can't take it back.
    script = (
        "import os, signal, sys, time\n"  # written, not printed: the signal may come while the line before is printed
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(os.write(1, b'stopped\\n') and None))\n"
        "print(input(), flush=True)\n"
        "time.sleep(60)\n"
    )
    process = host.spawn_piped([sys.executable, "-c", script], stdin=b"hello\n")
    lines = process.lines()
    assert next(lines) == "hello"
    process.interrupt()
    assert list(lines) == ["stopped"]
    assert process.wait(10).exit_code == 0


def test_a_piped_process_that_says_nothing_is_looked_at_each_second(host: Host) -> None:
    process = host.spawn_piped([sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"], stdin=b"")
    looks = 0

    def tick() -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise ValueError

    read = []
    try:
        with pytest.raises(ValueError):
            for line in process.lines(tick):
                read.append(line)
    finally:
        process.kill()
        process.wait(10)
    assert read == ["1"]


def test_a_process_that_prints_all_the_time_is_looked_at_too(host: Host) -> None:
    process = host.spawn_piped(["yes"], stdin=b"")

    def tick() -> None:
        raise ValueError

    began = time.monotonic()
    try:
        with pytest.raises(ValueError):
            for _ in process.lines(tick):
                pass
    finally:
        process.kill()
        process.wait(10)
    assert time.monotonic() - began < 10


def test_a_command_that_is_stopped_is_named_and_ended(host: Host) -> None:
    argv = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"]
    with pytest.raises(HostError, match=r" 1\d s; process stopped \(T\)"):
        host.run(argv, timeout_s=60)


def test_a_command_that_is_slow_to_read_gets_all_it_is_fed(host: Host) -> None:
    fed = "x" * 1_000_000
    done = host.run(["sh", "-c", "sleep 2.5; wc -c"], stdin=fed, timeout_s=30)
    assert done.stdout.split() == ["1000000"]


def test_helpers_that_keep_a_commands_output_open_are_not_waited_for(host: Host, tmp_path: Path) -> None:
    """They left its session, so they are not ended with it; their pipe is closed on this side."""
    began = time.monotonic()
    with raises_code(HostError, "timed-out", "1 s"):
        host.run(["sh", "-c", "setsid sleep 100 & sleep 100"], timeout_s=1)
    assert time.monotonic() - began < 50


def test_a_piped_process_gives_its_standard_error_with_its_end(host: Host) -> None:
    process = host.spawn_piped(["sh", "-c", "echo one; echo wrong >&2; exit 2"], stdin=b"")
    assert list(process.lines()) == ["one"]
    done = process.wait(10)
    assert (done.exit_code, done.stderr) == (2, "wrong\n")


def test_helpers_that_keep_the_error_stream_of_a_piped_process_open_are_not_waited_for(host: Host) -> None:
    began = time.monotonic()
    process = host.spawn_piped(["sh", "-c", "echo word >&2; sleep 100 >/dev/null & exit 3"], stdin=b"")
    assert list(process.lines()) == []
    result = process.wait(10)
    assert (result.exit_code, result.stderr) == (3, "word\n") and time.monotonic() - began < 50


def test_a_copied_tree_keeps_modes_and_holes(host: Host, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "secret").write_text("x")
    (source / "secret").chmod(0o600)
    with (source / "sparse").open("wb") as file:
        file.truncate(64 << 20)
    assert host.copy_tree(source, tmp_path / "deep" / "copy") in ("reflink", "copy")
    copy = tmp_path / "deep" / "copy"
    assert stat.S_IMODE((copy / "secret").stat().st_mode) == 0o600
    assert (copy / "sparse").stat().st_size == 64 << 20
    assert (copy / "sparse").stat().st_blocks * 512 < 1 << 20
    with pytest.raises(HostError, match="copy"):
        host.copy_tree(source, copy)


def test_a_failed_copy_leaves_nothing(host: Host, tmp_path: Path) -> None:
    with pytest.raises(HostError):
        host.copy_tree(tmp_path / "missing", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_private_file_is_for_its_owner_only_even_over_an_open_one(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("old")
    path.chmod(0o644)
    host.write_private(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert host.read_private(path) == "new"


def test_an_unreadable_private_file_is_named(host: Host, tmp_path: Path) -> None:
    with pytest.raises(HostError, match="nothing-here"):
        host.read_private(tmp_path / "nothing-here")


def test_a_password_file_that_may_never_end_is_refused(host: Host, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * (65 << 10))
    for path, words in (
        (tmp_path / "pipe", "a named pipe"),
        (Path("/dev/zero"), "a device"),
        (tmp_path, "it is a folder"),
        (tmp_path / "large", "it holds more than 64 KiB"),
    ):
        with pytest.raises(HostError, match=words):
            host.read_private(path)


def test_a_private_directory_is_short_enough_for_a_socket(host: Host) -> None:
    path = host.make_private_directory()
    try:
        assert len(str(path / "s" / "s.sock")) < 100
        assert not stat.S_IMODE(path.stat().st_mode) & 0o066
    finally:
        host.remove_tree(path)
    host.remove_tree(path)  # a second time is fine


def test_a_lock_is_held_against_others_and_let_go(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with host.lock(path, 1):
        with raises_code(HostError, "in-use", str(path)), LocalHost().lock(path, 0):
            pass
    with LocalHost().lock(path, 0):
        pass


@pytest.mark.skipif(not AS_ROOT, reason="only root runs servers as another user")
def test_servers_of_root_run_as_somebody_else_who_must_be_able_to_get_there(host: Host, tmp_path: Path) -> None:
    assert host.run(["id", "-u"], timeout_s=10, as_server_user=True).stdout.strip() != "0"
    (tmp_path / "closed").mkdir(mode=0o700)
    with raises_code(HostError, "unreachable-folder", str(tmp_path / "closed")):
        host.ensure_reachable(tmp_path / "closed" / "data")


def test_facts_name_the_machine(host: Host) -> None:
    facts = host.facts(Path("/"))
    assert facts.logical_cpu_count >= 1
    assert facts.memory_bytes > host.memory_available_bytes() > 0
    assert facts.kernel and facts.filesystem != "unknown"
    assert host.free_bytes(Path("/no/such/folder")) > 0


def test_start_ticks_count_from_boot(host: Host) -> None:
    process = host.spawn(["true"], stdout=None, stderr=None)
    process.wait(10)
    uptime_ticks = time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK")
    assert 0 <= process.start_ticks <= uptime_ticks + 1


def test_home_follows_the_environment() -> None:
    assert Home.of_user({"DBDYNO_HOME": "/data/d"}, uid=0).root == Path("/data/d")
    assert Home.of_user({}, uid=0).root == Path("/var/cache/dbdyno")
    assert Home.of_user({"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}, uid=5).snapshots == Path("/c/dbdyno/snapshots")


def test_a_tree_that_is_still_being_written_to_is_removed_in_the_end(host: Host, tmp_path: Path) -> None:
    tree = tmp_path / "data"
    tree.mkdir()
    writer = threading.Thread(target=_keep_adding, args=(tree, time.monotonic() + 0.5))
    writer.start()
    host.remove_tree(tree)
    writer.join()
    assert not tree.exists()


def _keep_adding(tree: Path, until: float) -> None:
    number = 0
    while time.monotonic() < until:
        number += 1
        try:
            (tree / str(number)).touch()
        except FileNotFoundError:
            return


def test_a_tree_is_removed_although_another_process_removes_some_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(3):
        (tree / str(number)).touch()
    unlink, is_first = os.unlink, [True]

    def unlink_second(path: str, *, dir_fd: int | None = None) -> None:
        if is_first:
            is_first.clear()
            unlink(path, dir_fd=dir_fd)
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink_second)
    LocalHost().remove_tree(tree)
    assert not is_first and not tree.exists()
