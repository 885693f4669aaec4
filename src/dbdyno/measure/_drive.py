"""The load generator as a process: started, fed its order, read line by line, ended whatever happens."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dbdyno.core import HostError, MeasureError
from dbdyno.hosts import Host, PipedProcess
from dbdyno.measure._records import EndRecord, LoadRecord, parse_record
from dbdyno.measure._watch import RunWatch
from dbdyno.store import JsonValue

EXIT_S = 10.0
_KILL_WAIT_S = 2.0


@contextmanager
def load_process(
    host: Host, generator: Path, order: Mapping[str, JsonValue], cpus: tuple[int, ...] | None, longest_s: float
) -> Iterator[PipedProcess]:
    """A running load generator; killed when the block is left early, or when it far outlives `longest_s`."""
    process = host.spawn_piped(
        [str(generator), "run", "--order", "-"], stdin=json.dumps(order, default=dict).encode(), cpus=cpus
    )
    watchdog = threading.Timer(longest_s + EXIT_S, process.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        yield process
    except BaseException:
        end_process(process)
        raise
    finally:
        watchdog.cancel()


def end_process(process: PipedProcess) -> None:
    """End it at once. One that the kernel does not end now (a disk that hangs) is not waited for."""
    process.kill()
    with suppress(HostError):
        process.wait(_KILL_WAIT_S)


def read_records(process: PipedProcess, each: Callable[[LoadRecord], None], watch: RunWatch | None = None) -> None:
    """Hand every record to `each` until the load generator closes its output.

    Parameters
    ----------
    watch : looks after it and its server meanwhile

    Raises
    ------
    MeasureError : it ended without a last record, its own words are in the error; or the watch has found what hangs
    """
    ended = False
    for line in process.lines(watch.look if watch is not None else None):
        record = parse_record(line)
        if record is not None:
            if watch is not None:
                watch.take(record)
            each(record)
            ended = ended or isinstance(record, EndRecord)
    completed = process.wait(EXIT_S)
    if not ended:
        raise MeasureError(
            f"the load generator {_ending_words(completed.exit_code)} and no last record",
            completed.stderr.strip()[-2000:],
            "try the same order by hand: dbdyno-load run --order ORDER.json",
        )


def _ending_words(code: int) -> str:
    return f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"
