//! Prints the table at the end of a run.

mod account;
mod client;
mod counts;
mod network;
mod times;

use super::counter_poller::CounterReading;
use super::figures::{grouped, grouped_noun, loop_label};
use super::totals::Totals;
use dbdyno_drive::{Load, RunOutcome, Start, Status};
use std::io::{self, Write};

/// With more users than this, digests are in the records only.
const DIGESTS_SHOWN: usize = 8;

/// Holds everything that the table shows.
pub(super) struct Summary<'a> {
    pub(super) load: &'a Load,
    pub(super) start: &'a Start,
    pub(super) window: &'a Totals,
    /// The server's own counts, in order.
    pub(super) readings: &'a [CounterReading],
    pub(super) outcome: &'a RunOutcome,
}

impl Summary<'_> {
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_rates(out)?;
        self.write_counts(out)?;
        self.write_times(out)?;
        self.write_figures(out)?;
        self.write_account(out)?;
        self.write_outages(out)?;
        self.write_client(out)?;
        self.write_network(out)?;
        self.write_digests(out)
    }

    /// Writes the digests of the users' statements, if requested.
    fn write_digests(&self, out: &mut impl Write) -> io::Result<()> {
        let digests = self.load.workload.digests();
        for (place, digest) in digests.iter().take(DIGESTS_SHOWN).enumerate() {
            let name = if place == 0 { "digests" } else { "" };
            let (user, events) = (digest.user + 1, grouped_noun(digest.events, "event"));
            let words = format!("user {user}, {events}: {digest}");
            write_words(out, name, &words)?;
        }
        match digests.len().saturating_sub(DIGESTS_SHOWN) {
            0 => Ok(()),
            more => write_words(out, "", &format!("and {more} more, in the records")),
        }
    }

    /// Writes what the workload itself reports about the run.
    fn write_figures(&self, out: &mut impl Write) -> io::Result<()> {
        let figures = self.load.workload.metrics();
        if !figures.is_empty() {
            writeln!(out)?;
        }
        for figure in &figures {
            let value = figure.value.map_or_else(|| "-".to_owned(), figure_text);
            let verdict = match figure.held {
                Some(false) => "  NOT HELD",
                Some(true) => "  held",
                None => "",
            };
            writeln!(out, "  {:<46} {value:>13}{verdict}", figure.meaning)?;
        }
        Ok(())
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

/// Formats a figure in its significant digits; whole numbers, such as counts, have no decimals.
fn figure_text(value: f64) -> String {
    if value >= 0.0 && (value.fract() == 0.0 || value >= 100.0) {
        return grouped(value.round() as u64);
    }
    let digits = if value.abs() < 100.0 { 3 } else { 0 };
    format!("{value:.digits$}")
}

/// Writes a line of words after its name; further lines have none.
fn write_words(out: &mut impl Write, name: &str, words: &str) -> io::Result<()> {
    writeln!(out, "  {name:<22} {words}")
}

#[cfg(test)]
mod tests;
