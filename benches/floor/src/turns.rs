//! Runs the two loops: one epoll set for all connections, or one connection that blocks.

use crate::{Client, Counts};
use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::io;
use std::time::Instant;

/// Ready connections taken at one wake-up.
const BATCH: usize = 256;

/// Wake-ups of the blocking loop between two looks at the clock.
const LOOK_EVERY: u64 = 64;

/// All connections in one epoll set.
pub(crate) fn poll(clients: &mut [Client], end: Instant) -> io::Result<Counts> {
    let set = epoll::create(epoll::CreateFlags::empty())?;
    for (client, token) in clients.iter().zip(0..) {
        let data = epoll::EventData::new_u64(token);
        epoll::add(&set, &client.socket, data, epoll::EventFlags::IN)?;
    }
    clients.iter_mut().try_for_each(Client::send)?;
    let mut counts = Counts::default();
    let mut buffer = vec![0; 64 * 1024];
    let mut events = Vec::with_capacity(BATCH);
    while Instant::now() < end {
        events.clear();
        epoll::wait(&set, spare_capacity(&mut events), None)?;
        for event in &events {
            let client = &mut clients[event.data.u64() as usize];
            client.take(&mut buffer, RecvFlags::DONTWAIT, &mut counts)?;
        }
    }
    Ok(counts)
}

/// One connection, waiting in its reads.
pub(crate) fn block(client: &mut Client, end: Instant) -> io::Result<Counts> {
    let mut counts = Counts::default();
    let mut buffer = vec![0; 64 * 1024];
    client.send()?;
    while !counts.statements.is_multiple_of(LOOK_EVERY) || Instant::now() < end {
        client.take(&mut buffer, RecvFlags::empty(), &mut counts)?;
    }
    Ok(counts)
}

impl Client {
    fn send(&mut self) -> io::Result<()> {
        let (request, results) = self.source.next();
        self.scan.expect(results);
        let sent = send(&self.socket, request, SendFlags::NOSIGNAL)?;
        // With one request in flight a socket has room for it.
        (sent == request.len())
            .then_some(())
            .ok_or_else(|| io::Error::other("a request was cut"))
    }

    /// Reads once; counts the reply if it ends and sends the next request.
    fn take(&mut self, buffer: &mut [u8], flags: RecvFlags, counts: &mut Counts) -> io::Result<()> {
        let count = match recv(&self.socket, &mut *buffer, flags) {
            Ok((0, _)) => return Err(io::Error::other("the server closed a connection")),
            Ok((count, _)) => count,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        counts.bytes_received += count as u64;
        if self.scan.feed(&buffer[..count]) {
            counts.statements += 1;
            counts.errors += u64::from(self.scan.is_error);
            self.send()?;
        }
        Ok(())
    }
}
