"""Engines brought to the machine: one small protocol, one file a source. Options are another room's business."""

from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress, Source
from dbdyno.provision._provision import list_offers, provision, sources

__all__ = [
    "Installation",
    "Offer",
    "Origin",
    "Package",
    "Progress",
    "Source",
    "list_offers",
    "provision",
    "sources",
]
