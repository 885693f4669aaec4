//! Defines the errors, by who is at fault.

use std::io;

/// Why the threads of a process can't be watched.
#[derive(Debug, thiserror::Error)]
pub enum ThreadsError {
    /// There is no such process, or it has ended.
    #[error("process {0} is not there")]
    NoProcess(u32),
    /// The kernel or its security settings refuse a file of the process.
    #[error("{path} can't be read: {error}")]
    Refused {
        /// The file.
        path: String,
        /// The kernel's answer.
        error: io::Error,
    },
    /// The kernel was asked for sockets and did not answer as documented.
    #[error("the sockets of this machine can't be listed: {0}")]
    Sockets(io::Error),
}

impl ThreadsError {
    pub(crate) fn refused(path: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Refused { path, error }
    }
}
