//! Defines what can go wrong, sorted by who is at fault.

use crate::path::is_path_error;
use std::fmt;
use std::io;

/// Verb for a server that could not be reached.
pub(crate) const NO_CONNECTION: &str = "accepted no connection";

/// Verb for a resolver that does not answer.
pub(crate) const NO_ADDRESS: &str = "got no address from the resolver (DNS)";

/// Words for what is under way until there is a connection.
pub(crate) const CONNECTING: &str = "connecting to";

/// An error that the server put into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerError {
    /// MySQL error number, such as 1213 for a deadlock.
    pub code: u16,
    /// SQLSTATE; `HY000` where the server sent none.
    pub sql_state: [u8; 5],
    /// The server's text.
    pub message: String,
}

impl ServerError {
    /// Returns whether the server says with this error that it is closing the connection. It comes as the last
    /// answer or unasked, in which case it is read as the answer to the next request.
    ///
    /// | code | name | sent |
    /// |---|---|---|
    /// | 1053 | `ER_SERVER_SHUTDOWN` | at shutdown; MySQL also after `KILL` (`THD::KILL_CONNECTION` has this number) |
    /// | 1159 | `ER_NET_READ_INTERRUPTED` | after `wait_timeout` by the thread pool of MariaDB (`handle_wait_timeout`) |
    /// | 1927 | `ER_CONNECTION_KILLED` | after `KILL` and at shutdown, MariaDB since 10.0 |
    /// | 4031 | `ER_CLIENT_INTERACTION_TIMEOUT` | after `wait_timeout`, MySQL since 8.0.24 (`net_read_raw_loop`) |
    ///
    /// Not among them: 1153 (a request over `max_allowed_packet`), after which servers close the connection
    /// too, for the same request would meet the same end on a new one; and 1317 (`KILL QUERY`), which leaves the connection.
    #[must_use]
    pub fn ends_connection(&self) -> bool {
        matches!(self.code, 1053 | 1159 | 1927 | 4031)
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sql_state = String::from_utf8_lossy(&self.sql_state);
        write!(f, "error {} ({sql_state}): {}", self.code, self.message)
    }
}

impl std::error::Error for ServerError {}

/// Why a conversation with a server failed. No variant ever holds a password.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The connection could not be made, or broke.
    #[error("{doing} {peer}: {source}")]
    Network {
        /// What was under way: `connecting to`, `reading from`, `writing to`.
        doing: &'static str,
        /// Socket path or host and port.
        peer: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The server did not answer in the time it was given.
    #[error("{peer} {missing} within {}, while {doing}", in_words(*limit_ms))]
    Timeout {
        /// What the server did not do: `answered nothing`, `did not end its answer`.
        missing: &'static str,
        /// What was under way: `logging in`, `waiting for the answer to SELECT 1`.
        doing: String,
        /// Socket path or host and port.
        peer: String,
        /// How long was waited.
        limit_ms: u128,
    },
    /// The wait for the server was ended by this side.
    #[error("interrupted while {doing}, at {peer}")]
    Cancelled {
        /// What was under way.
        doing: String,
        /// Socket path or host and port.
        peer: String,
    },
    /// The server sent more than this side takes in.
    #[error("{peer} sent more than {limit}")]
    Excess {
        /// The limit, in words: `4096 columns in a result`.
        limit: &'static str,
        /// Socket path or host and port; `the server` where that is not known.
        peer: String,
    },
    /// The server does not do what was asked for.
    #[error("{0} is required, but the server does not offer it")]
    NotOffered(&'static str),
    /// The server refused the request.
    #[error("the server answered {0}")]
    Server(#[from] ServerError),
    /// The server did not let the user in.
    #[error("log-in of user {user:?} by {plugin} failed: {reason}")]
    Authentication {
        /// Who wanted to log in.
        user: String,
        /// The method of authentication that was tried last.
        plugin: String,
        /// What the server, or this side, objected to.
        reason: String,
        /// The server's own words, if it was the server.
        server: Option<Box<ServerError>>,
    },
    /// No encrypted connection of the demanded strength could be made.
    #[error("TLS with {peer}: {reason}")]
    Tls {
        /// Socket path or host and port.
        peer: String,
        /// What failed: no offer, a certificate, a file, a protocol version.
        reason: String,
    },
    /// The server's bytes are not the protocol.
    #[error("the server broke the protocol: {0}")]
    Protocol(String),
    /// The caller asked for something out of turn.
    #[error("{0}")]
    Misuse(&'static str),
}

impl WireError {
    /// Returns whether the way to the server is gone: nobody there acknowledged anything for as long as that was waited
    /// for. A server that refuses, closes or says nothing is none of it.
    #[must_use]
    pub fn is_path_lost(&self) -> bool {
        match self {
            Self::Network { source, .. } => is_path_error(source),
            // Requests for a connection that nobody answers; a socket of this machine has a path for a name.
            Self::Timeout { missing, peer, .. } => {
                [NO_CONNECTION, NO_ADDRESS].contains(missing) && !peer.starts_with('/')
            }
            _ => false,
        }
    }

    /// Returns whether the connection itself is gone, so that only a new one helps.
    #[must_use]
    pub fn is_connection_lost(&self) -> bool {
        match self {
            Self::Network { .. }
            | Self::Timeout { .. }
            | Self::Cancelled { .. }
            | Self::Tls { .. }
            | Self::Excess { .. }
            | Self::Protocol(_) => true,
            Self::Server(error) => error.ends_connection(),
            Self::Authentication { .. } | Self::NotOffered(_) | Self::Misuse(_) => false,
        }
    }

    /// Makes the error for more than `limit` says.
    #[cold]
    pub(crate) fn excess(limit: &'static str) -> Self {
        let peer = "the server".to_owned();
        Self::Excess { limit, peer }
    }

    /// Adds what was under way, and where, in the words of who knows it.
    #[cold]
    pub(crate) fn with_context(self, peer: &str, words: impl FnOnce() -> String) -> Self {
        match self {
            Self::Timeout {
                missing,
                peer,
                limit_ms,
                ..
            } => Self::Timeout {
                missing,
                doing: words(),
                peer,
                limit_ms,
            },
            Self::Cancelled { peer, .. } => Self::Cancelled {
                doing: words(),
                peer,
            },
            Self::Protocol(what) => Self::Protocol(format!("{what} ({}, at {peer})", words())),
            Self::Excess { limit, .. } => Self::Excess {
                limit,
                peer: peer.to_owned(),
            },
            other => other,
        }
    }
}

/// Formats whole seconds as such.
fn in_words(limit_ms: u128) -> String {
    match limit_ms {
        0..1000 => format!("{limit_ms} ms"),
        _ if limit_ms.is_multiple_of(1000) => format!("{} s", limit_ms / 1000),
        _ => format!("{}.{:03} s", limit_ms / 1000, limit_ms % 1000),
    }
}
