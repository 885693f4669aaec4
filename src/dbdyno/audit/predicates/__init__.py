"""Holds the tests that rules name: each answers a question about a comparison set with a verdict."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.audit._reading import SourcedValue
from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict
from dbdyno.audit.predicates import (
    _definitions,
    _durability,
    _environment,
    _features,
    _flushing,
    _generic,
    _hygiene,
    _limits,
    _memory,
    _redo,
    _schema,
    _semantics,
    _transport,
    _window,
)

names_machine = _environment.names_machine
Predicate = Callable[[Question], RuleVerdict]

PREDICATES: dict[str, Predicate] = {
    predicate.__name__: predicate
    for predicate in (
        _generic.all_equal,
        _generic.any_ratio_within,
        _generic.equal_where_known,
        _generic.ratio_within,
        _generic.session_fact,
        _generic.switched,
        _definitions.table_definitions,
        _durability.binlog_content,
        _durability.binlog_storage,
        _durability.group_commit_delay,
        _durability.tidesdb_sync_knob,
        _environment.background_work,
        _environment.builds,
        _environment.carry_over,
        _environment.client_contention,
        _environment.hosts,
        _environment.maturity,
        _environment.run_order,
        _features.admission_limits,
        _features.autoinc_modes,
        _features.checksums,
        _features.compiled_out,
        _features.logging,
        _features.query_cache,
        _features.statistics,
        _features.thread_models,
        _features.undo_truncation,
        _flushing.capacity_of_the_device,
        _flushing.crippled_dirty_limit,
        _flushing.native_aio,
        _flushing.neighbours_on_flash,
        _hygiene.asked_not_effective,
        _hygiene.autosized,
        _hygiene.claims,
        _hygiene.early_evidence,
        _hygiene.ignored_options,
        _hygiene.packaged_settings,
        _hygiene.unpinned,
        _limits.binlog_growth,
        _limits.cache_instances,
        _limits.limits,
        _limits.process_limits,
        _limits.table_cache,
        _memory.allocators,
        _memory.caches_of_a_kind,
        _memory.hidden_caches,
        _memory.memory_budgets,
        _memory.numa_policies,
        _memory.thread_budget,
        _memory.warm_load,
        _memory.write_flags,
        _redo.redo_default_left,
        _redo.redo_files_ignored,
        _redo.redo_shown_otherwise,
        _redo.write_ahead,
        _schema.collation_conversions,
        _schema.data_volumes,
        _schema.table_charsets,
        _schema.table_collations,
        _schema.table_compression,
        _semantics.aborted_work,
        _semantics.snapshot_defects,
        _semantics.sql_modes,
        _transport.ciphers,
        _transport.reconnect_plugins,
        _transport.tls_classes,
        _transport.untrusted_tls_flag,
        _window.compaction_debt,
        _window.flush_debt,
        _window.redo_saturated,
        _window.warm_up,
    )
}

__all__ = ["PREDICATES", "Predicate"]

MEETING: dict[str, Callable[[AuditTarget], SourcedValue]] = {_environment.hosts.__name__: _environment.machine}
"""Tests that are put to campaigns, too, when these are compared with each other; and what is read of each target."""
