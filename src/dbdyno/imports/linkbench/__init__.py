"""Reads LinkBench: the log of its request phase, and the CSV of ``-csvstats`` and ``-csvstream``."""

from dbdyno.imports.linkbench._tool import LINKBENCH

__all__ = ["LINKBENCH"]
