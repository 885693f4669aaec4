"""Why a server ended, from logs as servers write them."""

from __future__ import annotations

import pytest

from dbdyno.configure._crash_report import diagnose
from dbdyno.hosts import OomSigns

QUIET = OomSigns(in_group=0, on_host=0, log_readable=True)
MYSQL_ASSERTION = """\
2026-11-22T10:00:00.000001Z 0 [System] [MY-010116] [Server] /usr/sbin/mysqld (mysqld 9.7.4) starting as process 77
2026-11-22T10:00:01.000001Z 8 [ERROR] [MY-013183] [InnoDB] Assertion failure: fil0fil.cc:7483:err == DB_SUCCESS thread 1
InnoDB: We intentionally generate a memory trap.
2026-11-22T10:00:01Z UTC - mysqld got signal 6 ;
stack_bottom = 0 thread_stack 0x100000
/usr/sbin/mysqld(my_print_stacktrace(unsigned char const*, unsigned long)+0x2e) [0x1]
"""
MARIADB_ASSERTION = """\
2026-11-22 10:00:00 0x7f00 InnoDB: Assertion failure in file /build/storage/innobase/log/log0recv.cc line 2120
InnoDB: Failing assertion: !recv_sys.found_corrupt_log
261122 10:00:00 [ERROR] /usr/sbin/mariadbd got signal 6 ;
Attempting backtrace. You can use the following information to find out
"""
SEGFAULT = "261122 10:00:00 [ERROR] mysqld got signal 11 ;\nThis could be because you hit a bug.\nstack_bottom = 0x0\n"
DISK = """\
2026-11-22T10:00:01Z 1 [ERROR] [MY-012145] [InnoDB] Error number 28 means 'No space left on device'
2026-11-22T10:00:01Z 1 [ERROR] [MY-013183] [InnoDB] Assertion failure: log0write.cc:1:err thread 1
2026-11-22T10:00:01Z UTC - mysqld got signal 6 ;
"""
STOPPED = "2026-11-22 10:00:00 0 [Note] mariadbd (initiated by: root[root] @ localhost []): Normal shutdown\n"


@pytest.mark.parametrize(
    ("exit_code", "log", "kind", "words"),
    [
        (-6, MYSQL_ASSERTION, "assertion", "fil0fil.cc:7483"),
        (2, MYSQL_ASSERTION, "assertion", "signal 6, abort"),  # its handler ends it by an exit code of its own
        (-6, MARIADB_ASSERTION, "assertion", "log0recv.cc line 2120"),
        (-11, SEGFAULT, "crashed", "signal 11, segmentation fault"),
        (1, SEGFAULT, "crashed", "signal 11, segmentation fault"),
        (-11, "", "crashed", "segmentation fault"),
        (-6, DISK, "disk-full", "No space left on device"),
        (1, DISK, "disk-full", "No space left on device"),
        (0, STOPPED, "stopped", "Normal shutdown"),
        (1, "x [ERROR] Cannot allocate memory for the buffer pool\n", "out-of-memory", "Cannot allocate"),
        (1, "2026-11-22 1:02:03 0 [ERROR] unknown variable 'a'\n", "ended", "unknown variable 'a'"),
        (7, "", "ended", "exit code 7"),
    ],
)
def test_each_end_is_told_by_what_it_leaves(exit_code: int, log: str, kind: str, words: str) -> None:
    death = diagnose(exit_code, log, QUIET)
    assert death.kind == kind
    assert words in death.words
    assert "\n" not in death.words


def test_the_stack_belongs_to_the_excerpt() -> None:
    assert "my_print_stacktrace" in diagnose(-6, MYSQL_ASSERTION, QUIET).excerpt


def test_a_recovered_crash_of_long_ago_is_not_taken_for_the_end() -> None:
    log = MYSQL_ASSERTION + "2026-11-22 10:00:00 0 [Note] ready\n" * 400
    assert diagnose(1, log, QUIET).kind == "ended"


LINE = "[12.3] Out of memory: Killed process 77 (mariadbd) total-vm:1kB"


@pytest.mark.parametrize(
    ("signs", "kind", "words"),
    [
        (QUIET, "killed", "lack of memory"),
        (OomSigns(in_group=0, on_host=2, log_readable=True), "killed", "not this one"),
        (OomSigns(), "killed", "can't see"),
        (OomSigns(in_group=1, on_host=1), "oom-limit", " 96 MiB"),
        (OomSigns(line=f"Memory cgroup out of memory: {LINE}"), "oom-limit", "limit"),
        (OomSigns(in_group=0, on_host=1, line=LINE, log_readable=True), "oom", "out of memory"),
        (OomSigns(on_host=1), "oom", "probably"),
        (OomSigns(in_group=1, on_host=1, line=LINE, log_readable=True, at_limit=1), "oom", "out of memory"),
        (OomSigns(in_group=1, on_host=1, at_limit=0), "oom", "out of memory"),
        (OomSigns(in_group=1, on_host=1, at_limit=2), "oom-limit", " 96 MiB"),
        (OomSigns(in_group=0, on_host=1, log_readable=True), "killed", "1 other process"),
    ],
)
def test_the_kernels_kill_is_told_from_somebodys(signs: OomSigns, kind: str, words: str) -> None:
    death = diagnose(-9, "", signs, 96 << 20)
    assert death.kind == kind
    assert words in death.words
