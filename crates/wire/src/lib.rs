//! Implements the MySQL client protocol for a load generator.
//!
//! One connection has two faces. A [`Session`] waits for each answer and keeps the rows: it logs in,
//! prepares, fills and asks. A [`Channel`] never waits and, once warm, never allocates: a worker holds
//! thousands of them in one epoll set, and each reply is only walked from packet header to packet
//! header until its end. [`Session::into_channel`] and [`Channel::into_session`] change the face.
//!
//! ```no_run
//! use dbdyno_wire::{Address, Endpoint, Parameters, Password, ReadBuffer, Reply, Session, TlsPolicy};
//! use std::time::Duration;
//!
//! # fn main() -> Result<(), dbdyno_wire::WireError> {
//! let endpoint = Endpoint {
//!     address: Address::Socket("/run/mysqld/mysqld.sock".into()),
//!     user: "app".to_owned(),
//!     password: Password::new("secret"),
//!     database: None,
//!     tls: TlsPolicy::Off,
//! };
//! let mut session = Session::open(&endpoint, Duration::from_secs(10))?;
//! let statement = session.prepare("SELECT ? + 1")?;
//!
//! let mut channel = session.into_channel()?;
//! let mut shared = ReadBuffer::new(); // one a worker
//! let mut parameters = Parameters::new();
//! parameters.push_int(41);
//! channel.queue_execute(statement.id, &parameters);
//! channel.flush()?;
//! let reply = loop {
//!     // A worker waits in epoll here, until the socket can be read.
//!     if let Some(reply) = channel.receive(&mut shared)? {
//!         break reply;
//!     }
//! };
//! assert!(matches!(reply, Reply::Rows(rows) if rows.rows == 1));
//! channel.into_session()?.close();
//! # Ok(())
//! # }
//! ```
//!
//! Log-in knows `mysql_native_password`, `caching_sha2_password` and `sha256_password` (both also over an
//! open network, by the server's RSA key, which is taken on trust), `client_ed25519`, `parsec`, and
//! `mysql_clear_password` where nobody can overhear it. Methods by which the server asks the operating
//! system (`unix_socket`, `auth_socket`) need nothing of the client. [`TlsPolicy`] says whether a connection is
//! encrypted, by TLS 1.2 or 1.3.
//!
//! A session that is to do more than the ordinary says so in [`SessionOptions`]: compression, local
//! files, several statements in one request, reports of what changed in the session.
//!
//! Left to others: time, epoll, what is asked and why. Left out on purpose: cursors; compression by zstd,
//! whose library takes longer to build than all the rest.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod auth;
mod bound_rows;
mod buffered_rows;
pub mod bytes;
mod capability;
mod channel;
mod command;
mod compression;
mod connect;
mod connection;
mod deadline;
mod endpoint;
mod error;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod handshake;
mod limits;
mod local_file;
mod login;
mod options;
pub mod packet;
mod parameters;
mod path;
mod prepare_reply;
mod read_buffer;
mod reply;
mod reply_reader;
mod result;
mod row_sink;
mod session;
mod session_changes;
mod session_info;
mod statement_text;
mod stream;
mod text_rows;
mod tls;
mod transport;
mod value;

pub use bound_rows::{BoundRows, BoundType};
pub use buffered_rows::BufferedRows;
pub use channel::{Channel, Flush};
pub use deadline::CancelFlag;
pub use endpoint::{Address, Endpoint, Password, TlsPolicy};
pub use error::{ServerError, WireError};
pub use options::{ClientCertificate, Compression, SessionOptions, TlsVersion};
pub use parameters::{Parameter, Parameters};
pub use path::{PathState, PathTimeout, PathUse, allow_zero_window, break_off, check_path};
pub use prepare_reply::PrepareReply;
pub use read_buffer::ReadBuffer;
pub use reply::{OkReply, Reply, RowsReply};
pub use result::{QueryResult, Value};
pub use row_sink::RowSink;
pub use session::{PreparedStatement, Session};
pub use session_changes::SessionChanges;
pub use session_info::{SessionInfo, TlsInfo};
pub use statement_text::{StatementText, opaque_length};
pub use tls::knows_tls_cipher;
