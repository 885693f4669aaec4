//! Shows the database as a script sees it: a driver makes connections, a connection runs queries and
//! statements one at a time.
//!
//! Calls look as if they blocked. Inside a fiber only that fiber waits; elsewhere the thread does. What goes wrong
//! is counted, logged in sysbench's words and kept as the connection's [`LastError`] before the call comes back, so that
//! callers only need to know whether it went well. Errors that the user wants ignored are [`ErrorKind::Ignorable`]:
//! the event is then to be repeated.
//!
//! Where sysbench's words and numbers are those of its client library, dialect 1.0 speaks as MariaDB's library
//! does and dialect 1.1 as MySQL's.

mod answer_watch;
mod bulk;
mod call_result;
mod client_error;
mod connection;
mod database;
mod emulation;
mod error_recovery;
mod last_error;
mod link;
mod login;
mod placement;
mod results;
mod rows;
mod statement;

pub use answer_watch::{AnswerLimits, ConnectionAccount};
pub use call_result::{CallResult, ResultSet};
pub use connection::Connection;
pub use database::{Database, Driver, Encryption};
pub use last_error::{ErrorKind, LastError};
pub use rows::ResultRow;
pub use statement::Statement;
