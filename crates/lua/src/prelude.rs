//! Compiles, once per process, the Lua text with which every state begins.

use crate::bare_state::{Raised, compile};
use dbdyno_sysbench::Dialect;
use std::ffi::CStr;
use std::sync::OnceLock;

/// A chunk's text, and its name in errors. Names without a mark are shown as sysbench shows those of its own
/// modules.
type PreludeSource = (&'static CStr, &'static str);

/// Chunks in the order in which they run in every state.
const AT_ONCE: [PreludeSource; 7] = [
    (c"sysbench.cdef.lua", include_str!("prelude/cdef.lua")),
    (c"sysbench.lua", include_str!("prelude/sysbench.lua")),
    (c"sysbench.start.lua", include_str!("prelude/start.lua")),
    (c"sysbench.rand.lua", include_str!("prelude/rand.lua")),
    (c"sysbench.sql.lua", include_str!("prelude/sql.lua")),
    (c"sysbench.cmdline.lua", include_str!("prelude/cmdline.lua")),
    (c"sysbench.globals.lua", include_str!("prelude/globals.lua")),
];

/// Chunks by their numbers in the other chunks; they run in the states that need them.
const LATER: [PreludeSource; 4] = [
    (
        c"sysbench.histogram.lua",
        include_str!("prelude/histogram.lua"),
    ),
    (c"sysbench.report.lua", include_str!("prelude/report.lua")),
    (c"sysbench.legacy.lua", include_str!("prelude/legacy.lua")),
    (
        c"sysbench.cmdline.lua",
        include_str!("prelude/commands.lua"),
    ),
];

/// Holds the bytecode of the prelude and the arguments of its chunks.
pub(crate) struct Prelude {
    pub(crate) at_once: Vec<Vec<u8>>,
    pub(crate) later: Vec<Vec<u8>>,
    pub(crate) second_generation: bool,
}

/// Returns the prelude of a dialect. A process uses one dialect.
pub(crate) fn prelude(dialect: Dialect) -> Result<&'static Prelude, Raised> {
    static FIRST: OnceLock<Prelude> = OnceLock::new();
    static SECOND: OnceLock<Prelude> = OnceLock::new();
    let second_generation = dialect == Dialect::V1_1;
    let place = if second_generation { &SECOND } else { &FIRST };
    if let Some(prelude) = place.get() {
        return Ok(prelude);
    }
    let prelude = Prelude {
        at_once: compiled(&AT_ONCE)?,
        later: compiled(&LATER)?,
        second_generation,
    };
    Ok(place.get_or_init(|| prelude))
}

fn compiled(sources: &[PreludeSource]) -> Result<Vec<Vec<u8>>, Raised> {
    let chunks = sources.iter();
    chunks
        .map(|(name, source)| compile(source.as_bytes(), name))
        .collect()
}
