"""Runs of ``dbdyno-load``, and what they wrote down: for tests that hold it against a known truth."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from dbdyno.lab import find_generator
from dbdyno.store import merged_histogram
from punctual import first_in_line

POINT_SELECT = "sysbench/oltp_point_select"
READ_WRITE = "sysbench/oltp_read_write"
Group = Literal["transactions", "statements"]


@dataclass(frozen=True)
class LoadRun:
    """A run that has ended.

    Attributes
    ----------
    exit_code, text, errors : of the process, what it printed to standard output and standard error
    records : what it wrote down, in order
    """

    exit_code: int
    text: str
    errors: str
    records: tuple[dict[str, Any], ...]

    @property
    def start(self) -> dict[str, Any]:
        return self._only("start")

    @property
    def end(self) -> dict[str, Any]:
        return self._only("end")

    @property
    def seconds(self) -> list[dict[str, Any]]:
        """All intervals, warm-up included."""
        return [record for record in self.records if record["record"] == "interval"]

    @property
    def window(self) -> list[dict[str, Any]]:
        """The intervals that are judged."""
        return [second for second in self.seconds if second["phase"] == "window"]

    @property
    def messages(self) -> list[str]:
        return [record["text"] for record in self.records if record["record"] == "message"]

    def error_counts(self) -> Counter[int]:
        """Errors of all statements in all seconds, by code."""
        found: Counter[int] = Counter()
        for second in self.seconds:
            for counts in second["statements"].values():
                found.update({int(code): count for code, count in counts["errors"].items()})
        return found

    def retry_counts(self) -> Counter[int]:
        """Repeated attempts of all events in all seconds, by the code of the error before."""
        found: Counter[int] = Counter()
        for second in self.seconds:
            for counts in second["transactions"].values():
                found.update({int(code): count for code, count in counts["retries"].items()})
        return found

    def _only(self, kind: str) -> dict[str, Any]:
        (record,) = [record for record in self.records if record["record"] == kind]
        return record


class RunningLoad:
    """A load under way. Leave it with `finish`, or by the end of the block, which stops it."""

    def __init__(
        self,
        workload: str,
        server: Sequence[str],
        arguments: Sequence[str],
        folder: Path,
        cpu: int = 0,
        *,
        command: str = "run",
        launcher: Sequence[str] = (),
    ) -> None:
        # A file, because a full pipe would stop the thread that writes records.
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        records, text, errors = (self._folder / name for name in ("records.jsonl", "text", "errors"))
        argv = [*launcher, str(find_generator()), command, workload, *server, "--json-lines", str(records), *arguments]
        with text.open("wb") as out, errors.open("wb") as err, first_in_line(cpu):
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def __enter__(self) -> RunningLoad:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @property
    def records_path(self) -> Path:
        return self._folder / "records.jsonl"

    def finish(self, timeout_s: float) -> LoadRun:
        """Wait for its end. A run that hangs fails the test, with what it had printed."""
        try:
            exit_code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            message = f"the load did not end within {timeout_s:g} s: {self._read('text')[-2000:]}{self._read('errors')}"
            raise AssertionError(message) from None
        lines = self._read("records.jsonl").splitlines()
        return LoadRun(exit_code, self._read("text"), self._read("errors"), tuple(json.loads(line) for line in lines))

    def _read(self, name: str) -> str:
        path = self._folder / name
        return path.read_text() if path.exists() else ""


def histogram(seconds: Iterable[dict[str, Any]], group: Group, measure: str, name: str | None = None) -> HdrHistogram:
    """One histogram of all given seconds; of all types of the group, or of the one named."""
    types = (counts for second in seconds for kind, counts in second[group].items() if name in (None, kind))
    return merged_histogram(counts[measure] for counts in types)


def quantile_ns(found: HdrHistogram, q: float) -> int:
    """The value that a share `q` does not exceed, the upper edge of its bucket."""
    index = int(np.searchsorted(_cumulated(found), rank(q, found.get_total_count())))
    return int(found.get_highest_equivalent_value(found.get_value_from_index(index)))


def count_above(found: HdrHistogram, ns: int) -> int:
    """How many values lie above one, to the width of a bucket."""
    cumulated = _cumulated(found)
    return int(cumulated[-1] - cumulated[found.get_counts_array_index(ns)])


def exact_quantile_ns(values: NDArray[np.int64], q: float) -> int:
    """The same of all values themselves."""
    place = rank(q, len(values)) - 1
    return int(np.partition(values, place)[place])


def rank(q: float, count: int) -> int:
    """Which value in order of size, from 1. Decimal, as people mean 99.9 %: 0.999 * 1000 is 999 and not 1000."""
    return max(1, math.ceil(round(q * 1e6) * count / 1e6))


def _cumulated(found: HdrHistogram) -> NDArray[np.int64]:
    return np.cumsum(np.frombuffer(found.counts, dtype=np.int64))
