//! The table at the end of a run.

mod account;
mod client;
mod counts;
mod times;

use super::counting::Reading;
use super::figures::{grouped, loop_label};
use super::totals::Totals;
use dbdyno_drive::{Load, Outcome, Start, Status};
use std::io::{self, Write};

/// Everything the table is made of.
pub(super) struct Summary<'a> {
    pub(super) load: &'a Load,
    pub(super) start: &'a Start,
    pub(super) window: &'a Totals,
    /// What the server had counted by itself, in order.
    pub(super) readings: &'a [Reading],
    pub(super) outcome: &'a Outcome,
}

impl Summary<'_> {
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_rates(out)?;
        self.write_counts(out)?;
        self.write_times(out)?;
        self.write_account(out)?;
        self.write_outages(out)?;
        self.write_client(out)
    }

    fn write_rates(&self, out: &mut impl Write) -> io::Result<()> {
        let (window, counts) = (self.window, &self.window.counts);
        let ended = match &self.outcome.status {
            Status::Complete => "",
            Status::Interrupted => ", interrupted",
            Status::Failed(_) => ", ended by an error",
        };
        let phases = &self.load.phases;
        let phase = phases.last().map_or("window", |phase| phase.name.as_str());
        let seconds = window.duration_ns as f64 / 1e9;
        let label = loop_label(self.load);
        writeln!(out, "\n{phase} of {seconds:.1} s{ended}, {label}\n")?;
        let mut rate = |name: &str, count: u64| {
            let rate = window.rate(count);
            writeln!(out, "  {name:<22} {:>13} {rate:>13.2} /s", grouped(count))
        };
        rate("transactions", counts.completed())?;
        rate("statements", counts.answered())?;
        rate("  read", counts.tally.reads)?;
        rate("  write", counts.tally.writes)?;
        rate("  other", counts.tally.others)
    }
}

/// A line of words behind its name; further lines have none.
fn write_words(out: &mut impl Write, name: &str, words: &str) -> io::Result<()> {
    writeln!(out, "  {name:<22} {words}")
}

#[cfg(test)]
mod tests;
