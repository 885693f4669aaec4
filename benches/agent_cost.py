"""Measure what the agent costs a server's host while a study drives its load over the network.

    python benches/agent_cost.py                             four runs of 30 s: 4 minutes
    python benches/agent_cost.py --against OLD/dbdyno-load   alternating pairs with another build
    python benches/agent_cost.py --pairs 2 --seconds 20

The host is a namespace of this machine, see tests/remote_hosts.py. The kernel counts the processor time of the agent (a
daemon and the relay between it and sshd) and of the sampler of session threads, from 4 s after the load began until 1 s
before its end. Needs root and sshd. The bar: the agent takes less than 0.1 % of a processor on a machine without other
work. Where others have work, caches are cold and everything takes longer.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))
from dbdyno.core import Home, parse_engine_name  # noqa: E402
from dbdyno.hosts import LocalHost  # noqa: E402
from dbdyno.lab import find_generator  # noqa: E402
from dbdyno.provision import provision  # noqa: E402
from network_host import inside  # noqa: E402 - the hosts of the tests
from remote_hosts import RemoteMachine, comes_true, load_is_driven, remote_machines  # noqa: E402

LIMIT = 0.1
ENGINE = "mariadb:11.8"
STUDY = f"""\
name = "agent-cost"
targets = ["{ENGINE}"]
[workload]
name = "sysbench/oltp_read_write"
tables = 1
table_size = 20000
[axes]
tier = "64MB"
concurrency = 4
route = ["network"]
[pacing]
think = "20ms"
[measure]
warm_up = "2s"
window = "SECONDSs"
repeats = 1
equivalence_events = 0
[hosts.db1]
ssh = "bench@db1"
address = "ADDRESS"
[bench.a]
server = "db1"
"""
ROLES = ("agent", "relay", "threads")


def main() -> int:
    """Run the bench; 1 if the agent's median is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="another dbdyno-load, in turn with the built one")
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=30)
    choices = parser.parse_args()
    programs = {"built": find_generator()} | ({"other": choices.against} if choices.against else {})
    provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
    shares: dict[str, list[Mapping[str, float]]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory(prefix="dbdyno-agent-cost-") as name:
        folder = Path(name)
        with remote_machines(folder, "db1") as (machine,):
            study = STUDY.replace("SECONDS", str(choices.seconds)).replace("ADDRESS", machine.address)
            (folder / "study.toml").write_text(study)
            for pair in range(choices.pairs):
                for program in sorted(programs, reverse=bool(pair % 2)):
                    found = _measure(machine, folder, programs[program], choices.seconds)
                    shares[program].append(found)
                    words = ", ".join(f"{role} {found[role]:.4f} %" for role in ROLES)
                    print(f"{program}: {words} of a processor; load average {os.getloadavg()[0]:.1f}", flush=True)
    for program, rows in shares.items():
        medians = ", ".join(f"{role} {statistics.median(row[role] for row in rows):.4f} %" for role in ROLES)
        print(f"{program}, median of {len(rows)}: {medians}")
    return int(statistics.median(row["agent"] + row["relay"] for row in shares["built"]) > LIMIT)


def _measure(machine: RemoteMachine, folder: Path, program: Path, seconds: int) -> dict[str, float]:
    """Return percent of a processor by role, in one run of the study."""
    output = folder / "out"
    words = ["run", str(folder / "study.toml"), "--force", "--quiet", "--fresh", "-o", str(output)]
    env = {**os.environ, "DBDYNO_NO_CALIBRATION": "1", "DBDYNO_LOAD": str(program)}
    with (folder / "log").open("w") as log:
        argv = [*inside(machine.switch), sys.executable, "-m", "dbdyno", *words]
        study = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
    if not comes_true(lambda: load_is_driven(machine, "network") or study.poll() is not None, 180):
        raise SystemExit("the load did not begin")
    time.sleep(4)
    pids = _pids(machine)
    before = {role: _cpu_ns(pid) for role, pid in pids.items()}
    began = time.monotonic()
    time.sleep(seconds - 5)
    elapsed_ns = 1e9 * (time.monotonic() - began)
    shares = {role: 100 * (_cpu_ns(pid) - before[role]) / elapsed_ns for role, pid in pids.items()}
    if study.wait(180):
        raise SystemExit((folder / "log").read_text())
    return dict.fromkeys(ROLES, 0.0) | shares


def _pids(machine: RemoteMachine) -> dict[str, int]:
    found = {}
    for pid, words in machine.processes().items():
        match words.split()[1:2]:
            case ["threads"]:
                found["threads"] = pid
            case ["agent"]:
                found["agent" if _is_daemon(pid) else "relay"] = pid
    return found


def _is_daemon(pid: int) -> bool:
    """Whether it was not started by sshd, as a relay is."""
    parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
    return not Path(f"/proc/{parent}/comm").read_text().startswith("sshd")


def _cpu_ns(pid: int) -> int:
    """Processor time of a process, with its threads that have ended: see clock_getcpuclockid(3)."""
    return time.clock_gettime_ns((~pid << 3) | 2)


if __name__ == "__main__":
    raise SystemExit(main())
