//! Watches the path to the other host: sets how long it may be silent, and reads what the kernel knows of it.
//!
//! A server that is slow, stalled or stopped still has a kernel that acknowledges what arrives. A cable that is out, a
//! host without power or a dropped route acknowledges nothing. Only the kernel of this side sees the difference, so it
//! is asked (`TCP_INFO`) where a connection has been silent; nothing here is called for each statement.
//!
//! A server that reads nothing closes its window when its buffers are full. Its kernel acknowledges each probe of that
//! window, but the user timeout runs all the same, so it is suspended meanwhile.

use rustix::net::sockopt;
use socket2::Socket;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// Describes how long the other host may acknowledge nothing before a connection over TCP counts as lost.
///
/// It becomes `TCP_USER_TIMEOUT` (data that nobody acknowledges) and, by keepalive, holds for connections that wait
/// without anything under way, too. Sockets of this machine have no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathTimeout(pub Duration);

impl Default for PathTimeout {
    /// Returns 10 s: longer than the switch of a link or a router takes, far shorter than the quarter of an hour after
    /// which Linux gives up by itself.
    fn default() -> Self {
        Self(Duration::from_secs(10))
    }
}

/// Time between two questions to a host that is silent.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// Probes unanswered until the path is dead: one alone may just be on its way.
const UNANSWERED: u8 = 2;

/// An acknowledgement within this time shows that the other kernel is there.
const RECENT_MS: u32 = 950;

/// Not less than this without any acknowledgement makes a path dead.
const SILENT_MS: u32 = 1_500;

/// Describes what the kernel knows of a connection that has been silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathState {
    /// The other kernel has acknowledged something within the last second.
    Alive,
    /// What was sent is not acknowledged, though it was sent again and again.
    Dead,
    /// Nothing was under way that could have been acknowledged, or not for long enough; the other kernel has been asked.
    Unknown,
}

/// Holds what the kernel of this side has counted on a connection over TCP since it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    /// Shortest time from a segment to its acknowledgement within the last five minutes. The handshake, which the other
    /// kernel answers by itself, is among them while it is not older.
    pub least_round_trip_ns: u64,
    /// Largest packet that the way takes without being split.
    pub mtu_bytes: u32,
    /// Segments sent, those sent again included.
    pub segments_sent: u64,
    /// Segments sent again because nobody acknowledged them.
    pub segments_retransmitted: u64,
    /// Segments of the server that came after a gap: some before them were lost, or took a longer way.
    pub segments_out_of_order: u64,
    /// The algorithm that decides how much may be under way, such as `cubic`.
    pub congestion_control: String,
}

pub(crate) fn path_use(socket: BorrowedFd<'_>) -> io::Result<PathUse> {
    let info = tcp_info(socket)?;
    Ok(PathUse {
        least_round_trip_ns: 1_000 * u64::from(info.tcpi_min_rtt),
        mtu_bytes: info.tcpi_pmtu,
        segments_sent: info.tcpi_segs_out.into(),
        segments_retransmitted: info.tcpi_total_retrans.into(),
        segments_out_of_order: info.tcpi_rcv_ooopack.into(),
        congestion_control: sockopt::tcp_congestion(socket)?,
    })
}

/// Makes the kernel give the connection up when the path is silent for so long, busy or not.
pub(crate) fn set_path_timeout(socket: &Socket, timeout: PathTimeout) -> io::Result<()> {
    let PathTimeout(limit) = timeout;
    sockopt::set_tcp_user_timeout(socket, milliseconds(timeout))?;
    // With a user timeout set, Linux counts no probes: the connection ends once the timeout is over and a probe is open.
    sockopt::set_tcp_keepidle(socket, whole_seconds(limit / 2))?;
    sockopt::set_tcp_keepintvl(socket, whole_seconds(limit / 10))?;
    sockopt::set_socket_keepalive(socket, true)?;
    Ok(())
}

fn milliseconds(PathTimeout(limit): PathTimeout) -> u32 {
    u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).max(1)
}

fn whole_seconds(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs().clamp(1, 32_767))
}

/// Suspends the user timeout while the server's window is closed, and sets it again when it no longer is. To be called
/// on a connection that has been silent.
pub fn allow_zero_window(socket: BorrowedFd<'_>, timeout: PathTimeout) -> io::Result<()> {
    let limit_ms = match is_window_zero(&tcp_info(socket)?) {
        true => 0, // none
        false => milliseconds(timeout),
    };
    Ok(sockopt::set_tcp_user_timeout(socket, limit_ms)?)
}

/// Returns whether the user timeout ended a connection whose window was closed, and not its path.
pub(crate) fn ended_at_zero_window(socket: BorrowedFd<'_>) -> bool {
    tcp_info(socket).is_ok_and(|info| is_window_zero(&info))
}

/// Returns whether bytes wait, none are under way and the probes of the window are answered. A connection that has ended
/// has nothing under way in any case, but keeps its count of retransmissions.
fn is_window_zero(info: &libc::tcp_info) -> bool {
    info.tcpi_notsent_bytes > 0
        && info.tcpi_unacked == 0
        && info.tcpi_retransmits == 0
        && info.tcpi_probes < UNANSWERED
}

/// Returns whether the error says that the path is gone, not that the server has closed or refused.
pub(crate) fn is_path_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
    )
}

/// Looks at a connection over TCP that has been silent. If nothing is under way that the other kernel could
/// acknowledge, it is asked for a sign of life, which the next look can see.
pub(crate) fn probe(socket: BorrowedFd<'_>) -> io::Result<PathState> {
    let info = tcp_info(socket)?;
    let state = state_of(&info);
    if state == PathState::Unknown && info.tcpi_unacked == 0 {
        // Setting the time again restarts the kernel's timer: after a second of silence the probe is sent at once.
        sockopt::set_tcp_keepintvl(socket, PROBE_INTERVAL)?;
        sockopt::set_tcp_keepidle(socket, PROBE_INTERVAL)?;
    }
    Ok(state)
}

/// Does what [`Channel::check_path`](crate::Channel::check_path) does, by the socket alone.
#[must_use]
pub fn check_path(socket: BorrowedFd<'_>) -> Option<PathState> {
    probe(socket).ok() // a socket of this machine has no path
}

/// Ends a connection from another thread. The one that waits for the connection finds it closed.
pub fn break_off(socket: BorrowedFd<'_>) {
    // A closed connection does not need it.
    let _: rustix::io::Result<()> = rustix::net::shutdown(socket, rustix::net::Shutdown::Both);
}

fn state_of(info: &libc::tcp_info) -> PathState {
    let unanswered = match info.tcpi_unacked {
        0 => info.tcpi_probes,
        _ => info.tcpi_retransmits,
    };
    match info.tcpi_last_ack_recv {
        0..=RECENT_MS => PathState::Alive,
        silent_ms if silent_ms >= SILENT_MS && unanswered >= UNANSWERED => PathState::Dead,
        _ => PathState::Unknown,
    }
}

#[expect(unsafe_code, reason = "no safe crate reads TCP_INFO")]
fn tcp_info(socket: BorrowedFd<'_>) -> io::Result<libc::tcp_info> {
    // SAFETY: plain integers, for which zeros are values.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, which `info` has; an older one writes fewer and zeros stay.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        )
    };
    match result {
        0 => Ok(info),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    #[test]
    fn a_kernel_that_acknowledges_is_alive_whatever_its_process_does() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = Socket::from(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        set_path_timeout(&client, PathTimeout::default()).unwrap();
        let _silent_server = listener.accept().unwrap();
        client.send(b"hello").unwrap();
        assert_eq!(probe(client.as_fd()).unwrap(), PathState::Alive);
        // All is acknowledged and nothing in flight: the first check sends a probe, and the answer comes at once.
        std::thread::sleep(Duration::from_millis(1_100));
        assert_eq!(probe(client.as_fd()).unwrap(), PathState::Unknown);
        let is_alive = |_| {
            std::thread::sleep(Duration::from_millis(50));
            probe(client.as_fd()).unwrap() == PathState::Alive
        };
        assert!((0..100).any(is_alive));
    }

    #[test]
    fn a_single_question_that_is_on_its_way_is_no_evidence() {
        let seen = |unacked, retransmits, probes, silent_ms| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let mut info = tcp_info(client.as_fd()).unwrap();
            info.tcpi_unacked = unacked;
            info.tcpi_retransmits = retransmits;
            info.tcpi_probes = probes;
            info.tcpi_last_ack_recv = silent_ms;
            state_of(&info)
        };
        assert_eq!(seen(1, 3, 0, 2_000), PathState::Dead);
        assert_eq!(seen(0, 0, 2, 2_600), PathState::Dead);
        assert_eq!(seen(0, 0, 1, 5_000), PathState::Unknown);
        assert_eq!(
            seen(1, 1, 0, 5_000),
            PathState::Unknown,
            "a path of long delays"
        );
        assert_eq!(seen(0, 0, 0, 5_000), PathState::Unknown, "nothing was sent");
        assert_eq!(
            seen(1, 2, 0, 300),
            PathState::Alive,
            "something got through"
        );
    }

    #[test]
    fn the_round_trip_is_that_of_the_kernels_however_slow_the_processes_are() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        for _ in 0..5 {
            client.write_all(b"ask").unwrap();
            std::thread::sleep(Duration::from_millis(20));
            server.write_all(b"answer").unwrap();
            client.read_exact(&mut [0; 6]).unwrap();
        }
        let seen = path_use(client.as_fd()).unwrap();
        assert!(
            (1_000..10_000_000).contains(&seen.least_round_trip_ns),
            "{seen:?}"
        );
        assert!(
            seen.segments_sent >= 5 && seen.segments_retransmitted == 0 && seen.mtu_bytes > 500
        );
        assert!(!seen.congestion_control.is_empty());
        let (local, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(path_use(local.as_fd()).is_err());
    }

    /// Gives a connection whose server reads nothing until its buffers are full.
    fn at_zero_window(timeout: PathTimeout) -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = Socket::from(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        set_path_timeout(&client, timeout).unwrap();
        client.set_nonblocking(true).unwrap();
        while client.send(&[0; 65_536]).is_ok() {}
        (client, listener.accept().unwrap().0)
    }

    #[test]
    fn a_server_that_takes_nothing_more_is_no_lost_path() {
        let timeout = PathTimeout(Duration::from_secs(1));
        let (watched, mut server) = at_zero_window(timeout);
        let (unwatched, _silent_server) = at_zero_window(timeout);
        let mut ended = None;
        for _ in 0..60 {
            std::thread::sleep(Duration::from_millis(50));
            allow_zero_window(watched.as_fd(), timeout).unwrap();
            ended = ended.or(unwatched.take_error().unwrap());
        }
        assert!(is_path_error(&ended.unwrap()));
        assert!(ended_at_zero_window(unwatched.as_fd()));
        assert_eq!(watched.take_error().unwrap().map(|e| e.kind()), None);
        assert_eq!(sockopt::tcp_user_timeout(&watched).unwrap(), 0);
        server
            .set_read_timeout(Some(Duration::from_millis(300)))
            .unwrap();
        while server.read(&mut [0; 65_536]).is_ok() {}
        allow_zero_window(watched.as_fd(), timeout).unwrap();
        assert_eq!(sockopt::tcp_user_timeout(&watched).unwrap(), 1_000);
        assert!(!ended_at_zero_window(watched.as_fd()));
    }

    #[test]
    fn both_limits_are_set_on_a_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let socket = Socket::from(client);
        set_path_timeout(&socket, PathTimeout(Duration::from_secs(4))).unwrap();
        assert_eq!(sockopt::tcp_user_timeout(&socket).unwrap(), 4_000);
        assert_eq!(sockopt::tcp_keepidle(&socket).unwrap().as_secs(), 2);
        assert!(sockopt::socket_keepalive(&socket).unwrap());
    }
}
