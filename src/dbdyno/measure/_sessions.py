"""What the load's own connections negotiate, without a load: the generator is ended as soon as it has told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dbdyno.core import MeasureError
from dbdyno.hosts import Host
from dbdyno.measure._drive import EXIT_S, load_process
from dbdyno.measure._order import LoadOrder
from dbdyno.measure._records import StartRecord, parse_record
from dbdyno.store import JsonValue


def load_sessions(order: LoadOrder, host: Host, generator: Path) -> Mapping[str, JsonValue]:
    """The start record of an order: it comes once all connections are open and their statements prepared.

    What the load sends until it is ended, a few milliseconds later, may change rows.

    Raises
    ------
    MeasureError : the load generator ended before it told
    """
    with load_process(host, generator, order.to_json(), order.study.pinning.client, order.longest_s) as process:
        for line in process.lines():
            record = parse_record(line)
            if isinstance(record, StartRecord):
                process.kill()
                process.wait(EXIT_S)
                return record.raw
        completed = process.wait(EXIT_S)
    raise MeasureError("the load's connections could not be opened", completed.stderr.strip()[-2000:])
