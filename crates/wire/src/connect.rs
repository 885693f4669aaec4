//! Connects a socket within the caller's deadline.
//!
//! When thousands connect at once the server's listen queue overflows. That is no failure: the attempt
//! is repeated and counted. A refusal by a host where nobody listens is one, at once.

use crate::deadline::{Deadline, WAIT_SLICE};
use crate::path::set_path_timeout;
use crate::{Address, PathTimeout};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use socket2::{Domain, SockAddr, Socket, Type};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long a place in the queue of a socket is waited for, before it is asked whether to go on.
const PLACE_WAIT: Duration = Duration::from_secs(1);

/// How long the first attempt over TCP waits. A full queue drops the request without a word, and the
/// kernel would send it again after one second, and after twice as long each time from then on. This
/// is a little sooner, so that the repetition is this side's to count.
const FIRST_WAIT: Duration = Duration::from_millis(900);

/// Gives a connected, blocking socket. `retries` grows by each attempt that found no place in the queue.
pub(crate) fn connect(
    address: &Address,
    path_timeout: PathTimeout,
    deadline: &Deadline,
    retries: &mut u32,
) -> io::Result<Socket> {
    match address {
        Address::Socket(path) => connect_socket(path, deadline, retries),
        Address::Tcp { host, port } => {
            let addresses = look_up(host, *port, deadline)?;
            let socket = connect_tcp(&addresses, FIRST_WAIT, deadline, retries)?;
            set_path_timeout(&socket, path_timeout)?;
            Ok(socket)
        }
    }
}

/// The resolver gave no answer in time.
#[derive(Debug, thiserror::Error)]
#[error("the resolver did not answer")]
struct NameUnanswered;

/// Returns whether it was the look-up of the name that took too long.
pub(crate) fn is_name_unanswered(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(|inner| inner.is::<NameUnanswered>())
}

/// Looks up the addresses of a host. The resolver takes its own time and ignores a deadline, so a separate thread looks
/// the name up, and is left to itself when the time is over.
fn look_up(host: &str, port: u16, deadline: &Deadline) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let name = host.to_owned();
    answered(deadline, move || {
        (name.as_str(), port)
            .to_socket_addrs()
            .map(Iterator::collect)
    })
}

/// Returns what the resolver answers, if it does so in time.
fn answered<T: Send + 'static>(
    deadline: &Deadline,
    ask: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (say, said) = channel();
    Builder::new()
        .name("name-look-up".to_owned())
        .spawn(move || drop(say.send(ask())))?;
    loop {
        let Some(piece) = deadline.piece(WAIT_SLICE) else {
            return Err(io::Error::new(io::ErrorKind::TimedOut, NameUnanswered));
        };
        match said.recv_timeout(piece) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the resolver ended without an answer"));
            }
        }
    }
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

/// Connects to a socket. The first attempt shows whether the queue is full. The second waits in the kernel, in order,
/// for a place, within the send timeout, or for ever without one.
fn connect_socket(path: &Path, deadline: &Deadline, retries: &mut u32) -> io::Result<Socket> {
    let address = SockAddr::unix(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    let at_once = socket.connect(&address);
    socket.set_nonblocking(false)?;
    match at_once {
        Err(error) if is_timeout(&error) => *retries += 1,
        result => return result.map(|()| socket),
    }
    loop {
        let piece = deadline.piece(PLACE_WAIT).ok_or(io::ErrorKind::TimedOut)?;
        socket.set_write_timeout(Some(piece))?;
        match socket.connect(&address) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted || is_timeout(&error) => {}
            result => return result.map(|()| socket),
        }
    }
}

/// Tries a host's addresses in the resolver's order, again and again while one of them is silent, and
/// reports the last failure once all of them have refused.
fn connect_tcp(
    addresses: &[SocketAddr],
    mut wait: Duration,
    deadline: &Deadline,
    retries: &mut u32,
) -> io::Result<Socket> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    loop {
        let mut is_silent = false;
        for &address in addresses {
            let limit = deadline.piece(shortened(wait));
            match connect_address(address, limit.ok_or(io::ErrorKind::TimedOut)?, deadline) {
                Ok(socket) => return Ok(socket),
                Err(error) if is_timeout(&error) => {
                    is_silent = true;
                    *retries += 1;
                }
                Err(error) => failure = error,
            }
        }
        if !is_silent {
            return Err(failure);
        }
        wait *= 2;
    }
}

fn connect_address(
    address: SocketAddr,
    limit: Duration,
    deadline: &Deadline,
) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    let (address, end) = (SockAddr::from(address), Instant::now() + limit);
    match socket.connect(&address) {
        Err(error) if is_under_way(&error) => wait_connected(&socket, end, deadline)?,
        result => result?,
    }
    socket.set_nonblocking(false)?;
    socket.set_tcp_nodelay(true)?; // each request is one write; it must not wait for an earlier reply
    Ok(socket)
}

fn is_under_way(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::INPROGRESS.raw_os_error())
}

/// Waits in pieces, so that the wait can be cancelled.
fn wait_connected(socket: &Socket, end: Instant, deadline: &Deadline) -> io::Result<()> {
    loop {
        let rest = end
            .saturating_duration_since(Instant::now())
            .min(WAIT_SLICE);
        let piece = deadline.piece(rest).ok_or(io::ErrorKind::TimedOut)?;
        let piece = Timespec::try_from(piece).map_err(io::Error::other)?;
        let mut watched = [PollFd::new(socket, PollFlags::OUT)];
        match poll(&mut watched, Some(&piece)) {
            Ok(0) if Instant::now() >= end => return Err(io::ErrorKind::TimedOut.into()),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return socket.take_error()?.map_or(Ok(()), Err),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Shortens a wait by up to a quarter, at random: those who were dropped together shall not come back together.
fn shortened(wait: Duration) -> Duration {
    let share = (RandomState::new().hash_one(()) % 256) as u32;
    wait - wait / 1024 * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CancelFlag;
    use std::thread::{JoinHandle, spawn};

    #[test]
    fn a_resolver_that_says_nothing_is_left_to_itself() {
        let began = Instant::now();
        let error = answered(&within(SHORT), || {
            std::thread::sleep(LONG);
            Ok(())
        })
        .unwrap_err();
        assert!(is_timeout(&error) && is_name_unanswered(&error), "{error}");
        assert!(began.elapsed() < LONG);
        assert_eq!(answered(&within(LONG), || Ok(7)).unwrap(), 7);
    }

    #[test]
    fn an_address_is_looked_up_by_nobody() {
        let over = within(Duration::ZERO);
        let addresses = look_up("127.0.0.1", 7, &over).unwrap();
        assert_eq!(addresses, [SocketAddr::from(([127, 0, 0, 1], 7))]);
        assert!(is_name_unanswered(
            &look_up("localhost", 7, &over).unwrap_err()
        ));
        assert!(!look_up("localhost", 7, &within(LONG)).unwrap().is_empty());
    }

    const SHORT: Duration = Duration::from_millis(30);
    const LONG: Duration = Duration::from_secs(20);

    fn within(limit: Duration) -> Deadline {
        Deadline::after(limit, &CancelFlag::default())
    }

    /// Makes a listener for very few, and so many connections that one more finds no place.
    fn crowded(domain: Domain, address: &SockAddr) -> (Socket, Vec<Socket>) {
        let listener = Socket::new(domain, Type::STREAM, None).unwrap();
        listener.bind(address).unwrap();
        listener.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let mut crowd = Vec::new();
        loop {
            let socket = Socket::new(domain, Type::STREAM, None).unwrap();
            socket.set_nonblocking(true).unwrap();
            let is_in = match domain {
                Domain::UNIX => socket.connect(&address),
                _ => socket.connect_timeout(&address, SHORT),
            };
            if is_in.is_err() {
                return (listener, crowd);
            }
            crowd.push(socket);
        }
    }

    fn accept(listener: &Socket, count: usize) -> JoinHandle<Vec<Socket>> {
        let listener = listener.try_clone().unwrap();
        let one = move |_| listener.accept().unwrap().0;
        spawn(move || (0..count).map(one).collect())
    }

    #[test]
    fn a_full_queue_of_a_socket_is_waited_out_and_counted() {
        let path = std::env::temp_dir().join(format!("dbdyno_wire_full_{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let (listener, crowd) = crowded(Domain::UNIX, &SockAddr::unix(&path).unwrap());
        let mut retries = 0;
        let error = connect_socket(&path, &within(SHORT), &mut retries).unwrap_err();
        assert!(is_timeout(&error) && retries == 1, "{error}, {retries}");
        let server = accept(&listener, crowd.len() + 1);
        connect_socket(&path, &within(LONG), &mut retries).unwrap();
        server.join().unwrap();
        std::fs::remove_file(&path).unwrap();
        let error = connect_socket(&path, &within(LONG), &mut 0).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_request_dropped_over_tcp_is_repeated_and_counted() {
        let (listener, crowd) =
            crowded(Domain::IPV4, &SocketAddr::from(([127, 0, 0, 1], 0)).into());
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        let mut retries = 0;
        let mut attempt = |limit| {
            let deadline = within(limit);
            connect_tcp(
                &[address],
                Duration::from_millis(5),
                &deadline,
                &mut retries,
            )
        };
        let error = attempt(SHORT).unwrap_err();
        assert!(is_timeout(&error), "{error}");
        let server = accept(&listener, crowd.len());
        attempt(LONG).unwrap();
        server.join().unwrap();
        drop(listener);
        let error = attempt(LONG).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert!(retries > 1, "{retries} counted");
    }
}
