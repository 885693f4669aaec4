"""The tools whose logs are imported, by the names that the command line gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dbdyno.imports._tool import Tool
from dbdyno.imports.sysbench import SYSBENCH

TOOLS: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in (SYSBENCH,)})
