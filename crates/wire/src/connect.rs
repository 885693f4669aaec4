//! Making a connection, for as long as the caller's deadline allows.
//!
//! When thousands connect at once the server's listen queue overflows. That is no failure: the attempt
//! is repeated and counted. A refusal by a host where nobody listens is one, at once.

use crate::Address;
use crate::stream::Deadline;
use socket2::{Domain, SockAddr, Socket, Type};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

/// How long the first attempt over TCP waits. A full queue drops the request without a word, and the
/// kernel would send it again after one second, and after twice as long each time from then on. This
/// is a little sooner, so that the repetition is this side's to count.
const FIRST_WAIT: Duration = Duration::from_millis(900);

/// Gives a connected, blocking socket. `retries` grows by each attempt that found no place in the queue.
pub(crate) fn connect(
    address: &Address,
    deadline: Deadline,
    retries: &mut u32,
) -> io::Result<Socket> {
    match address {
        Address::Socket(path) => connect_socket(path, deadline, retries),
        Address::Tcp { host, port } => {
            let addresses: Vec<_> = (host.as_str(), *port).to_socket_addrs()?.collect();
            connect_tcp(&addresses, FIRST_WAIT, deadline, retries)
        }
    }
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

/// The first attempt tells whether the queue is full. The second waits in the kernel, in order, for a
/// place: as long as the sending time is limited to, and without that limit for ever.
fn connect_socket(path: &Path, deadline: Deadline, retries: &mut u32) -> io::Result<Socket> {
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
        let rest = deadline.rest().ok_or(io::ErrorKind::TimedOut)?;
        socket.set_write_timeout(Some(rest))?;
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
    deadline: Deadline,
    retries: &mut u32,
) -> io::Result<Socket> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    loop {
        let mut is_silent = false;
        for &address in addresses {
            let rest = deadline.rest().ok_or(io::ErrorKind::TimedOut)?;
            match connect_address(address, rest.min(shortened(wait))) {
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

fn connect_address(address: SocketAddr, limit: Duration) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.connect_timeout(&address.into(), limit)?;
    socket.set_tcp_nodelay(true)?; // each request is one write; it must not wait for an earlier reply
    Ok(socket)
}

/// By up to a quarter, at random: those who were dropped together shall not come back together.
fn shortened(wait: Duration) -> Duration {
    let share = (RandomState::new().hash_one(()) % 256) as u32;
    wait - wait / 1024 * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{JoinHandle, spawn};

    const SHORT: Duration = Duration::from_millis(30);
    const LONG: Duration = Duration::from_secs(20);

    /// A listener for very few, and so many connections that one more finds no place.
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
        let error = connect_socket(&path, Deadline::after(SHORT), &mut retries).unwrap_err();
        assert!(is_timeout(&error) && retries == 1, "{error}, {retries}");
        let server = accept(&listener, crowd.len() + 1);
        connect_socket(&path, Deadline::after(LONG), &mut retries).unwrap();
        server.join().unwrap();
        std::fs::remove_file(&path).unwrap();
        let error = connect_socket(&path, Deadline::after(LONG), &mut 0).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_request_dropped_over_tcp_is_repeated_and_counted() {
        let (listener, crowd) =
            crowded(Domain::IPV4, &SocketAddr::from(([127, 0, 0, 1], 0)).into());
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        let mut retries = 0;
        let mut attempt = |limit| {
            let deadline = Deadline::after(limit);
            connect_tcp(&[address], Duration::from_millis(5), deadline, &mut retries)
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
