"""What the checks say of machines made up for it: a clean host, a guest, a laptop, a container."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dbdyno.core import (
    UNLIMITED,
    AsyncIo,
    BusyProcess,
    ControlGroup,
    Disk,
    Docker,
    Limits,
    Load,
    Machine,
    Memory,
    Processors,
    Profiler,
)
from dbdyno.doctor import CHECKS, CheckOutcome, Generator, Needs, examine

GIB = 1 << 30
CLEAN = Machine(
    kernel="6.8.0",
    clock_source="tsc",
    virtualisation="none seen",
    delays_network=True,
    processors=Processors(
        model="EPYC",
        usable=tuple(range(8)),
        governors=("performance",),
        turbo=False,
        nodes=(tuple(range(8)),),
        numa_balancing=False,
        zone_reclaim=False,
        siblings=((0, 4), (1, 5), (2, 6), (3, 7)),
    ),
    memory=Memory(64 * GIB, 60 * GIB, 0, 0, None, 60, "madvise", 0),
    limits=Limits(1_048_576, UNLIMITED, 4096, 28_232),
    disk=Disk(
        "/data", "/dev/nvme0n1p2", "xfs", ("rw", "noatime"), False, "none", 128 << 10, 900 * GIB, 600 * GIB, "nvme0n1"
    ),
    asynchronous=AsyncIo(io_uring=True, native=True, requests_left=65_536),
    load=Load(1.0, 0.02, 0.0, 0.0, ()),
    control_group=ControlGroup(2, ("cpu", "memory"), None, None, True),
)
NEEDS = Needs(concurrency=256, memory_bytes=8 * GIB, disk_bytes=20 * GIB, routes=("socket", "loopback"))
GENERATOR = Generator("/usr/bin/dbdyno-load", is_calibrated=True)
LAPTOP = replace(
    CLEAN,
    processors=replace(CLEAN.processors, governors=("powersave",), turbo=True, on_battery=True),
    memory=replace(CLEAN.memory, swap_bytes=8 * GIB, swap_used_bytes=0, huge_pages="always"),
    load=Load(1.0, 1.7, 0.0, 0.2, (BusyProcess(4711, "browser", 1.5),)),
)
GUEST = replace(
    CLEAN,
    virtualisation="virtual machine (QEMU)",
    clock_source="hpet",
    processors=Processors(usable=(0,)),
    load=Load(1.0, 0.0, 0.07, 0.0, ()),
    disk=replace(CLEAN.disk, scheduler="bfq", options=("rw", "relatime", "nobarrier"), read_ahead_bytes=4 << 20),
)
CONTAINER = replace(
    CLEAN,
    virtualisation="container",
    disk=replace(CLEAN.disk, filesystem="overlay", scheduler="", read_ahead_bytes=None),
    limits=replace(CLEAN.limits, open_files=1024, processes=300),
    asynchronous=AsyncIo(io_uring=False, io_uring_why="Operation not permitted", native=True, requests_left=512),
    control_group=ControlGroup(2, ("cpu",), 1.5, 4 * GIB, False),
)


def found(machine: Machine, needs: Needs | None = NEEDS) -> dict[str, str]:
    return {finding.check_id: finding.severity for finding in examine(machine, needs, GENERATOR).findings}


def outcome(check_id: str, machine: Machine, needs: Needs | None = NEEDS) -> CheckOutcome:
    return next(o for o in examine(machine, needs, GENERATOR).outcomes if o.check_id == check_id)


def test_a_clean_host_has_nothing_in_the_way_with_or_without_a_study() -> None:
    assert found(CLEAN) == {}
    assert found(CLEAN, None) == {}
    assert [o.check_id for o in examine(CLEAN, NEEDS, GENERATOR).outcomes if o.state == "unknown"] == []


def test_a_laptop_on_battery_is_told_what_moves_its_clock_and_its_memory() -> None:
    assert found(LAPTOP) == {
        "governor": "weakens",
        "battery": "weakens",
        "swap": "weakens",
        "huge-pages": "weakens",
        "other-load": "weakens",
        "disk-waits": "weakens",
        "turbo": "note",
    }
    assert "browser (4711) 1.50" in outcome("other-load", LAPTOP).seen


@pytest.mark.parametrize(("used", "state"), [(30.0, "found"), (1.5, "clear")])
def test_other_load_is_a_share_of_all_processors_also_of_those_not_usable_here(used: float, state: str) -> None:
    limited = replace(CLEAN, load=Load(1.0, used, 0.0, 0.0, (), processors=64))
    assert outcome("other-load", limited).state == state
    assert f"{used:.2f} of 64 processors" in outcome("other-load", limited).seen


def test_a_guest_is_told_of_its_neighbours_its_clock_and_its_disk() -> None:
    assert found(GUEST) == {
        "processors": "weakens",
        "clock-source": "weakens",
        "mount-options": "weakens",
        "io-scheduler": "weakens",
        "steal": "weakens",
        "read-ahead": "note",
    }
    assert "/sys/block/nvme0n1/queue/scheduler" in outcome("io-scheduler", GUEST).remedy


@pytest.mark.parametrize(("option", "opposite"), [("nobarrier", "barrier"), ("sync", "async")])
def test_a_remount_names_the_mount_point_and_not_the_folder_on_it(option: str, opposite: str) -> None:
    disk = replace(CLEAN.disk, path="/home/my db", options=("rw", "noatime", option))
    remedy = outcome("mount-options", replace(CLEAN, disk=disk)).remedy
    assert remedy.startswith(f"sudo mount -o remount,{opposite} \"$(findmnt -no TARGET -T '/home/my db')\"")


@pytest.mark.parametrize(("kind", "word"), [("nfs4", "network"), ("9p", "hypervisor"), ("virtiofs", "hypervisor")])
def test_a_folder_that_the_hypervisor_shares_is_on_no_network(kind: str, word: str) -> None:
    said = outcome("filesystem", replace(CLEAN, disk=replace(CLEAN.disk, filesystem=kind)))
    assert [name for name in ("network", "hypervisor") if name in f"{said.seen} {said.effect}"] == [word]


def test_a_container_is_told_of_the_limits_around_it() -> None:
    assert found(CONTAINER) == {
        "memory": "blocker",
        "open-files": "blocker",
        "processes": "blocker",
        "filesystem": "weakens",
        "native-aio": "weakens",
        "cpu-quota": "weakens",
        "io-uring": "note",
        "memory-limit": "note",
    }


def test_the_gravest_come_first() -> None:
    severities = [finding.severity for finding in examine(CONTAINER, NEEDS, GENERATOR).findings]
    assert severities == sorted(severities, key=["blocker", "weakens", "note"].index)


@pytest.mark.parametrize(
    ("part", "change", "needs", "check_id", "severity"),
    [
        ("disk", {"free_bytes": 10 * GIB}, {}, "free-space", "blocker"),
        ("disk", {"free_bytes": 40 * GIB}, {}, "free-space", "weakens"),
        ("disk", {"filesystem": "tmpfs"}, {}, "filesystem", "weakens"),
        ("disk", {"filesystem": "nfs4"}, {}, "filesystem", "weakens"),
        ("disk", {"filesystem": "virtiofs"}, {}, "filesystem", "weakens"),
        ("disk", {"filesystem": "btrfs"}, {}, "filesystem", "note"),
        ("disk", {"options": ("rw", "sync", "noatime")}, {}, "mount-options", "weakens"),
        ("disk", {"options": ("rw", "dirsync", "noatime")}, {}, "mount-options", "note"),
        ("disk", {"options": ("rw",)}, {}, "mount-options", "note"),
        ("memory", {"available_bytes": 4 * GIB}, {}, "memory", "blocker"),
        ("memory", {"swap_bytes": GIB, "swap_used_bytes": GIB}, {}, "swap", "weakens"),
        ("memory", {"overcommit": 2}, {}, "overcommit", "note"),
        ("limits", {"open_files": 4096}, {}, "open-files", "weakens"),
        ("limits", {"open_files": 30_000}, {"concurrency": 1000, "open_files": 34_032}, "open-files", "blocker"),
        ("limits", {"backlog": 128}, {}, "listen-backlog", "weakens"),
        ("limits", {"ports": 400}, {}, "local-ports", "blocker"),
        ("processors", {"nodes": ((0, 1, 2, 3), (4, 5, 6, 7))}, {}, "numa-nodes", "note"),
        ("processors", {"nodes": ((0, 1), (2, 3)), "numa_balancing": True}, {}, "numa-balancing", "weakens"),
        ("processors", {"nodes": ((0, 1), (2, 3)), "zone_reclaim": True}, {}, "zone-reclaim", "weakens"),
        ("processors", {}, {"server_processors": (9,)}, "pinning", "blocker"),
        ("processors", {}, {"server_processors": (0, 1), "client_processors": (1,)}, "pinning", "weakens"),
        ("processors", {}, {"server_processors": (0,), "client_processors": (4,)}, "shared-cores", "weakens"),
        ("processors", {}, {"concurrency": 1000}, "processors", "note"),
        ("asynchronous", {"native": False, "native_why": "EAGAIN"}, {}, "native-aio", "weakens"),
        ("control_group", {"processors": 2.0}, {}, "cpu-quota", "weakens"),
        ("control_group", {"is_writable": False}, {"features": ("memory",)}, "controllers", "blocker"),
        ("control_group", {}, {"features": ("io",)}, "controllers", "blocker"),
    ],
)
def test_each_thing_is_found_with_its_weight_effect_and_remedy(
    part: str, change: dict[str, Any], needs: dict[str, Any], check_id: str, severity: str
) -> None:
    machine = replace(CLEAN, **{part: replace(getattr(CLEAN, part), **change)})
    said = outcome(check_id, machine, replace(NEEDS, **needs))
    assert (said.state, said.severity) == ("found", severity)
    assert said.seen and said.effect and said.remedy


@pytest.mark.parametrize(("has", "state"), [(True, "clear"), (False, "found"), (None, "unknown")])
def test_a_delayed_network_is_asked_for_by_the_study_alone(has: bool | None, state: str) -> None:
    machine = replace(CLEAN, delays_network=has)
    assert outcome("network-delay", machine).state == "idle"
    assert outcome("network-delay", machine, replace(NEEDS, features=("netem",))).state == state


@pytest.mark.parametrize(
    ("docker", "state", "severity"),
    [
        (Docker("/s", "27.1", 8, 64 * GIB), "clear", "note"),
        (Docker("/s", error="permission denied"), "found", "note"),
        (Docker("/s", "27.1", 8, 64 * GIB, ("WARNING: No swap limit support",)), "found", "weakens"),
        (Docker("/s", "27.1", 4, 8 * GIB), "found", "note"),
    ],
)
def test_a_docker_daemon_that_can_not_limit_is_named(docker: Docker, state: str, severity: str) -> None:
    said = outcome("docker", replace(CLEAN, docker=docker))
    assert (said.state, said.severity) == (state, severity)


@pytest.mark.parametrize("docker", [None, Docker("/s", error="permission denied")])
def test_a_study_with_an_image_needs_a_daemon_that_answers(docker: Docker | None) -> None:
    machine = replace(CLEAN, docker=docker)
    said = outcome("docker", machine, replace(NEEDS, sources=("image", "package")))
    assert (said.state, said.severity) == ("found", "blocker")


def test_a_server_on_one_node_is_not_reproached_with_the_others() -> None:
    two = replace(CLEAN.processors, nodes=((0, 1, 2, 3), (4, 5, 6, 7)))
    machine = replace(CLEAN, processors=two)
    assert outcome("numa-nodes", machine, replace(NEEDS, server_processors=(4, 5))).state == "clear"


def test_what_a_machine_does_not_tell_is_unknown_and_no_finding() -> None:
    said = examine(Machine(), NEEDS, GENERATOR).outcomes
    assert [o.check_id for o in said if o.state == "found"] == []
    assert {o.check_id for o in said if o.state == "unknown"} >= {
        "processors", "clock-source", "memory", "swap", "huge-pages", "open-files", "free-space", "native-aio", "steal"
    }  # fmt: skip


def test_a_load_generator_that_is_not_there_is_a_blocker() -> None:
    said = examine(CLEAN, NEEDS, Generator("", "neither here nor there")).findings
    assert [(o.check_id, o.severity) for o in said] == [("load-generator", "blocker")]


def test_names_of_checks_are_each_there_once() -> None:
    ids = [check.check_id for check in CHECKS]
    assert len(ids) == len(set(ids)) >= 35


@pytest.mark.parametrize(
    ("profiler", "state", "word"),
    [
        (Profiler("6.1", 3, is_root=True), "clear", "kernel"),
        (Profiler("6.1", 1), "clear", "kernel"),
        (Profiler("6.1", 2), "clear", "not the kernel"),
        (Profiler("6.1", 3), "found", "perf_event_paranoid is 3"),
        (Profiler("6.1", None), "found", "unknown"),
        (Profiler("", -1, is_root=True), "found", "not installed"),
        (None, "idle", ""),
    ],
)
def test_deep_profiles_need_perf_and_the_right_to_it(profiler: Profiler | None, state: str, word: str) -> None:
    seen = outcome("deep-profiles", replace(CLEAN, profiler=profiler), None)
    assert (seen.state, seen.severity) == (state, "note")
    assert word in seen.seen
    assert outcome("deep-profiles", replace(CLEAN, profiler=profiler)).state == "idle", "no study asks for it"
