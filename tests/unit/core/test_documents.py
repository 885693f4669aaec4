"""Texts that no parser should be given as they are: refused in time, with their place."""

from __future__ import annotations

import time

import pytest

from dbdyno.core import json_value, toml_document


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1\n" + ".".join("a" * 20_000) + " = 1", "parts at line 2"),
        ("a = " + "[" * 5000 + "]" * 5000, " 64 .* at line 1"),
        ("x" * 3_000_000, "Expected '='"),
        ("a = 1\nb = " + "9" * 5000, "digits"),
        ("a = 1e400", "line 1: a: inf is"),
    ],
)
def test_toml_that_nobody_means_is_refused_in_time(text: str, words: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=words):
        toml_document(text)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, " 64 "),
        ('{"a":' * 65 + "1" + "}" * 65, " 64 "),
        ('{"a": [NaN]}', "/a/0: nan is"),
        ('{"a/b": 1' + "0" * 30 + "}", "/a~1b: .* 64 bits"),
    ],
)
def test_json_that_nobody_means_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        json_value(text)
