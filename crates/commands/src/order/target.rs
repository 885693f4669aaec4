//! Reads the server of an order.

use super::password::read_password;
use super::{LOGIN_TIMEOUT, SHORT_STATEMENT_TIMEOUT, TlsWord};
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use dbdyno_drive::StopSwitch;
use dbdyno_meter::SECOND_NS;
use dbdyno_wire::{
    Address, CancelFlag, ClientCertificate, Compression, Endpoint, PathTimeout, Session,
    SessionOptions, TlsPolicy, TlsVersion, WireError,
};
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

const DEFAULT_PORT: u16 = 3306;

const HOUR_NS: u64 = 3_600 * SECOND_NS;

/// Describes a server, a user and a schema.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    pub(crate) socket: Option<PathBuf>,
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) user: String,
    pub(crate) password_file: Option<PathBuf>,
    pub(crate) database: String,
    pub(crate) tls: TlsWord,
    pub(crate) tls_ca_file: Option<PathBuf>,
    #[serde(default)]
    pub(crate) tls_minimum: TlsVersion,
    pub(crate) tls_cert_file: Option<PathBuf>,
    pub(crate) tls_key_file: Option<PathBuf>,
    #[serde(default)]
    pub(crate) compression: Compression,
    /// How long the path to the server may be silent; `None`: the usual time.
    #[serde(default)]
    pub(crate) path_timeout_ns: Option<u64>,
}

/// Says where a server is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) socket: Option<PathBuf>,
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
}

impl Target {
    /// Returns the same user and schema on another server.
    pub(crate) fn at(&self, place: &Place) -> Self {
        Self {
            socket: place.socket.clone(),
            host: place.host.clone(),
            port: place.port,
            ..self.clone()
        }
    }

    /// Returns where and how to log in, with the password read from its file.
    pub(crate) fn access(&self) -> Result<Access, CliError> {
        Ok(Access {
            endpoint: self.endpoint()?,
            options: self.session_options()?,
        })
    }

    fn endpoint(&self) -> Result<Endpoint, CliError> {
        Ok(Endpoint {
            address: self.address()?,
            user: self.user.clone(),
            password: read_password(self.password_file.as_deref())?,
            database: Some(self.database.clone()),
            tls: self.tls_policy()?,
        })
    }

    fn session_options(&self) -> Result<SessionOptions, CliError> {
        Ok(SessionOptions {
            compression: self.compression,
            tls_minimum: self.tls_minimum,
            client_certificate: self.client_certificate()?,
            path_timeout: self.path_timeout()?,
            answer_timeout: Some(SHORT_STATEMENT_TIMEOUT),
            ..SessionOptions::default()
        })
    }

    fn path_timeout(&self) -> Result<PathTimeout, CliError> {
        match self.path_timeout_ns {
            None => Ok(PathTimeout::default()),
            Some(ns) if (SECOND_NS..=HOUR_NS).contains(&ns) => {
                Ok(PathTimeout(Duration::from_nanos(ns)))
            }
            Some(ns) => Err(CliError::request(
                ErrorCode::WrongValue,
                format!("a path timeout of {ns} ns is not between 1 s and 1 h"),
            )
            .hint("10 s is usual; the kernel checks connections in whole seconds")),
        }
    }

    fn client_certificate(&self) -> Result<Option<ClientCertificate>, CliError> {
        match (&self.tls_cert_file, &self.tls_key_file) {
            (None, None) => Ok(None),
            (Some(certificates), Some(key)) => Ok(Some(ClientCertificate {
                certificates: certificates.clone(),
                key: key.clone(),
            })),
            _ => Err(CliError::request(
                ErrorCode::CertificateWithoutKey,
                "a client certificate and its private key are needed together",
            )
            .hint("name both files (--tls-cert-file, --tls-key-file)")),
        }
    }

    /// Returns how the client reaches the server: socket, loopback or network.
    pub(crate) fn route(&self) -> &'static str {
        match self.host.as_deref() {
            None => "socket",
            Some(host) if host == "localhost" || is_loopback(host) => "loopback",
            Some(_) => "network",
        }
    }

    fn address(&self) -> Result<Address, CliError> {
        match (&self.socket, &self.host) {
            (Some(socket), None) => Ok(Address::Socket(socket.clone())),
            (None, Some(host)) => Ok(Address::Tcp {
                host: host.clone(),
                port: self.port.unwrap_or(DEFAULT_PORT),
            }),
            (None, None) => Err(CliError::request(ErrorCode::NoServer, "no server is named")
                .hint("name one by its socket (--socket PATH) or its host (--host NAME)")),
            (Some(socket), Some(host)) => Err(CliError::request(
                ErrorCode::TwoServers,
                format!(
                    "two servers are named: socket {} and host {host}",
                    socket.display()
                ),
            )),
        }
    }

    fn tls_policy(&self) -> Result<TlsPolicy, CliError> {
        let ca_file = || {
            self.tls_ca_file.clone().ok_or_else(|| {
                CliError::request(
                    ErrorCode::NoAuthority,
                    "the server's certificate can't be verified without an authority",
                )
                .hint("name the authority's PEM file (--tls-ca-file)")
            })
        };
        Ok(match self.tls {
            TlsWord::Off => TlsPolicy::Off,
            TlsWord::Preferred => TlsPolicy::Preferred,
            TlsWord::Required => TlsPolicy::Required,
            TlsWord::VerifyCa => TlsPolicy::VerifyCa(ca_file()?),
            TlsWord::VerifyIdentity => TlsPolicy::VerifyIdentity(ca_file()?),
        })
    }
}

fn is_loopback(host: &str) -> bool {
    host.parse()
        .is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// Holds a server, a user, and their session options.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) endpoint: Endpoint,
    pub(crate) options: SessionOptions,
}

impl Access {
    /// Returns the same with sessions whose waits end when the switch is thrown.
    pub(crate) fn until(mut self, stop: &StopSwitch) -> Self {
        self.options.cancel = stop.flag().into();
        self
    }

    /// Returns the same with this time limit for each answer.
    pub(crate) fn answering_within(mut self, limit: Duration) -> Self {
        self.options.answer_timeout = Some(limit);
        self
    }

    /// Returns the same with sessions that no switch ends.
    pub(crate) fn uninterrupted(&self) -> Self {
        let mut access = self.clone();
        access.options.cancel = CancelFlag::default();
        access
    }

    /// Opens a connection outside the load: for filling and cleanup.
    pub(crate) fn connect(&self) -> Result<Session, CliError> {
        self.connect_within(LOGIN_TIMEOUT)
    }

    /// Does the same as [`connect`](Self::connect), with another time limit for the log-in.
    pub(crate) fn connect_within(&self, limit: Duration) -> Result<Session, CliError> {
        let opened = Session::open_with(&self.endpoint, &self.options, limit);
        let session = opened.and_then(|mut session| {
            session.escape_by_backslash()?;
            Ok(session)
        });
        session.map_err(|error| {
        let cli_error = CliError::world(ErrorCode::NoConnection, format!("no connection to {}", self.endpoint.address)).because_of(&error);
        match error {
            WireError::Authentication { .. } => cli_error.hint("check the user and the password file"),
            WireError::Server(server) if server.code == 1049 => cli_error.hint(
                "create the schema, or name another with --database (populate creates those named dbdyno_*)",
            ),
            WireError::Network { .. } | WireError::Timeout { .. } => {
                cli_error.hint("check that the server runs and listens there")
            }
            _ => cli_error,
        }
    })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(socket: Option<&str>, host: Option<&str>) -> Target {
        Target {
            socket: socket.map(PathBuf::from),
            host: host.map(str::to_owned),
            port: None,
            user: "app".to_owned(),
            password_file: None,
            database: "dbdyno_test".to_owned(),
            tls: TlsWord::VerifyCa,
            tls_ca_file: None,
            tls_minimum: TlsVersion::V1_2,
            tls_cert_file: None,
            tls_key_file: None,
            compression: Compression::Off,
            path_timeout_ns: None,
        }
    }

    #[test]
    fn the_route_is_read_off_the_address() {
        assert_eq!(target(Some("/s.sock"), None).route(), "socket");
        assert_eq!(target(None, Some("127.0.0.9")).route(), "loopback");
        assert_eq!(target(None, Some("::1")).route(), "loopback");
        assert_eq!(target(None, Some("localhost")).route(), "loopback");
        assert_eq!(target(None, Some("db.example")).route(), "network");
    }

    #[test]
    fn a_server_is_named_once() {
        for (socket, host) in [(None, None), (Some("/s.sock"), Some("db"))] {
            assert!(target(socket, host).address().is_err());
        }
    }

    #[test]
    fn a_certificate_needs_its_key() {
        let half = Target {
            tls_cert_file: Some("/c.pem".into()),
            ..target(Some("/s.sock"), None)
        };
        let error = half.session_options().unwrap_err();
        assert!(error.remedy.unwrap().contains("--tls-key-file"));
    }

    #[test]
    fn verification_needs_an_authority() {
        let error = target(None, Some("db")).endpoint().unwrap_err();
        assert!(error.remedy.unwrap().contains("--tls-ca-file"));
    }
}
