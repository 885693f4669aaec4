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


@pytest.mark.parametrize(
    "address",
    [
        "https://joe:hunter2@example.invalid/mysql.tar.xz",
        "https://joe:hunter2@example.invalid/mysql.tar.xz#sha256=" + "0" * 64,
        "ftp://joe:hunter2@example.invalid/mysql.tar.xz",
        "https://hunter2@example.invalid/mysql.tar.xz",
        "https://joe:hunter2#3@example.invalid/mysql.tar.xz",
        "https://joe:hunter2/3@example.invalid/mysql.tar.xz",
        "https://joe:hunter2",
    ],
)
@pytest.mark.parametrize("engine", ["mysql:9.7", "no engine", "mariadb:11.8+tidesdb"])
def test_a_password_in_an_address_is_refused_and_not_shown(engine: str, address: str) -> None:
    with pytest.raises(StudyError) as error:
        parse_engine_name(f"{engine}@archive:{address}")
    assert "password" in error.value.what
    assert "hunter" not in repr(error.value.args) + str(error.value) + error.value.why + error.value.remedy


@pytest.mark.parametrize(
    "place", ["https://h:8080/a@1.tar.gz", "https://[::1]:80/a:b.tgz", "https://h/a?b=c:d@e", "https://h:80"]
)
def test_an_address_with_a_port_or_an_at_sign_in_its_path_is_none_with_a_password(place: str) -> None:
    assert parse_engine_name(f"mysql:9.7@archive:{place}").source_place == place
