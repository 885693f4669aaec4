//! Frames packets: a payload behind three bytes of length and one of sequence.

/// Bytes of a packet's header.
pub(crate) const HEADER_BYTES: usize = 4;

/// The longest payload of one packet. One of exactly this length says that another one carries on.
pub(crate) const MAX_PAYLOAD: usize = 0xff_ffff;

/// Holds what stands before a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PacketHeader {
    pub(crate) length: usize,
    pub(crate) sequence: u8,
}

impl PacketHeader {
    /// Reads a header; `None` if fewer than four bytes are there.
    #[inline]
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let &[low, middle, high, sequence] = bytes.first_chunk()?;
        let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
        Some(Self { length, sequence })
    }
}

/// Leaves room for a header and says where. What is appended from now on is the payload.
#[inline]
pub(crate) fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    start
}

/// Writes the header of the payload begun at `start` and steps the sequence number on. No reply of this
/// server needs more than one packet for a payload.
#[inline]
pub(crate) fn finish(out: &mut [u8], start: usize, sequence: &mut u8) {
    let length = out.len() - start - HEADER_BYTES;
    debug_assert!(length < MAX_PAYLOAD);
    let [low, middle, high, _] = (length as u32).to_le_bytes();
    out[start..start + HEADER_BYTES].copy_from_slice(&[low, middle, high, *sequence]);
    *sequence = sequence.wrapping_add(1);
}

/// Renumbers whole packets from `first` on, and returns the number that comes next.
pub(crate) fn renumber(mut packets: &mut [u8], first: u8) -> u8 {
    let mut sequence = first;
    while let Some(header) = PacketHeader::of(packets) {
        packets[HEADER_BYTES - 1] = sequence;
        sequence = sequence.wrapping_add(1);
        packets = &mut packets[HEADER_BYTES + header.length..];
    }
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_numbered_as_they_are_finished_and_anew_when_asked() {
        let (mut out, mut sequence) = (Vec::new(), 254);
        for payload in [&b"ab"[..], b"", b"cde"] {
            let start = begin(&mut out);
            out.extend_from_slice(payload);
            finish(&mut out, start, &mut sequence);
        }
        assert_eq!(out, b"\x02\0\0\xfeab\0\0\0\xff\x03\0\0\0cde");
        assert_eq!(sequence, 1);
        assert_eq!(renumber(&mut out, 7), 10);
        assert_eq!(out, b"\x02\0\0\x07ab\0\0\0\x08\x03\0\0\x09cde");
    }

    #[test]
    fn a_header_needs_four_bytes() {
        assert_eq!(PacketHeader::of(&[1, 0, 0]), None);
        let header = PacketHeader::of(&[1, 0, 0, 7]);
        assert_eq!(
            header,
            Some(PacketHeader {
                length: 1,
                sequence: 7
            })
        );
    }
}
