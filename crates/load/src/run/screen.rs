//! Prints a run as text: few lines while it runs, one table at its end.

use super::counter_poller::CounterReading;
use super::figures::{loop_label, milliseconds};
use super::heading::{heading, remark};
use super::output::{Output, Second};
use super::sparkline::{highest, mean, sparkline};
use super::summary::Summary;
use super::totals::Totals;
use crate::order::LoadOrder;
use crate::record::all_responses;
use crate::terminal;
use dbdyno_drive::{IntervalRecord, Level, Load, RunOutcome, Start};
use std::io::{self, Write};

/// Bars of a picture.
const PICTURE_COLUMNS: usize = 60;

/// Writes to standard output; remarks go to standard error.
pub(super) struct RunScreen<'a> {
    report_interval: u32,
    /// `None` until all connections are ready.
    start: Option<Start>,
    order: &'a LoadOrder,
    load: &'a Load,
    /// Totals since the last line.
    recent: Totals,
    recent_seconds: u32,
    /// Totals of the last phase, the one that is judged.
    window: Totals,
    /// The server's own counts.
    readings: Vec<CounterReading>,
    /// Throughput and p99 in ms of each second, warm-up included.
    tps: Vec<f64>,
    p99_ms: Vec<f64>,
}

impl<'a> RunScreen<'a> {
    pub(super) fn new(report_interval: u32, order: &'a LoadOrder, load: &'a Load) -> Self {
        Self {
            report_interval,
            start: None,
            order,
            load,
            recent: Totals::of(load),
            recent_seconds: 0,
            window: Totals::of(load),
            readings: Vec::new(),
            tps: Vec::new(),
            p99_ms: Vec::new(),
        }
    }

    fn head(&self, out: &mut impl Write, start: &Start) -> io::Result<()> {
        heading(out, self.order, self.load, start)?;
        writeln!(out, "{}", loop_label(self.load))?;
        if self.report_interval > 0 {
            self.columns(out)?;
        }
        Ok(())
    }

    fn columns(&self, out: &mut impl Write) -> io::Result<()> {
        let backlog = if self.load.pacing.is_open_loop() {
            "   backlog"
        } else {
            ""
        };
        writeln!(
            out,
            "\n  second  phase          tps       qps    p50 ms    p95 ms    p99 ms  errors   busy{backlog}"
        )
    }

    /// Keeps the values of a second for the pictures.
    fn note(&mut self, record: &IntervalRecord<'_>) {
        let interval = record.interval;
        let seconds = interval.duration_ns.max(1) as f64 / 1e9;
        self.tps.push(interval.completed() as f64 / seconds);
        let p99_ns = all_responses(interval).quantile_ns(0.99).unwrap_or(0);
        self.p99_ms.push(p99_ns as f64 / 1e6);
    }

    /// Draws pictures of the whole run, from 0 to the highest value.
    fn draw(&self, out: &mut impl Write) -> io::Result<()> {
        let tps = sparkline(&self.tps, PICTURE_COLUMNS, mean);
        let p99 = sparkline(&self.p99_ms, PICTURE_COLUMNS, highest);
        let (tps_top, p99_top) = (highest(&self.tps), highest(&self.p99_ms));
        writeln!(out, "\n  tps, to {tps_top:<10.0}     {tps}")?;
        writeln!(out, "  p99, to {p99_top:<7.3} ms     {p99}")
    }

    fn line(&mut self, record: &IntervalRecord<'_>) -> io::Result<()> {
        let mut out = terminal::stdout();
        let recent = &self.recent;
        let response = recent.response();
        write!(
            out,
            "{:>8}  {:<9} {:>8.1} {:>9.1} {} {} {} {:>7} {:>4.0} %",
            record.interval.second + 1,
            record.phase,
            recent.rate(recent.counts.completed()),
            recent.rate(recent.counts.answered()),
            milliseconds(&response, 0.5),
            milliseconds(&response, 0.95),
            milliseconds(&response, 0.99),
            recent.errors().total(),
            recent.busiest_share() * 100.0,
        )?;
        if self.load.pacing.is_open_loop() {
            write!(out, " {:>9}", recent.backlog)?;
        }
        let live = record.interval.connections_live;
        let connections = self.load.connections();
        if live < connections {
            write!(out, "  {live} of {connections} connections")?;
        }
        writeln!(out)?;
        self.recent.clear();
        self.recent_seconds = 0;
        Ok(())
    }
}

impl Output for RunScreen<'_> {
    fn started(&mut self, start: &Start) -> io::Result<()> {
        self.start = Some(start.clone());
        self.head(&mut terminal::stdout(), start)
    }

    fn second(&mut self, second: &mut Second<'_>) -> io::Result<()> {
        let record = second.record;
        if second.is_judged(self.load) {
            self.window.add(record.interval);
        }
        self.note(record);
        if self.report_interval == 0 {
            return Ok(());
        }
        self.recent.add(record.interval);
        self.recent_seconds += 1;
        if self.recent_seconds >= self.report_interval {
            self.line(record)?;
        }
        Ok(())
    }

    fn counted(&mut self, reading: &CounterReading) -> io::Result<()> {
        self.readings.push(reading.clone());
        Ok(())
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        remark(level, text)
    }

    fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()> {
        let Some(start) = &self.start else {
            return Ok(()); // it could not begin, and the error explains why
        };
        let summary = Summary {
            load: self.load,
            start,
            window: &self.window,
            readings: &self.readings,
            outcome,
        };
        let mut out = terminal::stdout();
        summary.write(&mut out)?;
        if out.is_terminal() {
            self.draw(&mut out)?;
        }
        Ok(())
    }
}
