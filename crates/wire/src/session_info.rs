//! Holds what a log-in found out about the server.

use crate::Compression;

/// Holds what the server said of itself and what was agreed with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// As the server greets, without the `5.5.5-` that older MariaDB puts in front.
    pub server_version: String,
    /// Attempts to connect for which the server's listen queue had no place, before the one that got in.
    pub connect_retries: u32,
    /// Number of the connection in the server's process list (its low 32 bits).
    pub connection_id: u32,
    /// The authentication method that let the user in.
    pub auth_plugin: String,
    /// Encryption agreed on, if any.
    pub tls: Option<TlsInfo>,
    /// Compression agreed on.
    pub compression: Compression,
    /// Capability bits that both sides agreed on.
    pub capabilities: u32,
    /// Whether the server is a MariaDB.
    pub is_mariadb: bool,
    /// Whether the log-in's `sql_mode` takes a backslash in a literal for itself (`NO_BACKSLASH_ESCAPES`).
    pub has_plain_backslashes: bool,
}

/// The encryption of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsInfo {
    /// Such as `TLSv1.3`.
    pub version: String,
    /// As servers and OpenSSL call it, such as `TLS_AES_256_GCM_SHA384`.
    pub cipher: String,
}
