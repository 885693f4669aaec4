"""Presents a target to the rules: its facts, and who the server is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbdyno.audit._facts import Row, TargetFacts
from dbdyno.core import StudyError
from dbdyno.engines import identify, parse_version, within

LSM_ENGINES = ("rocksdb", "tidesdb")
_ENGINE_WORDS = (("tidesdb", "tidesdb"), ("rocksdb", "rocksdb"), ("myrocks", "rocksdb"))
_SERVER_RE = re.compile(
    r"(?<![a-z])(mariadb|mysql|percona[-_]?server|percona|ps)(?:[-_ /]?(?:server)?[-_ /v]*)(\d+\.\d+(?:\.\d+)*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AuditTarget:
    """Describes a target whose server is recognised.

    Parameters
    ----------
    family : mysql, percona or mariadb; empty if unknown
    storage_engine : innodb, rocksdb, tidesdb: what the test tables are in, or are taken to be in
    engine_stated : something says which storage engine the test tables are in
    """

    facts: TargetFacts
    family: str
    version: str
    storage_engine: str
    engine_stated: bool

    @property
    def name(self) -> str:
        """Its name in findings."""
        return self.facts.name

    @property
    def asked_only(self) -> bool:
        """Return whether only an option file is known: nothing was read from the server."""
        return self.facts.variables is None and self.facts.option_file is not None

    @property
    def definitions(self) -> Mapping[str, str]:
        """Return SHOW CREATE TABLE by table; empty when nobody kept it."""
        ddl_by_table: Mapping[str, str] = self.fact("schema", "ddl") or {}
        return ddl_by_table

    def variable(self, name: str) -> str | None:
        """Return a row of SHOW GLOBAL VARIABLES."""
        return (self.facts.variables or {}).get(name)

    def asked(self, *names: str) -> str | None:
        """Return what the option file gives for the first of these names that it has."""
        options = self.facts.option_file or {}
        return next((options[name] for name in names if name in options), None)

    def status(self, name: str) -> str | None:
        """Return a row of SHOW GLOBAL STATUS, of the latest dump that has it."""
        for dump in (self.facts.status_end, self.facts.status):
            if dump is not None and name in dump:
                return dump[name]
        return None

    def is_family(self, family: str | tuple[str, ...], since: str = "", until: str = "") -> bool:
        """Return whether the server is of a family, and its version lies in a range (`until` outside)."""
        names = (family,) if isinstance(family, str) else family
        return self.family in names and within(self.version, since, until)

    def fact(self, group: str, name: str) -> Any:  # noqa: ANN401 - facts are foreign data
        """Return a fact of the laboratory; None when it is not known."""
        return getattr(self.facts, group).get(name)


def recognise(facts: TargetFacts) -> AuditTarget:
    """Return the target with its server's family and version, and the storage engine of its tables."""
    family, version = _family_and_version(facts)
    storage_engine, is_stated = _storage_engine(facts)
    return AuditTarget(facts, family, version, storage_engine, is_stated)


def _family_and_version(facts: TargetFacts) -> tuple[str, str]:
    variables: Row = facts.variables or {}
    summary: Row = facts.summary or {}
    version = variables.get("version") or facts.version or summary.get("version")
    if version:
        comment = variables.get("version_comment") or summary.get("version_comment", "")
        try:
            identity = identify(version, comment, frozenset(variables))
        except StudyError:
            return "", ""
        return _family_and_version_by_name(facts, identity.family, bool(comment)), identity.version
    options: Row = facts.option_file or {}
    places = (facts.name, *(options.get(name, "") for name in ("basedir", "datadir", "plugin_dir")))
    for place in places:
        if match := _SERVER_RE.search(place):
            return _family_of_word(match[1]), match[2]
    return "", ""


def _family_and_version_by_name(facts: TargetFacts, family: str, commented: bool) -> str:
    """Return the family. A bare version such as 8.0.45 does not distinguish Percona Server; the target's name may."""
    if commented or family != "mysql":
        return family
    word = re.search(r"(?<![a-z])(percona|mariadb|ps(?=[-_\d]))", facts.name.lower())
    return _family_of_word(word[1]) if word else family


def _family_of_word(word: str) -> str:
    lower_word = word.lower()
    return lower_word if lower_word in ("mysql", "mariadb") else "percona"


def _storage_engine(facts: TargetFacts) -> tuple[str, bool]:
    """Return storage engine of the test tables, and whether anything but a server's default says so."""
    stated_engine = facts.storage_engine or str(facts.schema.get("storage_engine", ""))
    if stated_engine:
        return stated_engine.lower(), True
    for word, engine in _ENGINE_WORDS:
        if word in facts.name.lower():
            return engine, True
    default = (facts.variables or {}).get("default_storage_engine", "").lower()
    return (default, True) if default in LSM_ENGINES else ("innodb", False)


def version_numbers(target: AuditTarget) -> tuple[int, ...]:
    """Return the version as numbers; empty when it is not known."""
    return parse_version(target.version) if target.version else ()
