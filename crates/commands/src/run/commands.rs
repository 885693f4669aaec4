//! Takes commands from standard input, by which the process that merges the shares of one client starts and ends them.
//!
//! Each command is a JSON object on its own line, see `contract/`. A share that receives nothing for some seconds ends:
//! its host was cut off, and the rest of its load would be no part of a client any more.

use crate::record::RecordWriter;
use crate::terminal;
use anyhow::Context as _;
use dbdyno_drive::{CommonStart, StartSignal, StopSwitch};
use dbdyno_meter::clock;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// Without a command for so long, the sender is gone. Commands come each second.
const SILENCE: Duration = Duration::from_secs(10);

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum ShareCommand {
    /// Report the time.
    Clock { id: u64 },
    /// Begin second 0.
    Begin {
        start_at_ns: u64,
        clock_ahead_ns: i64,
        clock_error_ns: u64,
    },
    /// End early, and report.
    Stop,
}

/// Answers a clock request.
#[derive(Debug, Serialize)]
struct ClockRecord<'a> {
    record: &'static str,
    id: u64,
    realtime_ns: u64,
    /// Whether all connections have logged in and wait for the start.
    is_ready: bool,
    /// Names this boot of the machine; empty if it can't be read.
    boot_id: &'a str,
}

/// Executes commands until the program ends.
pub(super) fn obey(signal: Arc<StartSignal>, stop: StopSwitch) -> anyhow::Result<()> {
    let (sender, lines) = channel();
    let reading = thread::Builder::new().name("stdin".to_owned());
    let obeying = thread::Builder::new().name("commands".to_owned());
    reading
        .spawn(move || read_lines(&sender))
        .and_then(|_| obeying.spawn(move || obey_lines(&lines, &signal, &stop)))
        .context("commands can't be read")?;
    Ok(())
}

fn read_lines(lines: &Sender<String>) {
    let input = io::stdin().lock().lines();
    for line in input.map_while(Result::ok) {
        if lines.send(line).is_err() {
            return;
        }
    }
}

/// Executes commands; their end, a long silence and an unknown command all end the run.
fn obey_lines(lines: &Receiver<String>, signal: &StartSignal, stop: &StopSwitch) {
    let boot_id = fs::read_to_string(BOOT_ID).unwrap_or_default(); // once: replies tell the time, and are not to wait
    let boot_id = boot_id.trim();
    while let Ok(line) = lines.recv_timeout(SILENCE) {
        if line.trim().is_empty() {
            continue; // the end of the order's line
        }
        match serde_json::from_str(&line) {
            Ok(ShareCommand::Clock { id }) => {
                if tell_time(id, signal.is_ready(), boot_id).is_err() {
                    break;
                }
            }
            Ok(ShareCommand::Begin {
                start_at_ns,
                clock_ahead_ns,
                clock_error_ns,
            }) => signal.begin_at(CommonStart {
                unix_ns: start_at_ns,
                clock_ahead_ns,
                clock_error_ns,
            }),
            Ok(ShareCommand::Stop) => stop.throw(), // and goes on reporting the time until all is written
            Err(_) => break,
        }
    }
    stop.throw();
}

/// Reports the time in one write: standard output has the records, too.
fn tell_time(id: u64, is_ready: bool, boot_id: &str) -> io::Result<()> {
    RecordWriter::new(terminal::raw_stdout()).write(&ClockRecord {
        record: "clock",
        id,
        realtime_ns: clock::realtime_ns(),
        is_ready,
        boot_id,
    })
}
