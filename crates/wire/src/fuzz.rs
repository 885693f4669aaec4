//! Feeds everything that reads a server's bytes with bytes that no server would send.
//!
//! Each check takes arbitrary bytes: the first few choose settings, the rest is the server's stream. It
//! panics if the same stream means something else when it comes in pieces, or when more memory is held
//! than came in. The targets under `fuzz/` call them without end; a test here calls them some thousands of times.

use crate::compression::FrameDecoder;
use crate::deadline::Deadline;
use crate::reply_reader::ReplyReader;
use crate::row_sink::{CountOnly, RowSink};
use crate::stream::SocketStream;
use crate::text_rows::TextRows;
use crate::{
    Address, Compression, Endpoint, Password, Reply, Session, SessionOptions, TlsPolicy, WireError,
    login,
};
use std::io::{Cursor, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A server gets so long for nonsense that ends at once: anything that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(10);

/// Memory that a reader may hold in addition to twice what came.
const ALLOWANCE_BYTES: usize = 64 * 1024;

/// Lengths of pieces, mostly short, drawn from a number.
struct Pieces(u64);

impl Pieces {
    fn next(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let scale = 1 << (self.0 % 11);
        (1 + (self.0 >> 32) as usize % scale).min(limit)
    }
}

/// Returns the settings of a check, and what is left for it.
fn settings(data: &[u8]) -> Option<(u8, Pieces, &[u8])> {
    let (&[flags, low, high], stream) = data.split_first_chunk()?;
    let seed = u64::from(u16::from_le_bytes([low, high])) << 20 | 0x9e37_79b9;
    Some((flags, Pieces(seed), stream))
}

/// Finds replies in a stream, whole and in pieces, with rows counted, kept and read.
pub fn reply(data: &[u8]) {
    let Some((flags, mut pieces, stream)) = settings(data) else {
        return;
    };
    let mut cut = || pieces.next(usize::MAX);
    let whole = replies(flags, stream, &mut CountOnly, || usize::MAX);
    assert_eq!(whole, replies(flags, stream, &mut CountOnly, &mut cut));
    let (mut kept, mut kept_in_pieces) = (RawRows::default(), RawRows::default());
    let with_rows = replies(flags, stream, &mut kept, || usize::MAX);
    assert_eq!(
        with_rows,
        replies(flags, stream, &mut kept_in_pieces, &mut cut)
    );
    assert!(
        kept == kept_in_pieces,
        "rows differ when they come in pieces"
    );
    // A skipped row is judged by its header, a wanted one when it is complete.
    assert!(whole.0 == with_rows.0 && whole.1 >= with_rows.1);
    let mut rows = TextRows::new(flags & 8 != 0);
    replies(flags, stream, &mut rows, &mut cut);
}

/// Raw columns and rows.
#[derive(Debug, Default, PartialEq)]
struct RawRows(Vec<Vec<u8>>);

impl RowSink for RawRows {
    fn start(&mut self, columns: u16) -> Result<(), WireError> {
        self.0.push(columns.to_le_bytes().to_vec());
        Ok(())
    }
    fn column(&mut self, definition: &[u8]) -> Result<(), WireError> {
        self.0.push(definition.to_vec());
        Ok(())
    }
    fn row(&mut self, payload: &[u8]) -> Result<(), WireError> {
        self.0.push(payload.to_vec());
        Ok(())
    }
}

/// Returns the replies up to the end or the first error, which is only noted as such.
fn replies<S: RowSink>(
    flags: u8,
    stream: &[u8],
    sink: &mut S,
    mut cut: impl FnMut() -> usize,
) -> (Vec<Reply>, bool) {
    let mut reader = ReplyReader::new(flags & 1 != 0);
    reader.keep_changes(flags & 2 != 0);
    if flags & 4 != 0 {
        reader.ignore_sequence();
    }
    let (mut replies, mut at) = (Vec::new(), 0);
    while at < stream.len() {
        let end = at.saturating_add(cut()).min(stream.len());
        let mut piece = &stream[at..end];
        at = end;
        while !piece.is_empty() {
            let Ok((taken, reply)) = reader.feed(piece, sink) else {
                return (replies, true);
            };
            assert!(taken > 0, "no progress");
            piece = &piece[taken..];
            replies.extend(reply);
            let held = reader.held_bytes();
            assert!(
                held <= 2 * at + ALLOWANCE_BYTES,
                "{held} bytes held of {at}"
            );
        }
    }
    (replies, false)
}

/// Unpacks frames, whole and in pieces, into much room and little.
pub fn compressed(data: &[u8]) {
    let Some((_, mut pieces, stream)) = settings(data) else {
        return;
    };
    let (whole, is_whole_damaged) = unpacked(stream, || (usize::MAX, 1 << 16));
    let (cut, is_cut_damaged) = unpacked(stream, || (pieces.next(4096), pieces.next(4096)));
    assert_eq!(is_whole_damaged, is_cut_damaged);
    // Read in pieces, a damaged frame may yield more or fewer packets before the damage is noticed.
    let common = whole.len().min(cut.len());
    assert!(whole[..common] == cut[..common] && (is_cut_damaged || whole.len() == cut.len()));
}

fn unpacked(stream: &[u8], mut cut: impl FnMut() -> (usize, usize)) -> (Vec<u8>, bool) {
    let mut decoder = FrameDecoder::default();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < stream.len() || decoder.has_more() {
        let (size, room) = cut();
        let mut memory = vec![0; room];
        let piece = &stream[at..at.saturating_add(size).min(stream.len())];
        let Ok((taken, filled)) = decoder.unpack(piece, &mut memory) else {
            return (out, true);
        };
        assert!(filled > 0 || taken == piece.len(), "no progress");
        at += taken;
        out.extend_from_slice(&memory[..filled]);
    }
    (out, false)
}

/// Logs in at a server that says all it has to say at once, and asks it a few things.
pub fn login(data: &[u8]) {
    let Some((flags, _, stream)) = settings(data) else {
        return;
    };
    let Ok((ours, mut theirs)) = UnixStream::pair() else {
        return;
    };
    // More than the socket's buffer would have to be written and read at the same time.
    let stream = &stream[..stream.len().min(64 * 1024)];
    if theirs.write_all(stream).is_err() || theirs.shutdown(Shutdown::Write).is_err() {
        return;
    }
    let (endpoint, options) = (endpoint(flags), options(flags));
    let deadline = Deadline::after(LIMIT, &options.cancel);
    let Ok(stream) = SocketStream::of(ours.into(), flags & 8 != 0, deadline) else {
        return;
    };
    let connection = login::log_in_over(stream, &endpoint, &options);
    if let Err(error) = connection.map(Session::over).and_then(converse) {
        assert!(!matches!(error, WireError::Timeout { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}

fn converse(mut session: Session) -> Result<(), WireError> {
    let _ = session.prepare("SELECT ?");
    let _ = session.load_local("LOAD", &mut Cursor::new("1\n2\n"));
    loop {
        match session.query("SELECT 1") {
            Ok(_) | Err(WireError::Server(_) | WireError::Misuse(_)) => {}
            Err(error) => return Err(error),
        }
    }
}

fn endpoint(flags: u8) -> Endpoint {
    Endpoint {
        address: Address::Socket("fuzz".into()),
        user: "app".to_owned(),
        password: Password::new(if flags & 1 == 0 { "hunter2" } else { "" }),
        database: (flags & 2 != 0).then(|| "db".to_owned()),
        tls: match flags & 4 {
            0 => TlsPolicy::Off,
            _ => TlsPolicy::Required,
        },
    }
}

fn options(flags: u8) -> SessionOptions {
    SessionOptions {
        compression: match flags & 16 {
            0 => Compression::Off,
            _ => Compression::Zlib,
        },
        multi_statements: flags & 32 != 0,
        local_files: flags & 64 != 0,
        session_tracking: flags & 128 != 0,
        ..SessionOptions::default()
    }
}

#[cfg(test)]
mod tests;
