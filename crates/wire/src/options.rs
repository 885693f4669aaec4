//! Holds the options of a session.

use crate::{CancelFlag, PathTimeout};
use std::path::PathBuf;
use std::time::Duration;

/// Describes how to talk to a server, once it is known where it is and who wants to talk to it.
///
/// The default is what a load generator measures with: nothing but what statements need.
///
/// ```
/// use dbdyno_wire::{Compression, SessionOptions};
///
/// let options = SessionOptions {
///     compression: Compression::Zlib,
///     ..SessionOptions::default()
/// };
/// assert!(!options.local_files);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionOptions {
    /// How the bytes of both directions are packed.
    pub compression: Compression,
    /// Whether several statements may stand in one request, parted by semicolons.
    pub multi_statements: bool,
    /// Whether `LOAD DATA LOCAL INFILE` is allowed, by [`Session::load_local`](crate::Session::load_local) only.
    pub local_files: bool,
    /// Whether the server reports what a statement changed in its session, as
    /// [`QueryResult::session_changes`](crate::QueryResult::session_changes).
    pub session_tracking: bool,
    /// The oldest version of TLS to agree to, where the connection is encrypted.
    pub tls_minimum: TlsVersion,
    /// The ciphers to agree to, as OpenSSL names them, the most wanted first; none: any. Versions of TLS for which none
    /// is named are not spoken. Names that are [not known](crate::knows_tls_cipher) are left out.
    pub tls_ciphers: Vec<String>,
    /// What this side shows of itself, where the connection is encrypted and the server asks.
    pub client_certificate: Option<ClientCertificate>,
    /// How long the way to the server may be silent before the connection counts as lost.
    pub path_timeout: PathTimeout,
    /// How long the whole answer to one request may take on the cold path, from its first byte sent to the last one
    /// received; `None`: for ever. A [`Channel`](crate::Channel) never waits.
    pub answer_timeout: Option<Duration>,
    /// Ends the waits of the session when it is set, those of the log-in included.
    pub cancel: CancelFlag,
}

/// Describes how the bytes of a connection are packed. Packing begins after the log-in. zlib has its default level, and
/// packets of less than 50 bytes are not packed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
#[cfg_attr(feature = "arguments", serde(rename_all = "kebab-case"))]
pub enum Compression {
    /// Not at all.
    #[default]
    Off,
    /// By zlib, which every server knows.
    Zlib,
}

/// A version of TLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
pub enum TlsVersion {
    /// TLS 1.2
    #[default]
    #[cfg_attr(feature = "arguments", value(name = "1.2"), serde(rename = "1.2"))]
    V1_2,
    /// TLS 1.3
    #[cfg_attr(feature = "arguments", value(name = "1.3"), serde(rename = "1.3"))]
    V1_3,
}

/// A certificate of this side's own, for users whom the server knows by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// PEM file of the certificate, and of those between it and its authority.
    pub certificates: PathBuf,
    /// PEM file of its private key.
    pub key: PathBuf,
}
