//! Defines the arguments that name the server.

use super::parse::{host_name, nanoseconds};
use crate::cli_error::CliError;
use crate::order::{Target, TlsWord};
use clap::Args;
use dbdyno_wire::{Compression, TlsVersion};
use std::path::PathBuf;

/// Which server, which user, which schema.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArguments {
    /// Unix socket of the server
    #[arg(
        long,
        alias = "mysql-socket",
        value_name = "PATH",
        conflicts_with = "host"
    )]
    pub(crate) socket: Option<PathBuf>,

    /// Host of the server, by name or address
    #[arg(long, alias = "mysql-host", value_name = "NAME", value_parser = host_name)]
    pub(crate) host: Option<String>,

    /// TCP port of the server [default: 3306]
    #[arg(long, alias = "mysql-port", value_name = "NUMBER", requires = "host")]
    pub(crate) port: Option<u16>,

    /// User to log in as
    #[arg(
        long,
        alias = "mysql-user",
        value_name = "NAME",
        default_value = "root"
    )]
    pub(crate) user: String,

    /// File with the password; without it, no password is used
    ///
    /// A line feed at its end is not part of the password. Only its owner should be able to read the file.
    /// A password is never taken from an argument or an environment variable, where others could read it.
    #[arg(
        long,
        value_name = "FILE",
        env = "DBDYNO_PASSWORD_FILE",
        hide_env_values = true
    )]
    pub(crate) password_file: Option<PathBuf>,

    /// Log in without a password, even if DBDYNO_PASSWORD_FILE is set
    #[arg(long)]
    pub(crate) no_password: bool,

    /// Schema of the tables
    #[arg(
        long,
        alias = "mysql-db",
        value_name = "NAME",
        default_value = "dbdyno_sbtest"
    )]
    pub(crate) database: String,

    /// Encryption of the connections
    #[arg(long, value_enum, value_name = "POLICY", default_value = "preferred")]
    pub(crate) tls: TlsWord,

    /// PEM file of the authority that signed the server's certificate
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca_file: Option<PathBuf>,

    /// Oldest TLS version to accept
    #[arg(long, value_enum, value_name = "VERSION", default_value = "1.2")]
    pub(crate) tls_minimum: TlsVersion,

    /// PEM file of the client certificate, for a user that needs one
    #[arg(long, value_name = "FILE", requires = "tls_key_file")]
    pub(crate) tls_cert_file: Option<PathBuf>,

    /// PEM file of the client certificate's private key
    #[arg(long, value_name = "FILE", requires = "tls_cert_file")]
    pub(crate) tls_key_file: Option<PathBuf>,

    /// Compression of the load's connections
    #[arg(long, value_enum, value_name = "HOW", default_value = "off")]
    pub(crate) compression: Compression,

    /// Close TCP connections whose data stays unacknowledged this long [default: 10s]
    ///
    /// This notices a dead path to the server (cable, switch, power, route, firewall). It does not limit how long a
    /// statement takes: the kernel of a slow, stalled or stopped server still acknowledges what it receives. It sets
    /// TCP_USER_TIMEOUT, and keepalive for connections that wait; without it Linux tries for a quarter of an hour.
    /// From 1s to 1h.
    #[arg(long, value_name = "DURATION", value_parser = nanoseconds)]
    pub(crate) path_timeout: Option<u64>,
}

impl ServerArguments {
    /// The arguments as an order has them.
    pub(crate) fn target(&self) -> Result<Target, CliError> {
        let target = Target {
            socket: self.socket.clone(),
            host: self.host.clone(),
            port: self.port,
            user: self.user.clone(),
            password_file: self.password_file.clone().filter(|_| !self.no_password),
            database: self.database.clone(),
            tls: self.tls,
            tls_ca_file: self.tls_ca_file.clone(),
            tls_minimum: self.tls_minimum,
            tls_cert_file: self.tls_cert_file.clone(),
            tls_key_file: self.tls_key_file.clone(),
            compression: self.compression,
            path_timeout_ns: self.path_timeout,
        };
        Ok(target)
    }
}
