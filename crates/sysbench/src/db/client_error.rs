//! Words the errors that a client library finds by itself, as the library that the dialect stands for does.

use super::link::Loss;
use super::placement::ServerAddress;
use crate::Dialect;
use dbdyno_wire::{Address, ServerError, WireError};
use std::io;

pub(super) const SERVER_GONE: u16 = 2006;
const UNKNOWN_HOST: u16 = 2005;
const CONNECTION: u16 = 2002;
const HOST_CONNECTION: u16 = 2003;
const OUT_OF_MEMORY: u16 = 2008;
const HANDSHAKE: u16 = 2012;
pub(super) const SERVER_LOST: u16 = 2013;
pub(super) const OUT_OF_SYNC: u16 = 2014;
const TLS: u16 = 2026;
const MALFORMED: u16 = 2027;
const NO_PARAMETERS: u16 = 2031;

/// The system's numbers for "in progress" and "timed out".
const EINPROGRESS: i32 = 115;
const ETIMEDOUT: i32 = 110;

/// An error with its number, before anybody judged it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClientError {
    pub(super) code: u16,
    pub(super) state: [u8; 5],
    pub(super) message: String,
    /// Why no connection could be made, as the run's account has it.
    pub(super) lost_by: Option<Loss>,
}

impl ClientError {
    fn client(code: u16, message: impl Into<String>) -> Self {
        Self {
            code,
            state: *b"HY000",
            message: message.into(),
            lost_by: None,
        }
    }

    /// Makes the error for a connection that can't send any more.
    pub(super) fn gone(dialect: Dialect) -> Self {
        Self::client(
            SERVER_GONE,
            match dialect {
                Dialect::V1_0 => "Server has gone away",
                Dialect::V1_1 => "MySQL server has gone away",
            },
        )
    }

    /// Makes the error for an answer that will not come any more.
    pub(super) fn lost(dialect: Dialect) -> Self {
        Self::client(
            SERVER_LOST,
            match dialect {
                Dialect::V1_0 => "Lost connection to server during query",
                Dialect::V1_1 => "Lost connection to MySQL server during query",
            },
        )
    }

    /// Makes the error for an answer that can't be understood.
    pub(super) fn malformed(dialect: Dialect) -> Self {
        Self::client(
            MALFORMED,
            match dialect {
                Dialect::V1_0 => "Received malformed packet",
                Dialect::V1_1 => "Malformed packet",
            },
        )
    }

    /// Makes the error for rows beyond the limit. Client libraries are limited by the machine's memory only, and give
    /// this error then.
    pub(super) fn out_of_memory(limit: &str) -> Self {
        Self::client(
            OUT_OF_MEMORY,
            format!("Client ran out of memory: the server sent more than {limit}"),
        )
    }

    /// Results of an earlier call wait to be taken.
    pub(super) fn out_of_sync() -> Self {
        Self::client(
            OUT_OF_SYNC,
            "Commands out of sync; you can't run this command now",
        )
    }

    /// Makes the error for executing a statement whose places have no values. MariaDB's library leaves no word of it.
    pub(super) fn no_parameters(dialect: Dialect) -> Self {
        match dialect {
            Dialect::V1_0 => Self {
                code: 0,
                state: super::last_error::NO_STATE,
                message: String::new(),
                lost_by: None,
            },
            Dialect::V1_1 => Self::client(
                NO_PARAMETERS,
                "No data supplied for parameters in prepared statement",
            ),
        }
    }

    /// Makes the error for a connection that could not be made.
    pub(super) fn of_connecting(
        dialect: Dialect,
        place: &ServerAddress,
        error: &WireError,
    ) -> Self {
        Self {
            lost_by: Some(Loss::of(error)),
            ..Self::of_no_connection(dialect, place, error)
        }
    }

    fn of_no_connection(dialect: Dialect, place: &ServerAddress, error: &WireError) -> Self {
        match error {
            WireError::Server(error) => error.into(),
            WireError::Authentication {
                server: Some(error),
                ..
            } => (&**error).into(),
            WireError::Network {
                doing: "connecting to",
                source,
                ..
            } => unreachable_server(dialect, place, source),
            WireError::Network { .. } => Self::client(SERVER_LOST, Self::lost(dialect).message),
            WireError::Timeout { .. } => {
                unreachable_server(dialect, place, &io::Error::from_raw_os_error(ETIMEDOUT))
            }
            WireError::Tls { reason, .. } => {
                let words = match dialect {
                    Dialect::V1_0 => "TLS/SSL error",
                    Dialect::V1_1 => "SSL connection error",
                };
                Self::client(TLS, format!("{words}: {reason}"))
            }
            other => Self::client(HANDSHAKE, format!("Error in server handshake: {other}")),
        }
    }

    /// Makes the error for a missing file that TLS needs.
    pub(super) fn no_tls_file(dialect: Dialect) -> Self {
        Self::client(
            TLS,
            match dialect {
                Dialect::V1_0 => "TLS/SSL error: No such file or directory (2)",
                Dialect::V1_1 => "SSL connection error: SSL_CTX_set_default_verify_paths failed",
            },
        )
    }
}

impl From<&ServerError> for ClientError {
    fn from(error: &ServerError) -> Self {
        Self {
            code: error.code,
            state: error.sql_state,
            message: error.message.clone(),
            lost_by: None,
        }
    }
}

fn unreachable_server(dialect: Dialect, place: &ServerAddress, source: &io::Error) -> ClientError {
    let host = &place.host;
    let Some(number) = source.raw_os_error() else {
        // The resolver's errors have no errno.
        return match dialect {
            Dialect::V1_0 => {
                ClientError::client(UNKNOWN_HOST, format!("Unknown server host '{host}' (-2)"))
            }
            Dialect::V1_1 => ClientError::client(
                UNKNOWN_HOST,
                format!("Unknown MySQL server host '{host}' (0)"),
            ),
        };
    };
    match (dialect, place.address()) {
        (Dialect::V1_0, Address::Socket(path)) => {
            let path = path.display();
            ClientError::client(
                CONNECTION,
                format!("Can't connect to local server through socket '{path}' ({number})"),
            )
        }
        (Dialect::V1_1, Address::Socket(path)) => {
            let path = path.display();
            ClientError::client(
                CONNECTION,
                format!("Can't connect to local MySQL server through socket '{path}' ({number})"),
            )
        }
        (Dialect::V1_0, Address::Tcp { .. }) => {
            // sysbench's library connects without blocking and shows the errno from before the refusal.
            let number = if number == ETIMEDOUT {
                number
            } else {
                EINPROGRESS
            };
            ClientError::client(
                CONNECTION,
                format!("Can't connect to server on '{host}' ({number})"),
            )
        }
        (Dialect::V1_1, Address::Tcp { port, .. }) => ClientError::client(
            HOST_CONNECTION,
            format!("Can't connect to MySQL server on '{host}:{port}' ({number})"),
        ),
    }
}
