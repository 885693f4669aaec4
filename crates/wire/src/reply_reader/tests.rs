//! Checks replies wherever their stream is cut or damaged.

use super::*;
use crate::packet::MAX_PAYLOAD;
use crate::packet::{begin, finish};
use crate::reply::STATUS_MORE_RESULTS;
use crate::row_sink::CountOnly;
use crate::{OkReply, RowsReply, ServerError};

/// Keeps payloads as they come.
#[derive(Debug, Default, PartialEq)]
struct PayloadCollector {
    columns: Vec<Vec<u8>>,
    rows: Vec<Vec<u8>>,
}

impl RowSink for PayloadCollector {
    fn start(&mut self, _columns: u16) -> Result<(), WireError> {
        Ok(())
    }
    fn column(&mut self, definition: &[u8]) -> Result<(), WireError> {
        self.columns.push(definition.to_vec());
        Ok(())
    }
    fn row(&mut self, payload: &[u8]) -> Result<(), WireError> {
        self.rows.push(payload.to_vec());
        Ok(())
    }
}

/// A server's side of a reply.
#[derive(Default)]
struct ReplyBytes {
    bytes: Vec<u8>,
    sequence: u8,
}

impl ReplyBytes {
    fn packet(mut self, payload: &[u8]) -> Self {
        let start = begin(&mut self.bytes);
        self.bytes.extend_from_slice(payload);
        self.sequence += 1;
        finish(&mut self.bytes, start, self.sequence);
        self.sequence += (payload.len() / MAX_PAYLOAD) as u8;
        self
    }

    /// Columns named after their place, and rows of two values, one of them NULL.
    fn result(mut self, rows: usize, status: u16, deprecate_eof: bool) -> Self {
        let [low, high] = status.to_le_bytes();
        let eof = [0xfe, 0, 0, low, high];
        self = self
            .packet(&[2])
            .packet(b"\x03def one")
            .packet(b"\x03def two");
        if !deprecate_eof {
            self = self.packet(&eof);
        }
        for row in 0..rows {
            self = self.packet(&[2, b'a', row as u8, 0xfb]);
        }
        let ok = [0xfe, 0, 0, low, high, 1, 0];
        self.packet(if deprecate_eof { &ok } else { &eof })
    }
}

/// Feeds a stream in pieces of `size` bytes. Gives the replies and checks that no byte is left over.
fn replies<S: RowSink>(
    stream: &[u8],
    size: usize,
    deprecate_eof: bool,
    sink: &mut S,
) -> Result<Vec<Reply>, WireError> {
    let mut reader = ReplyReader::new(deprecate_eof);
    let mut replies = Vec::new();
    for mut piece in stream.chunks(size) {
        while !piece.is_empty() {
            let (taken, reply) = reader.feed(piece, sink)?;
            assert!(taken > 0, "no progress");
            piece = &piece[taken..];
            replies.extend(reply);
        }
    }
    Ok(replies)
}

fn sample(deprecate_eof: bool) -> (Vec<u8>, Vec<Reply>) {
    let mut bytes = Vec::new();
    let mut add = |stream: ReplyBytes| bytes.extend_from_slice(&stream.bytes);
    add(ReplyBytes::default().packet(&[0, 3, 0xfc, 0, 1, 2, 0, 7, 0]));
    add(ReplyBytes::default().result(3, 1, deprecate_eof));
    add(ReplyBytes::default().packet(b"\xff\xbd\x04#40001deadlock"));
    let more = STATUS_MORE_RESULTS;
    let call = ReplyBytes::default()
        .result(2, more, deprecate_eof)
        .result(1, more, deprecate_eof);
    add(call.packet(&[0, 5, 0, 2, 0, 0, 0]));
    add(ReplyBytes::default()
        .packet(&[0, 1, 0, 8, 0, 0, 0])
        .packet(&[0, 2, 9, 2, 0, 0, 0, 4, b'i']));
    let rows = |rows, status, warnings| RowsReply {
        rows,
        columns: 2,
        status,
        warnings,
    };
    let ok = |affected_rows, last_insert_id, warnings| {
        Reply::Ok(OkReply {
            affected_rows,
            last_insert_id,
            status: 2,
            warnings,
        })
    };
    let deadlock = ServerError {
        code: 1213,
        sql_state: *b"40001",
        message: "deadlock".to_owned(),
    };
    let expected = vec![
        ok(3, 256, 7),
        Reply::Rows(rows(3, 1, u16::from(deprecate_eof))),
        Reply::Error(deadlock),
        Reply::Rows(rows(3, 2, 0)),
        ok(3, 9, 0),
    ];
    (bytes, expected)
}

#[test]
fn replies_are_found_wherever_the_stream_is_cut() {
    for deprecate_eof in [false, true] {
        let (stream, expected) = sample(deprecate_eof);
        for size in 1..=stream.len() {
            let found = replies(&stream, size, deprecate_eof, &mut CountOnly).unwrap();
            assert_eq!(
                found, expected,
                "pieces of {size}, deprecate_eof {deprecate_eof}"
            );
        }
        for cut in 0..=stream.len() {
            let mut reader = ReplyReader::new(deprecate_eof);
            let mut found = Vec::new();
            for mut piece in [&stream[..cut], &stream[cut..]] {
                while !piece.is_empty() {
                    let (taken, reply) = reader.feed(piece, &mut CountOnly).unwrap();
                    piece = &piece[taken..];
                    found.extend(reply);
                }
            }
            assert_eq!(
                found, expected,
                "cut at {cut}, deprecate_eof {deprecate_eof}"
            );
        }
    }
}

#[test]
fn a_reply_is_complete_with_its_last_byte() {
    let stream = ReplyBytes::default().result(1, 0, true).bytes;
    for size in 1..=stream.len() {
        assert_eq!(
            replies(&stream, size, true, &mut CountOnly).unwrap().len(),
            1,
            "pieces of {size}"
        );
        let early = replies(&stream[..stream.len() - 1], size, true, &mut CountOnly).unwrap();
        assert!(early.is_empty(), "pieces of {size}");
    }
}

#[test]
fn a_sink_sees_the_same_wherever_the_stream_is_cut() {
    for deprecate_eof in [false, true] {
        let (stream, expected) = sample(deprecate_eof);
        let mut whole = PayloadCollector::default();
        replies(&stream, stream.len(), deprecate_eof, &mut whole).unwrap();
        assert_eq!((whole.columns.len(), whole.rows.len()), (6, 6));
        for size in 1..stream.len() {
            let mut cut = PayloadCollector::default();
            let found = replies(&stream, size, deprecate_eof, &mut cut).unwrap();
            assert_eq!(
                (found, &cut),
                (expected.clone(), &whole),
                "pieces of {size}"
            );
        }
    }
}

#[test]
fn rows_longer_than_a_packet_are_one_row() {
    for length in [
        MAX_PAYLOAD - 1,
        MAX_PAYLOAD,
        MAX_PAYLOAD + 1,
        2 * MAX_PAYLOAD,
    ] {
        // A value of 16 MiB or more begins with 0xfe, which must not be taken for the end of rows.
        // The second packet begins with 0xff, which must not be taken for an error.
        let mut row = vec![0xff; length];
        row[0] = 0xfe;
        let row = if length < MAX_PAYLOAD {
            &row[1..]
        } else {
            &row[..]
        };
        let row = [
            if length < MAX_PAYLOAD {
                &[0xfd][..]
            } else {
                &[]
            },
            row,
        ]
        .concat();
        let stream = ReplyBytes::default()
            .packet(&[1])
            .packet(b"\x03def")
            .packet(&row);
        let stream = stream
            .packet(b"\x01x")
            .packet(&[0xfe, 0, 0, 0, 0, 0, 0])
            .bytes;
        let expected = RowsReply {
            rows: 2,
            columns: 1,
            ..RowsReply::default()
        };
        for size in [1 << 16, stream.len()] {
            let found = replies(&stream, size, true, &mut CountOnly).unwrap();
            assert_eq!(
                found,
                [Reply::Rows(expected)],
                "row of {length}, pieces of {size}"
            );
            let mut sink = PayloadCollector::default();
            replies(&stream, size, true, &mut sink).unwrap();
            assert!(
                sink.rows.len() == 2 && sink.rows[0] == row,
                "row of {length} changed"
            );
        }
    }
}

#[test]
fn an_error_in_the_midst_of_rows_ends_the_reply() {
    let mut stream = ReplyBytes::default()
        .packet(&[1])
        .packet(b"\x03def")
        .packet(b"\x01x");
    stream = stream.packet(b"\xff\x25\x07#HY000interrupted");
    let found = replies(&stream.bytes, 7, true, &mut CountOnly).unwrap();
    let Some(Reply::Error(error)) = found.first() else {
        unreachable!("{found:?}")
    };
    assert_eq!((error.code, error.message.as_str()), (1829, "interrupted"));
}

#[test]
fn a_packet_out_of_sequence_is_refused() {
    let mut stream = ReplyBytes::default().result(1, 0, true).bytes;
    stream[3] = 9;
    let error = replies(&stream, 100, true, &mut CountOnly).unwrap_err();
    assert!(
        error.to_string().contains("packet 2 instead of 10"),
        "{error}"
    );
}

#[test]
fn a_request_for_a_local_file_is_told_and_the_reply_goes_on_after_it() {
    let asked = ReplyBytes::default().packet(b"\xfb/etc/passwd").bytes;
    let mut reader = ReplyReader::new(true);
    let (taken, reply) = reader.feed(&asked, &mut CountOnly).unwrap();
    assert_eq!((taken, reply), (asked.len(), None));
    assert_eq!(reader.take_file_wanted(), Some(2));
    assert_eq!(reader.take_file_wanted(), None);
    let mut done = ReplyBytes::default().packet(&[0, 5, 0, 2, 0, 0, 0]).bytes;
    done[3] = 9; // the file took some numbers
    let (_, reply) = reader.feed(&done, &mut CountOnly).unwrap();
    assert!(matches!(reply, Some(Reply::Ok(ok)) if ok.affected_rows == 5));
}

/// As MySQL sends it: only the first of the two EOF packets says that another result follows.
#[test]
fn the_out_parameters_of_a_call_are_followed_by_an_ok_packet() {
    let call = ReplyBytes::default().packet(&[1]).packet(b"\x03def");
    let call = call.packet(&[0xfe, 0, 0, 0x0a, 0x10]).packet(b"\0\0\x07");
    let call = call
        .packet(&[0xfe, 0, 0, 2, 0])
        .packet(&[0, 0, 0, 2, 0, 0, 0]);
    let [Reply::Rows(rows)] = replies(&call.bytes, 5, false, &mut CountOnly).unwrap()[..] else {
        panic!("more or less than one reply with rows")
    };
    assert_eq!((rows.rows, rows.status), (1, 2));
}

#[test]
fn changes_of_the_session_are_noted_if_asked_for() {
    let ok = ReplyBytes::default()
        .packet(b"\0\0\0\x02\x40\0\0\0\x05\x01\x03\x02db")
        .bytes;
    let mut reader = ReplyReader::new(true);
    reader.feed(&ok, &mut CountOnly).unwrap();
    assert_eq!(reader.take_changes(), SessionChanges::default());
    reader.keep_changes(true);
    reader.feed(&ok, &mut CountOnly).unwrap();
    assert_eq!(reader.take_changes().schema.as_deref(), Some("db"));
    assert_eq!(reader.take_changes(), SessionChanges::default());
}

#[test]
fn a_damaged_stream_never_panics() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % limit as u64) as usize
    };
    let mut refused = 0;
    for round in 0..20_000 {
        let deprecate_eof = round % 2 == 0;
        let (mut stream, _) = sample(deprecate_eof);
        for _ in 0..=draw(4) {
            let at = draw(stream.len());
            stream[at] = draw(256) as u8;
        }
        stream.truncate(1 + draw(stream.len()));
        let size = 1 + draw(40);
        refused += usize::from(replies(&stream, size, deprecate_eof, &mut CountOnly).is_err());
        let mut sink = crate::text_rows::TextRows::new(round % 3 == 0);
        refused += usize::from(replies(&stream, size, deprecate_eof, &mut sink).is_err());
    }
    assert!(
        refused > 1000,
        "only {refused} damaged streams were noticed"
    );
}
