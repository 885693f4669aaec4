"""Units and engine names at their edges."""

import pytest

from dbdyno.core import StudyError, parse_bytes, parse_duration_ns, parse_engine_name


@pytest.mark.parametrize("text", ["", "MB", "-1MB", "0", "1.0000001MB", "64 XB", "1e3MB"])
def test_what_is_no_memory_size_is_refused(text: str) -> None:
    with pytest.raises(StudyError):
        parse_bytes(text)


@pytest.mark.parametrize("text", ["", "12", "s", "-1s", "1 fortnight"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(StudyError):
        parse_duration_ns(text)


@pytest.mark.parametrize("text", ["", "mysql", "mysql:", "mysql:x", "mysql:9.7+", "mysql:9.7 ", "a b:1"])
def test_what_is_no_engine_is_refused_or_trimmed(text: str) -> None:
    if text.strip() == "mysql:9.7":
        assert str(parse_engine_name(text)) == "mysql:9.7"
        return
    with pytest.raises(StudyError):
        parse_engine_name(text)


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("mysql@archive:/opt/my sql/a.tar.gz", "archive", "/opt/my sql/a.tar.gz"),
        ("mysql:5.6@npm:@scope/server@5.6.24", "npm", "@scope/server@5.6.24"),
        ("mysql:8.0@maven:g:a:1:zip:linux#sha256=" + "0" * 64, "maven", "g:a:1:zip:linux"),
        ("mariadb:11.8+rocksdb@basedir:~/build", "basedir", "~/build"),
    ],
)
def test_a_source_keeps_what_it_is_to_look_for_as_it_was_written(text: str, kind: str, place: str) -> None:
    name = parse_engine_name(text)
    assert (name.source_kind, name.source_place) == (kind, place)
    assert parse_engine_name(str(name)) == name and str(name) == text
