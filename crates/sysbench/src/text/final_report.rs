//! Writes the full report: of a checkpoint, of the end, of a forced end.

use super::{FinalFigures, UserFigures, in_ms, in_s, per_second};
use crate::Dialect;

/// Returns the final report, from the SQL statistics (where the run made a database driver) to the fairness.
#[must_use]
pub fn final_report(
    figures: &FinalFigures,
    percentile: u32,
    database: bool,
    dialect: Dialect,
) -> String {
    let mut text = String::new();
    if database {
        text.push_str(&sql_statistics(figures));
    }
    if let Some(unfinished) = figures.unfinished {
        text.push_str(&format!(
            "\nNumber of unfinished transactions on forced shutdown: {unfinished}\n"
        ));
    }
    text.push_str(&match dialect {
        Dialect::V1_0 => general_statistics(figures),
        Dialect::V1_1 => throughput(figures),
    });
    text.push_str(&latency(figures, percentile));
    text.push_str(&fairness(figures));
    text
}

/// Returns the line over a checkpoint's report.
#[must_use]
pub fn checkpoint_heading(figures: &FinalFigures) -> String {
    format!(
        "[ {:.0}s ] Checkpoint report:\n",
        in_s(figures.time_total_ns)
    )
}

fn sql_statistics(figures: &FinalFigures) -> String {
    let counts = &figures.counts;
    let rate = |label: &str, count: u64| {
        let per_second = per_second(count, figures.time_interval_ns);
        format!("    {label:37}{count:<6} ({per_second:.2} per sec.)\n")
    };
    let count = |label: &str, count: u64| format!("        {label:33}{count}\n");
    [
        "SQL statistics:\n    queries performed:\n".to_owned(),
        count("read:", counts.reads),
        count("write:", counts.writes),
        count("other:", counts.other),
        count("total:", counts.queries()),
        rate("transactions:", counts.events),
        rate("queries:", counts.queries()),
        rate("ignored errors:", counts.errors),
        rate("reconnects:", counts.reconnects),
    ]
    .concat()
}

fn general_statistics(figures: &FinalFigures) -> String {
    format!(
        "\nGeneral statistics:\n    {:37}{:.4}s\n    {:37}{}\n",
        "total time:",
        in_s(figures.time_total_ns),
        "total number of events:",
        figures.counts.events
    )
}

fn throughput(figures: &FinalFigures) -> String {
    format!(
        "\nThroughput:\n    {:37}{:.4}\n    {:37}{:.4}s\n    {:37}{}\n",
        "events/s (eps):",
        per_second(figures.counts.events, figures.time_interval_ns),
        "time elapsed:",
        in_s(figures.time_total_ns),
        "total number of events:",
        figures.counts.events
    )
}

fn latency(figures: &FinalFigures, percentile: u32) -> String {
    let events = figures.counts.events;
    let mean_ms = if events == 0 {
        0.0
    } else {
        in_ms(figures.latency_sum_ns) / events as f64
    };
    let row = |label: &str, value: f64| format!("         {label}{value:40.2}\n");
    let percentile_row = if percentile == 0 {
        "         percentile stats:               disabled\n".to_owned()
    } else {
        let value_ms = figures.latency_percentile_ms;
        format!("        {percentile:3}th percentile:{value_ms:28.2}\n")
    };
    [
        "\nLatency (ms):\n".to_owned(),
        row("min:", in_ms(figures.latency_min_ns)),
        row("avg:", mean_ms),
        row("max:", in_ms(figures.latency_max_ns)),
        percentile_row,
        row("sum:", in_ms(figures.latency_sum_ns)),
    ]
    .concat()
}

/// Formats the fairness. The mean time is that of the events that are done, the deviation around it that of all: under
/// a forced shutdown they differ, and sysbench prints them so.
fn fairness(figures: &FinalFigures) -> String {
    let users = figures.users.len().max(1) as f64;
    let events: Vec<f64> = figures.users.iter().map(|u| u.events as f64).collect();
    let times_s: Vec<f64> = figures.users.iter().map(|u| in_s(u.time_ns)).collect();
    let events_mean = events.iter().sum::<f64>() / users;
    let time_mean_s = in_s(figures.latency_sum_ns) / users;
    format!(
        "\nThreads fairness:\n    {:31}{events_mean:.4}/{:.2}\n    {:31}{time_mean_s:.4}/{:.2}\n\n",
        "events (avg/stddev):",
        deviation(&events, events_mean),
        "execution time (avg/stddev):",
        deviation(&times_s, time_mean_s)
    )
}

fn deviation(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len().max(1) as f64).sqrt()
}

/// Returns what `--debug` adds at the end: each user by itself.
#[must_use]
pub fn users(users: &[UserFigures]) -> String {
    let mut text = String::from("DEBUG: Verbose per-thread statistics:\n\n");
    for (number, user) in users.iter().enumerate() {
        let mean_s = in_s(user.time_ns) / user.events.max(1) as f64;
        text.push_str(&format!(
            "DEBUG:     thread #{number:3}: min: {:.4}s  avg: {mean_s:.4}s  max: {:.4}s  events: {}\n",
            in_s(user.latency_min_ns),
            in_s(user.latency_max_ns),
            user.events
        ));
        text.push_str(&format!(
            "DEBUG:                  total time taken by event execution: {:.4}s\n",
            in_s(user.time_ns)
        ));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Counts;

    /// As published of runs of the master branch.
    #[test]
    fn the_master_branch_tells_of_the_throughput() {
        let figures = FinalFigures {
            time_total_ns: 120_000_500_000,
            time_interval_ns: 120_000_500_000,
            counts: Counts {
                events: 1_891_833,
                ..Counts::default()
            },
            ..FinalFigures::default()
        };
        let text = final_report(&figures, 95, false, Dialect::V1_1);
        assert!(text.starts_with(
            "
Throughput:
    events/s (eps):                      15765.2093
    time elapsed:                        120.0005s
    total number of events:              1891833

Latency (ms):
"
        ));
    }

    /// A sum that is wider than any in the recordings, as 6,000 users of 50 s each gave it.
    #[test]
    fn large_figures_end_in_the_same_column() {
        let figures = FinalFigures {
            latency_sum_ns: 300_379_144_460_000,
            ..FinalFigures::default()
        };
        let text = latency(&figures, 100);
        assert!(text.ends_with(
            "        100th percentile:                        0.00
         sum:                            300379144.46
"
        ));
    }

    #[test]
    fn no_time_gives_no_rate() {
        let figures = FinalFigures {
            counts: Counts {
                events: 1,
                ..Counts::default()
            },
            ..FinalFigures::default()
        };
        let row = "    transactions:                        1      (0.00 per sec.)\n";
        assert!(sql_statistics(&figures).contains(row));
    }
}
