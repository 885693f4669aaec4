//! Decompresses frames that come in pieces of any size into memory of any size.

use super::FRAME_HEADER_BYTES;
use crate::WireError;
use flate2::{Decompress, FlushDecompress, Status};

/// Describes where in a frame the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameStage {
    /// In the header, of which so many bytes are there.
    Header(usize),
    /// In bytes that were not packed.
    Plain { left: usize },
    /// In a zlib stream: so many bytes are to come, and make so many.
    Packed { left: usize, makes: usize },
}

/// The state between two pieces. Nothing of a frame is kept but what zlib looks back at.
#[derive(Debug)]
pub(crate) struct FrameDecoder {
    stage: FrameStage,
    header: [u8; FRAME_HEADER_BYTES],
    /// Made when the first packed frame comes.
    inflater: Option<Box<Decompress>>,
    /// The last call ended for want of room.
    has_more: bool,
}

impl Default for FrameDecoder {
    fn default() -> Self {
        Self {
            stage: FrameStage::Header(0),
            header: [0; FRAME_HEADER_BYTES],
            inflater: None,
            has_more: false,
        }
    }
}

impl FrameDecoder {
    /// Takes bytes until there are none, or no room in `out`. Says how many it took and how many it made.
    pub(crate) fn unpack(
        &mut self,
        packed: &[u8],
        out: &mut [u8],
    ) -> Result<(usize, usize), WireError> {
        let (mut taken, mut filled) = (0, 0);
        loop {
            let (more_taken, more_filled) = match self.stage {
                FrameStage::Header(have) => (self.read_header(have, &packed[taken..])?, 0),
                FrameStage::Plain { left } => {
                    let count = left.min(packed.len() - taken).min(out.len() - filled);
                    out[filled..filled + count].copy_from_slice(&packed[taken..taken + count]);
                    self.stage = match left - count {
                        0 => FrameStage::Header(0),
                        left => FrameStage::Plain { left },
                    };
                    (count, count)
                }
                FrameStage::Packed { left, makes } => {
                    self.inflate(&packed[taken..], &mut out[filled..], left, makes)?
                }
            };
            taken += more_taken;
            filled += more_filled;
            if more_taken + more_filled == 0 {
                self.has_more = filled == out.len() && !matches!(self.stage, FrameStage::Header(_));
                return Ok((taken, filled));
            }
        }
    }

    /// Returns whether there may be something to unpack although nothing came.
    pub(crate) fn has_more(&self) -> bool {
        self.has_more
    }

    /// Returns the sequence number of the frame after the last one that came.
    pub(crate) fn next_sequence(&self) -> u8 {
        self.header[3].wrapping_add(1)
    }

    fn read_header(&mut self, have: usize, packed: &[u8]) -> Result<usize, WireError> {
        let count = (FRAME_HEADER_BYTES - have).min(packed.len());
        self.header[have..have + count].copy_from_slice(&packed[..count]);
        self.stage = FrameStage::Header(have + count);
        if have + count == FRAME_HEADER_BYTES {
            let number = |at: usize| {
                let [low, middle, high] = [0, 1, 2].map(|byte| self.header[at + byte]);
                u32::from_le_bytes([low, middle, high, 0]) as usize
            };
            self.stage = match (number(0), number(4)) {
                (0, 0) => FrameStage::Header(0),
                (left, 0) => FrameStage::Plain { left },
                (left, makes) => {
                    self.inflater().reset(true);
                    FrameStage::Packed { left, makes }
                }
            };
        }
        Ok(count)
    }

    fn inflate(
        &mut self,
        packed: &[u8],
        out: &mut [u8],
        left: usize,
        makes: usize,
    ) -> Result<(usize, usize), WireError> {
        let input = &packed[..left.min(packed.len())];
        // With all of it made, the checksum is still to be read; any byte more is one too many.
        let mut excess = [0];
        let room = makes.min(out.len());
        let out = if makes == 0 {
            &mut excess[..]
        } else {
            &mut out[..room]
        };
        if out.is_empty() {
            return Ok((0, 0));
        }
        let inflater = self.inflater();
        let (in_before, out_before) = (inflater.total_in(), inflater.total_out());
        let status = inflater.decompress(input, out, FlushDecompress::None);
        let taken = (inflater.total_in() - in_before) as usize;
        let filled = (inflater.total_out() - out_before) as usize;
        let (left, rest) = (left - taken, makes.checked_sub(filled));
        self.stage = match (status, rest) {
            (Ok(Status::StreamEnd), Some(0)) if left == 0 => FrameStage::Header(0),
            (Ok(Status::StreamEnd), _) | (_, None) => {
                return Err(damaged("a length that differs from its header"));
            }
            (Err(_), _) => return Err(damaged("bytes that are not a zlib stream")),
            (Ok(_), Some(_)) if left == 0 && taken + filled == 0 => {
                return Err(damaged("a zlib stream without an end"));
            }
            (Ok(_), Some(makes)) => FrameStage::Packed { left, makes },
        };
        Ok((taken, filled))
    }

    fn inflater(&mut self) -> &mut Decompress {
        self.inflater
            .get_or_insert_with(|| Box::new(Decompress::new(true)))
    }
}

#[cold]
fn damaged(what: &str) -> WireError {
    WireError::Protocol(format!("a compressed packet holds {what}"))
}
