//! The socket under a connection.

use crate::{Address, WireError};
use socket2::{Domain, SockAddr, Socket, Type};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// A moment up to which the server may keep us waiting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    end: Instant,
    limit: Duration,
}

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self {
            end: Instant::now() + limit,
            limit,
        }
    }

    /// What is left of the time: never zero, which sockets take for "for ever".
    fn rest(self) -> Option<Duration> {
        let rest = self.end.saturating_duration_since(Instant::now());
        (!rest.is_zero()).then(|| rest.max(Duration::from_micros(1)))
    }
}

/// A connected socket that counts its bytes.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: Socket,
    peer: Box<str>,
    is_local: bool,
    limit: Option<Duration>,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
}

impl Stream {
    pub(crate) fn connect(address: &Address, deadline: Deadline) -> Result<Self, WireError> {
        let peer = address.to_string().into_boxed_str();
        let socket = match address {
            Address::Socket(path) => connect_socket(path, deadline),
            Address::Tcp { host, port } => connect_tcp(host, *port, deadline),
        };
        let is_local = matches!(address, Address::Socket(_));
        let limit = Some(deadline.limit);
        match socket {
            Ok(socket) => Ok(Self {
                socket,
                peer,
                is_local,
                limit,
                bytes_sent: 0,
                bytes_received: 0,
            }),
            Err(error) if is_timeout(&error) => Err(WireError::Timeout {
                doing: "connecting to",
                peer: peer.into(),
                limit_ms: deadline.limit.as_millis(),
            }),
            Err(source) => Err(WireError::Network {
                doing: "connecting to",
                peer: peer.into(),
                source,
            }),
        }
    }

    /// Whether what is sent stays on this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.is_local
    }

    pub(crate) fn peer(&self) -> &str {
        &self.peer
    }

    pub(crate) fn set_nonblocking(&self, is_nonblocking: bool) -> Result<(), WireError> {
        let set = self.socket.set_nonblocking(is_nonblocking);
        set.map_err(|error| self.failed("switching the connection to", error))
    }

    /// Lets each read and write wait up to `limit`.
    pub(crate) fn set_limit(&mut self, limit: Option<Duration>) -> Result<(), WireError> {
        self.limit = limit;
        self.set_socket_limit(limit)
    }

    /// Lets the next read or write wait up to `deadline`.
    pub(crate) fn wait_until(&mut self, deadline: Deadline) -> Result<(), WireError> {
        match deadline.rest() {
            Some(rest) => self.set_socket_limit(Some(rest)),
            None => Err(self.timed_out("logging in at")),
        }
    }

    fn set_socket_limit(&self, limit: Option<Duration>) -> Result<(), WireError> {
        let set = self.socket.set_read_timeout(limit);
        set.and_then(|()| self.socket.set_write_timeout(limit))
            .map_err(|error| self.failed("limiting the waiting for", error))
    }

    #[cold]
    pub(crate) fn timed_out(&self, doing: &'static str) -> WireError {
        let limit_ms = self.limit.map_or(0, |limit| limit.as_millis());
        WireError::Timeout {
            doing,
            peer: self.peer.to_string(),
            limit_ms,
        }
    }

    #[cold]
    pub(crate) fn failed(&self, doing: &'static str, source: io::Error) -> WireError {
        WireError::Network {
            doing,
            peer: self.peer.to_string(),
            source,
        }
    }

    #[cold]
    pub(crate) fn closed(&self) -> WireError {
        let end = io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the server closed the connection",
        );
        self.failed("reading from", end)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.socket.read(buffer)?;
        self.bytes_received += count as u64;
        Ok(count)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.socket.write(bytes)?;
        self.bytes_sent += count as u64;
        Ok(count)
    }

    fn write_vectored(&mut self, pieces: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let count = self.socket.write_vectored(pieces)?;
        self.bytes_sent += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsRawFd for Stream {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

/// With its sending time limited, a socket waits in the kernel, in order, for a place in a full listen
/// queue; without that limit it would wait for ever.
fn connect_socket(path: &Path, deadline: Deadline) -> io::Result<Socket> {
    let address = SockAddr::unix(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    loop {
        let rest = deadline.rest().ok_or(io::ErrorKind::TimedOut)?;
        socket.set_write_timeout(Some(rest))?;
        match socket.connect(&address) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted || is_timeout(&error) => {}
            result => return result.map(|()| socket),
        }
    }
}

/// Tries the host's addresses in the resolver's order and reports the last failure.
fn connect_tcp(host: &str, port: u16, deadline: Deadline) -> io::Result<Socket> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    for address in (host, port).to_socket_addrs()? {
        match connect_address(address, deadline) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn connect_address(address: SocketAddr, deadline: Deadline) -> io::Result<Socket> {
    let rest = deadline.rest().ok_or(io::ErrorKind::TimedOut)?;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.connect_timeout(&address.into(), rest)?;
    socket.set_tcp_nodelay(true)?; // each request is one write; it must not wait for an earlier reply
    Ok(socket)
}
