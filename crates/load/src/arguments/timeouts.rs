//! Defines the arguments that say how long a server may take.

use super::parse::nanoseconds;
use crate::order::{CHECK_TIMEOUT, DDL_TIMEOUT};
use clap::Args;
use std::time::Duration;

/// For commands that make or drop tables.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct DdlTimeout {
    /// How long one statement that makes, changes or drops a table may take
    ///
    /// Building an index takes as long as the table is large. Other conversations have deadlines of their own: 20 s for a
    /// log-in, 60 s for a short statement, 15 min for rows on their way into a table.
    #[arg(long, value_name = "DURATION", default_value = DDL_TIMEOUT, value_parser = nanoseconds)]
    pub(crate) ddl_timeout: u64,
}

/// For commands that read whole tables.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct CheckTimeout {
    /// How long one query that reads whole tables may take
    ///
    /// Such as a condition between tables, or the checksums of one. Other conversations have deadlines of their own: 20 s
    /// for a log-in, 60 s for a short statement.
    #[arg(long, value_name = "DURATION", default_value = CHECK_TIMEOUT, value_parser = nanoseconds)]
    pub(crate) check_timeout: u64,
}

/// For commands that may wait long for one statement.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Deadlines")]
pub(crate) struct Patience {
    /// How long a server that answers nobody is waited for
    ///
    /// While a statement is under way another connection logs in from time to time. A server that leaves log-ins without an
    /// answer for so long is given up, however much time the statement still has.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = nanoseconds)]
    patience: u64,
}

impl Patience {
    pub(crate) fn duration(self) -> Duration {
        Duration::from_nanos(self.patience)
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
