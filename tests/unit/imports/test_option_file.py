"""Option files as far as the import reads them."""

from __future__ import annotations

from dbdyno.imports.settings import read_option_file


def test_option_files_give_the_servers_groups_and_the_last_value_wins() -> None:
    text = "[mysqld]\na-b = 1\nA_b=2\n[client]\nport=9\n[mysqld-8.4]\nc='x # y'\n[mysqldump]\nquick\n# z=1\n; z=2\n"
    options, wrong = read_option_file(text)
    assert {option.name: option.value for option in options} == {"a_b": "1", "A_b": "2", "c": "x # y"}
    assert wrong == ()


def test_lines_that_are_no_option_are_named() -> None:
    assert read_option_file("[mysqld]\n= 3\n<<<<\n")[1] == ((2, "not an option: = 3"), (3, "not an option: <<<<"))
