//! Finds the server's ends of the load generator's connections.
//!
//! A socket of the server is a client's if its other end belongs to the client's process. For TCP both ends stand in
//! `/proc/PID/net/tcp` with their addresses; for unix sockets the kernel is asked over netlink (`sock_diag`), which
//! needs no rights within the own network namespace. Clients on other hosts are known by the other end, too: it does
//! not stand in the table of the server's own host.

use crate::ThreadsError;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Says whose connections count as the load's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// A process of this host.
    Process(u32),
    /// All programs of other hosts.
    OtherHosts,
}

/// Inodes of the server's sockets that lead to the client.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ClientSockets {
    inodes: HashSet<u64>,
}

impl ClientSockets {
    /// Asks the kernel.
    ///
    /// # Errors
    ///
    /// Either has ended, or its files may not be seen, or the kernel does not list sockets.
    pub fn find(server: u32, client: Client) -> Result<Self, ThreadsError> {
        match client {
            Client::Process(client) => Self::between(server, client),
            Client::OtherHosts => Self::from_other_hosts(server),
        }
    }

    fn between(server: u32, client: u32) -> Result<Self, ThreadsError> {
        let theirs = socket_inodes(client)?;
        let mut inodes = unix_peers_of(&theirs).map_err(ThreadsError::Sockets)?;
        let ends: HashSet<_> = tcp_ends(client)
            .into_iter()
            .filter(|(inode, _)| theirs.contains(inode))
            .map(|(_, (local, remote))| (remote, local))
            .collect();
        if !ends.is_empty() {
            let listed = tcp_ends(server).into_iter();
            inodes.extend(
                listed
                    .filter(|(_, end)| ends.contains(end))
                    .map(|(inode, _)| inode),
            );
        }
        let ours = socket_inodes(server)?; // the client may be connected to other servers, and to itself
        inodes.retain(|inode| ours.contains(inode));
        Ok(Self { inodes })
    }

    fn from_other_hosts(server: u32) -> Result<Self, ThreadsError> {
        let ours = socket_inodes(server)?;
        Ok(Self {
            inodes: distant_ends(&tcp_ends(server))
                .filter(|inode| ours.contains(inode))
                .collect(),
        })
    }

    /// Returns whether a socket of the server leads to the client.
    pub fn contains(&self, inode: u64) -> bool {
        self.inodes.contains(&inode)
    }

    /// Returns how many connections there are.
    pub fn len(&self) -> usize {
        self.inodes.len()
    }

    /// Returns whether there is no connection.
    pub fn is_empty(&self) -> bool {
        self.inodes.is_empty()
    }
}

fn socket_inodes(pid: u32) -> Result<HashSet<u64>, ThreadsError> {
    let folder = format!("/proc/{pid}/fd");
    let entries = fs::read_dir(&folder).map_err(ThreadsError::refused(folder))?;
    let links = entries
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok());
    Ok(links
        .filter_map(|link| {
            let text = link.to_str()?;
            text.strip_prefix("socket:[")?
                .strip_suffix(']')?
                .parse()
                .ok()
        })
        .collect())
}

type Ends = (SocketAddr, SocketAddr);

/// Connections in the network namespace of a process, each with its inode: 0 for all that their programs have closed.
fn tcp_ends(pid: u32) -> Vec<(u64, Ends)> {
    ["tcp", "tcp6"]
        .into_iter()
        .filter_map(|name| fs::read_to_string(format!("/proc/{pid}/net/{name}")).ok())
        .flat_map(|text| text.lines().filter_map(parse_tcp).collect::<Vec<_>>())
        .collect()
}

/// Inodes of connections whose other ends are not in the same table; a socket that listens has no other end.
fn distant_ends(listed: &[(u64, Ends)]) -> impl Iterator<Item = u64> {
    let ends: HashSet<_> = listed.iter().map(|(_, ends)| *ends).collect();
    listed
        .iter()
        .filter(move |(_, (local, remote))| {
            remote.port() != 0 && !ends.contains(&(*remote, *local))
        })
        .map(|(inode, _)| *inode)
}

/// Parses `  0: 0100007F:0CEA 0100007F:B0A2 01 … INODE …`; an IPv4 address within IPv6 is the IPv4 address.
fn parse_tcp(line: &str) -> Option<(u64, Ends)> {
    let mut words = line.split_ascii_whitespace();
    let (local, remote) = (words.nth(1)?, words.next()?);
    let inode = words.nth(6)?.parse().ok()?;
    Some((inode, (parse_address(local)?, parse_address(remote)?)))
}

fn parse_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    // The kernel prints each word of 32 bits as a number of this machine.
    let words = address.as_bytes().chunks(8).map(|word| {
        let number = u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()?;
        Some(number.to_ne_bytes())
    });
    let bytes: Vec<u8> = words.collect::<Option<Vec<_>>>()?.concat();
    let address = if let Ok(four) = <[u8; 4]>::try_from(bytes.as_slice()) {
        IpAddr::V4(Ipv4Addr::from(four))
    } else {
        let six = <[u8; 16]>::try_from(bytes.as_slice()).ok()?;
        IpAddr::V6(Ipv6Addr::from(six)).to_canonical()
    };
    Some(SocketAddr::new(address, port))
}

/// Bytes of a netlink header, of a request for unix sockets, of the fixed part of an answer.
const HEADER: usize = 16;
const REQUEST: usize = 24;
const ANSWER: usize = 16;
/// `SOCK_DIAG_BY_FAMILY`, and the kinds of message that end a list.
const BY_FAMILY: u16 = 20;
const ERROR: u16 = 2;
const DONE: u16 = 3;
/// `NLM_F_REQUEST | NLM_F_DUMP`.
const DUMP: u16 = 0x301;
/// `UDIAG_SHOW_PEER`, and the attribute that answers it.
const SHOW_PEER: u32 = 4;
const PEER: u16 = 2;

/// Inodes of the unix sockets whose other ends are among `theirs`.
fn unix_peers_of(theirs: &HashSet<u64>) -> io::Result<HashSet<u64>> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    rustix::net::send(&socket, &unix_request(), SendFlags::empty())?;
    let mut inodes = HashSet::new();
    let mut bytes = vec![0; 1 << 16];
    loop {
        let (count, _) = rustix::net::recv(&socket, bytes.as_mut_slice(), RecvFlags::empty())?;
        if !take_answers(&bytes[..count.min(1 << 16)], theirs, &mut inodes)? {
            return Ok(inodes);
        }
    }
}

/// Asks for unix sockets in every state, with their other ends.
fn unix_request() -> Vec<u8> {
    let mut request = Vec::with_capacity(HEADER + REQUEST);
    request.extend(((HEADER + REQUEST) as u32).to_ne_bytes());
    request.extend(BY_FAMILY.to_ne_bytes());
    request.extend(DUMP.to_ne_bytes());
    request.extend([0; 8]); // sequence and port: one question, one answer
    request.extend([AddressFamily::UNIX.as_raw() as u8, 0, 0, 0]);
    request.extend(u32::MAX.to_ne_bytes()); // states
    request.extend(0_u32.to_ne_bytes()); // inode: any
    request.extend(SHOW_PEER.to_ne_bytes());
    request.extend(u64::MAX.to_ne_bytes()); // cookie: none
    request
}

/// Takes the messages of one datagram; `false`: the list is at its end.
fn take_answers(
    mut bytes: &[u8],
    theirs: &HashSet<u64>,
    inodes: &mut HashSet<u64>,
) -> io::Result<bool> {
    while bytes.len() >= HEADER {
        let length = number32(bytes, 0) as usize;
        match number16(bytes, 4) {
            DONE => return Ok(false),
            ERROR => return Err(io::Error::other("the kernel refused")),
            _ => {}
        }
        if length < HEADER || length > bytes.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let message = &bytes[HEADER..length];
        if message.len() >= ANSWER {
            let inode = u64::from(number32(message, 4));
            if peer(&message[ANSWER..]).is_some_and(|peer| theirs.contains(&peer)) {
                inodes.insert(inode);
            }
        }
        bytes = &bytes[length.next_multiple_of(4).min(bytes.len())..];
    }
    Ok(true)
}

/// Returns the attribute that names the other end.
fn peer(mut attributes: &[u8]) -> Option<u64> {
    while attributes.len() >= 4 {
        let length = usize::from(number16(attributes, 0));
        if length < 4 || length > attributes.len() {
            return None;
        }
        if number16(attributes, 2) == PEER && length >= 8 {
            return Some(u64::from(number32(attributes, 4)));
        }
        attributes = &attributes[length.next_multiple_of(4).min(attributes.len())..];
    }
    None
}

fn number32(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_ne_bytes(number)
}

fn number16(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    fn inode(descriptor: &impl AsRawFd) -> u64 {
        let link = fs::read_link(format!("/proc/self/fd/{}", descriptor.as_raw_fd())).unwrap();
        let text = link.to_str().unwrap().to_owned();
        text["socket:[".len()..text.len() - 1].parse().unwrap()
    }

    #[test]
    fn both_ends_of_a_unix_connection_are_found() {
        let (one, other) = UnixStream::pair().unwrap();
        let of_one = unix_peers_of(&HashSet::from([inode(&one)])).unwrap();
        assert_eq!(of_one, HashSet::from([inode(&other)]));
    }

    #[test]
    fn connections_to_others_and_within_the_client_are_none_of_the_servers() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (_one, _other) = UnixStream::pair().unwrap();
        let mut server = std::process::Command::new("sleep")
            .arg("60")
            .stdin(std::os::fd::OwnedFd::from(theirs))
            .spawn()
            .unwrap();
        let found = ClientSockets::find(server.id(), Client::Process(std::process::id()));
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(found.unwrap().len(), 1);
        drop(ours);
    }

    #[test]
    fn both_ends_of_a_tcp_connection_are_found_through_ipv6_too() {
        let listener = TcpListener::bind("[::]:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (server, _) = listener.accept().unwrap();
        let pid = std::process::id();
        let sockets = ClientSockets::find(pid, Client::Process(pid)).unwrap();
        assert!(sockets.contains(inode(&server)) && sockets.contains(inode(&client)));
        assert!(!sockets.contains(inode(&listener)));
    }

    #[test]
    fn connections_within_the_host_are_not_from_other_hosts() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let _server = listener.accept().unwrap();
        let found = ClientSockets::find(std::process::id(), Client::OtherHosts).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn connections_whose_other_ends_on_this_host_are_closed_are_not_from_other_hosts() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let clients = [connect(), connect()];
        let servers = [listener.accept().unwrap(), listener.accept().unwrap()];
        drop(clients); // the kernel still lists their ends, both without an inode
        let found = ClientSockets::find(std::process::id(), Client::OtherHosts).unwrap();
        assert!(
            !servers
                .iter()
                .any(|(server, _)| found.contains(inode(server)))
        );
    }

    #[test]
    fn a_connection_whose_other_end_is_not_listed_is_from_another_host() {
        let ends = |local: &str, remote: &str| (local.parse().unwrap(), remote.parse().unwrap());
        let listed: [(u64, Ends); 4] = [
            (1, ends("0.0.0.0:3306", "0.0.0.0:0")),
            (2, ends("10.0.0.2:3306", "10.0.0.1:45000")),
            (3, ends("10.0.0.2:3306", "10.0.0.2:45001")),
            (4, ends("10.0.0.2:45001", "10.0.0.2:3306")),
        ];
        assert_eq!(distant_ends(&listed).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn lines_of_the_kernel_are_read() {
        let line = "   1: 0100007F:0CEA 0200007F:B0A2 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 x";
        let (inode, (local, remote)) = parse_tcp(line).unwrap();
        assert_eq!(inode, 4711);
        assert_eq!(local, "127.0.0.1:3306".parse().unwrap());
        assert_eq!(remote, "127.0.0.2:45218".parse().unwrap());
        assert!(parse_tcp("  sl  local_address rem_address   st").is_none());
    }
}
