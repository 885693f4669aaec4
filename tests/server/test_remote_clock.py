"""A host whose wall clock is set, and whose path becomes slow, while it serves a run. See `remote_hosts`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from remote_hosts import RemoteMachine, remote_machines
from server.test_remote_study import ENGINE, assert_nothing_is_left, start, write_study

pytestmark = pytest.mark.server
HOUR_NS = 3600 * 10**9
SLOWER_NS = 40_000_000
# No namespace has a time of day of its own: the lab is given another one than the host's, from the first second on.
# So it is with the path between them, which takes longer from then on.
SET_FORWARD_AND_SLOW = f"""
from dataclasses import replace
from dbdyno.hosts.remote import RemoteHost
from dbdyno.lab import SecondMeasured
from dbdyno.cli import _progress
read, seconds = RemoteHost.clock, []
def clock(host):
    reading = read(host)
    return replace(reading, unix_ns=reading.unix_ns + ({HOUR_NS} if seconds else 0))
RemoteHost.clock = clock
from dbdyno.hosts.remote import _link
exchange = _link.Exchange
_link.Exchange = lambda sent, there, received: exchange(sent, there, received + ({SLOWER_NS} if seconds else 0))
show = _progress.PlainLines.on_event
def on_event(self, event):
    seconds.extend([event] * isinstance(event, SecondMeasured))
    show(self, event)
_progress.PlainLines.on_event = on_event
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteMachine]:
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1") as (made,):
        provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
        yield made


@pytest.mark.parametrize(("before", "texts"), [(SET_FORWARD_AND_SLOW, 1), ("", 0)])
def test_what_happens_to_the_clock_of_the_host_in_a_run_over_the_network_is_reported(
    before: str, texts: int, machine: RemoteMachine, tmp_path: Path
) -> None:
    study, output = write_study(tmp_path, machine, ("network",), is_single=True), tmp_path / "out"
    process = start(machine, "run", str(study), "--force", "-o", str(output), before=before)
    told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    caveats = [caveat.text for caveat in record.caveats if caveat.code == "clock-jump"]
    assert len(caveats) == texts
    assert all("the server's host was set forward by 3600.0 s" in text for text in caveats)
    clock = stored.document(record.run.run_id, "telemetry")["clock"]
    assert (clock["bound_ns"] >= SLOWER_NS // 2) is bool(texts), "by the exchanges after the load"
    unknown = [caveat.text for caveat in record.caveats if caveat.code == "clock-bound"]
    assert [f"only to {clock['bound_ns'] / 1e6:.1f} ms" in text for text in unknown] == [True] * texts
    assert clock["ahead_ns"] > 10**14 and clock["exchanges"] > 0
    assert f"known to {clock['bound_ns'] / 1e6:.2g} ms" in (output / "report.html").read_text()
    assert_nothing_is_left(machine)
