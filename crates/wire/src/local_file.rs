//! Sends the file of a `LOAD DATA LOCAL INFILE`: packets of its bytes, and an empty one at its end.

use crate::WireError;
use crate::connection::WireConnection;
use crate::packet::{begin, finish};
use std::io::{self, Read};

/// Bytes of the file that go in one packet.
const PIECE_BYTES: usize = 64 * 1024;

/// Sends all that `file` gives, blocking. An empty file is how a request for one is refused.
pub(crate) fn send(
    connection: &mut WireConnection,
    file: &mut dyn Read,
    sequence: u8,
) -> Result<(), WireError> {
    connection.transport.continue_sequence(true);
    let sent = send_pieces(connection, file, sequence);
    connection.transport.continue_sequence(false);
    sent
}

fn send_pieces(
    connection: &mut WireConnection,
    file: &mut dyn Read,
    mut sequence: u8,
) -> Result<(), WireError> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let length = match file.read(&mut piece) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let stream = connection.transport.stream();
                stream.abort();
                return Err(stream.failed("reading the rows for", error));
            }
        };
        let start = begin(&mut connection.out);
        connection.out.extend_from_slice(&piece[..length]);
        finish(&mut connection.out, start, sequence);
        sequence = sequence.wrapping_add(1);
        connection.flush_all()?;
        if length == 0 {
            return Ok(());
        }
    }
}
