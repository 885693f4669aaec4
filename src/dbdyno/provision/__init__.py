"""Engines brought to the machine: one small protocol, one file a source. Options are another room's business."""

from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress, Source

__all__ = ["Installation", "Offer", "Origin", "Package", "Progress", "Source"]
