"""Packages whose modules are imported late provide the same names to programs as to type checkers."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import dbdyno
from dbdyno.late_names import late_names

SOURCE = Path(dbdyno.__file__).parent
LATE = sorted(path for path in SOURCE.rglob("__init__.py") if "late_names(" in path.read_text())


def _package(path: Path) -> str:
    return ".".join(("dbdyno", *path.parent.relative_to(SOURCE).parts))


def _for_type_checkers(tree: ast.Module, package: str) -> set[tuple[str, str]]:
    branch = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in branch.body if isinstance(node, ast.ImportFrom) and node.module]
    return {(str(node.module).removeprefix(f"{package}."), name.name) for node in imports for name in node.names}


def _for_programs(tree: ast.Module) -> set[tuple[str, str]]:
    branch = next(node for node in tree.body if isinstance(node, ast.If))
    assignment = branch.orelse[0]
    assert isinstance(assignment, ast.Assign)
    assert isinstance(assignment.value, ast.Call)
    modules: dict[str, str] = ast.literal_eval(assignment.value.args[1])
    return {(module, name) for module, names in modules.items() for name in names.split()}


@pytest.mark.parametrize("path", LATE, ids=_package)
def test_late_names_are_those_of_type_checkers_and_all_are_there(path: Path) -> None:
    package, tree = _package(path), ast.parse(path.read_text())
    assert _for_programs(tree) == _for_type_checkers(tree, package)
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_a_late_name_is_imported_once_and_an_unknown_one_is_no_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    import dbdyno.tables as package

    table = package.Table
    monkeypatch.delattr(package, "Table")
    assert "Table" not in vars(package)
    find_name = late_names("dbdyno.tables", {"_table": "Table Texts"})
    assert find_name("Table") is table
    assert vars(package)["Table"] is table
    with pytest.raises(AttributeError, match="has no attribute 'Tabel'"):
        find_name("Tabel")
