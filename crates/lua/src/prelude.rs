//! Our own Lua text that every state begins with, compiled once a process.

use crate::state::{Raised, compile};
use dbdyno_sysbench::Dialect;
use std::ffi::CStr;
use std::sync::OnceLock;

/// In the order in which they run. Names without a mark are shown as sysbench shows those of its own modules.
const SOURCES: [(&CStr, &str); 8] = [
    (c"sysbench.cdef.lua", include_str!("prelude/cdef.lua")),
    (c"sysbench.lua", include_str!("prelude/sysbench.lua")),
    (c"sysbench.rand.lua", include_str!("prelude/rand.lua")),
    (
        c"sysbench.histogram.lua",
        include_str!("prelude/histogram.lua"),
    ),
    (c"sysbench.sql.lua", include_str!("prelude/sql.lua")),
    (c"sysbench.cmdline.lua", include_str!("prelude/cmdline.lua")),
    (c"sysbench.report.lua", include_str!("prelude/report.lua")),
    (c"sysbench.legacy.lua", include_str!("prelude/legacy.lua")),
];

/// The bytecode of the prelude and what its chunks are told.
pub(crate) struct Prelude {
    pub(crate) chunks: Vec<Vec<u8>>,
    pub(crate) second_generation: bool,
}

/// The prelude of a dialect. A process speaks one.
pub(crate) fn prelude(dialect: Dialect) -> Result<&'static Prelude, Raised> {
    static FIRST: OnceLock<Prelude> = OnceLock::new();
    static SECOND: OnceLock<Prelude> = OnceLock::new();
    let second_generation = dialect == Dialect::V1_1;
    let place = if second_generation { &SECOND } else { &FIRST };
    if let Some(prelude) = place.get() {
        return Ok(prelude);
    }
    let chunks = SOURCES
        .iter()
        .map(|(name, source)| compile(source.as_bytes(), name))
        .collect::<Result<_, _>>()?;
    Ok(place.get_or_init(|| Prelude {
        chunks,
        second_generation,
    }))
}
