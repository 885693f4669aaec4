"""Study files: what is accepted, and what a wrong word is answered with."""

import tomllib
from pathlib import Path

import pytest

from dbdyno.core import StudyError
from dbdyno.study import parse_study, question_words, read_study, study_text
from error_codes import raises_code

ROOT = Path(__file__).parents[3]
SMALL = """\
name = "small"
question = "Which?"
targets = ["mariadb:11.8", "mysql:9.7"]

[workload]
name = "sysbench/oltp_read_write"
tables = 4
rows = 50000

[axes]
tier = ["64MB", "512MB"]
concurrency = [1, 4]

[measure]
warm_up = "4s"
window = "12s"
"""


def test_the_study_of_make_compare_is_36_cells_and_repeats() -> None:
    study = read_study(ROOT / "studies" / "first.toml")
    cells = len(study.targets) * len(study.tiers_bytes) * len(study.concurrencies)
    assert cells * study.repeats == 36
    assert study.workloads[0].options == {"tables": 4, "table_size": 150_000, "rand_type": "uniform"}


@pytest.mark.parametrize("path", sorted((ROOT / "studies").glob("*.toml")), ids=lambda path: path.name)
def test_every_shipped_study_reads_and_survives_being_written(path: Path) -> None:
    study = read_study(path)
    assert parse_study(study_text(study), "written.toml") == study


def test_everything_a_study_may_say_survives_being_written() -> None:
    text = """
name = "all \\"quoted\\" \\\\ and é"
question = "Q?"
[[target]]
engine = "mariadb:11.8+myrocks@package"
name = "rocks"
[target.settings]
commit.durability = "relaxed"
[target.options]
rocksdb_max_background_jobs = 4
innodb-doublewrite = false
[[target]]
engine = "mysql@server:prod"
[[workload]]
name = "oltp_read_only"
label = "narrow"
range_selects = false
rand_type = "zipfian"
rand_zipfian_exp = 0.9
[[workload]]
name = "oltp_point_select"
[settings]
redo.capacity = "1GB"
flush = {dirty_max = 75}
"index.adaptive_hash" = true
[axes]
tier = "1.5GB"
concurrency = 8
route = ["socket", "loopback"]
[measure]
order = "as-written"
settle = "1s"
[pacing]
rate_per_s = 250
arrivals = "constant"
[pinning]
server = "0-1"
client = "2"
[servers.prod]
host = "127.0.0.1"
port = 3306
user = "load"
password_file = "/run/secret"
[servers.other]
socket = "/run/mysqld/mysqld.sock"
user = "load"
password_env = "DB_PASSWORD"
"""
    study = parse_study(text, "all.toml")
    assert study.targets[0].options == {"rocksdb_max_background_jobs": "4", "innodb_doublewrite": "OFF"}
    assert study.targets[0].settings == {"commit.durability": "relaxed"}
    assert study.settings == {"redo.capacity": 1 << 30, "flush.dirty_max": 75, "index.adaptive_hash": "ON"}
    assert study.targets[1].engine.source == "server:prod"
    assert study.pinning.server == (0, 1)
    assert study.tiers_bytes == (1536 << 20,)
    assert parse_study(study_text(study), "again.toml") == study


@pytest.mark.parametrize("engines", ['["innodb", "rocksdb"]', '["InnoDB", "MyRocks"]'])
def test_the_storage_engine_axis_multiplies_targets(engines: str) -> None:
    text = SMALL.replace('"mysql:9.7"]', '"mariadb:10.11"]')
    study = parse_study(text.replace("[axes]", f"[axes]\nstorage_engine = {engines}"), "s.toml")
    assert parse_study(study_text(study), "again.toml") == study
    names = [target.name for target in study.targets]
    assert names == ["mariadb:11.8", "mariadb:11.8+rocksdb", "mariadb:10.11", "mariadb:10.11+rocksdb"]


def test_the_storage_engine_axis_leaves_a_plug_in_to_the_engine_that_it_holds() -> None:
    target = '[[target]]\nengine = "mariadb:11.8+tidesdb"\nplugin = "/opt/ha_tidesdb.so"\nplugin_maturity = "beta"\n'
    text = SMALL.replace('targets = ["mariadb:11.8", "mysql:9.7"]\n', target)
    study = parse_study(text.replace("[axes]", '[axes]\nstorage_engine = ["innodb", "tidesdb"]'), "s.toml")
    innodb, tidesdb = (target.engine for target in study.targets)
    assert (innodb.plugin, innodb.plugin_maturity) == ("", "")
    assert (tidesdb.plugin, tidesdb.plugin_maturity) == ("/opt/ha_tidesdb.so", "beta")
    assert parse_study(study_text(study), "again.toml") == study


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("window =", "windw =", 16, " 'window'?"),
        ("[axes]", "[axis]", 10, " 'axes'?"),
        ('"12s"', '"12"', 16, "duration"),
        ('"12s"', '"1500ms"', 16, "at least 2 s"),
        ('"12s"', '"2500ms"', 16, "whole seconds"),
        ('"12s"', '"soon"', 16, '"1h"'),
        ("[1, 4]", "[0, 4]", 12, " from 1"),
        ("[1, 4]", "[4, 4]", 12, "without repetitions"),
        ("[1, 4]", "[]", 12, " one entry"),
        ('"64MB"', '"64 parsecs"', 11, "memory size"),
        ("rows", "rowz", 8, " 'rows'?"),
        ("50000", "'many'", 8, "a whole number"),
        ("oltp_read_write", "oltp_read_wrte", 6, "oltp_read_write"),
        ('"mysql:9.7"', '"mysq:9.7"', 3, " 'mysql'?"),
        ('"mysql:9.7"', '"mysql 9.7"', 3, "FAMILY:VERSION"),
        ('"mysql:9.7"', '"mariadb:11.8"', 3, "without repetitions"),
        ('"mysql:9.7"', '"mysql@server:prod"', 3, "no [servers.prod]"),
        ("concurrency = [1, 4]", "", 10, "'concurrency' is missing"),
    ],
)
def test_a_wrong_word_is_answered_with_file_line_and_what_is_allowed(old: str, new: str, line: int, said: str) -> None:
    with pytest.raises(StudyError) as caught:
        parse_study(SMALL.replace(old, new, 1), "small.toml")
    error = caught.value
    assert error.what.startswith(f"small.toml:{line}: ")
    assert said in f"{error.what} {error.why} {error.remedy}"


def test_a_file_that_is_not_toml_or_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="TOML"):
        parse_study("name = ", "s.toml")
    with raises_code(StudyError, "unreadable", "absent.toml"):
        read_study(tmp_path / "absent.toml")


VARIANTS = """
workload = {name = "linkbench", maxid1 = 1001}
axes = {tier = "64MB", concurrency = 4}
[[target]]
name = "plain"
engine = "mariadb:10.11"
[[target]]
name = "compressed"
engine = "mariadb:10.11"
workload = {table-compression = "page-compressed"}
"""


def test_a_study_file_that_is_too_large_is_refused_without_a_variable_that_would_not_help(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"\n" * (5 << 20))
    with raises_code(StudyError, "unreadable", "large.toml") as error:
        read_study(path)
    assert error.value.why == "it holds more than 4 MiB, the limit for such a file"


def test_a_target_may_have_options_of_the_workload_of_its_own() -> None:
    study = parse_study(VARIANTS, "variants.toml")
    plain, compressed = (study.workload_of(name, "linkbench").options for name in ("plain", "compressed"))
    assert compressed == {**plain, "table_compression": "page-compressed"}
    assert parse_study(study_text(study), "variants.toml") == study


def test_an_option_of_a_target_that_its_workload_does_not_know_is_refused_with_the_line_of_the_target() -> None:
    with pytest.raises(StudyError, match=r"variants.toml:7: .*'compression' of linkbench"):
        parse_study(VARIANTS.replace("table-compression", "compression"), "variants.toml")


IMPORTED = """
name = "theirs"
[[target]]
name = "tidb 8.5"
engine = "tidb:8.5@imported"
[[target]]
name = "of some version"
engine = "mariadb@imported"
[workload]
name = "imported:their own"
[axes]
tier = ["unknown", "2GB"]
concurrency = [1]
route = ["network", "unknown"]
[measure]
window = "0s"
repeats = 60
[imported]
tool = "sysbench"
origin = "logs"
"""


def test_an_imported_study_may_say_that_it_does_not_know() -> None:
    study = parse_study(IMPORTED, "s.toml")
    assert (study.tiers_bytes, study.routes) == ((0, 2 << 30), ("network", "unknown"))
    assert [target.engine.family for target in study.targets] == ["tidb", "mariadb"]
    assert (study.order, study.protocol, study.rng) == (*["unknown"] * 3,)
    assert parse_study(study_text(study), "t.toml") == study


def test_an_imported_study_writes_nothing_of_what_its_logs_do_not_tell() -> None:
    written = tomllib.loads(study_text(parse_study(IMPORTED, "s.toml")))
    assert written["measure"] == {"window": "0s", "repeats": 60}
    assert {"policy", "pacing", "errors", "pinning", "audit"}.isdisjoint(written)


def test_what_older_versions_wrote_of_imported_results_is_still_read() -> None:
    older = 'repeats = 60\nwarm_up = "0s"\nsettle = "0s"\nseed = 0\norder = "as-written"\nprotocol = "prepared"\n'
    study = parse_study(IMPORTED.replace("repeats = 60\n", older + 'rng = "sysbench"\n'), "s.toml")
    assert study.protocol == "prepared"


def test_a_study_to_be_run_knows_how_statements_are_sent() -> None:
    with pytest.raises(StudyError, match="protocol") as caught:
        parse_study(SMALL + 'protocol = "unknown"\n', "s.toml")
    assert "prepared" in f"{caught.value} {caught.value.remedy}"


@pytest.mark.parametrize("line", ['tier = ["unknown", "2GB"]', 'route = ["network", "unknown"]'])
def test_a_study_to_be_run_must_know(line: str) -> None:
    text = IMPORTED[: IMPORTED.index("[imported]")].replace("tidb:8.5@imported", "mysql:9.7").replace("60", "2")
    text = text.replace("mariadb@imported", "mysql:8.4").replace('"0s"', '"9s"')
    known = {'tier = ["unknown", "2GB"]': 'tier = "2GB"', 'route = ["network", "unknown"]': 'route = "socket"'}
    for unknown, told in known.items():
        text = text if unknown == line else text.replace(unknown, told)
    with pytest.raises(StudyError):
        parse_study(text, "s.toml")


def test_a_study_of_imported_results_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(IMPORTED)
    with raises_code(StudyError, "imported", str(path)):
        read_study(path)


def test_a_target_may_name_an_archive_and_hold_it_to_its_digest() -> None:
    digest = "ab" * 32
    target = f'[[target]]\nengine = "mysql:5.7@archive:/opt/my sql/a.tar.gz"\nsha256 = "{digest.upper()}"\n'
    study = parse_study(SMALL.replace('targets = ["mariadb:11.8", "mysql:9.7"]', target), "a.toml")
    assert study.targets[0].engine.source_place == "/opt/my sql/a.tar.gz"
    assert study.targets[0].engine.sha256 == digest
    assert digest not in study.targets[0].name
    assert parse_study(study_text(study), "again.toml") == study
    for old, new in ((digest.upper(), "abc"), ("@archive:/opt/my sql/a.tar.gz", "@package")):
        with pytest.raises(StudyError, match=r"a\.toml:5"):
            parse_study(SMALL.replace('targets = ["mariadb:11.8", "mysql:9.7"]', target.replace(old, new)), "a.toml")


def test_a_target_without_a_name_is_called_without_the_place_of_its_source_unless_two_would_be_the_same() -> None:
    targets = ["mysql:8.0@maven:g:a:1", "mysql:5.7@archive:/a.tar.gz", "mysql:5.7@archive:/b.tar.gz", "mysql@server:s"]
    text = SMALL.replace('["mariadb:11.8", "mysql:9.7"]', str(targets)) + '[servers.s]\nhost = "h"\nuser = "u"\n'
    study = parse_study(text, "s.toml")
    assert [target.name for target in study.targets] == ["mysql:8.0@maven", *targets[1:]]
    assert parse_study(study_text(study), "again.toml") == study


@pytest.mark.parametrize(
    ("text", "processors"), [('"0-2, 5"', (0, 1, 2, 5)), ("3", (3,)), ('"3-3"', (3,)), ('"0 - 1"', (0, 1))]
)
def test_processors_are_read_in_full(text: str, processors: tuple[int, ...]) -> None:
    study = parse_study(PROCESSORS.format(text), "s.toml")
    assert study.pinning.server == processors
    assert parse_study(study_text(study), "again.toml") == study


@pytest.mark.parametrize(
    "text", ['"0,3-1"', '"3-0"', '"1_0"', '"٣"', '"0,,1"', '""', '"65536"', '"0,0"', '"-1"', "true"]
)
def test_a_list_of_processors_is_read_whole_or_refused(text: str) -> None:
    with pytest.raises(StudyError, match="'server' is"):
        parse_study(PROCESSORS.format(text), "s.toml")


PROCESSORS = """\
targets = ["mysql:9.7"]
workload.name = "oltp_read_only"
axes = {{tier = "64MB", concurrency = 4}}
pinning.server = {}
"""


@pytest.mark.parametrize(
    ("engines", "words"),
    [
        (["mysql:9.7"], "How fast is MySQL 9.7?"),
        (["mysql:8.0", "mysql:9.7"], "Which is faster: MySQL 8.0 or MySQL 9.7?"),
        (["mysql:8.0", "mysql:9.7", "mariadb:11.8"], "Which is fastest: MySQL 8.0, MySQL 9.7 or MariaDB 11.8?"),
        ([f"mysql:{version}" for version in ("5.6", "5.7", "8.0", "8.4", "9.7")], "Which of 5 targets is fastest?"),
    ],
)
def test_where_no_question_is_asked_it_fits_the_first_screen_also_from_a_stored_study(
    engines: list[str], words: str
) -> None:
    study = parse_study(
        f'targets = {engines}\n[workload]\nname = "oltp_read_only"\n[axes]\ntier = "64MB"\nconcurrency = 1\n',
        "any.toml",
    )
    assert question_words(study) == words
    assert question_words(parse_study(study_text(study), "stored.toml")) == words
