//! Listens on sockets and addresses.

use crate::{NullServerError, Settings};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_linger, set_socket_reuseaddr, set_tcp_nodelay};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect,
    getsockname, listen, socket_with,
};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

/// A place where the server listens.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) place: ListenAddress,
    backlog: u16,
    /// `None` while nobody is to be let in.
    pub(crate) socket: Option<OwnedFd>,
}

/// A socket or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListenAddress {
    Socket(PathBuf),
    Tcp(SocketAddr),
}

impl Listener {
    /// Listens at every place of the settings.
    pub(crate) fn all(settings: &Settings) -> Result<Vec<Self>, NullServerError> {
        let socket = settings.socket.clone().map(ListenAddress::Socket);
        let places = socket
            .into_iter()
            .chain(settings.listen.map(ListenAddress::Tcp));
        let listeners: Vec<_> = places
            .map(|place| Self::at(place, settings.backlog))
            .collect::<Result<_, _>>()?;
        match listeners.is_empty() {
            true => Err(NullServerError::Nowhere),
            false => Ok(listeners),
        }
    }

    fn at(place: ListenAddress, backlog: u16) -> Result<Self, NullServerError> {
        let mut listener = Self {
            place,
            backlog,
            socket: None,
        };
        listener.open().map_err(|source| NullServerError::Listen {
            place: match &listener.place {
                ListenAddress::Socket(path) => path.display().to_string(),
                ListenAddress::Tcp(address) => address.to_string(),
            },
            source,
        })?;
        Ok(listener)
    }

    /// Listens; afterwards the place holds the port that was chosen.
    pub(crate) fn open(&mut self) -> io::Result<()> {
        let socket = match &mut self.place {
            ListenAddress::Socket(path) => listen_at_path(path)?,
            ListenAddress::Tcp(address) => listen_at_address(address)?,
        };
        listen(&socket, i32::from(self.backlog))?;
        self.socket = Some(socket);
        Ok(())
    }

    /// Listens no more.
    pub(crate) fn close(&mut self) {
        self.socket = None;
        if let ListenAddress::Socket(path) = &self.place {
            // An error means that it is already removed.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Returns the next client that waits, if one does.
    pub(crate) fn accept(&self) -> Option<OwnedFd> {
        let listener = self.socket.as_ref()?;
        loop {
            match accept_with(listener, FLAGS) {
                Ok(socket) => {
                    if matches!(self.place, ListenAddress::Tcp(_)) {
                        let _ = set_tcp_nodelay(&socket, true); // slower without, nothing worse
                    }
                    return Some(socket);
                }
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Err(_) => return None,
            }
        }
    }
}

/// Resets a TCP connection, instead of closing it, when it is dropped.
pub(crate) fn reset_on_close(socket: &OwnedFd) {
    let _ = set_socket_linger(socket, Some(Duration::ZERO)); // on a Unix socket it means nothing
}

fn listen_at_path(path: &Path) -> io::Result<OwnedFd> {
    let address = SocketAddrUnix::new(path)?;
    let new = || socket_with(AddressFamily::UNIX, SocketType::STREAM, FLAGS, None);
    let socket = new()?;
    match bind(&socket, &address) {
        Err(Errno::ADDRINUSE) if connect(new()?, &address) == Err(Errno::CONNREFUSED) => {
            std::fs::remove_file(path)?; // left behind by a server that is no more
            bind(&socket, &address)?;
        }
        result => result?,
    }
    Ok(socket)
}

fn listen_at_address(address: &mut SocketAddr) -> io::Result<OwnedFd> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let socket = socket_with(family, SocketType::STREAM, FLAGS, None)?;
    set_socket_reuseaddr(&socket, true)?;
    bind(&socket, address)?;
    *address = getsockname(&socket)?
        .try_into()
        .map_err(|_| io::Error::other("the system names no address"))?;
    Ok(socket)
}
