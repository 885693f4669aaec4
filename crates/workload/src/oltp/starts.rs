//! Where the one stream of sysbench stands when a part of a table begins.

use super::Options;
use super::drawn::skip_row;
use super::population::Parts;
use dbdyno_chance::{RandomSource, Sampler, Stream};
use std::sync::{Mutex, PoisonError};

/// The places of sysbench's stream, found as they are asked for.
///
/// Its draws follow each other through all rows of all tables, and how many a row takes depends on what is drawn.
/// So whoever begins a part must have gone through all rows before it: their digits in leaps, their k by drawing.
/// That takes a tenth of making them, and is done once.
#[derive(Debug)]
pub(super) struct Starts {
    ks: Sampler,
    parts: Parts,
    /// Of all parts of all tables in their order, as far as known.
    known: Mutex<Vec<Stream>>,
}

impl Starts {
    pub(super) fn new(options: &Options, parts: Parts) -> Self {
        Self {
            ks: options.distribution().over(1, options.table_size),
            parts,
            known: Mutex::new(vec![RandomSource::sysbench_main_thread()]),
        }
    }

    /// Where the part of a table begins. Others who ask meanwhile wait, for they would walk the same way.
    pub(super) fn of(&self, table: u32, part: u32) -> Stream {
        let place = table as usize * self.parts.count() as usize + part as usize;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        while known.len() <= place {
            let last = (known.len() - 1) as u32 % self.parts.count();
            let mut stream = known[known.len() - 1].clone();
            for _ in self.parts.ids(last) {
                skip_row(&mut stream, &self.ks);
            }
            known.push(stream);
        }
        known[place].clone()
    }
}
