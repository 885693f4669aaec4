"""The load generator as a process: started, fed its order, read line by line, ended whatever happens."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dbdyno.core import MeasureError
from dbdyno.hosts import Host, PipedProcess
from dbdyno.measure._records import EndRecord, LoadRecord, parse_record
from dbdyno.store import JsonValue

EXIT_S = 10.0


@contextmanager
def load_process(
    host: Host, generator: Path, order: Mapping[str, JsonValue], cpus: tuple[int, ...] | None, longest_s: float
) -> Iterator[PipedProcess]:
    """A running load generator; killed when the block is left early, or when it outlives `longest_s`."""
    process = host.spawn_piped(
        [str(generator), "run", "--order", "-"], stdin=json.dumps(order, default=dict).encode(), cpus=cpus
    )
    watchdog = threading.Timer(longest_s, process.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        yield process
    except BaseException:
        process.kill()
        process.wait(EXIT_S)
        raise
    finally:
        watchdog.cancel()


def read_records(process: PipedProcess, each: Callable[[LoadRecord], None]) -> None:
    """Hand every record to `each` until the load generator closes its output.

    Raises
    ------
    MeasureError : it ended without a last record; its own words are in the error
    """
    ended = False
    for line in process.lines():
        record = parse_record(line)
        if record is not None:
            each(record)
            ended = ended or isinstance(record, EndRecord)
    completed = process.wait(EXIT_S)
    if not ended:
        raise MeasureError(
            f"the load generator ended with exit code {completed.exit_code} and no last record",
            completed.stderr.strip()[-2000:],
            "try the same order by hand: dbdyno-load run --order ORDER.json",
        )
