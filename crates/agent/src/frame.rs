//! Reads and writes frames: two lengths, a header of JSON, a body of bytes.

use std::io::{self, ErrorKind, Read, Write};

/// Longest header.
const MAX_HEADER_BYTES: usize = 1 << 20;
/// Longest body; larger files go in several frames.
pub(crate) const MAX_BODY_BYTES: usize = 16 << 20;
const LENGTHS_BYTES: usize = 8;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// JSON.
    pub header: Vec<u8>,
    /// Bytes of a file, a stream or an input.
    pub body: Vec<u8>,
}

/// Says why no frame came.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connection(#[from] io::Error),
    /// The peer ended within a frame.
    #[error("the connection ended within a frame")]
    Cut,
    /// A length is larger than any frame has: the data is not a frame.
    #[error("a frame of {header} + {body} bytes exceeds the limit")]
    Oversized {
        /// Announced length of the header.
        header: usize,
        /// Announced length of the body.
        body: usize,
    },
}

/// Reads the next frame; `None` at the end between two frames.
///
/// # Errors
///
/// The connection failed or ended within a frame, or the data is not one.
pub fn read_frame(from: &mut impl Read) -> Result<Option<Frame>, FrameError> {
    let mut lengths = [0; LENGTHS_BYTES];
    if !fill(from, &mut lengths)? {
        return Ok(None);
    }
    let [a, b, c, d, e, f, g, h] = lengths;
    let header = u32::from_be_bytes([a, b, c, d]) as usize;
    let body = u32::from_be_bytes([e, f, g, h]) as usize;
    if header > MAX_HEADER_BYTES || body > MAX_BODY_BYTES {
        return Err(FrameError::Oversized { header, body });
    }
    let mut frame = Frame {
        header: vec![0; header],
        body: vec![0; body],
    };
    for part in [&mut frame.header, &mut frame.body] {
        if !part.is_empty() && !fill(from, part)? {
            return Err(FrameError::Cut);
        }
    }
    Ok(Some(frame))
}

/// Fills the buffer; returns `false` if nothing came.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> Result<bool, FrameError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(FrameError::Cut),
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Writes one frame and flushes.
///
/// # Errors
///
/// The connection failed, or a part is longer than a frame takes.
pub fn write_frame(to: &mut impl Write, header: &[u8], body: &[u8]) -> Result<(), FrameError> {
    if header.len() > MAX_HEADER_BYTES || body.len() > MAX_BODY_BYTES {
        return Err(FrameError::Oversized {
            header: header.len(),
            body: body.len(),
        });
    }
    let mut bytes = Vec::with_capacity(LENGTHS_BYTES + header.len() + body.len());
    bytes.extend_from_slice(&(header.len() as u32).to_be_bytes());
    bytes.extend_from_slice(&(body.len() as u32).to_be_bytes());
    bytes.extend_from_slice(header);
    bytes.extend_from_slice(body);
    to.write_all(&bytes)?;
    to.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte at a time, as a slow network may.
    struct Dripping<'a>(&'a [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn wire(header: &[u8], body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, header, body).unwrap();
        bytes
    }

    #[test]
    fn frames_come_back_as_they_were_written() {
        let bytes = [wire(b"{}", b"\0body\n"), wire(b"{\"id\":2}", b"")].concat();
        let mut from = Dripping(&bytes);
        let first = read_frame(&mut from).unwrap().unwrap();
        assert_eq!(
            (first.header, first.body),
            (b"{}".to_vec(), b"\0body\n".to_vec())
        );
        assert_eq!(
            read_frame(&mut from).unwrap().unwrap().header,
            b"{\"id\":2}"
        );
        assert!(read_frame(&mut from).unwrap().is_none());
    }

    #[test]
    fn an_end_within_a_frame_is_told_wherever_it_falls() {
        let whole = wire(b"{\"id\":1}", b"1234");
        for end in 1..whole.len() {
            let error = read_frame(&mut &whole[..end]).unwrap_err();
            assert!(matches!(error, FrameError::Cut), "{end}: {error}");
        }
    }

    #[test]
    fn what_is_no_frame_is_refused_before_memory_is_taken_for_it() {
        let text = b"bash: warning: setlocale: cannot change locale\n";
        let error = read_frame(&mut text.as_slice()).unwrap_err();
        assert!(matches!(error, FrameError::Oversized { .. }));
        let large = vec![0; MAX_BODY_BYTES + 1];
        assert!(write_frame(&mut Vec::new(), b"{}", &large).is_err());
    }
}
