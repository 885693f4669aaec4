//! Writes `i_data` and `s_data`, some of which hold the word ORIGINAL.

use super::text::put_alphanumerics;
use super::values::ValueRules;
use crate::tpcc::dialect::Dialect;
use crate::tpcc::draws::{ITEMS, percent, uniform};
use dbdyno_chance::{RandomSource, Stream};

/// Says which rows hold the word, how it is spelt, and how much it covers.
pub(crate) enum OriginalMarks {
    /// sysbench-tpcc has none.
    Never,
    /// So many rows of a hundred.
    Percent {
        percent: u32,
        word: &'static [u8; 8],
    },
    /// HammerDB: the rows whose numbers were drawn, one perhaps twice.
    Drawn(Vec<bool>),
}

/// Says whose texts they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginalKind {
    Items,
    Stock,
}

impl OriginalMarks {
    /// Creates those of items, or of a warehouse's stock; `key` says of which.
    pub(crate) fn new(
        values: ValueRules,
        of: OriginalKind,
        source: RandomSource,
        key: u64,
    ) -> Self {
        match values.dialect {
            Dialect::SysbenchTpcc => Self::Never,
            Dialect::Standard => Self::Percent {
                percent: 10,
                word: b"ORIGINAL",
            },
            Dialect::TpccMysql => Self::Percent {
                // Q-TM-10: flags that are never cleared. The count is that of the machine where it was recorded.
                percent: if values.has_quirks && of == OriginalKind::Stock {
                    19
                } else {
                    10
                },
                word: b"original",
            },
            Dialect::Hammerdb => Self::Drawn(drawn(match of {
                OriginalKind::Items => source.keyed("tpcc/item originals", key),
                OriginalKind::Stock => source.keyed("tpcc/stock originals", key),
            })),
        }
    }

    /// Appends the text of row `number`: 26 to 50 characters.
    pub(crate) fn put_data(
        &self,
        values: ValueRules,
        stream: &mut Stream,
        number: u32,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        match self {
            Self::Never => values.put_filler(stream, out, 26, 50),
            Self::Percent {
                percent: of_100,
                word,
            } => {
                values.put_filler(stream, out, 26, 50);
                if percent(stream, *of_100) {
                    let place = place(stream, start, out);
                    out[place..place + 8].copy_from_slice(*word);
                }
            }
            Self::Drawn(rows) => {
                let count = uniform(stream, 26, 50);
                put_alphanumerics(stream, out, count);
                if rows[number as usize] {
                    let place = place(stream, start, out);
                    out[place..place + 8].copy_from_slice(b"original");
                    if place + 8 < out.len() {
                        out.remove(place + 8); // eight characters in the place of nine
                    }
                }
            }
        }
    }
}

/// Takes 10,000 draws from 0 to 100,000, repetitions and all.
fn drawn(mut stream: Stream) -> Vec<bool> {
    let mut rows = vec![false; ITEMS as usize + 1];
    for _ in 0..ITEMS / 10 {
        rows[uniform(&mut stream, 0, ITEMS) as usize] = true;
    }
    rows
}

/// Draws where the word begins, in the text that goes from `start` to the end.
fn place(stream: &mut Stream, start: usize, out: &[u8]) -> usize {
    let last = (out.len() - start - 8) as u32;
    start + uniform(stream, 0, last) as usize
}
