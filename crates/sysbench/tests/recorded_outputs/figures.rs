//! Reads figures out of printed blocks: counts and times of which the printed rates are the rounded quotients.

use dbdyno_sysbench::text::{Counts, FinalFigures, IntervalFigures, QueueFigures, UserFigures};
use std::ops::Range;

/// Returns what follows a label, up to a blank, a slash or a bracket.
fn after<'a>(text: &'a str, label: &str) -> &'a str {
    let start = text
        .find(label)
        .unwrap_or_else(|| panic!("no {label:?} in {text:?}"));
    let rest = text[start + label.len()..].trim_start_matches([' ', '(']);
    rest.split([' ', '/', ')', '\n']).next().unwrap()
}

fn number(text: &str, label: &str) -> f64 {
    after(text, label)
        .trim_end_matches(['s', ','])
        .parse()
        .unwrap()
}

fn count(text: &str, label: &str) -> u64 {
    after(text, label).trim_end_matches(',').parse().unwrap()
}

fn in_ns(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Returns the time in `[ 3s ]`.
pub fn time_ns(line: &str) -> u64 {
    in_ns(number(line, "[ "))
}

/// Returns the times in nanoseconds over which `count` gives a rate that is printed as this.
fn times_ns(count: u64, rate: f64) -> Range<f64> {
    if count == 0 {
        return 0.0..f64::INFINITY;
    }
    let time_ns = |rate: f64| count as f64 / rate * 1e9;
    time_ns(rate + 0.005)..time_ns((rate - 0.005).max(1e-9))
}

/// Returns a time over which all these counts give these rates.
fn common_time_ns(rates: &[(u64, f64)]) -> Option<u64> {
    let ranges = rates.iter().map(|(count, rate)| times_ns(*count, *rate));
    let common = ranges.fold(0.0..1e18, |common: Range<f64>, range| {
        common.start.max(range.start)..common.end.min(range.end)
    });
    (common.start < common.end).then_some(((common.start + common.end) / 2.0) as u64)
}

pub fn interval(line: &str, queue: Option<&str>) -> IntervalFigures {
    let (counts, time_interval_ns) = match line.contains("qps") {
        true => interval_counts(line),
        false => event_counts(number(line, "eps:")),
    };
    IntervalFigures {
        time_total_ns: time_ns(line),
        time_interval_ns,
        threads_running: count(line, "thds:") as u32,
        counts,
        latency_percentile_ms: number(line, "%):"),
        queue: queue.map(|line| QueueFigures {
            length: count(line, "queue length:"),
            concurrency: count(line, "concurrency:"),
        }),
    }
}

fn event_counts(rate: f64) -> (Counts, u64) {
    let counts = Counts {
        events: rate.round() as u64,
        ..Counts::default()
    };
    let time_ns = common_time_ns(&[(counts.events, rate)]);
    (counts, time_ns.unwrap())
}

/// Finds counts near those of one second of which every printed rate is the quotient, the sum of them included.
fn interval_counts(line: &str) -> (Counts, u64) {
    let reads = number(line, "r/w/o:");
    let split: Vec<&str> = line.split('/').collect();
    let (writes, other) = (split[3], split[4].split(')').next().unwrap());
    let rates = [
        reads,
        writes.parse().unwrap(),
        other.parse().unwrap(),
        number(line, "tps:"),
        number(line, "err/s:"),
        number(line, "reconn/s:"),
    ];
    let near = (reads * 0.9) as u64..=(reads * 1.2) as u64;
    let found = near.map(|count| count as f64 / reads).find_map(|time_s| {
        let counts = rates.map(|rate| (rate * time_s).round() as u64);
        let mut pairs: Vec<(u64, f64)> = counts.into_iter().zip(rates).collect();
        pairs.push((counts[..3].iter().sum(), number(line, "qps:")));
        Some((counts, common_time_ns(&pairs)?))
    });
    let ([reads, writes, other, events, errors, reconnects], time_ns) = found.unwrap();
    let counts = Counts {
        events,
        reads,
        writes,
        other,
        errors,
        reconnects,
    };
    (counts, time_ns)
}

pub fn bucket(line: &str) -> (f64, u64) {
    let value = line[..12].trim().parse().unwrap();
    (
        value,
        line[14..]
            .trim_start_matches(['*', ' '])
            .trim()
            .parse()
            .unwrap(),
    )
}

/// Returns a full report's figures.
pub fn full(block: &str, threads: u32) -> FinalFigures {
    let (mut counts, time_interval_ns) = match block.contains("SQL statistics:") {
        true => sql_statistics(block),
        false => (Counts::default(), 1),
    };
    counts.events = count(block, "total number of events:");
    let latency_sum_ns = latency_sum_ns(block, counts.events, threads);
    let percentile = block.lines().find(|line| line.contains("th percentile:"));
    FinalFigures {
        time_total_ns: in_ns(number(block, "total time:")),
        time_interval_ns,
        counts,
        latency_min_ns: in_ns(number(block, "min:") / 1e3),
        latency_max_ns: in_ns(number(block, "max:") / 1e3),
        latency_sum_ns,
        latency_percentile_ms: percentile.map_or(0.0, |line| number(line, "percentile:")),
        users: even_users(block, threads, latency_sum_ns),
        unfinished: block
            .contains("unfinished")
            .then(|| count(block, "on forced shutdown:")),
    }
}

fn sql_statistics(block: &str) -> (Counts, u64) {
    let row = |label: &str| {
        let line = block
            .lines()
            .find(|line| line.trim_start().starts_with(label));
        let line = line.unwrap();
        (count(line, label), number(line, "("))
    };
    let rows = [
        "transactions:",
        "queries: ",
        "ignored errors:",
        "reconnects:",
    ]
    .map(row);
    let counts = Counts {
        events: rows[0].0,
        reads: count(block, "read:"),
        writes: count(block, "write:"),
        other: count(block, "other:"),
        errors: rows[2].0,
        reconnects: rows[3].0,
    };
    (counts, common_time_ns(&rows).unwrap())
}

/// Returns a sum within what is printed that gives the printed means, too: of the events, and of the users.
fn latency_sum_ns(block: &str, events: u64, threads: u32) -> u64 {
    let lines: Vec<&str> = block.lines().collect();
    let printed = |label: &str| after(block, label).to_owned();
    let execution = lines.iter().find(|line| line.contains("execution time"));
    let user_mean = after(execution.unwrap(), "stddev):");
    let sum_ns = number(block, "sum:") * 1e6;
    let candidates = (sum_ns as u64).saturating_sub(5_000)..sum_ns as u64 + 5_000;
    let fits = |sum: &u64| {
        let sum = *sum as f64;
        let mean_ms = if events == 0 {
            0.0
        } else {
            sum / 1e6 / events as f64
        };
        format!("{:.2}", sum / 1e6) == printed("sum:")
            && format!("{mean_ms:.2}") == printed("avg:")
            && format!("{:.4}", sum / 1e9 / f64::from(threads)) == user_mean
    };
    let mut candidates = candidates.step_by(100);
    candidates.find(fits).unwrap()
}

/// Makes users that differ from the mean by the deviation, one up, one down.
fn even_users(block: &str, threads: u32, latency_sum_ns: u64) -> Vec<UserFigures> {
    let pair = |label: &str| -> (f64, f64) {
        let line = block.lines().find(|line| line.contains(label)).unwrap();
        let (mean, deviation) = line.rsplit_once(' ').unwrap().1.split_once('/').unwrap();
        (mean.parse().unwrap(), deviation.parse().unwrap())
    };
    let (events, events_deviation) = pair("events (avg/stddev):");
    let (_, time_deviation) = pair("execution time");
    let mean_s = latency_sum_ns as f64 / 1e9 / f64::from(threads);
    (0..threads)
        .map(|number| UserFigures {
            events: if number % 2 == 0 {
                events + events_deviation
            } else {
                events - events_deviation
            } as u64,
            time_ns: in_ns(mean_s + time_deviation),
            ..UserFigures::default()
        })
        .collect()
}

pub fn users(block: &str) -> Vec<UserFigures> {
    let lines: Vec<&str> = block.lines().filter(|line| !line.is_empty()).collect();
    lines
        .chunks(2)
        .map(|pair| UserFigures {
            events: count(pair[0], "events:"),
            time_ns: in_ns(number(pair[1], "execution:")),
            latency_min_ns: in_ns(number(pair[0], "min:")),
            latency_max_ns: in_ns(number(pair[0], "max:")),
        })
        .collect()
}
