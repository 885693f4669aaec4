//! The socket under a connection.

use crate::connect::{connect, is_timeout};
use crate::{Address, WireError};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use socket2::Socket;
use std::io::{self, Read, Write};
use std::net::Shutdown;
#[cfg(any(test, feature = "fuzz"))]
use std::os::fd::OwnedFd;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
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
    pub(crate) fn rest(self) -> Option<Duration> {
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
    /// What the socket was last told.
    socket_limit: Option<Duration>,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
}

impl Stream {
    /// Connects by the deadline. `retries` grows by each attempt for which the server had no place.
    pub(crate) fn connect(
        address: &Address,
        deadline: Deadline,
        retries: &mut u32,
    ) -> Result<Self, WireError> {
        let peer = address.to_string().into_boxed_str();
        let socket = connect(address, deadline, retries);
        let is_local = matches!(address, Address::Socket(_));
        let limit = Some(deadline.limit);
        match socket {
            Ok(socket) => Ok(Self {
                socket,
                peer,
                is_local,
                limit,
                socket_limit: None,
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

    /// Over a socket that is connected already.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn of(socket: OwnedFd, is_local: bool) -> Self {
        Self {
            socket: socket.into(),
            peer: "a test".into(),
            is_local,
            limit: None,
            socket_limit: None,
            bytes_sent: 0,
            bytes_received: 0,
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

    /// Lets the next read or write wait up to `deadline`, or a tenth longer: the socket is told again only
    /// when the rest has shrunk by that much, for a log-in has many packets and each telling costs two calls.
    pub(crate) fn wait_until(&mut self, deadline: Deadline) -> Result<(), WireError> {
        let Some(rest) = deadline.rest() else {
            return Err(self.timed_out("logging in at"));
        };
        let is_told = |told: Duration| (rest..=rest + rest / 10).contains(&told);
        match self.socket_limit {
            Some(told) if is_told(told) => Ok(()),
            _ => self.set_socket_limit(Some(rest)),
        }
    }

    fn set_socket_limit(&mut self, limit: Option<Duration>) -> Result<(), WireError> {
        self.socket_limit = limit;
        let set = self.socket.set_read_timeout(limit);
        set.and_then(|()| self.socket.set_write_timeout(limit))
            .map_err(|error| self.failed("limiting the waiting for", error))
    }

    /// Breaks the connection off: the server undoes what is not complete.
    pub(crate) fn break_off(&self) {
        let _: io::Result<()> = self.socket.shutdown(Shutdown::Both);
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

/// Straight to the system: the C library's calls are points where a thread may be cancelled, and take longer for it
/// than the rest of what they do.
impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (count, _) = recv(&self.socket, buffer, RecvFlags::empty())?;
        self.bytes_received += count as u64;
        Ok(count)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = send(&self.socket, bytes, SendFlags::NOSIGNAL)?;
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

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for Stream {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}
