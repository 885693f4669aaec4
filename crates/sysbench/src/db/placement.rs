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
    localhost_is_socket: bool,
    sockets: Vec<PathBuf>,
    next: Mutex<(usize, usize)>,
}

/// One server, in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerAddress {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) socket: Option<PathBuf>,
    /// Without a socket of its own: it is reached by the default one.
    is_default_socket: bool,
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
            localhost_is_socket: settings.localhost_is_socket,
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
                is_default_socket: false,
            };
        }
        next.1 = (second + 1) % self.ports.len();
        if next.1 == 0 {
            next.0 = (first + 1) % self.hosts.len();
        }
        let host = self.hosts[first].clone();
        ServerAddress {
            is_default_socket: self.localhost_is_socket && host == LOCALHOST,
            host,
            port: self.ports[second],
            socket: None,
        }
    }
}

impl ServerAddress {
    /// Returns its address.
    pub(super) fn address(&self) -> Address {
        match &self.socket {
            Some(socket) => Address::Socket(socket.clone()),
            None if self.is_default_socket => Address::Socket(default_socket()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use crate::options::{Environment, parse};

    #[test]
    fn localhost_is_a_socket_for_sysbench_and_a_host_in_our_own_form() {
        let words = ["--mysql-host=localhost", "--mysql-port=3307"].map(str::to_owned);
        let environment = Environment {
            dialect: Dialect::V1_0,
            own_name: false,
            own_form: false,
        };
        let sysbench = parse(&words, &environment).unwrap().settings.database;
        let place = Placement::new(&sysbench).next();
        assert!(matches!(place.address(), Address::Socket(_)));
        assert_eq!(place.words(), "on host 'localhost', port 3307");
        let own = DatabaseSettings {
            localhost_is_socket: false,
            ..sysbench
        };
        let expected = Address::Tcp {
            host: "localhost".to_owned(),
            port: 3307,
        };
        assert_eq!(Placement::new(&own).next().address(), expected);
    }
}
