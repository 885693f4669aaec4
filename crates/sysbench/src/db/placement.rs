//! Chooses which server a new connection goes to.

use crate::DatabaseSettings;
use dbdyno_wire::Address;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The host that client libraries reach by a socket.
const LOCALHOST: &str = "localhost";

/// Where client libraries look for the socket of a server on this machine, in the order of how common they are.
const DEFAULT_SOCKETS: [&str; 3] = [
    "/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
    "/tmp/mysql.sock",
];

/// Goes round the sockets, or the ports of one host after the other.
#[derive(Debug)]
pub(super) struct Placement {
    hosts: Vec<String>,
    ports: Vec<u16>,
    sockets: Vec<PathBuf>,
    next: Mutex<(usize, usize)>,
}

/// One server, in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerAddress {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) socket: Option<PathBuf>,
}

impl Placement {
    pub(super) fn new(settings: &DatabaseSettings) -> Self {
        let or = |given: &[String]| match given {
            [] => vec![LOCALHOST.to_owned()],
            given => given.to_vec(),
        };
        Self {
            hosts: or(&settings.hosts),
            ports: match settings.ports.as_slice() {
                [] => vec![3306],
                ports => ports.to_vec(),
            },
            sockets: settings.sockets.clone(),
            next: Mutex::new((0, 0)),
        }
    }

    /// Returns the place of the next connection.
    pub(super) fn next(&self) -> ServerAddress {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, second) = *next;
        if !self.sockets.is_empty() {
            next.0 = (first + 1) % self.sockets.len();
            return ServerAddress {
                host: LOCALHOST.to_owned(),
                port: 0,
                socket: Some(self.sockets[first].clone()),
            };
        }
        next.1 = (second + 1) % self.ports.len();
        if next.1 == 0 {
            next.0 = (first + 1) % self.hosts.len();
        }
        ServerAddress {
            host: self.hosts[first].clone(),
            port: self.ports[second],
            socket: None,
        }
    }
}

impl ServerAddress {
    /// Returns its address; `localhost` is the default socket, for any port.
    pub(super) fn address(&self) -> Address {
        match &self.socket {
            Some(socket) => Address::Socket(socket.clone()),
            None if self.host == LOCALHOST => Address::Socket(default_socket()),
            None => Address::Tcp {
                host: self.host.clone(),
                port: self.port,
            },
        }
    }

    /// Formats its name as sysbench does when it can't connect.
    pub(super) fn words(&self) -> String {
        match &self.socket {
            Some(socket) => format!("on socket '{}'", socket.display()),
            None => format!("on host '{}', port {}", self.host, self.port),
        }
    }
}

/// Returns the socket in the user's environment, or the first that exists, or where it most likely would be.
fn default_socket() -> PathBuf {
    if let Some(path) = std::env::var_os("MYSQL_UNIX_PORT") {
        return path.into();
    }
    let found = DEFAULT_SOCKETS
        .iter()
        .find(|path| std::fs::exists(path).unwrap_or(false));
    PathBuf::from(found.unwrap_or(&DEFAULT_SOCKETS[0]))
}
