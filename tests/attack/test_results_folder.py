"""Results that somebody changed, copied, took away or added are never used silently; honest folders always open."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rounds import ROUNDS

import history_studies
import stored_study
from dbdyno.cli import main
from dbdyno.core import AlteredError, StoreError
from dbdyno.store import FolderCheck, Results, StoredRun
from dbdyno.store import _altered as altered

pytestmark = pytest.mark.attack
Attack = Callable[[Path], None]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest") / "night"
    return history_studies.write_night(folder, 0, lambda run: 100.0).path


@pytest.fixture
def night(honest: Path, tmp_path: Path) -> Path:
    """A copy that was opened once."""
    return Results.open(Path(shutil.copytree(honest, tmp_path / "night"))).path


def runs_of(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "runs").iterdir())


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def change_record(folder: Path, **fields: object) -> None:
    path = runs_of(folder)[0] / "record.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}, indent=1))


def keep_size_and_times(folder: Path) -> None:
    path = runs_of(folder)[0] / "record.json"
    before = path.stat()
    edit(path, '"tps_mean": 1', '"tps_mean": 9') if '"tps_mean": 1' in path.read_text() else edit(
        path, '"tps_mean": 9', '"tps_mean": 1'
    )
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def make_manifest_fit(folder: Path) -> None:
    change_record(folder, tps_mean=1000.0)
    path, name = runs_of(folder)[0] / "record.json", f"runs/{runs_of(folder)[0].name}/record.json"
    manifest = json.loads((folder / "manifest.json").read_text())
    content = path.read_bytes()
    manifest["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


def without_line(folder: Path) -> None:
    path = folder / "journal.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2] + lines[3:]))


def with_line(folder: Path) -> None:
    with (folder / "journal.jsonl").open("a") as file:
        file.write('{"at_ns": 1, "event": "run-finished", "run_id": "x", "status": "good"}\n')


def replace_run(folder: Path) -> None:
    first, second = runs_of(folder)[:2]
    shutil.rmtree(second)
    shutil.copytree(first, second)


ATTACKS: dict[str, tuple[Attack, str]] = {
    "ten times the throughput": (lambda f: change_record(f, tps_mean=1000.0), "record.json"),
    "another window": (lambda f: change_record(f, window_s=900.0), "record.json"),
    "a caveat taken away": (lambda f: change_record(f, caveats=[]), "record.json"),
    "a failed run called good": (lambda f: change_record(f, reason="none"), "record.json"),
    "size and times kept": (keep_size_and_times, "record.json"),
    "other seconds": (lambda f: (runs_of(f)[0] / "seconds.parquet").write_bytes(b"PAR1"), "seconds.parquet"),
    "a file taken away": (lambda f: (runs_of(f)[0] / "server.log").unlink(), "server.log"),
    "a file added": (lambda f: (runs_of(f)[0] / "life2.json").touch(), "life2.json"),
    "a run taken away": (lambda f: shutil.rmtree(runs_of(f)[0]), "is missing"),
    "a run copied": (lambda f: shutil.copytree(runs_of(f)[0], f / "runs" / "mysql-9_r9"), "record of another run"),
    "a run in the place of another": (replace_run, "record of another run"),
    "another study": (lambda f: edit(f / "study.toml", "repeats = 2", "repeats = 9"), "study.toml"),
    "another machine": (lambda f: edit(f / "host.json", "bench", "fast"), "host.json"),
    "another engine": (lambda f: edit(next((f / "engines").iterdir()), '"family": "m', '"family": "n'), "engines/"),
    "another manifest": (lambda f: edit(f / "manifest.json", '"dbdyno_version"', '"dbdyno_versiom"'), "manifest.json"),
    "a manifest that fits": (make_manifest_fit, "manifest.json"),
    "a journal line changed": (lambda f: edit(f / "journal.jsonl", '"unit"', '"tinu"'), "journal.jsonl"),
    "a journal line taken away": (without_line, "journal.jsonl"),
    "a journal line added": (with_line, "journal.jsonl"),
    "a journal taken away": (lambda f: (f / "journal.jsonl").unlink(), "journal.jsonl"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_altered_folder_is_refused_by_name_and_used_only_if_told(
    name: str, night: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    attack, place = ATTACKS[name]
    attack(night)
    if name == "another manifest":  # it can't be read at all
        assert main(["show", str(night)]) in (2, 3)
        return
    assert main(["show", str(night)]) == 3
    said = capsys.readouterr().err
    assert place in said
    assert "Traceback" not in said
    assert "--allow-altered" in said
    assert main(["show", str(night), "--allow-altered", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["caveats"][0]["code"] == "results-altered"
    assert place in told["caveats"][0]["text"]


def test_every_command_that_reads_results_refuses_and_says_so_if_told(
    night: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_record(night, tps_mean=1000.0)
    whole = history_studies.write_night(tmp_path / "whole", 1, lambda run: 100.0).path
    for words in (
        ["show", night],
        ["report", night, "-o", tmp_path / "page.html"],
        ["report", night, "--format", "md", "-o", "-"],
        ["diff", whole, night],
        ["diff", night, whole],
        ["history", night, whole],
        ["audit", night],
        ["explain", night],
        ["explain", night, "--json"],
        ["explain", night, "--format", "md"],
        ["claims", night, "--against", "percona-2026"],
        ["claims", night, "--against", "percona-2026", "--json"],
        ["claims", night, "--against", "percona-2026", "--format", "md"],
    ):
        assert main([*map(str, words)]) == 3, words
        assert "record.json" in capsys.readouterr().err
        assert main([*map(str, words), "--allow-altered"]) in (0, 1, 2), words
        shown = capsys.readouterr()
        told = shown.out if {"--json", "md"} & set(words) else shown.out + shown.err
        assert "dbdyno wrote it" in told, words
    assert "--allow-altered" in (tmp_path / "page.html").read_text()


def copied(how: str, source: Path, place: Path) -> Path:
    place.mkdir()
    if how == "cp":
        subprocess.run(["cp", "-r", source, place], check=True)
    elif how == "tar":
        packed = subprocess.run(["tar", "-C", source.parent, "-c", source.name], stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "-C", place, "-x"], input=packed.stdout, check=True)
    else:
        shutil.make_archive(str(place / "packed"), "zip", source.parent, source.name)
        shutil.unpack_archive(place / "packed.zip", place)
    return place / source.name


@pytest.mark.parametrize("how", ["cp", "tar", "zip"])
def test_a_copy_is_read_once_and_not_again(
    how: str, night: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copied(how, night, tmp_path / "copy")
    assert main(["show", str(copy), "--json"]) == 0
    read: list[str] = []
    facts_of = altered.facts_of
    monkeypatch.setattr(altered, "facts_of", lambda folder, names: read.extend(names) or facts_of(folder, names))
    Results.open(copy)
    assert read == []
    Results.open(copy, check=FolderCheck(is_full=True))
    assert len(read) > 50


def test_verify_reads_also_what_has_kept_its_times(night: Path) -> None:
    """Whoever forges the list of what was read, too."""
    known = night / ".checked.json"
    change_record(night, tps_mean=1000.0)
    unit = f"runs/{runs_of(night)[0].name}"
    present = altered._present_files(night)[unit]
    listed = altered.units_of(Results.open(night, check=FolderCheck(allow_altered=True)).manifest.files)[unit]
    units = json.loads(known.read_text())["units"]
    known.write_text(json.dumps({"units": {**units, unit: altered._times_digest(listed, present)}}))
    assert Results.open(night).alterations == ()
    assert main(["show", str(night), "--verify"]) == 3


def test_a_folder_of_an_older_version_opens(night: Path) -> None:
    """Neither digests in the journal nor sizes in the manifest."""
    rows = [json.loads(line) for line in (night / "journal.jsonl").read_text().splitlines()]
    kept = [row for row in rows if row["event"] not in ("stored", "manifest-written")]
    text = "".join(json.dumps({k: v for k, v in row.items() if k != "previous"}) + "\n" for row in kept)
    (night / "journal.jsonl").write_text(text)
    manifest = json.loads((night / "manifest.json").read_text())
    manifest["files"] = {name: {"sha256": f["sha256"]} for name, f in manifest["files"].items()}
    manifest["files"]["journal.jsonl"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    manifest["files"]["journal.jsonl"]["bytes"] = len(text)
    (night / "manifest.json").write_text(json.dumps(manifest))
    results = Results.open(night)
    with results.writing():
        pass
    assert Results.open(night).verify() == ()
    change_record(night, tps_mean=1000.0)
    with pytest.raises(AlteredError):
        Results.open(night)


def test_a_folder_of_somebody_else_is_not_written_to(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (night / ".checked.json").unlink()
    monkeypatch.setattr(altered.os, "geteuid", lambda: os.getuid() + 4711)
    Results.open(night)
    assert not (night / ".checked.json").exists()


class Killed(BaseException):
    """As by SIGKILL: nothing is tidied up."""


def session(folder: Path, runs: list[StoredRun]) -> None:
    """What a study does to its folder; the same again goes on."""
    text = stored_study.TWO
    results = Results.open_or_create(folder, text, {}, {"hostname": "bench"}, study_name="two")
    with results.writing(["dbdyno", "run"]) as writer:
        writer.append("study-started")
        writer.set_aside([record.run.run_id for record in results.records() if record.status == "failed"])
        done = results.run_ids()
        for target in ("mariadb:11.8", "mysql:9.7"):
            writer.write_engine(target, {"version": "1", "at": os.urandom(4).hex()})
        writer.write_inspection(runs[0])
        for run in runs:
            if run.record.run.run_id not in done:
                writer.append("run-started", run_id=run.record.run.run_id)
                writer.add_run(run)
                writer.append("run-finished", run_id=run.record.run.run_id)
        writer.append("study-finished")


def kill_at(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the n-th step on the disk the last thing that happens: a write brought to the disk, a rename, a folder."""
    steps = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def step(*arguments: object, **more: object) -> object:
            nonlocal steps
            steps += 1
            if steps == number:
                raise Killed
            return real(*arguments, **more)

        return step

    monkeypatch.setattr(os, "fsync", counted(os.fsync))
    for name in ("rename", "replace", "mkdir"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))


def test_a_kill_at_any_step_leaves_nothing_that_looks_altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = stored_study.make_plan(stored_study.parse_study(stored_study.TWO, "two")).runs
    runs = [stored_study.stored(run, "mariadb", lambda run, fields: None) for run in plan[:2]]
    runs[0] = stored_study.stored(plan[0], "mariadb", lambda run, fields: fields.update(status="failed"))
    killed = 0
    for number in range(1, 10_000, 1 if ROUNDS > 1 else 12):
        folder = tmp_path / str(number)
        kill_at(number, monkeypatch)
        try:
            session(folder, runs)
            session(folder, runs)
            break
        except Killed:
            killed += 1
        finally:
            monkeypatch.undo()
        if (folder / "manifest.json").exists():
            assert Results.open(folder).alterations == ()
        session(folder, runs)
        assert Results.open(folder).verify() == ()
        assert len(Results.open(folder).run_ids()) == 2
        shutil.rmtree(folder)
    assert killed > 8


def test_a_run_whose_folder_was_taken_away_is_made_again(tmp_path: Path) -> None:
    study = stored_study.parse_study(stored_study.TWO, "two")
    runs = [stored_study.stored(run, "mariadb", lambda run, fields: None) for run in stored_study.make_plan(study).runs]
    session(tmp_path / "r", runs[:2])
    shutil.rmtree(runs_of(tmp_path / "r")[0])
    with pytest.raises(AlteredError, match="is missing"):
        Results.open(tmp_path / "r")
    session(tmp_path / "r", runs[:2])
    assert Results.open(tmp_path / "r").verify() == ()
    change_record(tmp_path / "r", tps_mean=1000.0)
    with pytest.raises(StoreError):
        session(tmp_path / "r", runs)


def test_a_reader_sees_nothing_altered_while_a_study_writes(tmp_path: Path) -> None:
    plan = stored_study.make_plan(stored_study.parse_study(stored_study.TWO, "two")).runs
    runs = [stored_study.stored(run, "mariadb", lambda run, fields: None) for run in plan]
    folder = tmp_path / "r"
    session(folder, runs[:1])
    writer = os.fork()
    if writer == 0:
        code = 1
        try:
            for count in range(2, len(runs) + 1):
                session(folder, runs[:count])
            code = 0
        finally:
            os._exit(code)
    opened = 0
    while not (ended := os.waitpid(writer, os.WNOHANG))[0]:
        assert Results.open(folder).alterations == ()
        opened += 1
    assert ended[1] == 0
    assert opened > 5
    assert Results.open(folder).verify() == ()
