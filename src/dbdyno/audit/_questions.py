"""Answers questions about one target outside of any rule: who its server is, and what a parameter is in effect."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.audit._effective import effective
from dbdyno.audit._facts import TargetFacts
from dbdyno.audit._reading import SourcedValue
from dbdyno.audit._target import recognise
from dbdyno.audit.quantities import derived

_DERIVED = "derived:"


def server_of(facts: TargetFacts) -> tuple[str, str, str]:
    """Return family, version and storage engine of the test tables; empty if unknown.

    >>> server_of(TargetFacts("a", variables={"version": "11.8.6-MariaDB"}))
    ('mariadb', '11.8.6', 'innodb')
    """
    target = recognise(facts)
    return target.family, target.version, target.storage_engine


def default_of(parameter_id: str, family: str, version: str, storage_engine: str = "innodb") -> SourcedValue:
    """Return what a server has where nothing sets a parameter; missing where it works that out itself.

    >>> default_of("server.performance_schema", "mariadb", "11.8.6").value
    'OFF'
    """
    bare_facts = TargetFacts("", option_file={}, version=version, storage_engine=storage_engine)
    target = replace(recognise(bare_facts), family=family, version=version)
    return effective(target, parameter_id)


def value_in_effect(facts: TargetFacts, parameter_id: str) -> SourcedValue:
    """Return a neutral parameter, or with ``derived:`` before it a quantity, as the rules read it.

    >>> value_in_effect(TargetFacts("a", variables={"version": "9.7.4"}), "server.query_cache_type").value
    'OFF'
    """
    target, name = recognise(facts), parameter_id.removeprefix(_DERIVED)
    return effective(target, name) if name == parameter_id else derived(target, name)
