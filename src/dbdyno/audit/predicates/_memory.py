"""Tests the memory that holds data, and the paths around it."""

from __future__ import annotations

from dbdyno.audit._effective import effective
from dbdyno.audit._reading import Certainty, SourcedValue, known, missing, number, weakest
from dbdyno.audit._target import LSM_ENGINES, AuditTarget
from dbdyno.audit._verdict import (
    CLEAR,
    Groups,
    Question,
    RuleVerdict,
    decide,
    finding,
    grouped,
    not_applicable,
    undecided,
)
from dbdyno.audit.predicates._generic import (
    all_equal,
    exceeds,
    fact_missing,
    flag,
    spoken_differences,
)
from dbdyno.audit.quantities import derived


def caches_of_a_kind(question: Question) -> RuleVerdict:
    """Check that targets of one storage engine have caches of one size."""
    differences: Groups = {}
    lacks: dict[str, str] = {}
    certainties: list[Certainty] = ["derived"]
    for engine in sorted({target.storage_engine for target in question.targets}):
        sizes = {t.name: effective(t, "memory.buffer_pool") for t in question.targets if t.storage_engine == engine}
        lacks |= {name: reading.lacks for name, reading in sizes.items() if reading.state == "missing"}
        positive = {name: reading for name, reading in sizes.items() if number(reading) > 0}
        if exceeds([number(reading) for reading in positive.values()], question.rule.threshold):
            differences |= grouped(positive.items())
            certainties += [reading.certainty for reading in positive.values()]
    name = question.rule.inputs[0]
    return decide(
        {name: differences} if differences else {}, lacks, weakest(*certainties) if "asked" in certainties else "read"
    )


def memory_budgets(question: Question) -> RuleVerdict:
    """Check that unlike storage engines have one budget, and processes take about the same memory."""
    caches = {target.name: derived(target, "cache_bytes") for target in question.targets}
    resident = {target.name: _resident_bytes(target) for target in question.targets}
    has_several_engines = len({target.storage_engine for target in question.targets}) > 1
    differences: dict[str, Groups] = {}
    lacks: dict[str, str] = {}
    for name, readings in (
        ("derived:cache_bytes", caches if has_several_engines else {}),
        ("host:rss_bytes", resident),
    ):
        lacks |= {target: reading.lacks for target, reading in readings.items() if reading.state == "missing"}
        sizes = [number(reading) for reading in readings.values() if number(reading) > 0]
        least_difference = _least_difference(question) if name == "host:rss_bytes" else 0
        if exceeds(sizes, question.rule.threshold[name]) and max(sizes) - min(sizes) > least_difference:
            differences[name] = grouped(readings.items())
    return decide(differences, lacks, "derived" if "derived:cache_bytes" in differences else "read")


def _least_difference(question: Question) -> float:
    """Return by how much one server's memory differs from start to start, by address layout and allocators."""
    return float(question.rule.threshold["least_bytes"])


def _resident_bytes(target: AuditTarget) -> SourcedValue:
    value = target.fact("host", "rss_bytes")
    return missing("resident set of the server in the window (host:rss_bytes)") if value is None else known(int(value))


def hidden_caches(question: Question) -> RuleVerdict:
    """Check that no target has the page cache as a second cache where others have not."""
    paths = {target.name: derived(target, "data_io_path") for target in question.targets}
    lacks = {name: reading.lacks for name, reading in paths.items() if reading.state == "missing"}
    groups = grouped(paths.items())
    if len(groups) < 2:
        return decide({}, lacks)
    buffered = [target for target in question.targets if paths[target.name].value == "buffered"]
    roomy = [_has_room(target) for target in buffered]
    if any(room is not False for room in roomy):
        read_certainty = weakest(*(reading.certainty for reading in paths.values() if reading.state == "known"))
        certainty = read_certainty if any(room is True for room in roomy) else weakest("inferred", read_certainty)
        return finding({question.rule.inputs[0]: groups}, certainty, lacks=lacks)
    return decide({}, lacks)


def _has_room(target: AuditTarget) -> bool | None:
    """Return whether free memory exceeds the cache; None when it is not known."""
    free_bytes = target.fact("host", "free_memory_bytes")
    cache = derived(target, "cache_bytes")
    return None if free_bytes is None or cache.state != "known" else float(free_bytes) > number(cache)


def write_flags(question: Question) -> RuleVerdict:
    """Check that data files that take one path are synced alike."""
    paths = grouped((target.name, derived(target, "data_io_path")) for target in question.targets)
    if len(paths) > 1:
        return not_applicable("data files are read and written in different ways; see page-cache-as-hidden-cache")
    return all_equal(question)


def numa_policies(question: Question) -> RuleVerdict:
    """Check that memory is spread over the sockets alike."""
    nodes = [target.fact("host", "numa_nodes") for target in question.targets]
    if nodes and all(count == 1 for count in nodes):
        return not_applicable("the host has one node")
    verdict = all_equal(question)
    if verdict.outcome != "finding" or None not in nodes:
        return verdict
    remark = "how many nodes the host has is not known"
    return decide(verdict.values, verdict.lacks, verdict.certainty, remark=remark)


def allocators(question: Question) -> RuleVerdict:
    """Check that servers use one allocator."""
    return spoken_differences({target.name: _allocator(target) for target in question.targets})


def _allocator(target: AuditTarget) -> SourcedValue:
    reported_allocator = target.fact("host", "allocator")
    text = str(reported_allocator or target.variable("version_malloc_library") or "").lower()
    if not text:
        return missing("allocator mapped by the server's process (host:allocator)")
    name = next((name for name in ("jemalloc", "tcmalloc", "mimalloc") if name in text), "libc")
    return known(name)


def warm_load(question: Question) -> RuleVerdict:
    """Check that a cold start loads no dump of the buffer pool."""
    if undecided_verdict := fact_missing(question, "cold_start"):
        return undecided_verdict
    if not question.study["cold_start"]:
        return not_applicable("the study claims no cold start")
    with_dump = tuple(t for t in question.targets if t.fact("host", "pool_dump_file") is not False)
    dump_question = Question(question.rule, with_dump, question.everyone, question.study, question.text)
    return flag(dump_question, lambda reading: reading.value == "ON")


def thread_budget(question: Question) -> RuleVerdict:
    """Check that an LSM engine's background threads do not take the processors unseen."""
    lsm = [target for target in question.everyone if target.storage_engine in LSM_ENGINES]
    pages = [target for target in question.everyone if target.storage_engine not in LSM_ENGINES]
    if not lsm or not pages:
        return not_applicable("no LSM engine next to a page engine")
    budget = max(sum(number(r) for r in _page_threads(target)) for target in pages)
    threads = {target.name: _lsm_threads(target) for target in lsm}
    excessive_threads = {name: count for name, count in threads.items() if count > question.rule.threshold * budget}
    if not excessive_threads:
        return CLEAR
    idle = [target.fact("host", "idle_share") for target in lsm if target.name in excessive_threads]
    if None in idle:
        return undecided("idle share of the processors in the window (host:idle_share)")
    busy_targets = {
        name: known(int(count))
        for name, count in excessive_threads.items()
        if min(float(share) for share in idle) < 0.10
    }
    return decide(grouped(busy_targets.items()), {}, "derived")


def _page_threads(target: AuditTarget) -> tuple[SourcedValue, ...]:
    return derived(target, "flush_threads"), effective(target, "io.write_threads"), effective(target, "purge.threads")


def _lsm_threads(target: AuditTarget) -> float:
    compaction = number(effective(target, "flush.compaction_threads"))
    shared = target.storage_engine == "rocksdb"  # one pool of jobs for both
    return compaction if shared else compaction + number(effective(target, "flush.page_cleaners"))
