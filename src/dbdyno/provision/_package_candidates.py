"""Chooses among the engines that a distribution's suites offer, and says what there is instead of one that is not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dbdyno.core import EngineName, ProvisionError, StudyError
from dbdyno.engines import (
    catalogued_by_source,
    families,
    family_of,
    identify,
    matches,
    parse_version,
    plugin_packages,
)
from dbdyno.provision._apt_sources import Distribution
from dbdyno.provision._apt_state import AptState
from dbdyno.provision._plugin import plugin_hint


@dataclass(frozen=True, slots=True)
class Candidate:
    """Describes an engine that a suite offers."""

    family: str
    version: str
    suite: str
    core: str
    plugins: Mapping[str, str]

    @property
    def wanted(self) -> list[str]:
        """Packages to ask for, each ``NAME=VERSION``."""
        return [self.core, *self.plugins.values()]


def offered_candidates(state: AptState, suite: str) -> list[Candidate]:
    """Return the engines a suite offers, by its present lists."""
    candidates: dict[tuple[str, str], Candidate] = {}
    for family, prefix in {f.name: f.package for f in families() if f.package}.items():
        plugins = {engine: state.versions(package) for engine, package in plugin_packages(family).items()}
        for package, raw_version in state.versions(prefix):
            version = identify(raw_version.partition(":")[2] or raw_version).version
            with_it = {
                engine: f"{plugin}={plugin_raw}"
                for engine, rows in plugins.items()
                for plugin, plugin_raw in rows
                if plugin_raw == raw_version
            }
            candidates.setdefault(
                (family, version), Candidate(family, version, suite, f"{package}={raw_version}", with_it)
            )
    return list(candidates.values())


def is_match(candidate: Candidate, name: EngineName) -> bool:
    return (
        candidate.family == name.family
        and matches(candidate.version, name.version)
        and name.storage_engine in ("innodb", *candidate.plugins)
    )


def nearest_candidate(
    name: EngineName, candidates: Iterable[Candidate], failures: list[ProvisionError], distribution: Distribution
) -> tuple[Candidate, str]:
    """Return the nearest version where the distribution has only one to give; else an error that names it."""
    family_candidates = [
        c for c in candidates if c.family == name.family and name.storage_engine in ("innodb", *c.plugins)
    ]
    if not family_candidates and failures:
        raise failures[0]
    if not family_candidates:
        if any(c.family == name.family for c in candidates) and name.storage_engine != "innodb":
            raise _missing_storage_engine_error(name, candidates)
        raise StudyError(
            f"{name} is not in the suites {', '.join(distribution.suites)} of this host's distribution",
            _offered_words(candidates),
            _other_sources_words(name) or "choose one of these, or name a running server: FAMILY@server:NAME",
        )
    nearest = min(family_candidates, key=lambda c: _version_distance(c.version, name.version))
    if distribution.identity == "debian" or _is_unknown_version(name):
        version_words = ", ".join(
            f"{c.version} ({c.suite})" for c in sorted(family_candidates, key=lambda c: parse_version(c.version))
        )
        unread_words = f"; not read: {'; '.join(map(str, failures))}" if failures else ""
        raise StudyError(
            f"{name} is not available from this host's distribution",
            f"it offers {name.family} {version_words}{unread_words}",
            "; ".join(
                filter(None, (f"the nearest version is {name.family}:{nearest.version}", _other_sources_words(name)))
            ),
        )
    return nearest, (
        f"{name.family} {nearest.version} replaces {name.family} {name.version}: {distribution.identity} "
        f"{distribution.codename} has no other"
    )


def _offered_words(candidates: Iterable[Candidate]) -> str:
    return "; ".join(sorted({f"{c.family} {c.version} ({c.suite})" for c in candidates})) or "they have no engine"


def _missing_storage_engine_error(name: EngineName, candidates: Iterable[Candidate]) -> StudyError:
    """Return the error for an available server, with a storage engine that none of its packages brings."""
    engines = sorted({engine for c in candidates if c.family == name.family for engine in ("innodb", *c.plugins)})
    return StudyError(
        f"no package of this host's distribution has the storage engine {name.storage_engine} for {name.family}",
        f"packages have: {', '.join(engines)}",
        plugin_hint(name),
        code="storage-engine-missing",
    )


def _other_sources_words(name: EngineName) -> str:
    """Return what the catalogue of public registries has of that version, else how users bring it, as a remedy."""
    entries = catalogued_by_source(name.family, name.version) if name.storage_engine == "innodb" else {}
    if entries or _is_unknown_version(name):
        return ", ".join(f"{entry.version} is available as {entry.engine}" for entry in entries.values())
    return f"from the vendor's archive it is {name}@archive:FILE, from Docker or Podman {name}@image"


def _is_unknown_version(name: EngineName) -> bool:
    """Return whether no release of that version was ever made, as far as the tables know."""
    with contextlib.suppress(Exception):
        return parse_version(name.version)[0] > 99 or not family_of(name.family, name.version)
    return True


def _version_distance(version: str, requested: str) -> tuple[int, ...]:
    version_numbers, requested_numbers = ((*parse_version(text), 0, 0, 0) for text in (version, requested))
    return tuple(abs(a - b) for a, b in zip(version_numbers[:3], requested_numbers[:3], strict=True))
