//! Builds one connection's requests once, then only patches ids into them.

use crate::arguments::wrong;
use std::io;
use std::ops::Range;

/// Rows that ids are drawn from.
const TABLE_ROWS: u32 = 10_000;

const QUERY: u8 = 0x03;
const EXECUTE: u8 = 0x17;
const TYPE_LONG: u8 = 3;
const TYPE_VAR_STRING: u8 = 253;

const C: &[u8] = b"68487932199-96439406143-93774651418-41631865787-96406072701-\
                   20604855487-25459966574-28203206787-41238978918-19503783441";
const PAD: &[u8] = b"22195207048-70116052123-74140395089-76317954521-98694025897";

/// What goes in a `?` place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// A fresh id.
    Id,
    /// The id before it plus 99.
    End,
    /// The id of the step before.
    SameId,
    C,
    Pad,
}

/// A statement of the event.
pub(crate) struct Step {
    pub(crate) sql: &'static str,
    pub(crate) values: &'static [Value],
}

const fn step(sql: &'static str, values: &'static [Value]) -> Step {
    Step { sql, values }
}

use Value::{C as TextC, End, Id, Pad, SameId};

const POINT: Step = step("SELECT c FROM sbtest1 WHERE id=?", &[Id]);
const POINT_SELECT: &[Step] = &[POINT];
const READ_WRITE: &[Step] = &[
    step("BEGIN", &[]),
    POINT,
    POINT,
    POINT,
    POINT,
    POINT,
    POINT,
    POINT,
    POINT,
    POINT,
    POINT,
    step("SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?", &[Id, End]),
    step(
        "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
        &[Id, End],
    ),
    step(
        "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
        &[Id, End],
    ),
    step(
        "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
        &[Id, End],
    ),
    step("UPDATE sbtest1 SET k=k+1 WHERE id=?", &[Id]),
    step("UPDATE sbtest1 SET c=? WHERE id=?", &[TextC, Id]),
    step("DELETE FROM sbtest1 WHERE id=?", &[Id]),
    step(
        "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
        &[SameId, Id, TextC, Pad],
    ),
    step("COMMIT", &[]),
];

/// The statements of sysbench's script of that name.
pub(crate) fn steps_of(workload: &str) -> io::Result<&'static [Step]> {
    match workload {
        "point_select" => Ok(POINT_SELECT),
        "read_write" => Ok(READ_WRITE),
        other => Err(wrong(other)),
    }
}

/// A request in the buffer.
struct Request {
    place: Range<usize>,
    /// Where ids stand in it.
    ids: Vec<(usize, Value)>,
}

/// All requests of a connection's event, one after another.
pub(crate) struct Requests {
    bytes: Vec<u8>,
    requests: Vec<Request>,
    next: usize,
    id: u32,
    state: u64,
}

impl Requests {
    /// None yet; `index` is the connection's.
    pub(crate) fn new(index: u32) -> Self {
        let state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(u64::from(index) + 1);
        Self {
            bytes: Vec::new(),
            requests: Vec::new(),
            next: 0,
            id: 1,
            state,
        }
    }

    /// A statement without values, as text.
    pub(crate) fn push_text(&mut self, sql: &str) {
        let start = self.begin(QUERY);
        self.bytes.extend_from_slice(sql.as_bytes());
        self.finish(start, Vec::new());
    }

    /// An execution of the prepared statement `number`.
    pub(crate) fn push_execute(&mut self, number: u32, values: &[Value]) {
        let start = self.begin(EXECUTE);
        let mut ids = Vec::new();
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self.bytes.extend_from_slice(&[0, 1, 0, 0, 0, 0, 1]); // no cursor, once, no NULLs, types follow
        for value in values {
            self.bytes.extend_from_slice(&match value {
                Value::C | Value::Pad => [TYPE_VAR_STRING, 0],
                _ => [TYPE_LONG, 0],
            });
        }
        for &value in values {
            match value {
                Value::C => self.push_string(C),
                Value::Pad => self.push_string(PAD),
                _ => {
                    ids.push((self.bytes.len(), value));
                    self.bytes.extend_from_slice(&[0; 4]);
                }
            }
        }
        self.finish(start, ids);
    }

    fn push_string(&mut self, text: &[u8]) {
        self.bytes.push(text.len() as u8); // shorter than 251
        self.bytes.extend_from_slice(text);
    }

    fn begin(&mut self, command: u8) -> usize {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0, 0, 0, 0, command]);
        start
    }

    fn finish(&mut self, start: usize, ids: Vec<(usize, Value)>) {
        let place = start..self.bytes.len();
        let length = (place.len() - 4) as u32;
        self.bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
        self.requests.push(Request { place, ids });
    }

    /// The next request, with fresh ids.
    pub(crate) fn next(&mut self) -> &[u8] {
        let request = &self.requests[self.next];
        for &(at, value) in &request.ids {
            self.id = match value {
                Value::End => self.id + 99,
                Value::SameId => self.id,
                _ => {
                    self.state ^= self.state << 13;
                    self.state ^= self.state >> 7;
                    self.state ^= self.state << 17;
                    1 + ((self.state >> 32) as u32) % TABLE_ROWS
                }
            };
            self.bytes[at..at + 4].copy_from_slice(&self.id.to_le_bytes());
        }
        self.next = (self.next + 1) % self.requests.len();
        &self.bytes[request.place.clone()]
    }
}
