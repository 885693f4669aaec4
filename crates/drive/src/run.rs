//! A run from log-in to account.

use crate::collect::{Collector, realtime_of};
use crate::grid::Grid;
use crate::login::{Opened, Opener, open_all};
use crate::observe::{Level, Observer, Outcome, Start, Status};
use crate::outage::outages;
use crate::pacing::{Pace, Share};
use crate::stop::{Failure, FailureSlot};
use crate::worker::{Book, Connection, Page, Shared, Worker, WorkerEnd};
use crate::{DriveError, Fault, Load, StopSwitch, limits};
use dbdyno_meter::{Interval, Shape, clock, longest_common_silence_ns};
use dbdyno_wire::StatementText;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// From the moment everything is ready to second 0, so that the start is told before it happens.
const LEAD_NS: u64 = 50_000_000;

/// Blank pages a worker begins with: one is being filled, one or two are on their way.
const BLANK_PAGES: usize = 2;

/// Runs a load on the calling thread and its workers, and tells `observer` second by second.
///
/// # Errors
///
/// The load could not begin. What happens after its start is told by the [`Outcome`].
pub fn drive(
    load: &Load,
    stop: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<Outcome, DriveError> {
    load.check()?;
    limits::allow_open_files(load.concurrency)?;
    if !load.cpus.is_empty() {
        limits::pin(&load.cpus)?;
    }
    let began_ns = clock::monotonic_ns();
    let opener = Arc::new(Opener::new(load.clone()));
    let session = opener.ask_session()?;
    let connections = with_users(load, open_all(&opener, stop)?);
    let now_ns = clock::monotonic_ns();
    let start = Start {
        monotonic_ns: now_ns + LEAD_NS,
        realtime_ns: realtime_of(now_ns + LEAD_NS),
        session,
        connect_ns: now_ns - began_ns,
        connect_retries: opener.tally().connect_retries,
        prepared_statements: opener.tally().prepared,
        statements_as_text: opener.tally().as_text,
    };
    observer
        .started(&start)
        .map_err(DriveError::system("writing the start of the run"))?;
    for text in not_as_asked(load, &start) {
        observer
            .message(Level::Warning, &text)
            .map_err(DriveError::system("writing the start of the run"))?;
    }
    let shared = Arc::new(share(load, stop, opener, start.monotonic_ns));
    run_workers(load, &shared, connections, observer)
}

/// What the server did not grant, in words.
fn not_as_asked(load: &Load, start: &Start) -> Vec<String> {
    let mut texts = Vec::new();
    if start.statements_as_text > 0 {
        texts.push(format!(
            "max_prepared_stmt_count of the server was reached: {} statements are prepared, {} are sent as text, \
             which costs client and server another price",
            start.prepared_statements, start.statements_as_text
        ));
    }
    if start.session.compression != load.session.compression {
        texts.push("the server does not pack the bytes of its connections as asked".to_owned());
    }
    texts
}

fn with_users(load: &Load, opened: Vec<Opened>) -> Vec<Connection> {
    let users = (0..).map(|index| load.workload.user(index));
    opened
        .into_iter()
        .zip(users)
        .map(|(opened, user)| Connection::new(opened, user))
        .collect()
}

fn share(load: &Load, stop: &StopSwitch, opener: Arc<Opener>, start_ns: u64) -> Shared {
    let statements = load.workload.statements();
    Shared {
        statement_types: statements
            .iter()
            .map(|statement| statement.statement_type)
            .collect(),
        texts: statements
            .iter()
            .map(|statement| StatementText::new(&statement.text))
            .collect(),
        workload: Arc::clone(&load.workload),
        policy: load.errors.clone(),
        seed: load.seed,
        grid: Arc::new(Grid::new(start_ns, &load.phases)),
        drain_ns: u64::try_from(load.drain.as_nanos()).unwrap_or(u64::MAX / 2),
        opener,
        stop: stop.clone(),
        failure: Arc::new(FailureSlot::default()),
        quota: load.events_limit.map(AtomicU64::new),
    }
}

fn shape_of(load: &Load) -> Shape {
    Shape {
        transaction_types: load.workload.transaction_types().len(),
        statement_types: load.workload.statement_types().len(),
        open_loop: load.pacing.has_due_instants(),
    }
}

/// Connections go to the workers in turn, as do the arrivals of an open loop.
fn deal(connections: Vec<Connection>, workers: usize) -> Vec<Vec<Connection>> {
    let mut shares: Vec<Vec<Connection>> = std::iter::repeat_with(Vec::new).take(workers).collect();
    for (index, connection) in connections.into_iter().enumerate() {
        shares[index % workers].push(connection);
    }
    shares
}

fn run_workers(
    load: &Load,
    shared: &Arc<Shared>,
    connections: Vec<Connection>,
    observer: &mut dyn Observer,
) -> Result<Outcome, DriveError> {
    let cpu_before_ns = clock::process_cpu_ns();
    let (pages, filled) = channel();
    let mut blanks = Vec::new();
    let mut workers = Vec::new();
    for (index, share) in deal(connections, load.workers as usize)
        .into_iter()
        .enumerate()
    {
        let (blank, blank_pages) = channel();
        workers.push(Seat {
            index,
            share,
            pages: pages.clone(),
            blank_pages,
        });
        (0..BLANK_PAGES).for_each(|_| drop(blank.send(Box::new(Interval::new(shape_of(load))))));
        blanks.push(blank);
    }
    drop(pages); // the collecting ends when the last worker drops its own
    let ends = Mutex::new(Vec::new());
    let mut completed = Vec::new();
    thread::scope(|scope| {
        for seat in workers {
            let ends = &ends;
            let run = move || seat.run(load, shared, ends);
            let spawned = thread::Builder::new()
                .name("worker".to_owned())
                .spawn_scoped(scope, run);
            if let Err(error) = spawned {
                shared
                    .failure
                    .put(DriveError::system("starting a worker")(error).as_failure());
            }
        }
        completed = collect(shared, shape_of(load), blanks, &filled, observer);
    });
    let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    if ends.len() < load.workers as usize {
        shared.failure.put(broken("a worker ended before its time"));
    }
    Ok(account(
        shared,
        load.concurrency,
        ends,
        &completed,
        clock::process_cpu_ns() - cpu_before_ns,
    ))
}

/// What a worker thread is given.
struct Seat {
    index: usize,
    share: Vec<Connection>,
    pages: Sender<Page>,
    blank_pages: Receiver<Box<Interval>>,
}

impl Seat {
    fn run(self, load: &Load, shared: &Arc<Shared>, ends: &Mutex<Vec<WorkerEnd>>) {
        let run = || self.take(load, shared).map(Worker::run);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(end)) => ends
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(end),
            Ok(Err(error)) => shared.failure.put(error.as_failure()),
            // The panic itself was printed where it happened; the other workers stop.
            Err(_) => shared.failure.put(broken("a worker panicked")),
        }
    }

    fn take(self, load: &Load, shared: &Arc<Shared>) -> Result<Worker, DriveError> {
        limits::wake_punctually()?;
        if !load.cpus.is_empty() {
            limits::pin(&[load.cpus[self.index % load.cpus.len()]])?;
        }
        let grid = &shared.grid;
        let share = Share {
            worker: self.index as u32,
            workers: load.workers,
            connections: load.concurrency,
        };
        let pace = Pace::new(
            &load.pacing,
            share,
            load.seed,
            (grid.start_ns, grid.end_ns()),
        );
        let book = Book::new(
            self.index,
            shape_of(load),
            Arc::clone(grid),
            self.pages,
            self.blank_pages,
        );
        Worker::new(Arc::clone(shared), self.share, pace, book)
    }
}

/// Hands the seconds on until no worker sends any more, and says how many events were completed in each.
/// When they can't be taken the run ends, because nobody would see the rest.
fn collect(
    shared: &Shared,
    shape: Shape,
    blanks: Vec<Sender<Box<Interval>>>,
    filled: &Receiver<Page>,
    observer: &mut dyn Observer,
) -> Vec<u64> {
    let mut collector = Collector::new(Arc::clone(&shared.grid), shape, blanks, observer);
    let taken = filled.iter().try_for_each(|page| collector.take(page));
    if let Err(error) = taken.and_then(|()| collector.finish()) {
        shared
            .failure
            .put(DriveError::system("writing records")(error).as_failure());
    }
    collector.into_completed()
}

fn account(
    shared: &Shared,
    connections: u32,
    ends: Vec<WorkerEnd>,
    completed: &[u64],
    process_cpu_ns: u64,
) -> Outcome {
    let sum = |count: fn(&WorkerEnd) -> u64| ends.iter().map(count).sum::<u64>();
    let (started, unsent) = (sum(|end| end.totals.started), sum(|end| end.unsent));
    let (in_flight_at_end, abandoned) = (sum(|end| end.in_flight_at_end), sum(|end| end.abandoned));
    let (completed_events, failed) = (
        sum(|end| end.totals.completed),
        sum(|end| end.totals.failed),
    );
    let (silences, outage_logs) = ends
        .into_iter()
        .map(|end| (end.silences, end.outages))
        .unzip();
    let status = match shared.failure.take() {
        Some(failure) => Status::Failed(failure),
        None if shared.stop.is_thrown() => Status::Interrupted,
        None => Status::Complete,
    };
    Outcome {
        status,
        scheduled: started + unsent,
        completed: completed_events,
        failed,
        unsent,
        in_flight_at_end,
        abandoned,
        process_cpu_ns,
        peak_rss_bytes: limits::peak_rss_bytes(),
        longest_silence_ns: longest_common_silence_ns(silences),
        outages: outages(outage_logs, connections, shared.grid.start_ns, completed),
    }
}

fn broken(what: &str) -> Failure {
    Failure {
        code: None,
        statement: None,
        message: what.to_owned(),
        fault: Fault::Us,
    }
}
