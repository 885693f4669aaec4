//! Holds the settings of a server.

use crate::{Auth, FaultPlan};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Describes a server. The default listens nowhere; give it a socket, an address, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Unix domain socket to create; one that nobody listens at any more is replaced.
    pub socket: Option<PathBuf>,
    /// TCP address to listen at; port 0 for any that is free.
    pub listen: Option<SocketAddr>,
    /// Addresses other than loopback are allowed too. Anyone who reaches the server is let in.
    pub anyone: bool,
    /// Connections that may wait to be accepted.
    pub backlog: u16,
    /// Threads that serve.
    pub workers: u32,
    /// Version that clients receive.
    pub version: String,
    /// How users are asked to prove their passwords.
    pub auth: Auth,
    /// Clients are offered rows without an EOF packet behind the definitions.
    pub deprecate_eof: bool,
    /// What goes wrong.
    pub faults: FaultPlan,
    /// Where the instants of the plan count from.
    pub epoch: Epoch,
    /// Seed of everything that happens by chance.
    pub seed: u64,
    /// File for a line a statement.
    pub log: Option<PathBuf>,
    /// Keep the time of each statement (8 bytes), for exact quantiles at the end.
    pub keep_times: bool,
}

/// Describes where the instants of a plan count from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Epoch {
    /// The arrival of the first statement of a load.
    #[default]
    FirstStatement,
    /// The moment at which the server is ready.
    Start,
    /// An instant of the monotonic clock, in nanoseconds.
    At(u64),
}

impl std::str::FromStr for Epoch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "first-statement" => Ok(Self::FirstStatement),
            "start" => Ok(Self::Start),
            number => number.parse().map(Self::At).map_err(|_| {
                "first-statement, start, or an instant of CLOCK_MONOTONIC in nanoseconds is allowed"
                    .to_owned()
            }),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            socket: None,
            listen: None,
            anyone: false,
            backlog: 4096,
            workers: 1,
            version: Self::VERSION.to_owned(),
            auth: Auth::default(),
            deprecate_eof: true,
            faults: FaultPlan::default(),
            epoch: Epoch::default(),
            seed: 1,
            log: None,
            keep_times: false,
        }
    }
}

impl Settings {
    /// The default version: clients take it for a MySQL 8.0, and people see what it is.
    pub const VERSION: &'static str = "8.0.99-dbdyno-null";

    /// Returns whether the instants of statements matter to anybody.
    pub(crate) fn needs_clock(&self) -> bool {
        self.log.is_some() || self.keep_times || self.faults != FaultPlan::default()
    }
}
