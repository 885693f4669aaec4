//! Replays recorded requests of any workload again and again, byte for byte.

use crate::arguments::wrong;
use std::fs;
use std::io;
use std::ops::Range;
use std::rc::Rc;

const QUERY: u8 = 0x03;

/// What stands between two statements of one request, whose reply has a result for each of them then.
const PARTED: &[u8] = b"; commit";

/// The packets, shared by all connections.
pub(crate) struct Script {
    bytes: Vec<u8>,
    requests: Vec<Request>,
}

#[derive(Clone)]
struct Request {
    place: Range<usize>,
    results: u8,
}

impl Script {
    /// Reads a file of statements with a zero byte behind each.
    pub(crate) fn read(path: &str) -> io::Result<Self> {
        let mut script = Self {
            bytes: Vec::new(),
            requests: Vec::new(),
        };
        for sql in fs::read(path)?.split(|&byte| byte == 0) {
            if !sql.is_empty() {
                script.push(sql);
            }
        }
        if script.requests.is_empty() {
            return Err(wrong(path));
        }
        Ok(script)
    }

    fn push(&mut self, sql: &[u8]) {
        let start = self.bytes.len();
        let length = (sql.len() + 1) as u32;
        self.bytes.extend_from_slice(&length.to_le_bytes()[..3]);
        self.bytes.extend_from_slice(&[0, QUERY]);
        self.bytes.extend_from_slice(sql);
        let is_parted = sql.windows(PARTED.len()).any(|window| window == PARTED);
        self.requests.push(Request {
            place: start..self.bytes.len(),
            results: 1 + u8::from(is_parted),
        });
    }
}

/// Where a connection is in the script.
pub(crate) struct Replay {
    script: Rc<Script>,
    next: usize,
}

impl Replay {
    /// Connections begin at places of their own, so that they don't go in step.
    pub(crate) fn new(script: &Rc<Script>, index: u32, connections: u32) -> Self {
        let count = script.requests.len();
        Self {
            next: index as usize * count / connections as usize,
            script: Rc::clone(script),
        }
    }

    /// The next request, and how many results its reply has.
    pub(crate) fn next(&mut self) -> (&[u8], u8) {
        let request = &self.script.requests[self.next];
        self.next = (self.next + 1) % self.script.requests.len();
        (&self.script.bytes[request.place.clone()], request.results)
    }
}
