//! Runs one segment: workers drive the pool's connections over a few phases, at one pacing.

use crate::collect::Collector;
use crate::grid::Grid;
use crate::observe::{Observer, RunOutcome, SILENCES_KEPT, Status};
use crate::outage::{outages, path_failure};
use crate::pacing::{Pace, Pacing};
use crate::stop::{Cause, Failure};
use crate::worker::{
    IntervalMessage, LOST, Recorder, Worker, WorkerConnection, WorkerEnd, WorkerShared,
};
use crate::{DriveError, Fault, Load, Phase, counted, limits};
use dbdyno_meter::{Histogram, Interval, IntervalShape, Silence, clock, common_silences};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Describes one segment of a run.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) pacing: Pacing,
    pub(crate) phases: Vec<Phase>,
    /// Seed of the arrivals.
    pub(crate) seed: u64,
}

/// Drives each worker's share of the connections, and returns them with the outcome.
pub(crate) fn run_segment(
    load: &Load,
    segment: &Segment,
    shared: &Arc<WorkerShared>,
    shares: Vec<Vec<WorkerConnection>>,
    observer: &mut dyn Observer,
) -> (Vec<Vec<WorkerConnection>>, RunOutcome) {
    let cpu_before_ns = clock::process_cpu_ns();
    let shape = shape_of(load, segment);
    let (pages, filled) = channel();
    let (mut blanks, mut configs) = (Vec::new(), Vec::new());
    for (index, share) in shares.into_iter().enumerate() {
        let (blank, blank_intervals) = channel();
        configs.push(WorkerConfig {
            index,
            share,
            pages: pages.clone(),
            blank_intervals,
        });
        // Besides the interval that is being filled: the one before comes back within its second.
        let _ = blank.send(Box::new(Interval::new(shape)));
        blanks.push(blank);
    }
    drop(pages); // collecting ends when the last worker drops its sender
    let ends = Mutex::new(Vec::new());
    let mut completed = Vec::new();
    thread::scope(|scope| {
        for config in configs {
            let ends = &ends;
            let run = move || config.run(load, segment, shared, ends);
            let spawned = thread::Builder::new()
                .name("worker".to_owned())
                .spawn_scoped(scope, run);
            if let Err(error) = spawned {
                shared
                    .failure
                    .put(DriveError::system("starting a worker")(error).as_failure());
            }
        }
        completed = collect(shared, shape, blanks, &filled, observer);
    });
    let mut ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    if ends.len() < load.workers as usize {
        shared.failure.put(broken("a worker ended before its time"));
    }
    ends.sort_by_key(|end| end.worker);
    let shares = ends
        .iter_mut()
        .map(|end| std::mem::take(&mut end.connections))
        .collect();
    let process_cpu_ns = clock::process_cpu_ns() - cpu_before_ns;
    let outcome = account(load, shared, ends, &completed, process_cpu_ns);
    (shares, outcome)
}

fn shape_of(load: &Load, segment: &Segment) -> IntervalShape {
    IntervalShape {
        transaction_types: load.workload.spec().transaction_types.len(),
        statement_types: load.workload.spec().statement_types.len(),
        open_loop: segment.pacing.has_due_instants(),
    }
}

/// Holds the input of a worker thread.
struct WorkerConfig {
    index: usize,
    share: Vec<WorkerConnection>,
    pages: Sender<IntervalMessage>,
    blank_intervals: Receiver<Box<Interval>>,
}

impl WorkerConfig {
    fn run(
        self,
        load: &Load,
        segment: &Segment,
        shared: &Arc<WorkerShared>,
        ends: &Mutex<Vec<WorkerEnd>>,
    ) {
        let run = || self.take(load, segment, shared).map(Worker::run);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(end)) => ends
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(end),
            Ok(Err(error)) => shared.failure.put(error.as_failure()),
            // The panic message was printed where it happened; the other workers stop.
            Err(_) => shared.failure.put(broken("a worker panicked")),
        }
    }

    fn take(
        self,
        load: &Load,
        segment: &Segment,
        shared: &Arc<WorkerShared>,
    ) -> Result<Worker, DriveError> {
        limits::wake_punctually()?;
        if !load.cpus.is_empty() {
            limits::pin(&[load.cpus[self.index % load.cpus.len()]])?;
        }
        let grid = &shared.grid;
        let share = load
            .share
            .of_worker(self.index as u32, load.workers, load.concurrency);
        let pace = Pace::new(
            &segment.pacing,
            share,
            segment.seed,
            (grid.start_ns, grid.end_ns()),
        );
        let recorder = Recorder::new(
            self.index,
            shape_of(load, segment),
            Arc::clone(grid),
            self.pages,
            self.blank_intervals,
        );
        Worker::new(Arc::clone(shared), share.worker, self.share, pace, recorder)
    }
}

/// Passes the seconds on until no worker sends any more, and returns how many events were completed in each.
/// If the observer can't take them the run ends, because nobody would see the rest.
fn collect(
    shared: &WorkerShared,
    shape: IntervalShape,
    blanks: Vec<Sender<Box<Interval>>>,
    filled: &Receiver<IntervalMessage>,
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
    load: &Load,
    shared: &WorkerShared,
    ends: Vec<WorkerEnd>,
    completed: &[u64],
    process_cpu_ns: u64,
) -> RunOutcome {
    let sum = |count: fn(&WorkerEnd) -> u64| ends.iter().map(count).sum::<u64>();
    let (started, unsent) = (sum(|end| end.totals.started), sum(|end| end.unsent));
    let began_late_ns = ends.iter().map(|end| end.began_late_ns).max();
    let (in_flight_at_end, abandoned) = (sum(|end| end.in_flight_at_end), sum(|end| end.abandoned));
    let (completed_events, failed) = (
        sum(|end| end.totals.completed),
        sum(|end| end.totals.failed),
    );
    let mut unended = Histogram::new();
    ends.iter().for_each(|end| unended.merge(&end.unended));
    let (silences, outage_logs) = ends
        .into_iter()
        .map(|end| (end.silences, end.outages))
        .unzip();
    let silences = common_silences(silences);
    let outages = outages(
        outage_logs,
        load.connections(),
        shared.grid.start_ns,
        completed,
    );
    let lives_with = shared.policy.ignores(LOST);
    let lost = path_failure(&outages, lives_with, &shared.peer, shared.grid.zero_ns());
    let status = match (shared.failure.take(), lost) {
        // A connection was reset or timed out over a lost path: the path is the reason.
        (Some(failure), Some(lost)) if failure.cause != Cause::Network => Status::Failed(lost),
        (Some(failure), _) | (None, Some(failure)) => Status::Failed(failure),
        (None, None) if shared.stop.is_thrown() => Status::Interrupted,
        (None, None) => match unmeasured(load, &shared.grid, started, completed) {
            Some(failure) => Status::Failed(failure),
            None => Status::Complete,
        },
    };
    RunOutcome {
        status,
        scheduled: started + unsent,
        completed: completed_events,
        failed,
        unsent,
        in_flight_at_end,
        abandoned,
        unended,
        began_late_ns: began_late_ns.unwrap_or(0),
        process_cpu_ns,
        peak_rss_bytes: limits::peak_rss_bytes(),
        longest_silence_ns: silences.iter().map(Silence::waited_ns).max().unwrap_or(0),
        silences: match load.is_share() {
            true => longest_since(silences, shared.grid.zero_ns()),
            false => Vec::new(),
        },
        outages,
        network: None,
        search: None,
    }
}

/// Returns the failure of a run whose limited events left nothing to measure: the warm-up used them up.
fn unmeasured(load: &Load, grid: &Grid, started: u64, completed: &[u64]) -> Option<Failure> {
    let limit = load.events_limit.filter(|&limit| started >= limit)?;
    let seconds_before = grid.seconds_before_last_phase() as usize;
    let is_empty = completed
        .iter()
        .skip(seconds_before)
        .all(|&count| count == 0);
    (seconds_before > 0 && is_empty).then(|| Failure {
        code: None,
        statement: None,
        message: format!(
            "{} were used up and none was completed in the measured window: give more events (--events) or a shorter \
             warm-up",
            counted(limit, "event")
        ),
        fault: Fault::Request,
        cause: Cause::Client,
    })
}

/// Returns the longest silences, in order, by the time since second 0.
fn longest_since(mut silences: Vec<Silence>, zero_ns: u64) -> Vec<Silence> {
    silences.sort_by_key(|silence| std::cmp::Reverse(silence.length_ns()));
    silences.truncate(SILENCES_KEPT);
    silences.sort_by_key(|silence| silence.start_ns);
    let since = |silence: Silence| Silence {
        start_ns: silence.start_ns.saturating_sub(zero_ns),
        asked_ns: silence.asked_ns.saturating_sub(zero_ns),
        end_ns: silence.end_ns.saturating_sub(zero_ns),
    };
    silences.into_iter().map(since).collect()
}

fn broken(what: &str) -> Failure {
    Failure {
        code: None,
        statement: None,
        message: what.to_owned(),
        fault: Fault::Us,
        cause: Cause::Client,
    }
}
