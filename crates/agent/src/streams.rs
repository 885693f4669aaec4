//! Connects to sockets of this host, so that the lab reaches a server as if it were local, and to sockets of other
//! hosts, so that a server sees this load host as the client.

use crate::answer::Answer;
use crate::refusal::{AtPath, Refusal};
use crate::request::Destination;
use rustix::io::Errno;
use rustix::net::sockopt::{self, socket_peercred};
use rustix::net::{
    AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, send, socket_with,
};
use serde_json::json;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const BLOCK_BYTES: usize = 1 << 18;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MIN_TIMEOUT: Duration = Duration::from_millis(1);
/// How long another host may acknowledge nothing: as the load's own connections, a stream does not wait for the quarter
/// of an hour after which Linux gives up by itself.
const PATH_TIMEOUT: Duration = Duration::from_secs(10);

/// Holds the connections of a session.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Mutex<(u64, HashMap<u64, Arc<Stream>>)>,
}

#[derive(Debug)]
struct Stream {
    socket: Socket,
    name: PathBuf,
    /// What is read goes here first: a new block each time would be cleared as a whole for a reply of some bytes.
    reading: Mutex<Vec<u8>>,
    writing: Mutex<()>,
}

#[derive(Debug)]
enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Streams {
    /// Connects and returns a handle.
    pub(crate) fn connect(&self, destination: &Destination) -> Result<u64, Refusal> {
        let (name, socket) = match destination {
            Destination::Unix(path) => (path.clone(), UnixStream::connect(path).map(Socket::Unix)),
            Destination::Loopback(port) => {
                let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, *port));
                let name = PathBuf::from(format!("127.0.0.1:{port}"));
                (name, socket.and_then(without_delay).map(Socket::Tcp))
            }
            Destination::Tcp(address) => {
                let socket = TcpStream::connect_timeout(address, CONNECT_TIMEOUT);
                let name = PathBuf::from(address.to_string());
                let socket = socket.and_then(without_delay).and_then(with_path_timeout);
                (name, socket.map(Socket::Tcp))
            }
        };
        let stream = Stream {
            socket: socket.at(&name)?,
            name,
            reading: Mutex::default(),
            writing: Mutex::default(),
        };
        let mut open = self.open();
        open.0 += 1;
        let handle = open.0;
        open.1.insert(handle, Arc::new(stream));
        Ok(handle)
    }

    /// Reads what has arrived; waits for the first byte. Neither bytes nor an end: nothing came in time.
    pub(crate) fn read(&self, handle: u64, timeout: Duration) -> Result<Answer, Refusal> {
        let stream = self.stream(handle)?;
        let mut block = stream
            .reading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        block.resize(BLOCK_BYTES, 0);
        let (count, is_end) = match stream.socket.read(&mut block, timeout.max(MIN_TIMEOUT)) {
            Ok(count) => (count, count == 0),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                (0, false)
            }
            error => (error.at(&stream.name)?, false),
        };
        Ok(Answer {
            value: json!({"is_end": is_end}),
            body: block[..count].to_vec(),
        })
    }

    /// Writes all bytes.
    pub(crate) fn write(&self, handle: u64, body: &[u8]) -> Result<(), Refusal> {
        let stream = self.stream(handle)?;
        let _writing = stream.writing.lock();
        stream.socket.write(body).at(&stream.name)
    }

    /// Writes what the socket takes without waiting, and removes it from the body; `None`: some is left.
    pub(crate) fn write_at_once(
        &self,
        handle: u64,
        body: &mut Vec<u8>,
    ) -> Option<Result<(), Refusal>> {
        let stream = self.stream(handle).ok()?;
        let _writing = stream.writing.try_lock().ok()?;
        match stream.socket.write_at_once(body) {
            Ok(count) => body.drain(..count),
            Err(Errno::AGAIN | Errno::INTR) => return None,
            Err(error) => return Some(Err(io::Error::from(error)).at(&stream.name)),
        };
        body.is_empty().then_some(Ok(()))
    }

    /// Closes the stream; a read that waits returns.
    pub(crate) fn close(&self, handle: u64) -> Result<(), Refusal> {
        let stream = self.open().1.remove(&handle);
        let stream = stream.ok_or_else(|| Refusal::no_handle("stream", handle))?;
        stream.socket.shutdown();
        Ok(())
    }

    fn stream(&self, handle: u64) -> Result<Arc<Stream>, Refusal> {
        let stream = self.open().1.get(&handle).cloned();
        stream.ok_or_else(|| Refusal::no_handle("stream", handle))
    }

    fn open(&self) -> MutexGuard<'_, (u64, HashMap<u64, Arc<Stream>>)> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the pid of the process that accepts connections on a socket; `None`: no process does; 0: it can't be seen.
pub(crate) fn listener(path: &Path) -> io::Result<Option<i32>> {
    // Not waited for: a hung server accepts no connections, and its queue fills up.
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    match connect(&socket, &SocketAddrUnix::new(path)?) {
        Ok(()) => Ok(Some(socket_peercred(&socket)?.pid.as_raw_nonzero().get())),
        Err(Errno::AGAIN) => Ok(Some(0)),
        Err(_) => Ok(None),
    }
}

/// Returns a port of the loopback address that nobody listens on now.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

fn without_delay(socket: TcpStream) -> io::Result<TcpStream> {
    socket.set_nodelay(true)?;
    Ok(socket)
}

/// Makes the kernel give the stream up when the other host is silent for so long, whether bytes are under way or not.
///
/// A server that reads nothing would be given up, too, once its buffers are full. Logins and the few statements that go
/// this way never fill them.
fn with_path_timeout(socket: TcpStream) -> io::Result<TcpStream> {
    sockopt::set_tcp_user_timeout(&socket, PATH_TIMEOUT.as_millis() as u32)?;
    sockopt::set_tcp_keepidle(&socket, PATH_TIMEOUT / 2)?;
    sockopt::set_tcp_keepintvl(&socket, PATH_TIMEOUT / 10)?;
    sockopt::set_socket_keepalive(&socket, true)?;
    Ok(socket)
}

impl Socket {
    fn read(&self, block: &mut [u8], timeout: Duration) -> io::Result<usize> {
        match self {
            Self::Unix(socket) => {
                socket.set_read_timeout(Some(timeout))?;
                (&*socket).read(block)
            }
            Self::Tcp(socket) => {
                socket.set_read_timeout(Some(timeout))?;
                (&*socket).read(block)
            }
        }
    }

    fn write_at_once(&self, bytes: &[u8]) -> Result<usize, Errno> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        match self {
            Self::Unix(socket) => send(socket, bytes, flags),
            Self::Tcp(socket) => send(socket, bytes, flags),
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Unix(socket) => (&*socket).write_all(bytes),
            Self::Tcp(socket) => (&*socket).write_all(bytes),
        }
    }

    fn shutdown(&self) {
        // A stream that the peer has closed needs no shutdown.
        let _ = match self {
            Self::Unix(socket) => socket.shutdown(Shutdown::Both),
            Self::Tcp(socket) => socket.shutdown(Shutdown::Both),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_to_another_host_is_given_up_when_its_path_is_silent() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let streams = Streams::default();
        let limit_ms = |destination| {
            let handle = streams.connect(&destination).unwrap();
            let stream = streams.stream(handle).unwrap();
            let Socket::Tcp(socket) = &stream.socket else {
                panic!("it is a TCP stream")
            };
            assert!(socket.nodelay().unwrap());
            let is_kept_alive = sockopt::socket_keepalive(socket).unwrap();
            (is_kept_alive, sockopt::tcp_user_timeout(socket).unwrap())
        };
        assert_eq!(limit_ms(Destination::Tcp(address)), (true, 10_000));
        assert_eq!(limit_ms(Destination::Loopback(address.port())), (false, 0));
    }

    #[test]
    fn what_a_socket_does_not_take_at_once_is_left_for_a_write_that_waits() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let streams = Streams::default();
        let handle = streams.connect(&Destination::Loopback(port)).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        let mut small = b"SELECT 1".to_vec();
        assert!(matches!(
            streams.write_at_once(handle, &mut small),
            Some(Ok(()))
        ));
        let sent: Vec<u8> = (0..64 << 20).map(|number: u32| number as u8).collect();
        let mut left = sent.clone();
        assert!(streams.write_at_once(handle, &mut left).is_none());
        assert!(left.len() < sent.len() && sent.ends_with(&left));
        let reading = std::thread::spawn(move || {
            let mut received = vec![0; 8 + (64 << 20)];
            peer.read_exact(&mut received).unwrap();
            received
        });
        streams.write(handle, &left).unwrap();
        assert_eq!(reading.join().unwrap()[8..], sent);
        assert!(streams.write_at_once(handle + 1, &mut small).is_none());
    }
}
