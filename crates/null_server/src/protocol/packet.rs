//! Numbers the packets of a reply, which `dbdyno_wire::packet` frames.

use dbdyno_wire::packet::{self, HEADER_BYTES, PacketHeader};

/// Writes the header of the payload begun at `start` and steps the sequence number on. No reply of this
/// server needs more than one packet for a payload.
#[inline]
pub(crate) fn finish(out: &mut Vec<u8>, start: usize, sequence: &mut u8) {
    debug_assert!(out.len() - start - HEADER_BYTES < packet::MAX_PAYLOAD);
    packet::finish(out, start, *sequence);
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
    use dbdyno_wire::packet::begin;

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
}
