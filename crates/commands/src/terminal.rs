//! Writes to standard output and standard error for people: a server's messages reach the terminal as text
//! and never as a command.
//!
//! A server may put anything into an error message, a version or a name: sequences that colour, move, retitle or answer
//! for the terminal, and characters that change the direction of reading. All text for people goes through here, where
//! such characters are shown as `\u{1b}`. Records are JSON, which has its own escapes.

use crate::record::is_closed_pipe;
use std::io::{self, IsTerminal, Write};

/// Its name in errors.
pub(crate) const STDOUT: &str = "standard output";

/// Returns standard output, for text.
pub(crate) fn stdout() -> Printable<io::Stdout> {
    #[expect(clippy::disallowed_methods, reason = "this is where it is wrapped")]
    Printable(io::stdout(), STDOUT)
}

/// Returns standard error, for text.
pub(crate) fn stderr() -> Printable<io::Stderr> {
    #[expect(clippy::disallowed_methods, reason = "this is where it is wrapped")]
    Printable(io::stderr(), "standard error")
}

/// Returns standard output, for records and for the user's own bytes.
pub(crate) fn raw_stdout() -> io::Stdout {
    #[expect(clippy::disallowed_methods, reason = "records escape by themselves")]
    io::stdout()
}

/// Prints a listing, which is this program's own text. A reader that has seen enough (`| head`) is no error.
pub(crate) fn print_listing(text: &str) -> io::Result<()> {
    write_listing(&mut raw_stdout(), text)
}

fn write_listing(out: &mut impl Write, text: &str) -> io::Result<()> {
    match writeln!(out, "{}", text.trim_end()) {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        written => written,
    }
}

/// Writes text, each piece whole, with unprintable characters escaped.
#[derive(Debug)]
pub(crate) struct Printable<W>(W, &'static str);

impl<W: IsTerminal> Printable<W> {
    pub(crate) fn is_terminal(&self) -> bool {
        self.0.is_terminal()
    }
}

impl<W: Write> Printable<W> {
    /// Returns to the start of the terminal's line and clears it.
    pub(crate) fn same_line(&mut self) -> io::Result<()> {
        let written = self.0.write_all(b"\r\x1b[2K");
        written.map_err(|error| self.named(&error))
    }

    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.1))
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write_all(printable(bytes).as_bytes());
        written.map_err(|error| self.named(&error))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(|error| self.named(&error))
    }
}

/// Returns the text with everything escaped that a terminal would obey instead of showing, and bytes that are no text.
fn printable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match is_shown(character) {
                true => out.push(character),
                false => out.extend(character.escape_unicode()),
            }
        }
        let invalid = chunk.invalid().iter();
        out.extend(invalid.flat_map(|byte| byte.escape_ascii()).map(char::from));
    }
    out
}

/// Allows our line feeds and tabulators, but no controls (C0, DEL, C1) and no changes of the direction of reading.
fn is_shown(character: char) -> bool {
    match character {
        '\n' | '\t' => true,
        '\u{061c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2028}'
        | '\u{2029}' => false,
        '\u{2066}'..='\u{2069}' => false,
        other => !other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        let said = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}drowssap\x7f\r gone\u{2066}";
        assert_eq!(
            printable(said.as_bytes()),
            "\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}drowssap\\u{7f}\\u{d} gone\\u{2066}"
        );
        assert_eq!(printable(b"a\x9b31mb"), "a\\x9b31mb");
    }

    #[test]
    fn text_of_any_language_stays_as_it_is() {
        let text = "Tabelle „größe“\tхорошо 表 ·\n▁▂▃ e\u{301} …";
        assert_eq!(printable(text.as_bytes()), text);
    }

    #[test]
    fn a_listing_forgives_only_a_closed_pipe() {
        struct Refusing(io::ErrorKind);
        impl Write for Refusing {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let written = |kind| write_listing(&mut Refusing(kind), "text").map_err(|e| e.kind());
        assert_eq!(written(io::ErrorKind::BrokenPipe), Ok(()));
        let full = io::ErrorKind::StorageFull;
        assert_eq!(written(full), Err(full));
    }

    #[test]
    fn only_our_own_line_begins_anew() {
        let mut out = Printable(Vec::new(), "");
        out.same_line().unwrap();
        let said = "\r\x1b[2K";
        write!(out, "load: {said}").unwrap();
        assert_eq!(out.0, b"\r\x1b[2Kload: \\u{d}\\u{1b}[2K");
    }
}
