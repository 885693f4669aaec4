//! Lists every quirk: what an imitated tool does that its authors probably did not mean.
//!
//! Each quirk has one entry here. A workload lists the ids that are active in a run; records, pages and help texts
//! name a quirk by its id only, and [`quirk`] gives what stands behind it. Which code imitates it is left to the
//! workloads.
//!
//! ```
//! let quirk = dbdyno_workload::quirk("Q-ST-4").unwrap();
//! assert!(quirk.is_imitated);
//! assert_eq!(quirk.dialects, ["tpcc/sysbench-tpcc"]);
//! ```

mod list;

use list::QUIRKS;

/// One quirk of an imitated tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirk {
    /// Identifier, such as `Q-ST-4`: the tool and a number.
    pub id: &'static str,
    /// What the tool does, in one or two sentences.
    pub effect: &'static str,
    /// Workload families or dialects that have it.
    pub dialects: &'static [&'static str],
    /// Whether dbdyno does the same.
    pub is_imitated: bool,
    /// When it is active; for a quirk that is not imitated, what dbdyno does instead.
    pub when: &'static str,
    /// Where in the tool it comes from, and how it was found: recorded from a run, or read in the source.
    pub source: &'static str,
}

/// Returns every quirk, in rising order within a tool.
pub fn quirks() -> &'static [Quirk] {
    QUIRKS
}

/// Returns the quirk with this id.
pub fn quirk(id: &str) -> Option<&'static Quirk> {
    QUIRKS.iter().find(|quirk| quirk.id == id)
}

const fn imitated(
    id: &'static str,
    dialects: &'static [&'static str],
    when: &'static str,
    effect: &'static str,
    source: &'static str,
) -> Quirk {
    Quirk {
        id,
        effect,
        dialects,
        is_imitated: true,
        when,
        source,
    }
}

const fn not_imitated(
    id: &'static str,
    dialects: &'static [&'static str],
    instead: &'static str,
    effect: &'static str,
    source: &'static str,
) -> Quirk {
    Quirk {
        is_imitated: false,
        ..imitated(id, dialects, instead, effect, source)
    }
}

#[cfg(test)]
mod tests;
