//! Frames packets: a payload cut into pieces of at most 16 MiB - 1, each behind four bytes of header.

/// Bytes of a packet's header.
pub const HEADER_BYTES: usize = 4;

/// The longest payload of one packet. One of exactly this length says that another one carries on.
pub const MAX_PAYLOAD: usize = 0xff_ffff;

/// Holds what stands before a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketHeader {
    /// Of the payload, in bytes.
    pub length: usize,
    /// Counts the packets of a command and its reply.
    pub sequence: u8,
}

impl PacketHeader {
    /// Reads a header; `None` if fewer than four bytes are there.
    #[inline]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let &[low, middle, high, sequence] = bytes.first_chunk()?;
        let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
        Some(Self { length, sequence })
    }

    #[inline]
    fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let [low, middle, high, _] = (self.length as u32).to_le_bytes();
        [low, middle, high, self.sequence]
    }
}

/// Leaves room for a header and says where. What is appended from now on is the payload.
#[inline]
pub fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    start
}

/// Writes the header of the payload begun at `start`, and further headers if it is too long for one.
#[inline]
pub fn finish(out: &mut Vec<u8>, start: usize, sequence: u8) {
    let length = out.len() - start - HEADER_BYTES;
    if length < MAX_PAYLOAD {
        out[start..start + HEADER_BYTES]
            .copy_from_slice(&PacketHeader { length, sequence }.to_bytes());
    } else {
        split(out, start, length, sequence);
    }
}

/// Moves the pieces of a long payload apart, the last one first, and puts headers between.
#[cold]
fn split(out: &mut Vec<u8>, start: usize, length: usize, sequence: u8) {
    let last = length / MAX_PAYLOAD;
    out.resize(out.len() + last * HEADER_BYTES, 0);
    for piece in (0..=last).rev() {
        let piece_length = (length - piece * MAX_PAYLOAD).min(MAX_PAYLOAD);
        let from = start + HEADER_BYTES + piece * MAX_PAYLOAD;
        let to = from + piece * HEADER_BYTES;
        out.copy_within(from..from + piece_length, to);
        let header = PacketHeader {
            length: piece_length,
            sequence: sequence.wrapping_add(piece as u8),
        };
        out[to - HEADER_BYTES..to].copy_from_slice(&header.to_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(mut stream: &[u8]) -> (Vec<PacketHeader>, Vec<u8>) {
        let (mut headers, mut payload) = (Vec::new(), Vec::new());
        while let Some(header) = PacketHeader::of(stream) {
            let end = HEADER_BYTES + header.length;
            payload.extend_from_slice(&stream[HEADER_BYTES..end]);
            headers.push(header);
            stream = &stream[end..];
        }
        assert!(stream.is_empty());
        (headers, payload)
    }

    #[test]
    fn a_payload_survives_being_cut_into_packets() {
        for length in [
            0,
            1,
            MAX_PAYLOAD - 1,
            MAX_PAYLOAD,
            MAX_PAYLOAD + 1,
            2 * MAX_PAYLOAD + 5,
        ] {
            let payload: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut out = b"before".to_vec();
            let start = begin(&mut out);
            out.extend_from_slice(&payload);
            finish(&mut out, start, 254);
            let (headers, joined) = packets(&out[b"before".len()..]);
            assert!(joined == payload, "payload of {length} bytes changed");
            let sequences: Vec<u8> = headers.iter().map(|header| header.sequence).collect();
            assert_eq!(sequences, [254, 255, 0][..headers.len()]);
            assert!(
                headers
                    .last()
                    .is_some_and(|header| header.length < MAX_PAYLOAD)
            );
        }
    }

    #[test]
    fn a_header_needs_four_bytes() {
        let whole = [1, 0, 0, 7];
        for cut in 0..4 {
            assert_eq!(PacketHeader::of(&whole[..cut]), None);
        }
        assert_eq!(
            PacketHeader::of(&whole),
            Some(PacketHeader {
                length: 1,
                sequence: 7
            })
        );
    }
}
