//! Prints the client's resource use and shortages: whether it was the bottleneck.

use super::{Summary, write_words};
use crate::run::figures::milliseconds;
use dbdyno_meter::Histogram;
use std::io::{self, Write};

impl Summary<'_> {
    pub(super) fn write_client(&self, out: &mut impl Write) -> io::Result<()> {
        let window = self.window;
        let mut work = vec![format!(
            "busiest worker {:.0} % busy",
            window.busiest_share() * 100.0
        )];
        if let Some(ns) = window.cpu_ns_per_statement() {
            work.push(format!("{:.2} µs of CPU per statement", ns / 1e3));
        }
        if let Some(batch) = window.batch() {
            work.push(format!("{batch:.1} replies per wake-up"));
        }
        write_words(out, "client", &work.join(", "))?;
        let lacked = format!(
            "waited for a processor {:.1} % of the time, peak memory {:.1} MiB",
            window.cpu_wait_share() * 100.0,
            self.outcome.peak_rss_bytes as f64 / f64::from(1 << 20),
        );
        write_words(out, "", &lacked)?;
        match &window.counts.lateness {
            Some(times) => write_words(out, "", &lateness(times)),
            None => Ok(()),
        }
    }
}

fn lateness(times: &Histogram) -> String {
    format!(
        "sent later than due, although a connection was free: p99 {} ms, max {:.3} ms",
        milliseconds(times, 0.99).trim_start(),
        times.max_ns() as f64 / 1e6
    )
}
