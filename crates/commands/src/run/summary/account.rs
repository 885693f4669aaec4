//! Prints the outcome of all events, and stretches without connections.

use super::{Summary, write_words};
use crate::local_time::local_time;
use crate::run::figures::{grouped, listed};
use dbdyno_drive::{Cause, Outage, counted};
use std::io::{self, Write};

/// More outages than this are counted, not listed.
const OUTAGES_SHOWN: usize = 10;

impl Summary<'_> {
    pub(super) fn write_account(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out)?;
        write_words(out, "errors", &listed(&self.window.errors()))?;
        write_words(out, "repeats", &listed(&self.window.retries()))?;
        let outcome = self.outcome;
        let account = format!(
            "scheduled {} = completed {} + failed {} + unsent {}; under way at the end {}",
            grouped(outcome.scheduled),
            grouped(outcome.completed),
            grouped(outcome.failed),
            grouped(outcome.unsent),
            outcome.in_flight_at_end,
        );
        write_words(out, "whole run", &account)?;
        let silence_ms = outcome.longest_silence_ns as f64 / 1e6;
        let silence = format!("{silence_ms:.0} ms without any reply");
        write_words(out, "longest silence", &silence)?;
        match self.window.connections_low {
            Some(low) if low < self.load.connections() => {
                let all = self.load.connections();
                let words = format!("{low} of {all} at the end of the worst second");
                write_words(out, "connections", &words)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn write_outages(&self, out: &mut impl Write) -> io::Result<()> {
        let outages = &self.outcome.outages;
        for (number, outage) in outages.iter().take(OUTAGES_SHOWN).enumerate() {
            let name = if number == 0 { "outages" } else { "" };
            write_words(out, name, &self.words_of(outage))?;
        }
        match outages.len() {
            0..=OUTAGES_SHOWN => Ok(()),
            all => write_words(out, "", &format!("and {} more", all - OUTAGES_SHOWN)),
        }
    }

    fn words_of(&self, outage: &Outage) -> String {
        let lost = match (outage.connections_lost, outage.all_lost) {
            (count, _) if outage.cause == Cause::Network => {
                format!(
                    "network: path lost, {} silent",
                    counted(u64::from(count), "connection")
                )
            }
            (count, true) => format!("connections lost {}, none left", times(count)),
            (count, false) => format!("connections lost {}", times(count)),
        };
        let after = |what: &str, instant_ns: Option<u64>| match instant_ns {
            Some(ns) => {
                let after_s = ns.saturating_sub(outage.start_ns) as f64 / 1e9;
                format!("{what} after {after_s:.3} s")
            }
            None => format!("{what} not before the end"),
        };
        let mut words = vec![
            format!("{} {lost}", self.clock_time(outage.start_ns)),
            after("first answer", outage.first_success_ns),
            after("all open again", outage.restored_ns),
        ];
        if let Some(tps) = outage.former_tps.filter(|&tps| tps > 0.0) {
            let what = format!("95 % of the former {tps:.0} tps");
            words.push(after(&what, outage.regained_ns));
        }
        words.join("; ")
    }

    /// Formats an instant of the run in local time, to the millisecond.
    fn clock_time(&self, monotonic_ns: u64) -> String {
        let start = self.start;
        let since_start_ns = monotonic_ns.saturating_sub(start.monotonic_ns);
        let realtime_ns = start.realtime_ns + since_start_ns;
        let milliseconds = realtime_ns / 1_000_000 % 1_000;
        format!("{}.{milliseconds:03}", local_time(realtime_ns, c"%H:%M:%S"))
    }
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}
