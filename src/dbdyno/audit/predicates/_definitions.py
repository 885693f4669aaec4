"""Tests whether the tables are defined alike, and names what differs in their definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dbdyno.audit._target import AuditTarget
from dbdyno.audit._verdict import Question, RuleVerdict, decide, labelled

_NO_TABLE = "no such table"
_OWN_RULES = (
    r"auto_increment|engine|default charset|charset|collate|row_format|key_block_size|page_compressed|compression"
)
"""Options of a table that make no other work, or that have separate rules."""

_IMPLICIT_DEFAULT_RE = re.compile(r" default (?:0+(?:\.0+)?|'[0:. -]*')(?= |$)")
"""Defaults that old servers add to columns of a primary key that were defined without one."""
_ROW_FORMAT_RE = re.compile(r"\bROW_FORMAT\s*=\s*(\w+)|\bKEY_BLOCK_SIZE\s*=\s*[1-9]", re.IGNORECASE)
_PLAIN_FORMATS = ("compact", "dynamic", "redundant")
_ENGINE_OPTION_RE = re.compile(r"`(\w+)`\s*=\s*('(?:[^']|'')*'|\S+)")


def table_definitions(question: Question) -> RuleVerdict:
    """Check that tables have one definition on all targets; show the parts that differ."""
    lacks = {target.name: "DDL of the test tables" for target in question.targets if not target.definitions}
    defined_targets = [target for target in question.targets if target.definitions]
    texts = {t.name: {table: normalised_ddl(ddl) for table, ddl in t.definitions.items()} for t in defined_targets}
    for target, table, options in (
        *_engine_option_differences(defined_targets),
        *_row_format_differences(defined_targets),
    ):
        texts[target][table] += f" {options}"
    differences = {}
    for table in sorted({table for tables in texts.values() for table in tables}):
        of_targets = {name: tables.get(table, _NO_TABLE) for name, tables in texts.items()}
        if len(set(of_targets.values())) > 1:
            differences[table] = labelled(_clause_differences(of_targets).items())
    return decide(differences, lacks)


def _engine_option_differences(targets: Sequence[AuditTarget]) -> list[tuple[str, str, str]]:
    """Return target, table and options that its storage engine alone has, where targets of that engine differ in them.

    Another storage engine has no such options, so between engines they are no difference of the tables; what they do,
    such as when a log is synced, has separate rules.
    """
    differing_options = []
    for engine in sorted({target.storage_engine for target in targets}):
        tables_by_target = {t.name: t.definitions for t in targets if t.storage_engine == engine}
        for table in sorted({table for tables in tables_by_target.values() for table in tables}):
            options = {
                name: engine_options(tables[table]) for name, tables in tables_by_target.items() if table in tables
            }
            if len(set(options.values())) > 1:
                differing_options += [(name, table, words) for name, words in options.items()]
    return differing_options


def _row_format_differences(targets: Sequence[AuditTarget]) -> list[tuple[str, str, str]]:
    """Return target, table and row format where a definition names one and InnoDB targets differ in it.

    A definition without one has the server's default, which alone is no difference of definitions. Compressed tables
    have a separate rule.
    """
    innodb_targets = [target for target in targets if target.storage_engine == "innodb"]
    differing_formats = []
    for table in sorted({table for target in innodb_targets for table in target.definitions}):
        named = {t.name: _row_format(t.definitions[table]) for t in innodb_targets if table in t.definitions}
        formats = {t.name: named[t.name] or _default_row_format(t) for t in innodb_targets if t.name in named}
        plain_formats = {name: word for name, word in formats.items() if word in _PLAIN_FORMATS}
        if any(named[name] for name in plain_formats) and len(set(plain_formats.values())) > 1:
            differing_formats += [(name, table, f"row_format={word}") for name, word in plain_formats.items()]
    return differing_formats


def _row_format(text: str) -> str:
    """Return the row format that a definition names; empty for none.

    >>> _row_format("CREATE TABLE t (a int) ENGINE=InnoDB ROW_FORMAT=COMPACT"), _row_format("CREATE TABLE t (a int)")
    ('compact', '')
    >>> _row_format("CREATE TABLE t (a int) ENGINE=InnoDB KEY_BLOCK_SIZE=8")
    'compressed'
    """
    matches = list(_ROW_FORMAT_RE.finditer(_split_ddl(text)[2]))
    word = next((match[1].lower() for match in matches if match[1]), "compressed" if matches else "")
    return "" if word == "default" else word


def _default_row_format(target: AuditTarget) -> str:
    """Return the row format of tables whose definition names none; empty if the server is not known."""
    name = "innodb_default_row_format"
    if word := target.variable(name) or target.asked(name):
        return word.lower()
    is_later = target.is_family(("mysql", "percona"), "5.7.9") or target.is_family("mariadb", "10.2.2")
    return "" if not target.family else "dynamic" if is_later else "compact"


def engine_options(text: str) -> str:
    """Return options of a table that its storage engine defines, in order: MariaDB writes their names in backquotes.

    >>> engine_options("CREATE TABLE `t` (`id` int) ENGINE=TidesDB `SYNC_MODE`='FULL' `COMPRESSION`='NONE'")
    "sync_mode='full'"
    """
    options = {name.lower(): value.lower() for name, value in _ENGINE_OPTION_RE.findall(_split_ddl(text)[2])}
    return " ".join(f"{name}={options[name]}" for name in sorted(options) if not re.fullmatch(_OWN_RULES, name))


def normalised_ddl(text: str) -> str:
    """Return a definition without what is no difference in work, keys in order.

    A column that may be null has null as its default, whether that is written or not, and the zero that old servers
    write as the default of a column of the primary key means nothing. What has separate rules is left out, such as
    collations and compression, and so are options that the storage engine defines (`engine_options`).

    >>> normalised_ddl("CREATE TABLE `t` (`id` int(11) DEFAULT '0', KEY `b` (`id`)) ENGINE=InnoDB AUTO_INCREMENT=7")
    'create table t (id int default 0,key b (id))'
    >>> normalised_ddl("create table t (a text default null) page_compressed=1")
    'create table t (a text)'
    >>> normalised_ddl("create table t (a int(11) NOT NULL DEFAULT '0', b int default 0, PRIMARY KEY (`a`))")
    'create table t (a int not null,b int default 0,primary key (a))'

    MySQL writes what only some versions understand into comments, which count:

    >>> normalised_ddl("create table t (a int) ENGINE=InnoDB /*!50100 PARTITION BY KEY (`a`) PARTITIONS 4 */")
    'create table t (a int) partition by key (a) partitions 4'
    """
    head, body, tail = _split_ddl(text)
    tail = _ENGINE_OPTION_RE.sub("", tail)
    head, body, tail = (_normalised_text(part) for part in (head, body, tail))
    clauses = [re.sub(r"\s*([(),])\s*", r"\1", clause.strip()) for clause in _split_clauses(body)]
    keys = sorted(clause for clause in clauses if _is_key(clause))
    key_columns = {
        name for clause in keys if clause.startswith("primary key") for name in re.findall(r"\w+", clause)[2:]
    }
    columns = [
        _IMPLICIT_DEFAULT_RE.sub("", clause) if clause.split(" ", 1)[0] in key_columns else clause
        for clause in clauses
        if not _is_key(clause)
    ]
    spaced_clauses = [re.sub(r"(?<=\w)\(", " (", clause) if _is_key(clause) else clause for clause in columns + keys]
    return f"{head} ({','.join(spaced_clauses)}) {tail}".strip()


def _split_ddl(text: str) -> tuple[str, str, str]:
    """Return what comes before the parentheses of columns and keys, what is within, and what comes after.

    >>> _split_ddl("create table t (a enum(')')) partition by hash (a)")
    ('create table t ', "a enum(')')", ' partition by hash (a)')
    """
    depth, start = 0, text.find("(")
    for match in re.finditer(r"'(?:[^']|'')*'|`[^`]*`|[()]", text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth and match[0] == ")":
            return text[:start], text[start + 1 : match.start()], text[match.end() :]
    return text, "", ""


def _normalised_text(text: str) -> str:
    text = re.sub(r"/\*m?!\d*(.*?)\*/", r"\1", text.replace("`", "").lower(), flags=re.DOTALL)
    for pattern in (rf"\b(?:{_OWN_RULES})\s*=\s*[^\s,)]+", r"\b(?:character set|collate)\s+\w+", r"/\*.*?\*/"):
        text = re.sub(pattern, "", text)
    text = re.sub(r"\b((?:tiny|small|medium|big)?int(?:eger)?|year)\(\d+\)", r"\1", text)
    text = text.replace("current_timestamp()", "current_timestamp")
    text = re.sub(r"\bdefault '(-?[\d.]+)'", r"default \1", text)
    text = re.sub(r"\s+default null\b", "", text)
    return re.sub(r"\s+", " ", text).strip(" ;")


def _clause_differences(texts: Mapping[str, str]) -> dict[str, str]:
    """Return of each target's definition what not all have.

    >>> _clause_differences({"a": "create table t (id int,key k (id))", "b": "create table t (id int)"})
    {'a': 'key k (id)', 'b': 'nothing of it'}
    >>> _clause_differences({"a": "create table t (x int,y int)", "b": "create table t (y int,x int)"})
    {'a': 'columns in the order x int, y int', 'b': 'columns in the order y int, x int'}
    """
    clauses_by_target = {name: _definition_clauses(text) for name, text in texts.items()}
    common_clauses = set.intersection(*(set(clauses) for clauses in clauses_by_target.values()))
    if all(set(clauses) == common_clauses for clauses in clauses_by_target.values()):
        return {name: f"columns in the order {', '.join(clauses)}" for name, clauses in clauses_by_target.items()}
    return {
        name: ", ".join(clause for clause in clauses if clause not in common_clauses) or "nothing of it"
        for name, clauses in clauses_by_target.items()
    }


def _definition_clauses(text: str) -> list[str]:
    """Return columns, keys and options of a normalised definition."""
    if text == _NO_TABLE:
        return [_NO_TABLE]
    _, body, tail = _split_ddl(text)
    return [*_split_clauses(body), *([tail.strip()] if tail.strip() else [])]


def _split_clauses(body: str) -> list[str]:
    return re.split(r",(?![^(]*\))", body)


def _is_key(clause: str) -> bool:
    return re.match(r"(primary |unique |fulltext |spatial |foreign )?(key|index)\b|constraint\b", clause) is not None
