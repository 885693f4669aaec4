//! Wraps the socket under a connection.

use crate::connect::{connect, is_name_unanswered, is_timeout};
use crate::deadline::{Deadline, WAIT_SLICE};
use crate::error::{CONNECTING, NO_ADDRESS, NO_CONNECTION};
use crate::path::{self, PathState, PathUse};
use crate::{Address, PathTimeout, WireError};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use socket2::Socket;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown};
#[cfg(any(test, feature = "fuzz"))]
use std::os::fd::OwnedFd;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

/// Verb for a server that reads nothing.
const NO_ROOM: &str = "accepted no more bytes";

/// Describes what a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitReason {
    /// Bytes of the server.
    Answer,
    /// Room for bytes to the server.
    Room,
    /// Its part of the handshake that begins encryption.
    Handshake,
}

impl WaitReason {
    /// Returns the words behind "while", unless the waiting call knows it better.
    fn description(self) -> &'static str {
        match self {
            Self::Answer => "waiting for an answer",
            Self::Room => "sending to it",
            Self::Handshake => "shaking hands for TLS",
        }
    }
}

/// A connected socket that counts its bytes.
///
/// While it blocks, each call waits up to the deadline of the conversation at hand and then says `WouldBlock`. The
/// socket itself waits for a [`WAIT_SLICE`] only, so that a cancelled wait ends, and endless bytes don't outlast the
/// deadline.
#[derive(Debug)]
pub(crate) struct SocketStream {
    socket: Socket,
    peer: Box<str>,
    /// `None` where there is no path, as to a socket of this machine.
    path_timeout: Option<PathTimeout>,
    is_blocking: bool,
    deadline: Deadline,
    /// What each conversation is given.
    limit: Option<Duration>,
    /// How long the socket waits at a time.
    slice: Duration,
    /// Bytes that had come when the conversation at hand began.
    received_before: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
}

impl SocketStream {
    /// Connects by the deadline, which then is that of the log-in. `retries` grows by each attempt for which the server
    /// had no place.
    pub(crate) fn connect(
        address: &Address,
        path_timeout: PathTimeout,
        deadline: Deadline,
        retries: &mut u32,
    ) -> Result<Self, WireError> {
        let peer = address.to_string();
        match connect(address, path_timeout, &deadline, retries) {
            Ok(socket) => {
                let has_path = matches!(address, Address::Tcp { .. });
                Self::over(socket, &peer, has_path.then_some(path_timeout), deadline)
            }
            Err(_) if deadline.cancel.is_set() => Err(WireError::Cancelled {
                doing: "connecting".to_owned(),
                peer,
            }),
            Err(error) if is_name_unanswered(&error) => Err(WireError::Timeout {
                missing: NO_ADDRESS,
                doing: "looking up its name".to_owned(),
                peer,
                limit_ms: deadline.limit.map_or(0, |limit| limit.as_millis()),
            }),
            Err(error) if is_timeout(&error) => Err(WireError::Timeout {
                missing: NO_CONNECTION,
                doing: "connecting".to_owned(),
                peer,
                limit_ms: deadline.limit.map_or(0, |limit| limit.as_millis()),
            }),
            Err(source) => Err(WireError::Network {
                doing: CONNECTING,
                peer,
                source,
            }),
        }
    }

    fn over(
        socket: Socket,
        peer: &str,
        path_timeout: Option<PathTimeout>,
        deadline: Deadline,
    ) -> Result<Self, WireError> {
        let mut stream = Self {
            socket,
            peer: peer.into(),
            path_timeout,
            is_blocking: true,
            limit: deadline.limit,
            deadline,
            slice: Duration::ZERO,
            received_before: 0,
            bytes_sent: 0,
            bytes_received: 0,
        };
        stream.set_slice()?;
        Ok(stream)
    }

    /// Makes a stream over a socket that is connected already.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn of(
        socket: OwnedFd,
        is_local: bool,
        deadline: Deadline,
    ) -> Result<Self, WireError> {
        let path_timeout = (!is_local).then(PathTimeout::default);
        Self::over(socket.into(), "a test", path_timeout, deadline)
    }

    /// Returns whether what is sent stays on this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.path_timeout.is_none()
    }

    pub(crate) fn peer(&self) -> &str {
        &self.peer
    }

    /// Returns the address of the other side; `None` on this machine's own sockets.
    pub(crate) fn peer_ip(&self) -> Option<IpAddr> {
        let address = self.socket.peer_addr().ok()?;
        Some(address.as_socket()?.ip())
    }

    pub(crate) fn set_nonblocking(&mut self, is_nonblocking: bool) -> Result<(), WireError> {
        self.is_blocking = !is_nonblocking;
        let set = self.socket.set_nonblocking(is_nonblocking);
        set.map_err(|error| self.failed("switching the connection to", error))
    }

    /// Gives each later conversation so long; `None`: for ever.
    pub(crate) fn set_limit(&mut self, limit: Option<Duration>) -> Result<(), WireError> {
        self.limit = limit;
        self.begin();
        self.set_slice()
    }

    /// Begins a conversation now: its deadline, and what comes in it.
    pub(crate) fn begin(&mut self) {
        self.deadline.restart(self.limit);
        self.received_before = self.bytes_received;
    }

    /// Limits the conversation at hand to so long and no longer.
    pub(crate) fn shorten(&mut self, limit: Duration) {
        if self.limit.is_none_or(|usual| usual > limit) {
            self.deadline.restart(Some(limit));
        }
    }

    fn set_slice(&mut self) -> Result<(), WireError> {
        let slice = self.limit.map_or(WAIT_SLICE, |limit| limit.min(WAIT_SLICE));
        let slice = slice.max(Duration::from_micros(1)); // zero means "for ever"
        if slice == self.slice {
            return Ok(());
        }
        self.slice = slice;
        let set = self.socket.set_read_timeout(Some(slice));
        set.and_then(|()| self.socket.set_write_timeout(Some(slice)))
            .map_err(|error| self.failed("limiting the waiting for", error))
    }

    /// Returns what the kernel knows of the way to the server; `None` on this machine's own sockets, and where it can't
    /// be asked.
    pub(crate) fn check_path(&self) -> Option<PathState> {
        (!self.is_local()).then(|| path::probe(self.socket.as_fd()).ok())?
    }

    /// Returns what the kernel has counted on the way to the server; `None` as for [`check_path`](Self::check_path).
    pub(crate) fn path_use(&self) -> Option<PathUse> {
        (!self.is_local()).then(|| path::path_use(self.socket.as_fd()).ok())?
    }

    /// Keeps the kernel from taking a server that reads nothing for a lost path; see [`path::allow_zero_window`].
    #[cold]
    pub(crate) fn allow_zero_window(&self) {
        if let Some(timeout) = self.path_timeout {
            // A closed connection does not need it.
            let _: io::Result<()> = path::allow_zero_window(self.socket.as_fd(), timeout);
        }
    }

    /// Repeats a call of a blocking socket as often as its deadline allows.
    #[cold]
    fn retry_until_deadline(
        &mut self,
        mut call: impl FnMut(&mut Self) -> io::Result<usize>,
    ) -> io::Result<usize> {
        while !self.deadline.is_over() {
            match call(self) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.allow_zero_window(),
                other => return other,
            }
        }
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// Breaks the connection off: the server undoes what is not complete.
    pub(crate) fn abort(&self) {
        let _: io::Result<()> = self.socket.shutdown(Shutdown::Both);
    }

    /// Returns why a wait ended without what it was for.
    #[cold]
    pub(crate) fn timed_out(&self, wait: WaitReason) -> WireError {
        let (doing, peer) = (wait.description().to_owned(), self.peer.to_string());
        if self.deadline.cancel.is_set() {
            return WireError::Cancelled { doing, peer };
        }
        let has_begun = self.bytes_received > self.received_before;
        WireError::Timeout {
            missing: match wait {
                WaitReason::Room => NO_ROOM,
                _ if has_begun => "did not end its answer",
                _ => "answered nothing",
            },
            doing,
            peer,
            limit_ms: self.deadline.limit.map_or(0, |limit| limit.as_millis()),
        }
    }

    #[cold]
    pub(crate) fn no_answer(&self, limit: Duration) -> WireError {
        WireError::Timeout {
            missing: "answered nothing",
            doing: WaitReason::Answer.description().to_owned(),
            peer: self.peer.to_string(),
            limit_ms: limit.as_millis(),
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn failed(&self, doing: &'static str, source: io::Error) -> WireError {
        let peer = self.peer.to_string();
        match self.path_timeout {
            Some(PathTimeout(limit))
                if source.kind() == io::ErrorKind::TimedOut
                    && path::ended_at_zero_window(self.socket.as_fd()) =>
            {
                WireError::Timeout {
                    missing: NO_ROOM,
                    doing: WaitReason::Room.description().to_owned(),
                    peer,
                    limit_ms: limit.as_millis(),
                }
            }
            _ => WireError::Network {
                doing,
                peer,
                source,
            },
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
impl Read for SocketStream {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_blocking {
            return self.retry_until_deadline(|stream| stream.read_once(buffer));
        }
        self.read_once(buffer)
    }
}

impl SocketStream {
    #[inline]
    fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = send(&self.socket, bytes, SendFlags::NOSIGNAL)?;
        self.bytes_sent += count as u64;
        Ok(count)
    }

    fn write_pieces_once(&mut self, pieces: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let count = self.socket.write_vectored(pieces)?;
        self.bytes_sent += count as u64;
        Ok(count)
    }

    #[inline]
    fn read_once(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (count, _) = recv(&self.socket, buffer, RecvFlags::empty())?;
        self.bytes_received += count as u64;
        Ok(count)
    }
}

impl Write for SocketStream {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_blocking {
            return self.retry_until_deadline(|stream| stream.write_once(bytes));
        }
        self.write_once(bytes)
    }

    fn write_vectored(&mut self, pieces: &[io::IoSlice<'_>]) -> io::Result<usize> {
        if self.is_blocking {
            return self.retry_until_deadline(|stream| stream.write_pieces_once(pieces));
        }
        self.write_pieces_once(pieces)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for SocketStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for SocketStream {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}
