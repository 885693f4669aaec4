"""Tests that failed among many are run once more alone, when the workers have ended.

Many tests here see the machine as well as us: a mirror that changes, a burst of foreign load, five other tests on two
processors. If they don't all pass, their files run whole, since tests of a file may go on from one another. Those that
fail then have failed. What passes is counted as rerun and as passed, and why it failed at first is printed, because it
may be a fault that needs company.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

MOST_CAUSES = 25
"""More are no disturbance. Many tests that fail from one cause may be: a scene that one worker could not set up."""
_MOST_CHARACTERS = 2000
_WITHIN_S = 900


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, Any, Any]:
    """After the workers' tests, and before the session is called failed."""
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("numprocesses", None) and reporter is not None:
        failed = [*reporter.stats.get("failed", []), *reporter.stats.get("error", [])]
        names = list(dict.fromkeys(report.nodeid for report in failed))
        is_collected = all(isinstance(report, pytest.TestReport) for report in failed)
        causes = {_cause(report) for report in failed}
        if 0 < len(causes) <= MOST_CAUSES and is_collected and _pass_alone(names, session.config):
            _count_as_rerun(failed, reporter)
            session.testsfailed = 0
    return result


def _cause(report: pytest.TestReport) -> str:
    """Where it failed, and the message."""
    crash = getattr(report.longrepr, "reprcrash", None)
    where = f"({Path(crash.path).name}:{crash.lineno}): " if crash else ""
    return where + " | ".join((crash.message if crash else str(report.longrepr)).split("\n"))


def _pass_alone(names: list[str], config: pytest.Config) -> bool:
    """Run them one after the other, in a process that shares nothing with those in which they failed."""
    files = list(dict.fromkeys(name.partition("::")[0] for name in names))
    return _all_pass(names, config) or _all_pass(files, config)


def _all_pass(tests: list[str], config: pytest.Config) -> bool:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    sys.stdout.write(f"\nalone, once more: {' '.join(tests)}\n")
    sys.stdout.flush()
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    try:
        run = subprocess.run(words, cwd=config.rootpath, env=environment, timeout=_WITHIN_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


def _count_as_rerun(failed: list[pytest.TestReport], reporter: pytest.TerminalReporter) -> None:
    stats = reporter.stats
    stats.pop("failed", None)
    stats.pop("error", None)
    stats["rerun"] = failed
    passed = stats.setdefault("passed", [])
    has_passed = {report.nodeid for report in passed}
    for report in failed:
        if report.nodeid not in has_passed:
            has_passed.add(report.nodeid)
            passed.append(pytest.TestReport(report.nodeid, report.location, report.keywords, "passed", None, "call"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why each repeated test failed at first: a test that passes at last has no traceback in the output."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_line(f"REASON {report.nodeid} {_cause(report)[:_MOST_CHARACTERS]}")
