//! Writes the line of an intermediate report.

use super::{IntervalFigures, per_second};

/// Formats one line, or two with `--rate`. A run that made a database driver reports queries, any other only events.
#[must_use]
pub fn interval(figures: &IntervalFigures, percentile: u32, database: bool) -> String {
    let at = format!("[ {:.0}s ]", figures.time_total_ns as f64 / 1e9);
    let line = if database {
        with_queries(figures, percentile)
    } else {
        with_events(figures, percentile)
    };
    let mut text = format!("{at} thds: {} {line}\n", figures.threads_running);
    if let Some(queue) = figures.queue {
        // The comma is only in the database's form.
        let comma = if database { "," } else { "" };
        text.push_str(&format!(
            "{at} queue length: {}{comma} concurrency: {}\n",
            queue.length, queue.concurrency
        ));
    }
    text
}

fn with_queries(figures: &IntervalFigures, percentile: u32) -> String {
    let rate = |count| per_second(count, figures.time_interval_ns);
    let counts = &figures.counts;
    format!(
        "tps: {:.2} qps: {:.2} (r/w/o: {:.2}/{:.2}/{:.2}) lat (ms,{percentile}%): {:.2} err/s: {:.2} reconn/s: {:.2}",
        rate(counts.events),
        rate(counts.queries()),
        rate(counts.reads),
        rate(counts.writes),
        rate(counts.other),
        figures.latency_percentile_ms,
        rate(counts.errors),
        rate(counts.reconnects)
    )
}

fn with_events(figures: &IntervalFigures, percentile: u32) -> String {
    format!(
        "eps: {:.2} lat (ms,{percentile}%): {:.2}",
        per_second(figures.counts.events, figures.time_interval_ns),
        figures.latency_percentile_ms
    )
}
