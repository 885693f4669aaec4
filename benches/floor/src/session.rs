//! Opens a connection: logs in without a password and prepares the statements.

use crate::arguments::Address;
use crate::reply::Scan;
use crate::requests::{Requests, Step};
use crate::{Client, Source};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

const PREPARE: u8 = 0x16;

const CONNECT_WITH_DB: u32 = 1 << 3;
const PLUGIN_AUTH: u32 = 1 << 19;
const DEPRECATE_EOF: u32 = 1 << 24;
/// Long passwords and flags, protocol 4.1, transactions, secure connection, several statements and results.
const PLAIN: u32 = 1 | 1 << 2 | 1 << 9 | 1 << 13 | 1 << 15 | 1 << 16 | 1 << 17;

/// What log-in needs of a socket.
trait Link: Read + Write {}
impl<T: Read + Write> Link for T {}

/// Opens, logs in and prepares the connection number `index`.
pub(crate) fn open(address: &Address, steps: &[Step], index: u32) -> io::Result<Client> {
    match address {
        Address::Socket(path) => make(UnixStream::connect(path)?, steps, index),
        Address::Port(port) => {
            let stream = TcpStream::connect(("127.0.0.1", *port))?;
            stream.set_nodelay(true)?;
            make(stream, steps, index)
        }
    }
}

fn make<S: Link + Into<OwnedFd>>(mut socket: S, steps: &[Step], index: u32) -> io::Result<Client> {
    let deprecate_eof = log_in(&mut socket)?;
    let mut requests = Requests::new(index);
    let mut numbers = HashMap::new();
    for step in steps {
        if step.values.is_empty() {
            requests.push_text(step.sql);
            continue;
        }
        if !numbers.contains_key(step.sql) {
            numbers.insert(step.sql, prepare(&mut socket, step.sql, deprecate_eof)?);
        }
        requests.push_execute(numbers[step.sql], step.values);
    }
    Ok(Client {
        socket: socket.into(),
        source: Source::Patched(requests),
        scan: Scan::new(deprecate_eof),
    })
}

/// Logs in as root without a password; says whether EOF packets are left out.
fn log_in(link: &mut dyn Link) -> io::Result<bool> {
    let greeting = read(link)?;
    let version = greeting.iter().skip(1).position(|&byte| byte == 0);
    let at = version.ok_or(io::ErrorKind::InvalidData)? + 2 + 13; // connection number, scramble, filler
    let flags = greeting.get(at..at + 7).ok_or(io::ErrorKind::InvalidData)?;
    let theirs = u32::from_le_bytes([flags[0], flags[1], flags[5], flags[6]]);
    let deprecate_eof = theirs & DEPRECATE_EOF;
    let mine = PLAIN | CONNECT_WITH_DB | PLUGIN_AUTH | deprecate_eof;
    let mut payload = mine.to_le_bytes().to_vec();
    payload.extend_from_slice(&(1_u32 << 24).to_le_bytes());
    payload.push(45); // utf8mb4_general_ci
    payload.extend_from_slice(&[0; 23]);
    payload.extend_from_slice(b"root\0\0sbtest\0mysql_native_password\0"); // an empty password has no scramble
    write(link, 1, &payload)?;
    let mut sequence = 3;
    loop {
        match read(link)?[0] {
            0x00 => return Ok(deprecate_eof != 0),
            0xfe => write(link, sequence, &[])?, // another plug-in: no password there either
            _ => {}
        }
        sequence += 2;
    }
}

/// The number of a prepared statement.
fn prepare(link: &mut dyn Link, sql: &str, deprecate_eof: bool) -> io::Result<u32> {
    let mut payload = vec![PREPARE];
    payload.extend_from_slice(sql.as_bytes());
    write(link, 0, &payload)?;
    let head = read(link)?;
    let short = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
    for definitions in [short(5), short(7)] {
        let end = usize::from(definitions > 0 && !deprecate_eof);
        for _ in 0..definitions + end {
            read(link)?;
        }
    }
    Ok(u32::from_le_bytes([head[1], head[2], head[3], head[4]]))
}

fn write(link: &mut dyn Link, sequence: u8, payload: &[u8]) -> io::Result<()> {
    let mut packet = (payload.len() as u32).to_le_bytes().to_vec();
    packet[3] = sequence;
    packet.extend_from_slice(payload);
    link.write_all(&packet)
}

/// One payload; an error packet is an error.
fn read(link: &mut dyn Link) -> io::Result<Vec<u8>> {
    let mut header = [0; 4];
    link.read_exact(&mut header)?;
    let length = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
    let mut payload = vec![0; length];
    link.read_exact(&mut payload)?;
    match payload.first() {
        None => Err(io::ErrorKind::InvalidData.into()),
        Some(0xff) => Err(io::Error::other(
            String::from_utf8_lossy(&payload[3.min(length)..]).into_owned(),
        )),
        Some(_) => Ok(payload),
    }
}
