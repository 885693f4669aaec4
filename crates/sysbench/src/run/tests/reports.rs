//! Checks reports while a run goes on.

use super::*;
use crate::Settings;

#[test]
fn intervals_and_checkpoints_come_when_due_the_last_at_the_time_limit() {
    let play = Play::of_pauses(10);
    let settings = Settings {
        time_s: 2,
        report_interval_s: 1,
        checkpoints_s: vec![1, 2],
        histogram: true,
        ..settings(2)
    };
    assert_eq!(play.run(settings), 0);
    let text = play.screen.text();
    let heads: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(['[', 'L', 'G', 'd']))
        .collect();
    let heads: Vec<String> = heads
        .iter()
        .map(|line| line.chars().take(17).collect())
        .collect();
    let block = ["General statistic", "Latency (ms):"];
    let mut expected = vec!["[ 1s ] Checkpoint"];
    expected.extend(block);
    expected.extend(["[ 1s ] thds: 2 ep", "[ 2s ] Checkpoint"]);
    expected.extend(block);
    expected.extend(["[ 2s ] thds: 2 ep", "Latency histogram"]);
    expected.extend(block);
    expected.push("done");
    assert_eq!(heads, expected, "{text}");
    let lines = text.lines().filter(|line| line.contains(" thds: "));
    for line in lines {
        let told_ms = line.rsplit(' ').next().unwrap();
        assert!(
            told_ms.parse::<f64>().unwrap() > 9.9,
            "of its interval: {line}"
        );
    }
}

#[test]
fn a_programs_own_writers_take_the_place_of_our_text() {
    let mut play = Play::of_pauses(100);
    play.writes_reports = true;
    let settings = Settings {
        time_s: 1,
        report_interval_s: 1,
        checkpoints_s: vec![1],
        ..settings(1)
    };
    assert_eq!(play.run(settings), 0);
    let text = play.screen.text();
    let (_, end) = text.split_once("started!\n\n").unwrap();
    let mut lines: Vec<&str> = end
        .lines()
        .filter(|line| *line != "thread_done 0")
        .collect();
    let last = lines.split_off(3);
    assert_eq!(
        lines,
        [
            "[ 1s ] Checkpoint report:",
            "checkpoint at 1",
            "interval by 1: 1 running"
        ]
    );
    assert_eq!(last[..2], ["writer closed", "writer closed"]);
    assert!(
        last[2].starts_with("final: ") && last[3] == "done",
        "{text}"
    );
}

#[test]
fn debugging_tells_of_each_user() {
    let play = Play::of_pauses(1);
    let settings = Settings {
        events: 2,
        debug: true,
        verbosity: 5,
        ..settings(2)
    };
    assert_eq!(play.run(settings), 0);
    let text = play.screen.text();
    for line in [
        "DEBUG: Worker thread (#0) started\n",
        "DEBUG: Worker thread (#1) initialized\n",
        "DEBUG: Verbose per-thread statistics:\n",
        "DEBUG:     thread #  1: min: 0.00",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn rows_of_the_histogram_are_printed_at_any_verbosity() {
    let play = Play::of_pauses(1);
    let settings = Settings {
        events: 2,
        histogram: true,
        verbosity: 0,
        ..settings(1)
    };
    assert_eq!(play.run(settings), 0);
    let text = play.screen.text();
    let head = "       value  ------------- distribution ------------- count\n";
    assert!(text.contains(head), "{text}");
    assert!(!text.contains("Latency"), "{text}");
}
