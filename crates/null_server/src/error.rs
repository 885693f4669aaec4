//! Defines why a server could not start or ended badly.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server could not start or ended badly.
#[derive(Debug, thiserror::Error)]
pub enum NullServerError {
    /// Neither a socket nor an address was given.
    #[error("the null server has no address to listen on")]
    Nowhere,
    /// The address can be reached from other machines, and nobody said that this is meant.
    #[error("{0} is not a loopback address, and the null server accepts everybody who reaches it")]
    Exposed(SocketAddr),
    /// The settings contradict themselves or what is possible.
    #[error("{0}")]
    Settings(String),
    /// It can't listen there.
    #[error("can't listen at {place}: {source}")]
    Listen {
        /// Socket or address.
        place: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The log can't be written.
    #[error("the log {} can't be written: {source}", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The operating system refused something else.
    #[error("{doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

impl NullServerError {
    pub(crate) fn system(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }

    /// Returns whether the request was wrong, not the machine.
    #[must_use]
    pub fn is_wrong_request(&self) -> bool {
        matches!(self, Self::Nowhere | Self::Exposed(_) | Self::Settings(_))
    }
}
