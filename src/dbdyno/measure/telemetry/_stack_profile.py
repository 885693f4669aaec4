"""Profiles the server's process while a run is driven: functions on a processor by perf, waits by the sampler's stacks.

A profile costs processor time, so runs that are judged have none: `dbdyno explain --deep` makes runs for it alone.
No run needs it: what is unavailable is reported by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import FURTHER, SESSIONS, HostError, Stack, folded_stack, linker_name
from dbdyno.hosts import Host, PipedProcess
from dbdyno.measure.telemetry._perf_script import FIELDS, FoldedSamples, fold_samples
from dbdyno.measure.telemetry._session_threads import SessionThreads
from dbdyno.store import JsonValue, StackProfile

RATE_HZ = 99
"""Not 100: work that comes with a clock's tick would be seen always or never."""
_END_S = 10.0
_DECODE_S = 300.0
_US = 1e6
_COMMAND = "dispatch_command"


@dataclass(slots=True)
class PerfRecording:
    """Records the stacks of one process by perf.

    Parameters
    ----------
    folder : private, to record into; the caller removes it
    longest_s : after which perf ends by itself
    sees_kernel : whether functions of the kernel are recorded, too
    """

    host: Host
    folder: Path
    pid: int
    longest_s: float
    version: str = ""
    sees_kernel: bool = True
    rate_hz: int = RATE_HZ
    failure: str = ""
    _process: PipedProcess | None = None

    @property
    def argv(self) -> list[str]:
        """The command, without the file that it writes. Unix time: a namespace may shift the monotonic clock."""
        event = "cpu-clock" if self.sees_kernel else "cpu-clock:u"
        options = ["-e", event, "-F", str(self.rate_hz), "--call-graph", "fp", "-k", "CLOCK_REALTIME", "-N"]
        return ["perf", "record", *options, "-p", str(self.pid)]

    def start(self) -> None:
        """Begin, while the load's connections are open: threads that begin later are recorded, too."""
        argv = [*self.argv, "-o", str(self._data_file), "--", "sleep", f"{self.longest_s:.0f}"]
        try:
            self._process = self.host.spawn_piped(argv, stdin=b"")
        except HostError as error:
            self.failure = str(error)

    @property
    def _data_file(self) -> Path:
        return self.folder / "perf.data"

    def stop(self) -> None:
        """End it; nothing happens the second time."""
        process, self._process = self._process, None
        if process is None:
            return
        process.interrupt()
        try:
            exit_result = process.wait(_END_S)
        except HostError as error:
            process.kill()
            self.failure = str(error)
            return
        if not self.host.files.stat(self._data_file):
            self.failure = exit_result.stderr.strip()[-300:] or "perf ended without a message"

    def folded(self, first_ns: int, end_ns: int) -> FoldedSamples:
        """Return stacks of a time that was recorded."""
        self.stop()
        if self.failure:
            return FoldedSamples()
        try:
            argv = ["perf", "script", "-i", str(self._data_file), "--no-inline", "-F", FIELDS]
            perf_script = self.host.run(argv, timeout_s=_DECODE_S)
            return fold_samples(perf_script.stdout.splitlines(), first_ns, end_ns)
        except HostError as error:
            self.failure = str(error)
            return FoldedSamples()


@dataclass(frozen=True, slots=True)
class ProfiledWindow:
    """Describes what a profile is of.

    Parameters
    ----------
    start_ns : Unix time of second 0, by the clock of the server's machine
    first_second, seconds : the window
    transactions : committed in it
    """

    start_ns: int
    first_second: int
    seconds: int
    transactions: int


def stack_profile(recording: PerfRecording, threads: SessionThreads | None, window: ProfiledWindow) -> StackProfile:
    """Return the folded stacks that were seen in a window."""
    first_ns = window.start_ns + window.first_second * 10**9
    folded = recording.folded(first_ns, first_ns + window.seconds * 10**9)
    waits = waiting_stacks(threads, window) if threads is not None else {}
    missing_parts: dict[str, JsonValue] = {}
    if not folded.samples:
        missing_parts["on_cpu"] = recording.failure or "perf saw no thread of the server on a processor"
    if not waits:
        missing_parts["off_cpu"] = "dbdyno did not see what the server's session threads wait for"
    facts: dict[str, JsonValue] = {
        "window_s": window.seconds,
        "transactions": window.transactions,
        "samples": folded.samples,
        "cut_off": folded.cut_off,
        "rate_hz": recording.rate_hz,
        "on_cpu_unit_ms": 1e3 / recording.rate_hz,
        "off_cpu_unit_ms": 1e3 / _US,
        "perf": recording.version,
        "command": recording.argv,
        "missing": missing_parts,
    }
    return StackProfile(facts, folded.stacks, waits)


def waiting_stacks(threads: SessionThreads, window: ProfiledWindow) -> Mapping[Stack, int]:
    """Return microseconds of the window that session threads were blocked with each stack, except waits for the client.

    How long a class of waits took in the window is known; the sampler keeps the most frequent stacks of the whole run,
    and none of calls on files. Each class is shared out among its stacks; what they don't cover is its `FURTHER`.
    """
    end_second = window.first_second + window.seconds
    rows = [row for row in threads.rows(end_second) if row.second >= window.first_second]
    prefix = "sessions.wait."
    window_us: Counter[str] = Counter()
    for row in rows:
        if row.metric.startswith(prefix):
            window_us[row.metric.removeprefix(prefix)] += round(row.value * _US)
    samples_by_class: Counter[str] = Counter()
    for record in threads.records:
        samples_by_class.update(record.get("waits", {}))
    microseconds: Counter[Stack] = Counter()
    stacks = threads.stacks()
    for name, total_us in window_us.items():
        if name != "client":
            class_stacks = [(stack.samples, stack.functions) for stack in stacks if stack.wait_class == name]
            microseconds.update(_time_by_stack(name, total_us, samples_by_class[name], class_stacks))
    return microseconds


def _time_by_stack(
    name: str, total_us: int, samples: int, stacks: Sequence[tuple[int, Sequence[str]]]
) -> Mapping[Stack, int]:
    """Return a class's time by its stacks.

    >>> found = _time_by_stack("latch", 1000, 10, [(4, ["do_command", "futex"])])
    >>> sorted((*stack[1:], us) for stack, us in found.items())
    [('latch', '[calls on files, rarer stacks]', 600), ('latch', 'do_command', 'futex', 400)]
    """
    words, all_samples = name.replace("_", " "), max(samples, sum(count for count, _ in stacks), 1)
    microseconds: Counter[Stack] = Counter()
    for count, functions in stacks:
        names = [linker_name(function) for function in functions]
        group, *frames = folded_stack(SESSIONS, names[_command_start(names) :])
        microseconds[group, words, *frames] += total_us * count // all_samples
    if remainder_us := total_us - sum(microseconds.values()):
        microseconds[SESSIONS, words, FURTHER] = remainder_us
    return microseconds


def _command_start(names: Sequence[str]) -> int:
    """Return where the client's command begins: the sampler copies few frames, so its caller may be missing."""
    return names.index(_COMMAND) if _COMMAND in names else 0
