"""Lists the tools whose logs are imported, by the names that the command line gives them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dbdyno.imports._tool import Tool
from dbdyno.imports.go_tpc import GO_TPC
from dbdyno.imports.hammerdb import HAMMERDB
from dbdyno.imports.linkbench import LINKBENCH
from dbdyno.imports.sysbench import SYSBENCH
from dbdyno.imports.tpcc_mysql import TPCC_MYSQL

TOOLS: Mapping[str, Tool] = MappingProxyType(
    {tool.name: tool for tool in (SYSBENCH, HAMMERDB, TPCC_MYSQL, LINKBENCH, GO_TPC)}
)
