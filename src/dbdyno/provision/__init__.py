"""Brings engines to the machine: one small protocol, one file per source. Options belong to `configure`."""

from dbdyno.provision._installation import EngineSource, Installation, Offer, Origin, Package, Progress
from dbdyno.provision._plugin import plugin_version_of
from dbdyno.provision._provision import check_available, check_source, list_offers, provision, source_note, sources
from dbdyno.provision._push import push_installation
from dbdyno.provision._server import describe_server, read_buffer_pool_bytes
from dbdyno.provision._store import (
    InstalledEngine,
    check_installed,
    in_use,
    installed_engines,
    remove_installed,
    select_installed,
)

__all__ = [
    "EngineSource",
    "Installation",
    "InstalledEngine",
    "Offer",
    "Origin",
    "Package",
    "Progress",
    "check_available",
    "check_installed",
    "check_source",
    "describe_server",
    "in_use",
    "installed_engines",
    "list_offers",
    "plugin_version_of",
    "provision",
    "push_installation",
    "read_buffer_pool_bytes",
    "remove_installed",
    "select_installed",
    "source_note",
    "sources",
]
