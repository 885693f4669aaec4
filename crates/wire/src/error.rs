//! What can go wrong, sorted by who is at fault.

use std::fmt;
use std::io;

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
    /// Whether the server says with this error that it is closing the connection. It comes as the last
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
    pub fn is_farewell(&self) -> bool {
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
    #[error("{doing} {peer}: no answer within {limit_ms} ms")]
    Timeout {
        /// What was under way.
        doing: &'static str,
        /// Socket path or host and port.
        peer: String,
        /// How long was waited.
        limit_ms: u128,
    },
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
    /// Whether the connection itself is gone, so that only a new one helps.
    #[must_use]
    pub fn is_connection_lost(&self) -> bool {
        match self {
            Self::Network { .. } | Self::Timeout { .. } | Self::Tls { .. } | Self::Protocol(_) => {
                true
            }
            Self::Server(error) => error.is_farewell(),
            Self::Authentication { .. } | Self::Misuse(_) => false,
        }
    }
}
