"""Causes of a stored study: a planted one is told everywhere, with the settings that differ and who ran meanwhile."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from dbdyno.analyse.explain import FACTORS, THREAD_PARTS, Cause, Circumstances, Condition, PartClaim, causes
from dbdyno.audit import TargetFacts, value_in_effect
from dbdyno.engines import neutral_parameters
from dbdyno.report import (
    StudyAnalysis,
    analyse_study,
    markdown_text,
    page_text,
    print_why,
    why_markdown,
    why_object,
    why_of,
)
from dbdyno.report.why._blocks import causes_table
from dbdyno.report.why._causes import settings_in_effect, user_rows
from explained_study import PlantedTimes

PAIR = ("mariadb:11.8", "mysql:9.7")
QUICK = {"on_cpu": 0.3, "run_queue": 0.2, "wait.client": 0.2, "wait.redo_flush": 0.2, "wait.latch": 0.1}
SMALL = {**QUICK, "wait.redo_space": 0.8}
VARIABLES = {
    PAIR[0]: {"version": "11.8.6-MariaDB", "innodb_io_capacity": "2000", "log_bin": "OFF", "sync_binlog": "0"},
    PAIR[1]: {"version": "9.7.4", "innodb_io_capacity": "100", "log_bin": "OFF", "sync_binlog": "1"},
}
PAGE_CLEANER = {PAIR[0]: 0.1, PAIR[1]: 0.6}
METRICS: Mapping[str, Mapping[str, float]] = {
    target: {
        "background.page_cleaner.on_cpu": used,
        "host.cpu.user": 2.5,
        **dict.fromkeys((f"host.cpu.{mode}" for mode in ("nice", "system", "irq", "softirq", "steal")), 0.0),
        "server.cpu.user": 1.5 + used,
        "server.cpu.system": 0.1,
        "client.cpu.user": 0.2,
        "client.cpu.system": 0.1,
    }
    for target, used in PAGE_CLEANER.items()
}
FACTS = TargetFacts("a", variables=VARIABLES[PAIR[1]])
REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "causes.md"


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> StudyAnalysis:
    slow = {PAIR[1]: {"commit": 4.0, "point_select": 1.5}}
    planted = PlantedTimes(
        slow, states={PAIR[0]: QUICK, PAIR[1]: SMALL}, metrics=METRICS, variables=VARIABLES, repeats=3
    )
    return analyse_study(planted.write(tmp_path_factory.mktemp("causes") / "planted"))


def test_the_planted_cause_is_first_with_the_setting_that_differs(analysis: StudyAnalysis) -> None:
    why = why_of(analysis, PAIR)
    assert why.ranking is not None and why.thread_gap is not None
    first = why.ranking.causes[0]
    assert (first.cause.cause_id, first.grade) == ("redo-small", "explained by")
    assert first.settings == {"io.capacity": ("2000", "100")}
    assert not any(name.startswith("binlog.") for found in why.ranking.causes for name in found.settings)
    whole = sum(found.difference.ms for found in why.ranking.causes) + why.ranking.not_explained.ms
    assert whole == pytest.approx(why.thread_gap.total.ms)


def test_terminal_markdown_page_and_program_tell_it(analysis: StudyAnalysis) -> None:
    why = why_of(analysis, PAIR)
    console = Console(width=300, file=io.StringIO(), record=True)
    print_why(analysis, why, console)
    texts = (
        console.export_text(),
        why_markdown(analysis, why),
        markdown_text(analysis.results),
        page_text(analysis.results),
    )
    remedy = next(cause.remedy for cause in causes() if cause.cause_id == "redo-small")
    assert all(remedy in text and "2000 pages/s → 100 pages/s" in text for text in texts)
    assert all("page_cleaner" in text.replace("\\", "") for text in texts)
    assert len(why.lines) == 3
    assert "Explained by" in why.lines[1]
    found = json.loads(json.dumps(why_object(analysis, why), allow_nan=False))
    ranked = found["causes"]["ranked"]
    assert ranked[0]["id"] == "redo-small"
    assert ranked[0]["settings"]["io.capacity"] == {"left": "2000", "right": "100"}
    whole = sum(one["difference_ms"] for one in ranked) + found["causes"]["not_explained"]["difference_ms"]
    assert whole == pytest.approx(found["threads"]["gap"]["difference_ms"])
    assert found["processors"]["background"] == pytest.approx({"left": 0.1, "right": 0.6})
    assert found["processors"]["neighbours"] == pytest.approx({"left": 0.5, "right": 0.0})


def test_where_no_setting_differs_the_table_has_no_column_for_settings(analysis: StudyAnalysis) -> None:
    why = why_of(analysis, PAIR)
    assert why.ranking is not None
    bare_causes = tuple(replace(found, settings={}) for found in why.ranking.causes)
    for shown, has_settings in ((why, True), (replace(why, ranking=replace(why.ranking, causes=bare_causes)), False)):
        table = causes_table(shown)
        assert table is not None
        titles = [column.title for column in table.columns]
        assert ("settings that differ" in titles) == has_settings
        assert all(len(row) == len(titles) for row in table.rows)


@pytest.mark.parametrize(("steal", "count"), [((0.0, 0.0), 2), ((0.0, 0.4), 3)])
def test_the_hypervisor_is_listed_among_the_users_where_it_took_processors(
    steal: tuple[float, float], count: int
) -> None:
    used = {"processors.sessions": (1.0, 1.2), "processors.neighbours": (0.1, 0.1), "processors.steal": steal}
    rows = user_rows(Circumstances(used))
    assert len(rows) == count
    assert [row[1:] for row in rows if "(steal)" in row[0]] == [["0", "0.4", "+0.4"]] * (count - 2)


def test_where_threads_were_not_watched_the_statements_tell(tmp_path: Path) -> None:
    analysis = analyse_study(PlantedTimes({PAIR[1]: {"commit": 4.0}}).write(tmp_path / "statements"))
    why = why_of(analysis, PAIR)
    assert why.ranking is not None
    assert why.ranking.causes[0].cause.cause_id == "commits"
    assert len(why.lines) == 3 and "Explained by" in why.lines[1]
    assert 'id="why-processors"' not in page_text(analysis.results)


def test_rows_name_parts_facts_and_settings_that_there_are() -> None:
    for cause in causes():
        named = {*cause.settings, *(one.differs for one in _conditions(cause) if one.differs)}
        assert all(name in neutral_parameters() or value_in_effect(FACTS, name) for name in named)
        for claim in (*cause.all_claims, *cause.brings, *cause.replaces):
            known = claim.part in THREAD_PARTS or claim.part.partition(".")[0] in ("statement", "client", "thrown-away")
            assert known and claim.factor in ("", *FACTORS)


def _conditions(cause: Cause) -> tuple[Condition, ...]:
    return (*cause.conditions, *cause.alternatives)


def test_two_vendors_servers_do_not_differ_by_performance_schema_alone(tmp_path: Path) -> None:
    variables = {name: {**VARIABLES[name], "performance_schema": "ON" if name == PAIR[1] else "OFF"} for name in PAIR}
    busy = {PAIR[0]: QUICK, PAIR[1]: {**QUICK, "on_cpu": 1.2}}
    planted = PlantedTimes({PAIR[1]: {"point_select": 2.5}}, states=busy, variables=variables, repeats=3)
    why = why_of(analyse_study(planted.write(tmp_path / "vendors")))
    assert why.ranking is not None and why.known is not None
    assert not why.known.has_one_build
    leader = why.ranking.causes[0]
    assert leader.cause.cause_id == "processor-work"
    assert leader.settings["server.performance_schema"] == ("OFF", "ON")


def test_the_reference_lists_the_causes_as_they_are() -> None:
    head = (
        "# Causes\n\n"
        "What `dbdyno explain` and the report's section *Why* can name as the cause of a difference, in the order in "
        "which causes take what they\nclaim: each millisecond has one cause at most. Written from the table that the "
        "code reads, by\n`DBDYNO_WRITE_REFERENCE=1 pytest tests/unit/report/test_why_causes.py`. "
        "[Where the time goes](../concepts/explanation.md#causes)\nsays how they are ranked, "
        "[Add a cause](../design/causes.md) how to add one.\n\n"
        "| id | explained by | claims | brings with it | when | settings that bear on it | what would remove it | "
        "alteration |\n|---|---|---|---|---|---|---|---|\n"
    )
    text = head + "".join(_row(cause) for cause in causes())
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        REFERENCE.write_text(text)
    assert REFERENCE.read_text() == text


def _row(cause: Cause) -> str:
    when = [" and ".join(map(_condition, cause.conditions)), " or ".join(map(_condition, cause.alternatives))]
    cells = [
        f"`{cause.cause_id}`",
        cause.words,
        ", ".join(filter(None, (_claims(cause.claims), _of_one_build(cause)))),
        "; ".join(filter(None, (_claims(cause.brings), _processor(cause), _replaced(cause)))),
        " and ".join(filter(None, when)),
        ", ".join(f"`{name}`" for name in cause.settings),
        cause.remedy,
        f"`{cause.alteration}`" if cause.alteration else "",
    ]
    return f"| {' | '.join(cell or '-' for cell in cells)} |\n"


def _claims(claims: tuple[PartClaim, ...]) -> str:
    return ", ".join(f"`{claim.part}{'/' if claim.factor else ''}{claim.factor}`" for claim in claims)


def _of_one_build(cause: Cause) -> str:
    claims = _claims(cause.claims_of_one_build)
    return f"of one build: {claims}" if claims else ""


def _processor(cause: Cause) -> str:
    if cause.processor is None:
        return ""
    return f"{cause.processor.most_us:g} µs of processor for each `{cause.processor.fact}`"


def _replaced(cause: Cause) -> str:
    claims = _claims(cause.replaces)
    return f"less what the other side waits in {claims} instead" if claims else ""


def _condition(one: Condition) -> str:
    if one.differs:
        order = f" and comes later in {', '.join(one.order)} there" if one.order else ""
        larger = " and is larger there" if one.larger else ""
        return f"`{one.differs}` differs" + (f" and is {one.value} there" if one.value else "") + order + larger
    if one.has:
        return f"`{one.has}` is more than 0"
    amount = f"× {one.times:g} at least" if one.times else f"by {one.by:g} at least"
    return f"`{one.grows or one.falls}` is {'more' if one.grows else 'less'}, {amount}"


@pytest.mark.parametrize(("storage_engine", "is_shown"), [("innodb", True), ("rocksdb", False)])
def test_settings_of_innodb_bear_on_nothing_where_tables_are_elsewhere(storage_engine: str, is_shown: bool) -> None:
    """MyRocks' processor time "went with" the page checksum of InnoDB, and its latches with InnoDB's spins."""
    variables = [
        {"version": "9.7.4", "innodb_checksum_algorithm": "crc32", "innodb_spin_wait_delay": "6"},
        {"version": "11.8.6-MariaDB", "innodb_checksum_algorithm": "full_crc32", "innodb_spin_wait_delay": "4"},
    ]
    left, right = (TargetFacts(version["version"], variables=version) for version in variables)
    settings = settings_in_effect(left, replace(right, storage_engine=storage_engine))
    of_innodb = {"page.checksum", "sync.spin_delay"}
    assert of_innodb & set(settings) == (of_innodb if is_shown else set())


@pytest.mark.parametrize(("cipher", "values"), [("TLS_AES_256_GCM_SHA384", ("plain", "encrypted")), ("", None)])
def test_the_cipher_of_the_sessions_shows_whether_they_were_encrypted(
    cipher: str, values: tuple[str, str] | None
) -> None:
    """What a server offers says nothing: MariaDB offers TLS where no session used it, and MySQL requires it nowhere."""
    facts = TargetFacts("a", variables={"version": "9.7.4", "have_ssl": "YES"}, session={"ssl_cipher": [""]})
    settings = settings_in_effect(facts, replace(facts, session={"ssl_cipher": [cipher]}))
    found_values = settings["derived:encryption"]
    assert found_values == (values or ("plain", "plain"))
    known = Circumstances(settings=settings)
    assert known.allow(next(cause for cause in causes() if cause.cause_id == "tls")) == (values is not None)
