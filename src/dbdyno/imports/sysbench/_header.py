"""Reads the beginning of a sysbench run: version, options, and the command where a script echoed it."""

from __future__ import annotations

import re
import shlex

from dbdyno.imports._run import RunHeader

VERSION_RE = re.compile(r"^sysbench (\d[\w.+-]*)(?: |:|$)", re.MULTILINE)
_COMMAND_RE = re.compile(
    r"^(?:[$#>+%]+ *|.{0,60}?[Cc]ommand[^:\n]{0,20}: *)?(?:\S*/)?sysbench +(?!\d)(.*--.*)$", re.MULTILINE
)
_FACTS = {
    "threads": re.compile(r"^Number of threads: (\d{1,7})\s*$", re.MULTILINE),
    "interval_s": re.compile(r"^Report intermediate results every (\d{1,7}) second", re.MULTILINE),
    "rate_per_s": re.compile(r"^Target transaction rate: (\d{1,9})/sec", re.MULTILINE),
    "warm_up_s": re.compile(r"^Warmup time: (\d{1,7})s", re.MULTILINE),
}
_END_OF_HEAD_RE = re.compile(
    r"^(?:Running the test with following options|\[ *\d+s ?\] |(?:SQL|General|OLTP test) statistics:)", re.MULTILINE
)
_SECRETS = frozenset({"mysql_password", "pgsql_password"})
_LONGEST = 4096
_HIDDEN = "(left out)"


def read_head(text: str, before: str) -> RunHeader:
    r"""Return facts of the head of a run.

    Parameters
    ----------
    text : of the run, from its first line
    before : what stands between the run before and this one, where a script may have echoed the command

    >>> read_head("sysbench 1.0.20 (x)\nNumber of threads: 8\n", "$ sysbench oltp_insert --time=9 run\n").options
    {'time': '9'}
    """
    text = text[:_LONGEST]
    version = VERSION_RE.search(text)
    facts = {name: int(match[1]) if (match := pattern.search(text)) else None for name, pattern in _FACTS.items()}
    end_of_head = _END_OF_HEAD_RE.search(text)  # what is echoed behind a short run is the command of the next one
    test, options = _parse_command(before + (text[: end_of_head.start()] if end_of_head else text))
    test = test or _test_name_of_0_4(text)
    return RunHeader(
        version[1] if version else "",
        threads=facts["threads"],
        interval_s=facts["interval_s"],
        rate_per_s=facts["rate_per_s"],
        warm_up_s=facts["warm_up_s"],
        test=test,
        options=options,
    )


def _test_name_of_0_4(text: str) -> str:
    r"""Return what a run of sysbench 0.4 says that it does; empty when it doesn't.

    >>> _test_name_of_0_4("Doing OLTP test.\nRunning simple OLTP test\nDoing read-only test\n")
    'oltp, simple, read-only'
    """
    if "\nDoing OLTP test." not in f"\n{text}":
        return ""
    suffixes = {
        "\nRunning simple OLTP": ", simple",
        "\nRunning non-transactional": ", nontrx",
        "\nDoing read-only": ", read-only",
    }
    return "oltp" + "".join(words for line, words in suffixes.items() if line in text)


def _parse_command(text: str) -> tuple[str, dict[str, str]]:
    commands = [words for match in _COMMAND_RE.finditer(text) if (words := _split_words(match[1])) and "run" in words]
    if not commands:
        return "", {}
    words = commands[-1]
    names = [word for word in words if not word.startswith("-")]
    options = dict(_parse_option(word) for word in words if word.startswith("--"))
    test = names[0] if names[0] != "run" else options.get("test", "")
    return test.rsplit("/", 1)[-1].removesuffix(".lua"), options


def _split_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is never closed
        return text.split()


def _parse_option(word: str) -> tuple[str, str]:
    name, separator, value = word.removeprefix("--").partition("=")
    name = name.replace("-", "_")
    return name, _HIDDEN if name in _SECRETS else value if separator else "on"
