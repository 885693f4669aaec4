//! Defines why a load could not be started, sorted by who is at fault.

use crate::counted;
use dbdyno_wire::WireError;
use std::io;

/// Remedy if no reply is acknowledged.
pub(crate) const PATH_REMEDY: &str =
    "check cable, switch, route and firewall, and that the server's host has power";

/// Says who has to do something about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The request was wrong.
    Request,
    /// Server, network or machine failed.
    World,
    /// This program failed.
    Us,
}

/// Reports a load that could not begin. A later error is part of the [`RunOutcome`](crate::RunOutcome).
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// A value of the load makes no sense.
    #[error("{0}")]
    Request(String),
    /// A connection could not be opened or prepared.
    #[error("{doing}: {source}")]
    Server {
        /// The operation under way, with the statement if there was one.
        doing: String,
        /// The error of the server or the network.
        source: WireError,
    },
    /// The server holds no more prepared statements.
    #[error(
        "the server refused to prepare more statements: max_prepared_stmt_count is {}, but {} with {} each \
         prepare {}",
        limit.as_deref().unwrap_or("not known"),
        counted(u64::from(*connections), "connection"),
        counted(*statements as u64, "statement"),
        u64::from(*connections) * *statements as u64
    )]
    PreparedStatements {
        /// The server's variable, if it could be read.
        limit: Option<String>,
        /// Connections of the load.
        connections: u32,
        /// Statements that each prepares.
        statements: usize,
    },
    /// The server takes no more connections.
    #[error(
        "the server refused connection {reached} of {connections}: max_connections is {}",
        limit.as_deref().unwrap_or("not known")
    )]
    Connections {
        /// The server's variable, if it could be read.
        limit: Option<String>,
        /// Connections of the load to this server.
        connections: u32,
        /// The connection that was refused, counted from 1.
        reached: u32,
    },
    /// Rows are missing, without which the load would do less work.
    #[error("an earlier filling of the tables did not finish")]
    UnfinishedFilling,
    /// The process may not open so many files.
    #[error("{needed} open files are needed and this process may open {limit}")]
    OpenFiles {
        /// Connections and a few more.
        needed: u64,
        /// Hard limit of the process.
        limit: u64,
    },
    /// The operating system refused something.
    #[error("{doing}: {source}")]
    System {
        /// The operation under way.
        doing: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
    /// The connections were ready too late for the start that was asked for.
    #[error("ready {:.3} s too late for the requested start", *late_ns as f64 / 1e9)]
    StartMissed {
        /// How much earlier they had to be ready.
        late_ns: u64,
    },
    /// The user stopped the program before the load began.
    #[error("interrupted during log-in, before the load began")]
    Interrupted,
    /// A defect of this program.
    #[error("{0}")]
    Bug(String),
}

impl DriveError {
    pub(crate) fn system(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }

    /// Returns who has to do something about it.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            Self::Request(_) | Self::UnfinishedFilling => Fault::Request,
            Self::Bug(_)
            | Self::Server {
                source: WireError::Misuse(_),
                ..
            } => Fault::Us,
            _ => Fault::World,
        }
    }

    /// Returns a remedy, in the imperative; `None` if only the cause itself shows it.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::PreparedStatements {
                connections,
                statements,
                ..
            } => Some(format!(
                "raise it on the server (SET GLOBAL max_prepared_stmt_count = {}), or send the rest as text (--prepared-full text)",
                (u64::from(*connections) * *statements as u64)
                    .next_power_of_two()
                    .max(65_536)
            )),
            Self::Connections { connections, .. } => Some(format!(
                "raise it on the server (SET GLOBAL max_connections = {}), or lower the concurrency",
                connections + 10
            )),
            Self::StartMissed { .. } => Some(
                "ask for a later start (--start-at), so that all connections are open before"
                    .to_owned(),
            ),
            Self::UnfinishedFilling => Some(
                "finish it: dbdyno-load populate --resume with the same workload options"
                    .to_owned(),
            ),
            Self::OpenFiles { needed, .. } => Some(format!(
                "raise the limit (ulimit -Hn {needed}) or lower the concurrency"
            )),
            Self::Server {
                source: WireError::Authentication { .. },
                ..
            } => Some("check the user and the password file".to_owned()),
            Self::Server { source, .. } if source.is_path_lost() => Some(PATH_REMEDY.to_owned()),
            Self::Server {
                source: WireError::Network { .. } | WireError::Timeout { .. },
                ..
            } => Some("check that the server runs and listens there".to_owned()),
            Self::Server { source, .. } => remedy_for_code(server_code(source)?).map(str::to_owned),
            _ => None,
        }
    }
}

pub(crate) fn server_code(error: &WireError) -> Option<u16> {
    match error {
        WireError::Server(server) => Some(server.code),
        _ => None,
    }
}

pub(crate) fn remedy_for_code(code: u16) -> Option<&'static str> {
    match code {
        1044 | 1045 | 1698 => Some("check the user, the password file and the user's rights"),
        1020 | 1205 | 1213 => Some(
            "add the code to --ignore-errors, which replaces the workload's own list, to repeat such events",
        ),
        1049 => {
            Some("fill it first (dbdyno-load populate), or name another schema with --database")
        }
        1062 => Some(
            "fill the tables again (dbdyno-load cleanup, then populate), if an earlier run inserted the same rows",
        ),
        1129 => Some("reset the server's count of failed connections: FLUSH HOSTS"),
        1146 => Some("fill the tables first: dbdyno-load populate with the same workload options"),
        1305 => Some(
            "create the procedures: dbdyno-load populate with the same workload options as the run's",
        ),
        1412 | 1615 => Some("prevent others from changing the tables during the run"),
        2006 | 2013 => Some(
            "read the server's log; to continue after a lost connection, add 2006,2013 to the ignored errors (for \
             sysbench's workloads --ignore-errors 1213,1020,1205,2006,2013)",
        ),
        _ => settings_remedy_for_code(code),
    }
}

/// Returns what would help where a setting of the server stands against a statement.
#[must_use]
pub fn server_settings_remedy(error: &WireError) -> Option<&'static str> {
    settings_remedy_for_code(server_code(error)?)
}

fn settings_remedy_for_code(code: u16) -> Option<&'static str> {
    match code {
        1104 => {
            Some("lift the server's limit for new sessions: SET GLOBAL max_join_size = DEFAULT")
        }
        1153 => Some("raise it on the server: SET GLOBAL max_allowed_packet = 67108864"),
        1290 | 1792 | 1836 => Some(
            "let the server take writes: read_only, super_read_only and transaction_read_only (tx_read_only) must be OFF",
        ),
        1969 | 3024 => Some(
            "lift the server's limit for statements: max_execution_time (MySQL) or max_statement_time (MariaDB) must be 0",
        ),
        _ => None,
    }
}

pub(crate) fn server(doing: impl Into<String>) -> impl FnOnce(WireError) -> DriveError {
    let doing = doing.into();
    move |source| match source {
        WireError::Cancelled { .. } => DriveError::Interrupted,
        source => DriveError::Server { doing, source },
    }
}
