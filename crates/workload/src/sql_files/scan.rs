//! Splits a file of SQL into its statements.

use super::directory::SourceFile;
use crate::WorkloadError;
use dbdyno_wire::opaque_length;

/// Length of `/*!`, behind which stands what is executed.
const MARK: usize = 3;

/// One statement as it stands in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ScannedStatement {
    /// Without the delimiter and without comments that end with their line.
    pub(super) text: String,
    /// Where it begins.
    pub(super) line: usize,
    /// From `-- name: …`: what reports call it.
    pub(super) name: Option<String>,
    /// From `-- keep: …`: names for the columns of its first row.
    pub(super) keep: Vec<String>,
}

/// Cuts at semicolons outside quotes and comments, or at what `DELIMITER` says instead.
pub(super) fn statements(file: &SourceFile) -> Result<Vec<ScannedStatement>, WorkloadError> {
    let mut scan = SqlScanner {
        file,
        at: 0,
        delimiter: ";".to_owned(),
        found: Vec::new(),
        now: ScannedStatement::default(),
    };
    scan.run()?;
    Ok(scan.found)
}

struct SqlScanner<'a> {
    file: &'a SourceFile,
    at: usize,
    delimiter: String,
    found: Vec<ScannedStatement>,
    /// The statement under way.
    now: ScannedStatement,
}

impl SqlScanner<'_> {
    fn run(&mut self) -> Result<(), WorkloadError> {
        while self.at < self.file.text.len() {
            self.step()?;
        }
        self.end_statement();
        match self.now {
            ScannedStatement {
                name: None,
                ref keep,
                ..
            } if keep.is_empty() => Ok(()),
            _ => Err(self.wrong("no statement follows this comment")),
        }
    }

    fn rest(&self) -> &str {
        &self.file.text[self.at..]
    }

    fn step(&mut self) -> Result<(), WorkloadError> {
        if self.now.text.trim().is_empty() && self.take_delimiter_command() {
            return Ok(());
        }
        if self.rest().starts_with(&self.delimiter) {
            self.at += self.delimiter.len();
            self.end_statement();
            return Ok(());
        }
        let opaque = opaque_length(self.rest().as_bytes());
        if opaque > MARK && self.rest().starts_with("/*") && self.now.text.is_empty() {
            self.at += opaque; // about the file, not of the statement
            return Ok(());
        }
        if opaque > 0 && self.rest().starts_with(['#', '-']) {
            let comment = self.rest()[..opaque].to_owned();
            self.take_comment(&comment)?;
            self.at += opaque;
            return Ok(());
        }
        let next = self.rest().chars().next().map_or(1, char::len_utf8);
        self.copy(opaque.max(next));
        Ok(())
    }

    fn copy(&mut self, length: usize) {
        let piece = &self.file.text[self.at..self.at + length];
        if self.now.text.is_empty() {
            if piece.trim().is_empty() {
                self.at += length;
                return;
            }
            self.now.line = self.file.line_of(self.at);
        }
        self.now.text.push_str(piece);
        self.at += length;
    }

    /// Takes a delimiter command like the client `mysql`, for bodies of procedures: on its own line.
    fn take_delimiter_command(&mut self) -> bool {
        let line = self.rest().lines().next().unwrap_or_default();
        let mut words = line.split_whitespace();
        if !words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("delimiter"))
        {
            return false;
        }
        let Some(delimiter) = words.next() else {
            return false;
        };
        let (delimiter, length) = (delimiter.to_owned(), line.len());
        self.delimiter = delimiter;
        self.at += length;
        true
    }

    fn end_statement(&mut self) {
        let length = self.now.text.trim_end().len();
        self.now.text.truncate(length);
        if !self.now.text.is_empty() {
            self.found.push(std::mem::take(&mut self.now));
        }
    }

    fn take_comment(&mut self, comment: &str) -> Result<(), WorkloadError> {
        let words = comment.trim_start_matches(['-', '#']);
        let Some((key, value)) = words.split_once(':') else {
            return Ok(());
        };
        match key.trim() {
            "name" => {
                let name = self.word(value)?;
                self.subject().name = Some(name);
            }
            "keep" => {
                let names = value.split(',').map(|name| self.word(name));
                let names = names.collect::<Result<Vec<_>, _>>()?;
                self.subject().keep = names;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the statement that a comment is about: the one under way or to come; behind a statement that has ended
    /// in the same line, that one.
    fn subject(&mut self) -> &mut ScannedStatement {
        let before = &self.file.text[..self.at];
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_behind = self.now.text.is_empty() && !line.trim().is_empty();
        match self.found.last_mut() {
            Some(last) if is_behind => last,
            _ => &mut self.now,
        }
    }

    fn word(&self, text: &str) -> Result<String, WorkloadError> {
        let word = text.trim();
        if !word.is_empty() && word.bytes().all(is_of_name) {
            return Ok(word.to_owned());
        }
        let allowed = "a word of letters, digits and underscores is allowed";
        Err(self.wrong(&format!("{word:?} is not a name: {allowed}")))
    }

    fn wrong(&self, what: &str) -> WorkloadError {
        self.file.wrong_at(self.at..self.at, what)
    }
}

/// Returns whether names are made of it.
pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A named place in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placeholder {
    pub(super) name: String,
    pub(super) line: usize,
}

/// Returns the statement with `?` for each `:name`, and the names in order.
pub(super) fn places(
    file: &SourceFile,
    sql: &ScannedStatement,
) -> Result<(String, Vec<Placeholder>), WorkloadError> {
    let (mut text, mut places) = (String::new(), Vec::new());
    let (mut at, mut line) = (0, sql.line);
    while let Some(next) = sql.text[at..].chars().next() {
        let rest = &sql.text[at..];
        if next == '?' {
            let what = "? has no name: write :name, with a name of [parameters] or of a -- keep:";
            return Err(file.wrong(line, what));
        }
        let name = name_at(rest);
        let length = if name.is_empty() {
            let length = opaque_length(rest.as_bytes()).max(next.len_utf8());
            text.push_str(&rest[..length]);
            length
        } else {
            text.push('?');
            let name = name.to_owned();
            places.push(Placeholder { name, line });
            places[places.len() - 1].name.len() + 1
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    Ok((text, places))
}

/// Returns the name behind a colon; empty where there is none. `:=` is none.
fn name_at(text: &str) -> &str {
    let Some(rest) = text.strip_prefix(':') else {
        return "";
    };
    if rest.starts_with(|first: char| first.is_ascii_digit()) {
        return "";
    }
    let length = rest.bytes().take_while(|&byte| is_of_name(byte)).count();
    &rest[..length]
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
