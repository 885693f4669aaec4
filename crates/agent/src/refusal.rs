//! Describes a request that was not fulfilled: a code for programs, the path, the kernel's error and its text.

use rustix::io::Errno;
use serde::Serialize;
use std::fmt;
use std::io;
use std::path::Path;

/// Says why a request was not fulfilled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// For programs, such as `not-found`.
    pub code: &'static str,
    /// Its subject: a path, a program, a handle; empty if none can be named.
    pub path: String,
    /// The kernel's number; 0 if the kernel did not refuse it.
    pub errno: i32,
    /// For people.
    pub text: String,
}

impl Refusal {
    /// Builds a refusal that the kernel did not make.
    pub(crate) fn new(
        code: &'static str,
        path: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            code,
            path: path.into(),
            errno: 0,
            text: text.into(),
        }
    }

    /// Refuses because there is no such process, lock, stream or watch.
    pub(crate) fn no_handle(kind: &str, handle: u64) -> Self {
        Self::new(
            "no-handle",
            handle.to_string(),
            format!("there is no such {kind}"),
        )
    }

    /// Wraps the kernel's error about a path.
    pub(crate) fn of(path: &Path, error: &io::Error) -> Self {
        let errno = error.raw_os_error().unwrap_or(0);
        let text = error.to_string();
        let text = text.split(" (os error").next().unwrap_or_default();
        Self {
            code: code_of(Errno::from_raw_os_error(errno)),
            path: path.to_string_lossy().into_owned(),
            errno,
            text: text.to_owned(),
        }
    }
}

fn code_of(errno: Errno) -> &'static str {
    match errno {
        Errno::NOENT => "not-found",
        Errno::ACCESS | Errno::PERM | Errno::ROFS => "denied",
        Errno::EXIST => "exists",
        Errno::NOTEMPTY => "not-empty",
        Errno::NOTDIR => "not-a-folder",
        Errno::ISDIR => "is-a-folder",
        Errno::NOSPC | Errno::DQUOT => "no-space",
        Errno::BUSY | Errno::TXTBSY => "busy",
        Errno::SRCH | Errno::CHILD => "no-process",
        Errno::CONNREFUSED => "refused",
        Errno::PIPE | Errno::CONNRESET | Errno::NOTCONN => "closed",
        Errno::TIMEDOUT => "timeout",
        _ => "os",
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.text, self.code)
    }
}

/// Adds the path to an error.
pub(crate) trait AtPath<T> {
    /// Returns the value, or the refusal that names `path`.
    fn at(self, path: &Path) -> Result<T, Refusal>;
}

impl<T, E: Into<io::Error>> AtPath<T> for Result<T, E> {
    fn at(self, path: &Path) -> Result<T, Refusal> {
        self.map_err(|error| Refusal::of(path, &error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_carries_code_path_number_and_text() {
        let path = Path::new("/nowhere/at/all");
        let refusal = std::fs::read(path).at(path).unwrap_err();
        assert_eq!((refusal.code, refusal.errno), ("not-found", libc::ENOENT));
        assert_eq!(refusal.path, "/nowhere/at/all");
        assert_eq!(refusal.text, "No such file or directory");
    }
}
