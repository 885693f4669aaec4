"""What the load's own connections negotiate, without a load: the generator is ended as soon as it has told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dbdyno.core import MeasureError
from dbdyno.hosts import Host
from dbdyno.measure._drive import EXIT_S, end_process, load_process
from dbdyno.measure._order import LoadOrder
from dbdyno.measure._records import StartRecord, parse_record
from dbdyno.measure._watch import RunWatch, WatchedServer
from dbdyno.store import JsonValue


def load_sessions(order: LoadOrder, server: WatchedServer, host: Host, generator: Path) -> Mapping[str, JsonValue]:
    """The start record of an order: it comes once all connections are open and their statements prepared.

    What the load sends until it is ended, a few milliseconds later, may change rows.

    Raises
    ------
    MeasureError : the load generator ended before it told, or it or the server hangs
    """
    with load_process(host, generator, order.to_json(), order.study.pinning.client, order.longest_s) as process:
        for line in process.lines(RunWatch.of(process, server, order.longest_s).look):
            record = parse_record(line)
            if isinstance(record, StartRecord):
                end_process(process)
                return record.raw
        completed = process.wait(EXIT_S)
    raise MeasureError("the load's connections could not be opened", completed.stderr.strip()[-2000:])
