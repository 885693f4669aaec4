//! Reads files with options: `name=value` lines.
//!
//! The grammar is sysbench's, with its corners: a value begins behind blanks and ends at a blank or a comma, and both
//! begin the next value; one in quotes is followed by nothing up to the next comma; `#` where a value could begin
//! ends the line. Lines without `=` are passed over. A line goes on in the next after 255 characters.

use std::io;
use std::path::Path;

const LINE_BYTES: usize = 255;

/// One line that sets something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub name: String,
    pub values: Vec<String>,
    /// The number of the line, where a quote has no end; the value that it begins does not count, and the file ends here.
    pub unended_on_line: Option<usize>,
}

/// Reads all settings of a file, in order. A file that cannot be opened is reported in the words of the C library; a
/// folder has nothing in it. A device or a pipe, which may never end, is refused; sysbench reads it until memory is full.
pub(super) fn read(path: &str) -> Result<Vec<Setting>, String> {
    match dbdyno_input::read(Path::new(path)) {
        Ok(content) => Ok(settings(&content)),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => Ok(Vec::new()),
        Err(error) => Err(reason(&error)),
    }
}

/// Returns the error without the number that the standard library adds.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

fn settings(content: &[u8]) -> Vec<Setting> {
    let lines = content
        .split_inclusive(|byte| *byte == b'\n')
        .flat_map(|line| line.chunks(LINE_BYTES));
    let mut settings = Vec::new();
    for (index, line) in lines.enumerate() {
        settings.extend(setting(&String::from_utf8_lossy(line), index + 1));
        if settings
            .last()
            .is_some_and(|last| last.unended_on_line.is_some())
        {
            break;
        }
    }
    settings
}

fn setting(line: &str, number: usize) -> Option<Setting> {
    let line = line.split('\0').next().unwrap_or_default();
    let (name, rest) = line.split_once('=')?;
    let (values, ended) = values(rest);
    Some(Setting {
        name: name.to_owned(),
        values,
        unended_on_line: (!ended).then_some(number),
    })
}

/// Returns the values, and whether every quote had its end.
fn values(text: &str) -> (Vec<String>, bool) {
    let mut values = Vec::new();
    let mut rest = text.trim_start_matches(is_blank);
    while let Some(first) = rest.chars().next().filter(|first| *first != '#') {
        if first == '"' || first == '\'' {
            let Some((value, behind)) = rest[1..].split_once(first) else {
                return (values, false);
            };
            values.push(value.to_owned());
            rest = behind.split_once(',').map_or("", |(_, next)| next);
        } else {
            let end = rest.find(|c| c == ',' || is_blank(c)).unwrap_or(rest.len());
            values.push(rest[..end].to_owned());
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        rest = rest.trim_start_matches(is_blank);
    }
    (values, true)
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\x0b'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn holds(text: &str, expected: &[&str]) {
        assert_eq!(values(text).0, expected, "{text:?}");
    }

    #[test]
    fn values_end_at_blanks_and_commas_as_sysbench_sees_them() {
        holds("q r", &["q", "r"]);
        holds("a, b\n", &["a", "b"]);
        holds("a,,b\n", &["a", "", "b"]);
        holds("a ,b\n", &["a", "", "b"]);
        holds("a ,, b\n", &["a", "", "", "b"]);
        holds(",a\n", &["", "a"]);
        holds("a,b,\n", &["a", "b"]);
        holds("a , \n", &["a", ""]);
        holds("\n", &[]);
        holds("a#b # c\n", &["a#b"]);
        holds("a,# b\n", &["a"]);
        holds("a\"b\"c\n", &["a\"b\"c"]);
    }

    #[test]
    fn what_follows_a_quoted_value_counts_from_the_next_comma() {
        holds("\"q # r\"\n", &["q # r"]);
        holds("'a\"b'\n", &["a\"b"]);
        holds("\"a\" b , c\n", &["a", "c"]);
        holds("\"a\",,b\n", &["a", "", "b"]);
        holds("\"a\" ,b\n", &["a", "b"]);
        holds("\"a\" \"b\"\n", &["a"]);
        holds("\"\"x\n", &[""]);
    }

    #[test]
    fn a_quote_without_an_end_is_told_of_with_its_line_and_ends_the_file() {
        let all = settings(b"threads=2\nmysql-host=a,\"b\nevents=3\n");
        assert_eq!(all[1].values, ["a"]);
        assert_eq!(all[1].unended_on_line, Some(2));
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn what_may_never_end_is_refused_and_a_folder_has_nothing_in_it() {
        assert_eq!(read("/dev/zero").unwrap_err(), "it is a device");
        assert_eq!(read("/no/such").unwrap_err(), "No such file or directory");
        assert_eq!(read("/").unwrap(), []);
    }

    #[test]
    fn lines_without_an_equals_sign_are_passed_over_and_names_are_taken_as_they_are() {
        let all = settings(b"[client]\nhistogram\n#threads=2\na b=c");
        let names: Vec<&str> = all.iter().map(|setting| setting.name.as_str()).collect();
        assert_eq!(names, ["#threads", "a b"]);
    }

    #[test]
    fn a_long_line_goes_on_after_255_characters() {
        let text = format!("mysql-db={}threads=4\n", "x".repeat(246));
        let all = settings(text.as_bytes());
        assert_eq!(all[0].values[0].len(), 246);
        assert_eq!(
            (all[1].name.as_str(), all[1].values[0].as_str()),
            ("threads", "4")
        );
    }
}
