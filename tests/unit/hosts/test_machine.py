"""The state of a machine, read from folders shaped like /proc and /sys, and from this one."""

from __future__ import annotations

import http.server
import json
import os
import socket
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import Machine
from dbdyno.hosts import LocalHost, read_machine

HOST = LocalHost()

STAT = "cpu  {user} 0 100 {idle} 0 0 0 {steal} 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n"


class Files:
    """A machine made of files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __setitem__(self, path: str, text: str) -> None:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def read(self, **more: Any) -> Machine:
        more.setdefault("pause", lambda seconds: None)
        return read_machine(HOST, self.root, root=self.root, environ={"DOCKER_HOST": "unix:///absent"}, **more)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_this_machine_tells_most_of_itself() -> None:
    machine = read_machine(HOST, Path("/tmp"), look_s=0.05)
    assert machine.processors.usable
    assert machine.memory.total_bytes and machine.memory.available_bytes
    assert machine.limits.open_files and machine.limits.processes
    assert machine.disk.free_bytes and machine.disk.filesystem
    assert machine.load.used is not None


def test_a_machine_without_files_tells_nothing_and_fails_at_nothing(files: Files) -> None:
    machine = files.read()
    assert machine.clock_source == ""
    assert machine.memory.total_bytes is None
    assert machine.load.used is None
    assert machine.control_group.version is None


def test_governors_turbo_battery_and_threads_of_cores_are_read(files: Files) -> None:
    for index, governor in enumerate(("performance", "powersave")):
        files[f"/sys/devices/system/cpu/cpu{index}/cpufreq/scaling_governor"] = f"{governor}\n"
        files[f"/sys/devices/system/cpu/cpu{index}/topology/thread_siblings_list"] = "0-1\n"
    files["/sys/devices/system/cpu/intel_pstate/no_turbo"] = "0\n"
    files["/sys/class/power_supply/BAT0/type"] = "Battery\n"
    files["/sys/class/power_supply/AC/type"] = "Mains\n"
    files["/sys/class/power_supply/AC/online"] = "0\n"
    files["/sys/devices/system/node/node0/cpulist"] = "0-1\n"
    found = files.read().processors
    assert found.governors == ("performance", "powersave")
    assert found.siblings == ((0, 1),)
    assert found.nodes == ((0, 1),)
    assert (found.turbo, found.on_battery) == (True, True)


def test_a_mouse_on_battery_is_no_machine_on_battery(files: Files) -> None:
    files["/sys/class/power_supply/hidpp_battery_0/type"] = "Battery\n"
    files["/sys/class/power_supply/hidpp_battery_0/scope"] = "Device\n"
    files["/sys/class/power_supply/ucsi-source-psy-USBC000:001/type"] = "USB\n"
    files["/sys/class/power_supply/ucsi-source-psy-USBC000:001/online"] = "0\n"
    assert files.read().processors.on_battery is None


def test_memory_and_swap_are_read(files: Files) -> None:
    files["/proc/meminfo"] = "MemTotal: 1000 kB\nMemAvailable: 600 kB\nSwapTotal: 100 kB\nSwapFree: 90 kB\n"
    files["/proc/swaps"] = "Filename Type Size Used Priority\n/dev/zram0 partition 100 10 100\n"
    files["/proc/sys/vm/swappiness"] = "60\n"
    files["/sys/kernel/mm/transparent_hugepage/enabled"] = "always [madvise] never\n"
    found = files.read().memory
    assert (found.total_bytes, found.available_bytes, found.swap_used_bytes) == (1_024_000, 614_400, 10_240)
    assert (found.swap_is_ram, found.swappiness, found.huge_pages) == (True, 60, "madvise")


def test_a_partition_has_the_queue_of_its_disk(files: Files) -> None:
    root = files.root
    files["/proc/self/mountinfo"] = "1 0 8:1 / / rw,noatime - ext4 /dev/sda1 rw,discard\n"
    files["/sys/devices/disk/sda/queue/scheduler"] = "none [bfq] mq-deadline\n"
    files["/sys/devices/disk/sda/queue/read_ahead_kb"] = "4096\n"
    files["/sys/devices/disk/sda/queue/rotational"] = "0\n"
    (root / "sys/devices/disk/sda/sda1").mkdir()
    (root / "sys/dev/block").mkdir(parents=True)
    (root / "sys/dev/block/8:1").symlink_to(root / "sys/devices/disk/sda/sda1")
    disk = files.read().disk
    assert (disk.device, disk.filesystem, disk.scheduler, disk.queue_disk) == ("/dev/sda1", "ext4", "bfq", "sda")
    assert (disk.read_ahead_bytes, disk.rotational) == (4096 * 1024, False)
    assert disk.options == ("rw", "noatime", "discard")


def test_a_volume_is_scheduled_by_the_disks_below_it(files: Files) -> None:
    """An encrypted volume on a partition: its own queue says none, and has the read-ahead that counts."""
    sys = files.root / "sys"
    files["/proc/self/mountinfo"] = "1 0 253:1 / / rw,noatime - ext4 /dev/mapper/data rw\n"
    for device, scheduler, read_ahead_kb in (("dm-1", "none", 256), ("dm-0", "none", 128), ("sda", "none [bfq]", 64)):
        files[f"/sys/devices/{device}/queue/scheduler"] = f"{scheduler}\n"
        files[f"/sys/devices/{device}/queue/read_ahead_kb"] = f"{read_ahead_kb}\n"
        (sys / "devices" / device / "slaves").mkdir()
    (sys / "devices/sda/sda3").mkdir()
    (sys / "devices/dm-1/slaves/dm-0").symlink_to(sys / "devices/dm-0")
    (sys / "devices/dm-0/slaves/sda3").symlink_to(sys / "devices/sda/sda3")
    (sys / "dev/block").mkdir(parents=True)
    (sys / "dev/block/253:1").symlink_to(sys / "devices/dm-1")
    disk = files.read().disk
    assert (disk.scheduler, disk.queue_disk, disk.read_ahead_bytes) == ("bfq", "sda", 256 << 10)


def test_load_is_the_difference_of_two_looks_and_names_who_made_it(files: Files) -> None:
    own = os.getpid()
    files["/proc/stat"] = STAT.format(user=0, idle=0, steal=0)
    files["/proc/7/stat"] = "7 (my (odd) name) R " + " ".join(["0"] * 10) + " 0 0 0 0\n"
    files[f"/proc/{own}/stat"] = f"{own} (dbdyno) R " + " ".join(["0"] * 10) + " 0 0 0 0\n"

    def pause(seconds: float) -> None:
        files["/proc/stat"] = STAT.format(user=100, idle=90, steal=10)
        files["/proc/7/stat"] = "7 (my (odd) name) R " + " ".join(["0"] * 10) + " 60 40 0 0\n"

    load = files.read(pause=pause).load
    assert (load.used, load.processors) == (pytest.approx(1.0), 2)
    assert load.stolen_share == pytest.approx(0.05)
    assert [busy.name for busy in load.busiest] == ["my (odd) name"]


def test_a_program_that_a_loader_started_is_named_itself(files: Files) -> None:
    files["/proc/stat"] = STAT.format(user=0, idle=0, steal=0)
    files["/proc/7/cmdline"] = "/e/ld-linux-x86-64.so.2\0--library-path\0/e/lib\0/e/sbin/mariadbd\0--datadir=/d\0"
    for pid in (7, 8):
        files[f"/proc/{pid}/stat"] = f"{pid} (ld-linux-x86-64) R " + " ".join(["0"] * 10) + " 0 0 0 0\n"

    def pause(seconds: float) -> None:
        files["/proc/stat"] = STAT.format(user=100, idle=90, steal=10)
        for pid, ticks in ((7, 60), (8, 30)):
            files[f"/proc/{pid}/stat"] = f"{pid} (ld-linux-x86-64) R " + " ".join(["0"] * 10) + f" {ticks} 0 0 0\n"

    assert [busy.name for busy in files.read(pause=pause).load.busiest] == ["mariadbd", "ld-linux-x86-64"]


def test_limits_of_control_groups_above_bind_as_well(files: Files) -> None:
    files["/proc/self/cgroup"] = "0::/bench/run\n"
    files["/sys/fs/cgroup/cgroup.controllers"] = "cpu memory\n"
    files["/sys/fs/cgroup/bench/cpu.max"] = "150000 100000\n"
    files["/sys/fs/cgroup/bench/pids.max"] = "500\n"
    files["/sys/fs/cgroup/bench/run/cgroup.controllers"] = "memory cpu\n"
    files["/sys/fs/cgroup/bench/run/cpu.max"] = "max 100000\n"
    files["/sys/fs/cgroup/bench/run/memory.max"] = "1073741824\n"
    machine = files.read()
    group = machine.control_group
    assert (group.version, group.controllers) == (2, ("cpu", "memory"))
    assert (group.processors, group.memory_bytes) == (1.5, 1 << 30)
    assert machine.limits.processes == 500


def test_control_groups_of_version_1_are_read_by_controller(files: Files) -> None:
    files["/proc/self/cgroup"] = "4:memory:/bench\n2:cpu,cpuacct:/\n1:name=systemd:/\n"
    files["/sys/fs/cgroup/memory/bench/memory.limit_in_bytes"] = "2147483648\n"
    files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n"
    files["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "-1\n"
    files["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n"
    group = files.read().control_group
    assert (group.version, group.controllers) == (1, ("cpu", "cpuacct", "memory"))
    assert (group.processors, group.memory_bytes) == (None, 2 << 30)


class _Daemon(http.server.BaseHTTPRequestHandler):
    status, answer = 200, {}  # type: ignore[var-annotated]

    def do_GET(self) -> None:
        body = json.dumps(self.answer).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "socket"

    def log_message(self, format: str, *values: object) -> None:
        return None


@pytest.fixture
def daemon() -> Iterator[tuple[str, type[_Daemon]]]:
    folder = tempfile.TemporaryDirectory(prefix="dbdyno-docker-", dir="/tmp")
    path = str(Path(folder.name) / "docker.sock")
    handler = type("Handler", (_Daemon,), {})
    with folder, socketserver.UnixStreamServer(path, handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield path, handler
        server.shutdown()
        thread.join()


def test_a_docker_daemon_is_asked_over_its_socket(daemon: tuple[str, type[_Daemon]], files: Files) -> None:
    path, handler = daemon
    handler.answer = {"ServerVersion": "27.1", "NCPU": 4, "MemTotal": 8 << 30, "Warnings": ["No swap limit support"]}
    docker = read_machine(
        HOST, files.root, root=files.root, pause=lambda s: None, environ={"DOCKER_HOST": f"unix://{path}"}
    )
    assert docker.docker is not None
    assert (docker.docker.version, docker.docker.processors) == ("27.1", 4)
    assert docker.docker.warnings == ("No swap limit support",)


def test_a_docker_daemon_that_refuses_says_why(daemon: tuple[str, type[_Daemon]], files: Files) -> None:
    path, handler = daemon
    handler.status, handler.answer = 403, {"message": "not you"}
    found = read_machine(
        HOST, files.root, root=files.root, pause=lambda s: None, environ={"DOCKER_HOST": f"unix://{path}"}
    )
    assert found.docker is not None
    assert "not you" in found.docker.error


def test_a_socket_without_a_daemon_behind_it_is_told(files: Files) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as dead:
        dead.bind(f"{folder}/d.sock")
        environ = {"DOCKER_HOST": f"unix://{folder}/d.sock"}
        found = read_machine(HOST, files.root, root=files.root, pause=lambda s: None, environ=environ)
    assert found.docker is not None
    assert found.docker.error
