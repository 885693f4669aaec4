//! Compresses packets into frames.
//!
//! A frame has seven bytes of header (its length, its number, and its length when unpacked, or 0 if it was not worth
//! packing) and is a separate zlib stream. Frames and packets may be cut anywhere, but servers refuse a request that
//! does not begin with frame 0, so here each packet gets its own frame.

mod decoder;

use crate::packet::{HEADER_BYTES, MAX_PAYLOAD, PacketHeader};
use crate::transport::Transport;
use crate::{ReadBuffer, WireError};
pub(crate) use decoder::FrameDecoder;
use flate2::{Compress, FlushCompress, Status};
use std::cell::RefCell;

/// Bytes of a frame's header.
const FRAME_HEADER_BYTES: usize = 7;

/// Shorter packets are left unchanged, as by the servers' own client: `MIN_COMPRESS_LENGTH`.
const MIN_PACKED_BYTES: usize = 50;

/// So much may wait to leave before more is packed.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// Memory kept for frames that leave.
const KEPT_BYTES: usize = 16 * 1024;

thread_local! {
    // The compressor needs 256 KiB only while it compresses: one serves all connections.
    static ENCODER: RefCell<Compress> = RefCell::new(Compress::new(flate2::Compression::default(), true));
}

/// A connection whose bytes are packed.
#[derive(Debug)]
pub(crate) struct CompressedStream {
    pub(crate) inner: Transport,
    decoder: FrameDecoder,
    /// Bytes that came and found no room when unpacked.
    held: Vec<u8>,
    encoder: FrameEncoder,
    /// How much of what is packed has left.
    sent: usize,
}

impl CompressedStream {
    pub(crate) fn over(inner: Transport) -> Self {
        Self {
            inner,
            decoder: FrameDecoder::default(),
            held: Vec::new(),
            encoder: FrameEncoder::default(),
            sent: 0,
        }
    }

    /// Sets whether what is sent continues the server's numbering, as the lines of a local file do.
    pub(crate) fn continue_sequence(&mut self, is_sequence_continued: bool) {
        self.encoder.is_sequence_continued = is_sequence_continued;
    }

    /// Reads as [`Transport::read`].
    pub(crate) fn read(&mut self, buffer: &mut ReadBuffer) -> Result<Option<usize>, WireError> {
        loop {
            if !self.held.is_empty() || self.decoder.has_more() {
                let (taken, filled) = self.decoder.unpack(&self.held, &mut buffer.clear)?;
                self.held.drain(..taken);
                if filled > 0 {
                    return Ok(Some(filled));
                }
            }
            let Some(count) = buffer.read_packed(&mut self.inner)? else {
                return Ok(None);
            };
            let packed = &buffer.packed[..count];
            let (taken, filled) = self.decoder.unpack(packed, &mut buffer.clear)?;
            self.held.extend_from_slice(&packed[taken..]);
            self.encoder.sequence = self.decoder.next_sequence();
            if filled > 0 {
                return Ok(Some(filled));
            }
        }
    }

    /// Writes as [`Transport::write`].
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        if !self.push()? {
            return Ok(0);
        }
        let mut taken = 0;
        while taken < bytes.len() && self.encoder.frames.len() < MAX_WAITING_BYTES {
            taken += self.encoder.pack(&bytes[taken..]);
        }
        self.push()?;
        Ok(taken)
    }

    pub(crate) fn wants_write(&self) -> bool {
        self.sent < self.encoder.frames.len() || self.inner.wants_write()
    }

    /// Sends what is packed. False if the socket is full before that is done.
    pub(crate) fn push(&mut self) -> Result<bool, WireError> {
        while self.sent < self.encoder.frames.len() {
            match self.inner.write(&self.encoder.frames[self.sent..])? {
                0 => return Ok(false),
                count => self.sent += count,
            }
        }
        self.encoder.frames.clear();
        self.encoder.frames.shrink_to(KEPT_BYTES);
        self.sent = 0;
        self.inner.push()
    }
}

/// Puts packets into frames.
#[derive(Debug, Default)]
struct FrameEncoder {
    frames: Vec<u8>,
    /// Of the next frame.
    sequence: u8,
    /// A packet with the number 0 does not begin a request.
    is_sequence_continued: bool,
    /// Bytes of the packet at hand that are in no frame yet.
    packet_left: usize,
}

impl FrameEncoder {
    /// Puts the packet at the front of `bytes`, or as much of it as a frame holds, into one, and says how
    /// many bytes that were.
    fn pack(&mut self, bytes: &[u8]) -> usize {
        if self.packet_left == 0
            && let Some(header) = PacketHeader::of(bytes)
        {
            self.packet_left = HEADER_BYTES + header.length;
            if header.sequence == 0 && !self.is_sequence_continued {
                self.sequence = 0;
            }
        }
        let count = self.packet_left.min(MAX_PAYLOAD).min(bytes.len());
        self.packet_left -= count;
        self.put_frame(&bytes[..count]);
        self.sequence = self.sequence.wrapping_add(1);
        count
    }

    fn put_frame(&mut self, content: &[u8]) {
        let start = self.frames.len();
        self.frames.resize(start + FRAME_HEADER_BYTES, 0);
        let is_packed = content.len() >= MIN_PACKED_BYTES && self.put_packed(content);
        if !is_packed {
            self.frames.truncate(start + FRAME_HEADER_BYTES);
            self.frames.extend_from_slice(content);
        }
        let length = self.frames.len() - start - FRAME_HEADER_BYTES;
        let unpacked_length = if is_packed { content.len() } else { 0 };
        let header = &mut self.frames[start..start + FRAME_HEADER_BYTES];
        header[..3].copy_from_slice(&length.to_le_bytes()[..3]);
        header[3] = self.sequence;
        header[4..].copy_from_slice(&unpacked_length.to_le_bytes()[..3]);
    }

    /// Packs a frame. False if it did not get shorter; then the frame's content is of no use.
    fn put_packed(&mut self, content: &[u8]) -> bool {
        let before = self.frames.len();
        self.frames.reserve(content.len());
        let status = ENCODER.with_borrow_mut(|encoder| {
            encoder.reset();
            encoder.compress_vec(content, &mut self.frames, FlushCompress::Finish)
        });
        matches!(status, Ok(Status::StreamEnd)) && self.frames.len() - before < content.len()
    }
}

#[cfg(test)]
mod tests;
