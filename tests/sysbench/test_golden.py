"""Forty-two recorded outputs of sysbench 1.0.20, to the character; masked is only what varies from run to run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from dbdyno.configure import Server
from sysbench_program import LOAD, SHARED, Outcome, Program, reach
from sysbench_text import masked

SAMPLES = SHARED / "data" / "sysbench-output"
SCRIPTS = Path(__file__).parent / "scripts"
SCHEMA = "sbtest"
TABLES = ("--tables=2", "--table-size=1000")
NO_SERVER = ("--mysql-host=127.0.0.1", "--mysql-port=1")
HOOK_RUN = "--threads=2 --time=2 --report-interval=1 run"
ATTEMPTS = 3

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(not SAMPLES.exists(), reason="needs ../shared/data/sysbench-output"),
]


@dataclass(frozen=True)
class Sample:
    """A recorded run; its command and exit code are in the file unless given here."""

    name: str
    tables: str = "any"
    """What has to be there before: filled, none, or any of the two."""
    command: str = ""
    counted: bool = False
    unordered: bool = False
    without_fixes: bool = False
    """The sample shows what dbdyno repairs unless told otherwise."""


SERVERLESS = (
    Sample("version"),
    Sample("help"),
    Sample("oltp_read_write_help"),
    Sample("error_option_int"),
    Sample("error_option_threads0"),
    Sample("error_options_unknown"),
    Sample("error_no_server", unordered=True),
    Sample("error_queue_full"),
    Sample("histogram_api", command="histogram_api.lua --events=1 --time=0 run", counted=True),
    Sample("hook_report_csv", command=f"hook_report_csv.lua {HOOK_RUN}"),
    Sample("hook_report_default", command=f"hook_report_default.lua {HOOK_RUN}"),
    Sample("hook_report_json", command=f"hook_report_json.lua {HOOK_RUN}"),
    Sample("run_dry", counted=True),
    Sample("run_events_cpu", counted=True),
    Sample("run_forced_shutdown"),
    Sample("run_nodb_histogram"),
    Sample("run_nodb_intervals"),
    Sample("run_nodb_rate"),
)
ON_TABLES = (
    Sample("run_basic"),
    Sample("run_checkpoints"),
    Sample("run_checkpoints_histogram_intervals"),
    Sample("run_debug", counted=True),
    Sample("run_histogram"),
    Sample("run_intervals"),
    Sample("run_intervals_percentile99"),
    Sample("run_percentile0"),
    Sample("run_percentile100"),
    Sample("run_rate"),
    Sample("run_rate_checkpoint"),
    Sample("run_validate", counted=True),
    Sample("run_verbosity2"),
    Sample("run_verbosity4", counted=True),
)
WITH_SERVER = (
    Sample("error_run_without_tables", tables="none", unordered=True),
    Sample("oltp_prepare", tables="none", unordered=True),
    Sample("error_prepare_exists_1thread", tables="filled"),
    Sample("error_prepare_exists_2threads", tables="filled", unordered=True, without_fixes=True),
    Sample("oltp_prewarm", tables="filled"),
    Sample("error_ignored_1054", counted=True, unordered=True),
    Sample("error_sql_fatal"),
    Sample("error_sql_hook_and_repeat", unordered=True),
    Sample("run_forced_shutdown_db"),
    Sample("oltp_cleanup", tables="filled"),
)


def _name(sample: Sample) -> str:
    return sample.name


Begun = Mapping[str, Future[Outcome]]


@pytest.fixture(scope="module")
def abreast() -> Iterator[ThreadPoolExecutor]:
    """Runs that mostly wait for the time to pass, and tell what they do by masked figures alone: several at once."""
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture(scope="module")
def serverless(program: Program, abreast: ThreadPoolExecutor) -> Begun:
    return {sample.name: abreast.submit(_run, program, sample, _nobody(sample)) for sample in SERVERLESS}


@pytest.fixture(scope="module")
def on_tables(program: Program, abreast: ThreadPoolExecutor, mariadb: Server) -> Begun:
    _bring_about(mariadb, "filled")
    return {sample.name: abreast.submit(_run, program, sample, reach(mariadb, SCHEMA)) for sample in ON_TABLES}


@pytest.mark.parametrize("sample", SERVERLESS, ids=_name)
def test_output_without_a_server_is_sysbenchs_to_the_character(
    program: Program, serverless: Begun, sample: Sample
) -> None:
    _compare(sample, serverless[sample.name].result(), lambda: _run(program, sample, _nobody(sample)))


@pytest.mark.parametrize("sample", WITH_SERVER, ids=_name)
def test_output_on_a_server_is_sysbenchs_to_the_character(program: Program, mariadb: Server, sample: Sample) -> None:
    def run() -> Outcome:
        _bring_about(mariadb, sample.tables)
        return _run(program, sample, reach(mariadb, SCHEMA))

    _compare(sample, run(), run)


@pytest.mark.parametrize("sample", ON_TABLES, ids=_name)
def test_output_of_a_run_on_tables_is_sysbenchs_to_the_character(
    program: Program, mariadb: Server, on_tables: Begun, sample: Sample
) -> None:
    _compare(sample, on_tables[sample.name].result(), lambda: _run(program, sample, reach(mariadb, SCHEMA)))


def test_no_sample_is_left_out() -> None:
    held = {sample.name for sample in SERVERLESS + WITH_SERVER + ON_TABLES}
    assert held == {path.stem for path in SAMPLES.glob("*.txt")}


def test_a_failed_parallel_prepare_names_the_error_and_exits_with_1(program: Program, mariadb: Server) -> None:
    if not program.is_ours:
        pytest.skip("sysbench 1.0.20 exits with 0")
    _bring_about(mariadb, "filled")
    outcome = program.run(["oltp_read_write", *TABLES, "--threads=2", "prepare"], server=reach(mariadb, SCHEMA))
    assert outcome.exit_code == 1
    assert "Table 'sbtest1' already exists" in outcome.stdout


def _run(program: Program, sample: Sample, server: Sequence[str]) -> Outcome:
    _, command = _recorded(sample)
    return program.run(_options(program, sample) + command, folder=SCRIPTS, server=server)


def _nobody(sample: Sample) -> Sequence[str]:
    """Where no server answers, for the sample that wants none to."""
    return NO_SERVER if sample.name == "error_no_server" else ()


def _compare(sample: Sample, outcome: Outcome, again: Callable[[], Outcome]) -> None:
    """Equal after masking.

    Other attempts are fair where a machine that stood still costs an interval line, and where two threads print at once
    (Lua's print writes text and line feed apart).
    """
    wanted, command = _recorded(sample)
    attempts = ATTEMPTS if sample.unordered or "--report-interval" in command else 1
    for attempt in range(attempts):
        shown = [_shown(text, command, sample) for text in (_given(outcome, sample), wanted)]
        if shown[0] == shown[1]:
            return
        if attempt + 1 < attempts:
            outcome = again()
    assert shown[0] == shown[1]


def _given(outcome: Outcome, sample: Sample) -> str:
    return outcome.stdout if sample.command else outcome.text


def _shown(text: str, command: str, sample: Sample) -> str:
    """Masked. Whether the interval that ends with the run is told of is a race, so its line is left out."""
    if limit := re.search(r"--time=(\d+)", command):
        text = re.sub(rf"^\[ {limit[1]}s \] (?:thds|queue).*\n", "", text, flags=re.MULTILINE)
    return masked(text, counted=sample.counted, unordered=sample.unordered)


def _recorded(sample: Sample) -> tuple[str, str]:
    text = (SAMPLES / f"{sample.name}.txt").read_text()
    if sample.command:
        return text, sample.command
    line, _, rest = text.partition("\n")
    return rest, line.removeprefix("$ sysbench ")


def _options(program: Program, sample: Sample) -> str:
    return "--fixes=none " if sample.without_fixes and program.is_ours else ""


def _bring_about(server: Server, state: str) -> None:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = %s", [SCHEMA])
        (there,) = cursor.fetchone() or (0,)
        if state == "any" or (state == "filled") == (there == 2):
            return
        cursor.execute(f"DROP DATABASE {SCHEMA}")
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
    if state == "filled":
        _fill(server)


def _fill(server: Server) -> None:
    endpoint = server.endpoint
    argv = [str(LOAD), "populate", "sysbench/oltp_read_write", *TABLES, "--host=127.0.0.1", f"--port={endpoint.port}"]
    argv += [f"--user={endpoint.user}", f"--password-file={endpoint.password_file}", f"--database={SCHEMA}"]
    subprocess.run(argv, check=True, capture_output=True, timeout=60)
