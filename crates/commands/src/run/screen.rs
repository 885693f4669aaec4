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
use dbdyno_drive::{IntervalRecord, Level, Load, RunOutcome, Start, counted};
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
    /// Phase, number and connections of the last second.
    last_second: (String, u32, u32),
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
            last_second: (String::new(), 0, 0),
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

    /// Prints the seconds since the last line, if there were any.
    fn line(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.recent_seconds == 0 {
            return Ok(());
        }
        let (phase, second, live) = &self.last_second;
        let recent = &self.recent;
        let response = recent.response();
        write!(
            out,
            "{:>8}  {:<9} {:>8.1} {:>9.1} {} {} {} {:>7} {:>4.0} %",
            second + 1,
            phase,
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
        let connections = self.load.connections();
        if *live < connections {
            write!(
                out,
                "  {live} of {}",
                counted(u64::from(connections), "connection")
            )?;
        }
        writeln!(out)?;
        self.recent.clear();
        self.recent_seconds = 0;
        Ok(())
    }

    /// Adds a second; a line is of one phase and covers the interval at most.
    fn progress(&mut self, out: &mut impl Write, record: &IntervalRecord<'_>) -> io::Result<()> {
        let interval = record.interval;
        if self.last_second.0 != record.phase {
            self.line(out)?;
        }
        self.recent.add(interval);
        self.recent_seconds += 1;
        let phase = record.phase.to_owned();
        self.last_second = (phase, interval.second, interval.connections_live);
        if self.recent_seconds >= self.report_interval {
            self.line(out)?;
        }
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
        self.progress(&mut terminal::stdout(), record)
    }

    fn counted(&mut self, reading: &CounterReading) -> io::Result<()> {
        self.readings.push(reading.clone());
        Ok(())
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        remark(level, text)
    }

    fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()> {
        let mut out = terminal::stdout();
        self.line(&mut out)?;
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
        summary.write(&mut out)?;
        if out.is_terminal() {
            self.draw(&mut out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &str = include_str!("../../../../contract/samples/load-order-fixed-rate.json");

    #[test]
    fn a_line_covers_seconds_of_one_phase_and_the_last_ones_have_a_line() {
        let order: LoadOrder = serde_json::from_str(ORDER).unwrap();
        let load = order.load().unwrap();
        let mut screen = RunScreen::new(4, &order, &load);
        let mut interval = screen.recent.counts.clone();
        interval.duration_ns = 1_000_000_000;
        let mut out = Vec::new();
        for second in 0..13 {
            interval.second = second;
            interval.transactions[0].completed = if second < 6 { 100 } else { 300 };
            let record = IntervalRecord {
                phase: if second < 6 { "warm-up" } else { "window" },
                realtime_ns: 0,
                interval: &interval,
            };
            screen.progress(&mut out, &record).unwrap();
        }
        screen.line(&mut out).unwrap();
        screen.line(&mut out).unwrap(); // nothing is left
        let text = String::from_utf8(out).unwrap();
        let lines = text
            .lines()
            .map(|line| line.split_whitespace().take(3).collect::<Vec<_>>());
        let expected = [
            ["4", "warm-up", "100.0"],
            ["6", "warm-up", "100.0"],
            ["10", "window", "300.0"],
            ["13", "window", "300.0"],
        ];
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }
}
