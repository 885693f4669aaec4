//! Names a server and the user who wants to talk to it.

use std::fmt;
use std::path::PathBuf;

/// Describes where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A Unix domain socket.
    Socket(PathBuf),
    /// A host name or IP address, and a port.
    Tcp {
        /// Name or address of the host.
        host: String,
        /// TCP port.
        port: u16,
    },
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => write!(f, "{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

/// A password that no `{}` or `{:?}` ever shows.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Password(Vec<u8>);

impl Password {
    /// Takes the password as the server knows it.
    #[must_use]
    pub fn new(text: impl Into<Vec<u8>>) -> Self {
        Self(text.into())
    }

    pub(crate) fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

impl fmt::Display for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Says whether the connection is encrypted and what the server must prove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TlsPolicy {
    /// Never encrypted.
    Off,
    /// Encrypted over TCP if the server offers it; the certificate is not looked at.
    #[default]
    Preferred,
    /// As `Preferred`, and over a socket too.
    IfOffered,
    /// Encrypted or refused; the certificate is not looked at.
    Required,
    /// As `Required`, and the certificate was signed by an authority in this PEM file.
    VerifyCa(PathBuf),
    /// As `VerifyCa`, and the certificate names the host.
    VerifyIdentity(PathBuf),
}

/// A server, a user, and how to reach the one as the other.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where the server listens.
    pub address: Address,
    /// User name as the server knows it.
    pub user: String,
    /// The user's password; empty for none.
    pub password: Password,
    /// Schema that the connection starts in.
    pub database: Option<String>,
    /// Encryption of the connection.
    pub tls: TlsPolicy,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let endpoint = Endpoint {
            address: Address::Socket("/run/s.sock".into()),
            user: "app".to_owned(),
            password: Password::new("hunter2"),
            database: None,
            tls: TlsPolicy::Off,
        };
        let shown = format!("{endpoint:?} {}", endpoint.password);
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn an_address_reads_as_one_types_it() {
        let tcp = |host: &str| {
            Address::Tcp {
                host: host.to_owned(),
                port: 3306,
            }
            .to_string()
        };
        assert_eq!(tcp("db.example"), "db.example:3306");
        assert_eq!(tcp("::1"), "[::1]:3306");
    }
}
