"""Processes that read files: what becomes of the work when one dies, and of them when they are left alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dbdyno.core import HostError
from dbdyno.hosts._process import start_ticks_of
from dbdyno.imports._worker_pool import WorkerPool
from dbdyno.worker_processes import process_pool
from error_codes import raises_code

_WAITS_WITH_WORKERS = """
import time
from dbdyno.worker_processes import process_pool
pool = process_pool(2)
for done in [pool.submit(time.sleep, 0.1) for _ in range(4)]:
    done.result()
print("ready", flush=True)
time.sleep(60)
"""


def test_a_worker_that_dies_is_no_defect_of_dbdyno() -> None:
    with process_pool(1) as pool, raises_code(HostError, "worker-died") as error:
        list(WorkerPool(pool, 1).each(os._exit, [1]))
    assert "memory" in error.value.why


def test_workers_end_in_the_middle_of_their_work_when_it_is_interrupted() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), process_pool(1) as pool:
        pool.submit(os.getpid).result()
        pool.submit(time.sleep, 60)
        raise KeyboardInterrupt
    assert time.monotonic() - began < 30


def test_workers_end_with_a_process_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", _WAITS_WITH_WORKERS], stdout=subprocess.PIPE) as maker:
        assert maker.stdout is not None and maker.stdout.readline()
        workers = [int(pid) for pid in Path(f"/proc/{maker.pid}/task/{maker.pid}/children").read_text().split()]
        maker.kill()
    deadline = time.monotonic() + 20
    try:
        while left := [pid for pid in workers if start_ticks_of(pid) is not None]:
            assert time.monotonic() < deadline, "they would wait for work for good"
            time.sleep(0.05)
    finally:
        for pid in left:
            os.kill(pid, 9)
    assert len(workers) >= 2
