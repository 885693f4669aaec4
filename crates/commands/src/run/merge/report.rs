//! Prints the results of several hosts together, and of each of them.

use super::MergedRun;
use super::merged_record::{HostRecord, MergedShare};
use crate::run::figures::{grouped, milliseconds};
use crate::run::totals::Totals;
use dbdyno_drive::counted;
use std::io::{self, Write};

/// Writes a table of the hosts, then the throughput and the times of all.
pub(super) fn write(out: &mut impl Write, run: &MergedRun) -> io::Result<()> {
    let lead = &run.shares[0].reader;
    let name = lead.whole_start["workload"]["name"].as_str();
    let (connections, shares) = (lead.share.connections, run.shares.len());
    writeln!(
        out,
        "{} · {} on {} · {} s",
        name.unwrap_or_default(),
        counted(u64::from(connections), "connection"),
        counted(shares as u64, "host"),
        run.seconds
    )?;
    writeln!(
        out,
        "\n  {:>5}  {:<16} {:>11} {:>9} {:>9} {:>8} {:>8} {:>11} {:>8}  ended",
        "share",
        "host",
        "connections",
        "tps",
        "start ms",
        "busiest",
        "no CPU",
        "late p99 ms",
        "CPU s"
    )?;
    for share in &run.shares {
        write_host(out, share, &share.host(run.zero_ns))?;
    }
    write_sum(out, run)
}

fn write_host(out: &mut impl Write, share: &MergedShare, host: &HostRecord<'_>) -> io::Result<()> {
    let optional = |value: Option<u64>, unit: f64, digits: usize| {
        value.map_or_else(
            || "-".to_owned(),
            |value| format!("{:.digits$}", value as f64 / unit),
        )
    };
    writeln!(
        out,
        "  {:>5}  {:<16} {:>11} {:>9.1} {:>+9.1} {:>6.0} % {:>6.1} % {:>11} {:>8}  {}",
        host.share,
        host.host,
        host.connections,
        share.window.rate(share.window.counts.completed()),
        host.start_skew_ns as f64 / 1e6,
        host.busiest_worker_share * 100.0,
        host.cpu_wait_share * 100.0,
        optional(host.lateness_p99_ns, 1e6, 3),
        optional(host.process_cpu_ns, 1e9, 2),
        host.status,
    )
}

fn write_sum(out: &mut impl Write, run: &MergedRun) -> io::Result<()> {
    let (phase, window) = (&run.phase, &run.window);
    let Totals { counts, .. } = window;
    let seconds = window.duration_ns as f64 / 1e9;
    let times = window.response();
    writeln!(out)?;
    let mut rate = |name: &str, count: u64| {
        let rate = window.rate(count);
        writeln!(out, "  {name:<22} {:>13} {rate:>13.2} /s", grouped(count))
    };
    let phase = if phase.is_empty() { "nothing" } else { phase };
    rate(&format!("{phase}, {seconds:.0} s"), counts.completed())?;
    rate("statements", counts.answered())?;
    writeln!(
        out,
        "  {:<22} p50 {}  p95 {}  p99 {}  max {:.3}",
        "response in ms",
        milliseconds(&times, 0.5).trim_start(),
        milliseconds(&times, 0.95).trim_start(),
        milliseconds(&times, 0.99).trim_start(),
        times.max_ns() as f64 / 1e6
    )?;
    let errors = crate::run::figures::listed(&window.errors());
    writeln!(out, "  {:<22} {errors}", "errors")
}
