//! Defines the capability bits of the handshake.

use crate::{Compression, SessionOptions};

pub(crate) const LONG_PASSWORD: u32 = 1;
pub(crate) const LONG_FLAG: u32 = 1 << 2;
pub(crate) const CONNECT_WITH_DB: u32 = 1 << 3;
pub(crate) const COMPRESS: u32 = 1 << 5;
pub(crate) const LOCAL_FILES: u32 = 1 << 7;
pub(crate) const PROTOCOL_41: u32 = 1 << 9;
pub(crate) const SSL: u32 = 1 << 11;
pub(crate) const TRANSACTIONS: u32 = 1 << 13;
pub(crate) const SECURE_CONNECTION: u32 = 1 << 15;
pub(crate) const MULTI_STATEMENTS: u32 = 1 << 16;
pub(crate) const MULTI_RESULTS: u32 = 1 << 17;
pub(crate) const PS_MULTI_RESULTS: u32 = 1 << 18;
pub(crate) const PLUGIN_AUTH: u32 = 1 << 19;
pub(crate) const CONNECT_ATTRS: u32 = 1 << 20;
pub(crate) const PLUGIN_AUTH_LENENC: u32 = 1 << 21;
pub(crate) const SESSION_TRACK: u32 = 1 << 23;
pub(crate) const DEPRECATE_EOF: u32 = 1 << 24;

/// Lists what this client always does. Not in it, on purpose: MariaDB's cached metadata (every execution shall cost the
/// same).
pub(crate) const OURS: u32 = LONG_PASSWORD
    | LONG_FLAG
    | PROTOCOL_41
    | TRANSACTIONS
    | SECURE_CONNECTION
    | MULTI_RESULTS
    | PS_MULTI_RESULTS
    | PLUGIN_AUTH
    | CONNECT_ATTRS
    | PLUGIN_AUTH_LENENC
    | DEPRECATE_EOF;

/// Without these the conversation cannot be had; every server since 4.1 has them.
pub(crate) const NEEDED: u32 = PROTOCOL_41 | SECURE_CONNECTION;

/// Returns what this client does if asked: local files (a server could read the client's disk), several statements in
/// one request, session tracking (bytes nobody reads), compression.
pub(crate) fn optional(options: &SessionOptions) -> u32 {
    let when = |is_wanted: bool, capability: u32| if is_wanted { capability } else { 0 };
    when(options.compression == Compression::Zlib, COMPRESS)
        | when(options.local_files, LOCAL_FILES)
        | when(options.multi_statements, MULTI_STATEMENTS)
        | when(options.session_tracking, SESSION_TRACK)
}
