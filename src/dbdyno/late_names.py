"""Imports a package's modules only when one of their names is first asked for.

A short command, such as a summary, uses a third of what its packages provide. Importing the rest took longer than the
command's own work: making one frozen data class takes half a millisecond.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def late_names(package: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package: it imports the module that a name is in, and keeps the name's value.

    Parameters
    ----------
    names : module of the package -> names that the package provides from it, separated by spaces
    """
    modules = {name: module for module, words in names.items() for name in words.split()}

    def find_name(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find_name
