"""Ctrl-C, or a kill, at each step that writing makes on the disk: the folder stays one that dbdyno wrote."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dbdyno.plan import make_plan
from dbdyno.store import Results, ResultsWriter, StoredRun
from dbdyno.study import parse_study
from stored_study import TWO, stored, write_study

STEPS = ("fsync", "replace", "rename", "mkdir", "rmdir", "unlink")


RUNS = make_plan(parse_study(TWO, "study.toml")).runs


def inspection(trial: int) -> StoredRun:
    return stored(RUNS[0], "mariadb", lambda run, fields: fields.update(server_cnf=f"# {trial}\n"))


# Each trial changes something else: what the one before has done in the end is no change.
CHANGES: dict[str, Callable[[ResultsWriter, int], object]] = {
    "a new file": lambda writer, trial: writer.write_dataset(f"target {trial}", {"rows": 3}),
    "another content of a file": lambda writer, trial: writer.write_engine("mariadb:11.8", {"rows": trial}),
    "a folder": lambda writer, trial: writer.write_inspection(inspection(trial)),
    "a run set aside": lambda writer, trial: writer.set_aside([RUNS[trial].run_id]),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_study(tmp_path / "two")
    return tmp_path / "two"


class Interrupter:
    """Raises KeyboardInterrupt before, or after, the nth step from when it is armed."""

    def __init__(self, nth: int, *, is_after: bool) -> None:
        self.left, self._is_after, self.is_armed = nth, is_after, False

    def around(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def interrupted(*arguments: Any, **options: Any) -> Any:
            self.left -= self.is_armed
            is_due = self.is_armed and self.left == 0
            if is_due and not self._is_after:
                raise KeyboardInterrupt
            try:
                return step(*arguments, **options)
            finally:
                if is_due:
                    raise KeyboardInterrupt

        return interrupted


def points() -> Iterator[tuple[int, bool]]:
    """Each step with before and after, until the caller has had enough."""
    nth = 1
    while True:
        yield nth, False
        yield nth, True
        nth += 1


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_is_cut_off_is_done_in_the_end(
    folder: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for trial, (nth, is_after) in enumerate(points()):
        interrupter = Interrupter(nth, is_after=is_after)
        with monkeypatch.context() as patch:
            for name in STEPS:
                patch.setattr(os, name, interrupter.around(getattr(os, name)))
            with Results.open(folder).writing() as writer:
                interrupter.is_armed = True
                with suppress(KeyboardInterrupt):  # a study that is interrupted goes on to its orderly end
                    CHANGES[change](writer, trial)
                interrupter.is_armed = False
        assert Results.open(folder).verify() == (), f"after step {nth}"
        if interrupter.left > 0:
            break
    assert nth > 2


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_a_kill_cuts_off_leaves_a_folder_as_dbdyno_wrote_it(
    folder: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is done after it: neither the rest of the change nor a new manifest."""
    for trial, (nth, is_after) in enumerate(points()):
        interrupter = Interrupter(nth, is_after=is_after)
        with monkeypatch.context() as patch:
            for name in STEPS:
                patch.setattr(os, name, interrupter.around(getattr(os, name)))
            with suppress(KeyboardInterrupt), Results.open(folder).writing() as writer:
                interrupter.is_armed = True
                CHANGES[change](writer, trial)
                interrupter.is_armed = False
        assert Results.open(folder).verify() == (), f"after step {nth}"
        if interrupter.left > 0:
            break
    assert nth > 2
