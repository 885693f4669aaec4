//! Implements `dbdyno-load threads`: it watches the session threads of a server and writes one record a second.

use crate::arguments::ThreadsArguments;
use crate::cli_error::{CliError, Exit, unwritable};
use crate::error_code::ErrorCode;
use crate::signals;
use crate::terminal;
use anyhow::Context as _;
use dbdyno_chance::Stream;
use dbdyno_meter::{SECOND_NS, clock};
use dbdyno_threads::{
    Client, Placement, ProbedSite, Sampler, SamplerOptions, SecondRecord, SeenStack, ThreadsError,
    WaitClass, allow_open_files,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Interval between two searches for sessions before the start.
const SEARCH_INTERVAL: Duration = Duration::from_millis(5);
/// Longest sleep: a signal is noticed within it.
const LONGEST_SLEEP_NS: u64 = 100_000_000;
/// Stacks in the last record.
const STACKS: usize = 40;

/// Describes a line of the output; see `contract/threads-record.schema.json`.
#[derive(Debug, Serialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum Record {
    Start {
        schema_version: u32,
        rate_hz: u32,
        start_ns: u64,
        connections: usize,
        sessions: usize,
    },
    Second {
        second: u32,
        sessions: usize,
        on_cpu_ns: u64,
        run_queue_ns: u64,
        samples: u64,
        running: u64,
        waits: BTreeMap<&'static str, u64>,
        background: Vec<Background>,
    },
    End {
        /// Threads that served several sessions: a pool.
        pooled: usize,
        /// Processor time of the sampler itself.
        cpu_ns: u64,
        reason: &'static str,
        stacks: Vec<Stack>,
    },
}

#[derive(Debug, Serialize)]
struct Background {
    name: String,
    threads: usize,
    on_cpu_ns: u64,
    run_queue_ns: u64,
}

#[derive(Debug, Serialize)]
struct Stack {
    samples: u64,
    class: Option<&'static str>,
    class_by_call: &'static str,
    frames: Vec<FrameRecord>,
}

#[derive(Debug, Serialize)]
struct FrameRecord {
    file: String,
    build_id: String,
    address: u64,
    function: Option<String>,
}

/// Describes a wait site, as the lab writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Site {
    build_id: String,
    address: u64,
    class: String,
}

/// Watches until the server or the client ends, the seconds are over, or a signal comes.
pub(crate) fn run(arguments: &ThreadsArguments) -> anyhow::Result<Exit> {
    let stop = signals::stop_switch()?;
    let sites = arguments.sites.as_deref().map(read_sites).transpose()?;
    let options = SamplerOptions {
        server: arguments.server_pid,
        client: arguments
            .client_pid
            .map_or(Client::OtherHosts, Client::Process),
        probed: sites.unwrap_or_default(),
    };
    allow_open_files();
    let mut sampler = Sampler::new(options).map_err(|error| failed(&error))?;
    let start_ns = arguments
        .start_ns
        .unwrap_or_else(|| clock::monotonic_ns() + 10 * SEARCH_INTERVAL.as_nanos() as u64);
    loop {
        sampler.find_sessions().map_err(|error| failed(&error))?;
        if clock::monotonic_ns() + SEARCH_INTERVAL.as_nanos() as u64 >= start_ns {
            break;
        }
        thread::sleep(SEARCH_INTERVAL);
    }
    sleep_until(start_ns, &|| stop.is_thrown());
    if arguments.client_pid.is_none() && sampler.connections() == 0 {
        return Err(no_distant_client().into());
    }
    sampler.end_second();
    write(&Record::Start {
        schema_version: 1,
        rate_hz: arguments.rate,
        start_ns,
        connections: sampler.connections(),
        sessions: sampler.sessions(),
    })?;
    sampler.read_names();
    let mut watch = SampleSchedule {
        start_ns,
        rate_hz: arguments.rate,
        draws: Stream::from_state([start_ns, u64::from(arguments.server_pid)]),
        placement: Placement::take(), // after the names, which take long to read
        is_over: &|| stop.is_thrown(),
    };
    let mut reason = "done";
    for second in 0..arguments.seconds.unwrap_or(u32::MAX) {
        if let Err(error) = watch.second(&mut sampler, second) {
            reason = match error {
                ThreadsError::NoProcess(_) => "server ended",
                ThreadsError::Refused { error, .. } if is_out_of_files(&error) => "open files",
                _ => "refused",
            };
            break;
        }
        if stop.is_thrown() {
            reason = "signal";
            break;
        }
        write(&second_record(second, sampler.end_second()))?;
        if sampler.client_has_ended() {
            reason = "client ended";
            break;
        }
    }
    write(&Record::End {
        pooled: sampler.pooled(),
        cpu_ns: clock::process_cpu_ns(),
        reason,
        stacks: sampler.stacks(STACKS).into_iter().map(stack).collect(),
    })?;
    Ok(Exit::Done)
}

/// Says when to sample.
struct SampleSchedule<'a> {
    start_ns: u64,
    rate_hz: u32,
    draws: Stream,
    placement: Placement,
    is_over: &'a dyn Fn() -> bool,
}

impl SampleSchedule<'_> {
    /// Samples once in each part of a second, at an instant drawn within it: work that the server does in step with the
    /// clock is not seen more often than it happens.
    fn second(&mut self, sampler: &mut Sampler, second: u32) -> Result<(), ThreadsError> {
        let begin_ns = self.start_ns + u64::from(second) * SECOND_NS;
        let part_ns = SECOND_NS / u64::from(self.rate_hz);
        for part in 0..u64::from(self.rate_hz) {
            let due_ns = begin_ns + part * part_ns + u64::from(self.draws.below(part_ns as u32));
            let place = self.draws.below(self.placement.count() as u32);
            self.placement.move_to(place as usize);
            if !sleep_until(due_ns, self.is_over) {
                return Ok(());
            }
            if clock::monotonic_ns() < begin_ns + (part + 1) * part_ns + part_ns {
                sampler.tick()?; // a late sampler skips samples instead of crowding them
            }
        }
        sleep_until(begin_ns + SECOND_NS, self.is_over);
        if sampler.sessions() < sampler.connections() {
            let _ = sampler.find_sessions(); // the client may just have ended: its last second still counts
        }
        Ok(())
    }
}

/// Sleeps; returns `false` if it is over.
fn sleep_until(due_ns: u64, is_over: &dyn Fn() -> bool) -> bool {
    loop {
        if is_over() {
            return false;
        }
        let left_ns = due_ns.saturating_sub(clock::monotonic_ns());
        if left_ns == 0 {
            return true;
        }
        thread::sleep(Duration::from_nanos(left_ns.min(LONGEST_SLEEP_NS)));
    }
}

fn second_record(second: u32, of: SecondRecord) -> Record {
    let waits = WaitClass::ALL.iter().zip(of.waits);
    Record::Second {
        second,
        sessions: of.sessions,
        on_cpu_ns: of.on_cpu_ns,
        run_queue_ns: of.run_queue_ns,
        samples: of.samples,
        running: of.running,
        waits: waits
            .filter(|(_, count)| *count > 0)
            .map(|(class, count)| (class.id(), count))
            .collect(),
        background: of
            .background
            .into_iter()
            .map(|group| Background {
                name: group.name,
                threads: group.threads,
                on_cpu_ns: group.on_cpu_ns,
                run_queue_ns: group.run_queue_ns,
            })
            .collect(),
    }
}

fn stack(seen: SeenStack) -> Stack {
    Stack {
        samples: seen.samples,
        class: seen.class.map(WaitClass::id),
        class_by_call: seen.class_by_call.id(),
        frames: seen
            .frames
            .into_iter()
            .map(|frame| FrameRecord {
                file: frame.file,
                build_id: frame.build_id,
                address: frame.address,
                function: frame.function,
            })
            .collect(),
    }
}

fn read_sites(path: &Path) -> anyhow::Result<Vec<ProbedSite>> {
    let wrong = |why: String| {
        CliError::request(
            ErrorCode::SitesUnreadable,
            format!("{} can't be read", path.display()),
        )
        .because(why)
    };
    let text = dbdyno_input::read_text(path).map_err(|error| wrong(error.to_string()))?;
    let sites: Vec<Site> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let site = |site: Site| {
        let class = WaitClass::of_id(&site.class);
        let class =
            class.ok_or_else(|| wrong(format!("there is no class of waits {}", site.class)))?;
        Ok(ProbedSite {
            build_id: site.build_id,
            address: site.address,
            class,
        })
    };
    sites.into_iter().map(site).collect()
}

fn no_distant_client() -> CliError {
    CliError::world(
        ErrorCode::NoDistantClient,
        "no client on another host is connected to the server",
    )
    .because("all its connections begin on this host, or it has none")
    .hint("start the load first; name a client on this host with --client-pid")
}

fn failed(error: &ThreadsError) -> CliError {
    let failure = CliError::world(
        ErrorCode::ThreadsUnwatched,
        "the threads of the server can't be watched",
    )
    .because(error);
    match error {
        ThreadsError::Refused { error, .. } if is_out_of_files(error) => failure
            .hint("raise the hard limit of open files (ulimit -Hn): each thread takes two of them"),
        _ => failure,
    }
}

fn is_out_of_files(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EMFILE)
}

fn write(record: &Record) -> anyhow::Result<()> {
    let line = serde_json::to_string(record).context("a record can't be written")?;
    let mut out = terminal::raw_stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(unwritable("the records"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_threads::{GroupSecond, SeenFrame};
    use serde_json::Value;
    use std::fs;

    const SAMPLE: &str = include_str!("../../../contract/samples/threads-records.jsonl");

    /// Returns a record of the sample by its kind.
    fn sample(kind: &str) -> Value {
        let lines = SAMPLE
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .into_iter()
            .find(|line| line["record"] == kind)
            .unwrap()
    }

    #[test]
    fn a_second_is_written_as_in_the_sample() {
        let mut waits = [0; WaitClass::ALL.len()];
        for (class, count) in [("client", 30), ("redo_flush", 80), ("latch", 8)] {
            let class = WaitClass::of_id(class).unwrap();
            waits[WaitClass::ALL
                .iter()
                .position(|other| *other == class)
                .unwrap()] = count;
        }
        let second = SecondRecord {
            sessions: 8,
            on_cpu_ns: 1_200_000_000,
            run_queue_ns: 800_000_000,
            samples: 160,
            running: 42,
            waits,
            background: vec![GroupSecond {
                name: "page_cleaner".to_owned(),
                threads: 1,
                on_cpu_ns: 3_000_000,
                run_queue_ns: 400_000,
            }],
        };
        let written = serde_json::to_value(second_record(0, second)).unwrap();
        assert_eq!(written, sample("second"));
    }

    #[test]
    fn a_stack_is_written_as_in_the_sample() {
        let seen = SeenStack {
            samples: 80,
            class: Some(WaitClass::RedoFlush),
            class_by_call: WaitClass::NotNamed,
            frames: vec![SeenFrame {
                file: "mariadbd".to_owned(),
                build_id: "5d9032b5".to_owned(),
                address: 14_748_563,
                function: Some("net_real_write".to_owned()),
            }],
        };
        let written = serde_json::to_value(stack(seen)).unwrap();
        assert_eq!(written, sample("end")["stacks"][0]);
    }

    #[test]
    fn sites_are_read_and_a_wrong_class_is_named() {
        let path = std::env::temp_dir().join(format!("sites-{}.json", std::process::id()));
        let write = |class: &str| {
            let site = format!(r#"[{{"build_id": "b", "address": 7, "class": "{class}"}}]"#);
            fs::write(&path, site).unwrap();
        };
        write("row_lock");
        let sites = read_sites(&path).unwrap();
        assert_eq!((sites[0].address, sites[0].class), (7, WaitClass::RowLock));
        write("rowlock");
        let error = read_sites(&path).unwrap_err();
        let error = error.downcast_ref::<CliError>().unwrap();
        assert!(error.why.as_ref().unwrap().contains("rowlock"));
        fs::remove_file(path).unwrap();
    }
}
