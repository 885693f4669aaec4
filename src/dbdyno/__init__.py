"""Tests, measures and compares MySQL-compatible database engines: dbdyno is their dynamometer."""

__version__ = "0.1.0"
