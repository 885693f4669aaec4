//! Splits the bytes of a connection into requests.

use super::connection::ClientConnection;
use super::handler::{CloseConnection, ConnectionHandler};
use crate::protocol::{HEADER_BYTES, MAX_PAYLOAD, PacketHeader};

/// The longest request, which is what `max_allowed_packet` says.
const MAX_REQUEST_BYTES: usize = 64 << 20;

impl ConnectionHandler {
    /// Answers all requests that are whole and keeps the rest.
    #[inline]
    pub(crate) fn requests(
        &mut self,
        client: &mut ClientConnection,
        place: u32,
        bytes: &[u8],
        arrived_ns: u64,
    ) -> Result<(), CloseConnection> {
        if client.input.is_empty() {
            let used = self.whole_requests(client, place, bytes, arrived_ns)?;
            client.input.extend_from_slice(&bytes[used..]);
            return Ok(());
        }
        let mut input = std::mem::take(&mut client.input);
        input.extend_from_slice(bytes);
        if input.len() > MAX_REQUEST_BYTES {
            return Err(CloseConnection);
        }
        let used = self.whole_requests(client, place, &input, arrived_ns)?;
        input.drain(..used);
        client.input = input;
        client.trim();
        Ok(())
    }

    /// Answers requests from the front on and says how many bytes they were.
    fn whole_requests(
        &mut self,
        client: &mut ClientConnection,
        place: u32,
        bytes: &[u8],
        arrived_ns: u64,
    ) -> Result<usize, CloseConnection> {
        let mut used = 0;
        while let Some(header) = PacketHeader::of(&bytes[used..]) {
            if header.length == MAX_PAYLOAD {
                let Some((payload, length)) = joined(&bytes[used..]) else {
                    break;
                };
                self.request(client, place, &payload, header.sequence, arrived_ns)?;
                used += length;
                continue;
            }
            let end = used + HEADER_BYTES + header.length;
            let Some(payload) = bytes.get(used + HEADER_BYTES..end) else {
                break;
            };
            self.request(client, place, payload, header.sequence, arrived_ns)?;
            used = end;
        }
        Ok(used)
    }
}

/// Returns the payload of a request that needed several packets, and the bytes of all of them; `None` while it is
/// not whole.
#[cold]
fn joined(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut payload, mut at) = (Vec::new(), 0);
    loop {
        let header = PacketHeader::of(&bytes[at..])?;
        let start = at + HEADER_BYTES;
        at = start + header.length;
        payload.extend_from_slice(bytes.get(start..at)?);
        if header.length < MAX_PAYLOAD {
            return Some((payload, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_in_several_packets_is_joined_when_it_is_whole() {
        let mut bytes = vec![0xff, 0xff, 0xff, 0];
        bytes.extend_from_slice(&vec![b'x'; MAX_PAYLOAD]);
        bytes.extend_from_slice(&[2, 0, 0, 1, b'y']);
        assert!(joined(&bytes).is_none());
        bytes.extend_from_slice(b"zmore");
        let (payload, length) = joined(&bytes).unwrap();
        assert_eq!(payload.len(), MAX_PAYLOAD + 2);
        assert!(payload.ends_with(b"xyz"));
        assert_eq!(length, bytes.len() - 4);
    }
}
