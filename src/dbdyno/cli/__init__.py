"""Implements the program `dbdyno`: one file per command."""

from dbdyno.cli._main import main

__all__ = ["main"]
