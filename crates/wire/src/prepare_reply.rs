//! Reads the reply to a PREPARE, as it comes.

use crate::bytes::Bytes;
use crate::packet::{HEADER_BYTES, PacketHeader};
use crate::reply_reader::{MAX_CONTROL_BYTES, parse_error};
use crate::{PreparedStatement, ServerError, WireError};

/// Holds a server's answer to a PREPARE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrepareReply {
    /// It parsed the statement.
    Prepared(PreparedStatement),
    /// It did not.
    Refused(ServerError),
}

/// Goes from packet to packet of one answer after the other.
#[derive(Debug, Default)]
pub(crate) struct PrepareReader {
    /// The statement whose definitions are being passed over, and how many packets of them are left.
    under_way: Option<(PreparedStatement, u32)>,
}

impl PrepareReader {
    /// Takes the next packet; the answer, if that was its last one. `has_eof` says whether definitions end with
    /// an EOF packet, as they do with older servers.
    pub(crate) fn read(
        &mut self,
        payload: &[u8],
        has_eof: bool,
    ) -> Result<Option<PrepareReply>, WireError> {
        let (statement, left) = match self.under_way.take() {
            Some((statement, left)) => (statement, left - 1),
            None if payload.first() == Some(&0xff) => {
                return Ok(Some(PrepareReply::Refused(parse_error(payload)?)));
            }
            None => {
                let statement = parse_prepared(payload)?;
                (statement, definitions(&statement, has_eof))
            }
        };
        if left == 0 {
            return Ok(Some(PrepareReply::Prepared(statement)));
        }
        self.under_way = Some((statement, left));
        Ok(None)
    }
}

fn definitions(statement: &PreparedStatement, has_eof: bool) -> u32 {
    let packets = |count: u16| u32::from(count) + u32::from(has_eof && count > 0);
    packets(statement.parameter_count) + packets(statement.column_count)
}

/// Returns the payload of the packet at the front of `bytes`, if it is there.
pub(crate) fn whole_payload(bytes: &[u8]) -> Result<Option<&[u8]>, WireError> {
    match PacketHeader::of(bytes) {
        Some(header) if header.length > MAX_CONTROL_BYTES => Err(WireError::Protocol(format!(
            "a packet of {} bytes in the answer to a PREPARE",
            header.length
        ))),
        Some(header) => Ok(bytes.get(HEADER_BYTES..HEADER_BYTES + header.length)),
        None => Ok(None),
    }
}

pub(crate) fn parse_prepared(answer: &[u8]) -> Result<PreparedStatement, WireError> {
    let mut bytes = Bytes(answer);
    if bytes.u8()? != 0 {
        return Err(WireError::Protocol(
            "it sent an unexpected answer to PREPARE".to_owned(),
        ));
    }
    let id = bytes.u32()?;
    let column_count = bytes.u16()?;
    Ok(PreparedStatement {
        id,
        column_count,
        parameter_count: bytes.u16()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the head of statement 7 with so many columns and places.
    fn head(columns: u8, places: u8) -> Vec<u8> {
        vec![0, 7, 0, 0, 0, columns, 0, places, 0, 0, 0, 0]
    }

    fn packets_to_the_end(head: &[u8], has_eof: bool) -> usize {
        let mut reader = PrepareReader::default();
        let mut count = 1;
        let mut reply = reader.read(head, has_eof).unwrap();
        while reply.is_none() {
            count += 1;
            reply = reader.read(b"\x03def", has_eof).unwrap();
        }
        assert!(matches!(reply, Some(PrepareReply::Prepared(statement)) if statement.id == 7));
        count
    }

    #[test]
    fn an_answer_ends_behind_its_last_definition() {
        assert_eq!(packets_to_the_end(&head(0, 0), true), 1);
        assert_eq!(packets_to_the_end(&head(2, 3), false), 6);
        assert_eq!(packets_to_the_end(&head(2, 3), true), 8);
        assert_eq!(packets_to_the_end(&head(0, 1), true), 3);
    }

    #[test]
    fn an_error_is_an_answer_too() {
        let reply = PrepareReader::default().read(b"\xff\x0f\x05#HY000no", false);
        assert!(matches!(reply, Ok(Some(PrepareReply::Refused(error))) if error.code == 1295));
    }

    #[test]
    fn a_packet_is_taken_when_it_is_whole() {
        let bytes = [2, 0, 0, 1, b'a', b'b', 9];
        assert_eq!(whole_payload(&bytes).unwrap(), Some(&b"ab"[..]));
        assert_eq!(whole_payload(&bytes[..5]).unwrap(), None);
        assert_eq!(whole_payload(&bytes[..3]).unwrap(), None);
        assert!(whole_payload(&[0xff; 4]).is_err());
    }
}
