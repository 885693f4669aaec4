"""Engines brought to the machine: one small protocol, one file a source. Options are another room's business."""

from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress, Source
from dbdyno.provision._kept import KeptEngine, check_kept, choose_kept, in_use, kept_engines, remove_kept
from dbdyno.provision._provision import list_offers, provision, sources

__all__ = [
    "Installation",
    "KeptEngine",
    "Offer",
    "Origin",
    "Package",
    "Progress",
    "Source",
    "check_kept",
    "choose_kept",
    "in_use",
    "kept_engines",
    "list_offers",
    "provision",
    "remove_kept",
    "sources",
]
