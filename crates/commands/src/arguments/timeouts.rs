//! Defines the arguments that say how long a server may take.

use super::parse::nanoseconds;
use crate::order::{CHECK_TIMEOUT, DDL_TIMEOUT};
use clap::Args;
use std::time::Duration;

/// For commands that make or drop tables.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct DdlTimeout {
    /// Longest time for a statement that creates, changes or drops a table
    ///
    /// Building an index takes longer the larger the table is. Other exchanges have their own deadlines: 20 s for a
    /// log-in, 60 s for a short statement, 15 min for a statement that sends rows into a table.
    #[arg(long, value_name = "DURATION", default_value = DDL_TIMEOUT, value_parser = nanoseconds)]
    pub(crate) ddl_timeout: u64,
}

/// For commands that read whole tables.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct CheckTimeout {
    /// Longest time for a query that reads whole tables
    ///
    /// Such a query checks a condition between tables, or computes the checksums of a table. Other exchanges have their
    /// own deadlines: 20 s for a log-in, 60 s for a short statement.
    #[arg(long, value_name = "DURATION", default_value = CHECK_TIMEOUT, value_parser = nanoseconds)]
    pub(crate) check_timeout: u64,
}

/// For commands that may wait long for one statement.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct ServerTimeout {
    /// How long to wait for a server that answers no connection
    ///
    /// While a statement runs, another connection logs in from time to time. If these log-ins get no answer for this
    /// long, dbdyno-load gives up, even if the statement has time left.
    #[arg(long, alias = "patience", value_name = "DURATION", default_value = "60s", value_parser = nanoseconds)]
    server_timeout: u64,
}

impl ServerTimeout {
    pub(crate) fn duration(self) -> Duration {
        Duration::from_nanos(self.server_timeout)
    }
}

impl DdlTimeout {
    pub(crate) fn duration(self) -> Duration {
        Duration::from_nanos(self.ddl_timeout)
    }
}

impl CheckTimeout {
    pub(crate) fn duration(self) -> Duration {
        Duration::from_nanos(self.check_timeout)
    }
}
