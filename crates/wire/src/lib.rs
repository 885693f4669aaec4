//! The MySQL client protocol, written for a load generator.

mod channel;
mod endpoint;
mod error;
mod facts;
mod parameters;
mod reply;
mod session;
mod statement_text;

pub use channel::{Channel, Flush, ReadBuffer};
pub use endpoint::{Address, Endpoint, Password, TlsPolicy};
pub use error::{ServerError, WireError};
pub use facts::{SessionFacts, TlsFacts};
pub use parameters::{Parameter, Parameters};
pub use reply::{OkReply, Reply, RowsReply};
pub use session::{PreparedStatement, QueryResult, Session, Value};
pub use statement_text::StatementText;
