//! Reads files that users name: it never waits for a writer, and never takes more than a stated amount.
//!
//! A device, a socket or a named pipe is refused, since it may never end; a pipe that a shell has made for the command
//! (`<(zcat x.gz)`) is read, as its writer is there. The limit for one file is 256 MiB, or what the environment variable
//! [`LIMIT_VARIABLE`] says. The Python side has the same rules, in `dbdyno.core`.
//!
//! ```
//! use std::path::Path;
//!
//! let error = dbdyno_input::read(Path::new("/dev/zero")).unwrap_err();
//! assert_eq!(error.to_string(), "it is a device");
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl, makedev};
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Environment variable that raises, or lowers, how many bytes of one file are taken.
pub const LIMIT_VARIABLE: &str = "DBDYNO_INPUT_LIMIT";

const MOST_BYTES: u64 = 256 << 20;
const PIPES_OF_SHELLS: [&str; 3] = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"];

/// Returns the content of a regular file.
///
/// # Errors
/// It can't be read, is no regular file, or is larger than the limit.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    take(open(path)?, limit()?, too_large)
}

/// Returns the content of a regular file that has at most so many bytes, whatever the environment variable says.
///
/// # Errors
/// It can't be read, is no regular file, or is larger.
pub fn read_at_most(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    take(open(path)?, most_bytes, too_large_of_its_kind)
}

/// Returns the text of a regular file in UTF-8.
///
/// # Errors
/// As [`read`], or it is not UTF-8: then the line is in the message.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
        let what = format!("line {line}: byte 0x{:02x} is not UTF-8", bytes[at]);
        io::Error::new(ErrorKind::InvalidData, what)
    })
}

/// Returns all that a stream gives, such as standard input, up to the limit.
///
/// # Errors
/// It can't be read, or gives more than the limit.
pub fn read_stream(stream: impl Read) -> io::Result<Vec<u8>> {
    take(stream, limit()?, too_large)
}

/// Opens a regular file to read it piece by piece, which bounds what is held of it.
///
/// # Errors
/// It can't be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let without_waiting = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(without_waiting.bits().cast_signed())
        .open(path)?;
    let facts = file.metadata()?;
    let kind = facts.file_type();
    let is_null = || kind.is_char_device() && facts.rdev() == makedev(1, 3); // /dev/null: an empty file by custom
    if kind.is_file() || is_null() {
        return Ok(file);
    }
    let is_from_shell = PIPES_OF_SHELLS
        .iter()
        .any(|place| path.to_str().is_some_and(|path| path.starts_with(place)));
    if !(kind.is_fifo() && is_from_shell) {
        return Err(refusal(kind));
    }
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Returns how many bytes of one file are taken.
///
/// # Errors
/// The environment variable holds no number of bytes, or 0.
pub fn limit() -> io::Result<u64> {
    let Some(value) = std::env::var_os(LIMIT_VARIABLE).filter(|value| !value.is_empty()) else {
        return Ok(MOST_BYTES);
    };
    limit_of(&value.to_string_lossy())
}

/// Returns the error for a file, or stream, that holds more than so many bytes, the [`limit`].
#[must_use]
pub fn too_large(most_bytes: u64) -> io::Error {
    let what = format!(
        "it holds more than {}, the limit for one file; {LIMIT_VARIABLE}={} raises this limit",
        in_words(most_bytes),
        2 * most_bytes
    );
    io::Error::new(ErrorKind::FileTooLarge, what)
}

/// Returns the error for a file that holds more than files of its kind may.
fn too_large_of_its_kind(most_bytes: u64) -> io::Error {
    let what = format!(
        "it holds more than {}, the limit for such a file",
        in_words(most_bytes)
    );
    io::Error::new(ErrorKind::FileTooLarge, what)
}

fn in_words(bytes: u64) -> String {
    let (unit_bytes, unit) = match bytes {
        1_048_576.. => (1 << 20, "MiB"),
        1024.. => (1 << 10, "KiB"),
        _ => return format!("{bytes} bytes"),
    };
    match bytes % unit_bytes {
        0 => format!("{} {unit}", bytes / unit_bytes),
        _ => format!("{:.1} {unit}", bytes as f64 / unit_bytes as f64),
    }
}

fn limit_of(text: &str) -> io::Result<u64> {
    let is_number = text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    let limit = text.parse().ok().filter(|&limit| is_number && limit > 0);
    limit.ok_or_else(|| {
        let what = format!(
            "the environment variable {LIMIT_VARIABLE} holds {text:?}, not a number of bytes"
        );
        io::Error::new(ErrorKind::InvalidInput, what)
    })
}

fn take(
    stream: impl Read,
    most_bytes: u64,
    too_large: impl FnOnce(u64) -> io::Error,
) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    stream.take(most_bytes + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most_bytes {
        return Err(too_large(most_bytes));
    }
    Ok(content)
}

fn refusal(kind: FileType) -> io::Error {
    let (error, words) = match kind {
        kind if kind.is_dir() => (ErrorKind::IsADirectory, "it is a folder"),
        kind if kind.is_fifo() => (
            ErrorKind::InvalidInput,
            "it is a named pipe, which could block forever",
        ),
        kind if kind.is_socket() => (ErrorKind::InvalidInput, "it is a socket"),
        _ => (ErrorKind::InvalidInput, "it is a device"),
    };
    io::Error::new(error, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType as NodeType, Mode, mknodat};
    use std::fs;
    use std::path::PathBuf;

    fn fresh(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("dbdyno-input-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn what_may_never_end_is_refused_at_once() {
        let pipe = fresh("pipe");
        mknodat(CWD, &pipe, NodeType::Fifo, Mode::RWXU, 0).unwrap();
        let words = |path: &Path| read(path).unwrap_err().to_string();
        assert_eq!(
            words(&pipe),
            "it is a named pipe, which could block forever"
        );
        assert_eq!(words(Path::new("/dev/zero")), "it is a device");
        assert_eq!(words(Path::new("/")), "it is a folder");
        assert_eq!(read(Path::new("/dev/null")).unwrap(), b"");
        fs::remove_file(pipe).unwrap();
    }

    #[test]
    fn a_file_is_read_up_to_the_limit_and_refused_beyond_it() {
        let file = fresh("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_at_most(&file, 5).unwrap(), b"12345");
        let error = read_at_most(&file, 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        let words = "it holds more than 4 bytes, the limit for such a file"; // which no variable raises
        assert_eq!(error.to_string(), words);
        let error = take(File::open(&file).unwrap(), 4, too_large).unwrap_err();
        let words = "it holds more than 4 bytes, the limit for one file; DBDYNO_INPUT_LIMIT=8";
        assert!(error.to_string().starts_with(words), "{error}");
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn files_of_the_kernel_tell_no_size_and_are_read() {
        let status = read_text(Path::new("/proc/self/status")).unwrap();
        assert!(status.starts_with("Name:"), "{status}");
    }

    #[test]
    fn a_text_that_is_not_utf_8_is_refused_with_its_line() {
        let file = fresh("text");
        fs::write(&file, b"a\nb\xff").unwrap();
        let error = read_text(&file).unwrap_err();
        assert_eq!(error.to_string(), "line 2: byte 0xff is not UTF-8");
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn an_endless_stream_ends_at_the_limit() {
        let error = take(io::repeat(b' '), 1 << 20, too_large).unwrap_err();
        assert!(
            error.to_string().starts_with("it holds more than 1 MiB"),
            "{error}"
        );
    }

    #[test]
    fn a_limit_is_named_as_it_is() {
        let named = [900, 64 << 10, 1 << 20, 1_900_000, 256 << 20].map(in_words);
        let words = ["900 bytes", "64 KiB", "1 MiB", "1.8 MiB", "256 MiB"];
        assert_eq!(named, words);
    }

    #[test]
    fn a_limit_is_a_positive_number_of_bytes() {
        assert_eq!(limit_of("1000").unwrap(), 1000);
        for text in ["0", "-1", "+1", "1e6", "9999999999999999999"] {
            assert!(limit_of(text).is_err(), "{text}");
        }
    }
}
