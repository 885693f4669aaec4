//! Runs the reporting thread: intermediate reports and checkpoints, when they are due.

use super::dues::Dues;
use super::{Failed, LAST_WORDS_NS, Program, Reporter};
use crate::figures::{Ledger, Stat};
use crate::text::IntervalFigures;
use crate::{Engine, Level, text};
use dbdyno_fiber::{Signal, monotonic_ns};
use dbdyno_meter::SECOND_NS;
use std::os::unix::thread::JoinHandleExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How long a report that is being written may take when the run is over.
const CLOSE_TIMEOUT_NS: u64 = 5 * SECOND_NS;

/// A thread that reports, if any reports were asked for.
pub(super) struct Reporting {
    shared: Arc<ReportingShared>,
    program: Arc<dyn Program>,
    thread: Option<JoinHandle<()>>,
}

struct ReportingShared {
    engine: Arc<Engine>,
    ledger: Arc<Mutex<Ledger>>,
    stage: Mutex<ReportingStage>,
    /// Given at every change of the stage.
    changed: Signal,
}

/// Says how far the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportingStage {
    Waiting,
    /// Time counts from there.
    Running {
        from_ns: u64,
    },
    /// Reports that were due until then are still written.
    Over {
        from_ns: u64,
        ended_ns: u64,
    },
    Closed,
}

impl Reporting {
    /// Starts the thread; it reports nothing before [`begin`](Self::begin).
    pub(super) fn start(
        engine: &Arc<Engine>,
        program: &Arc<dyn Program>,
        ledger: &Arc<Mutex<Ledger>>,
    ) -> Self {
        let shared = Arc::new(ReportingShared {
            engine: Arc::clone(engine),
            ledger: Arc::clone(ledger),
            stage: Mutex::new(ReportingStage::Waiting),
            changed: Signal::new(),
        });
        let settings = &engine.settings;
        let wanted = settings.report_interval_s > 0 || !settings.checkpoints_s.is_empty();
        let thread = wanted.then(|| {
            let (shared, program) = (Arc::clone(&shared), Arc::clone(program));
            let builder = std::thread::Builder::new().name("reporting".to_owned());
            let thread = builder.spawn(move || {
                report(&shared, &program);
                shared.set(ReportingStage::Closed);
            });
            thread.expect("the system gives a thread")
        });
        Self {
            shared,
            program: Arc::clone(program),
            thread,
        }
    }

    /// Counts time from `from_ns`.
    pub(super) fn begin(&self, from_ns: u64) {
        self.shared.set(ReportingStage::Running { from_ns });
    }

    /// Ends the run: waits until what was due by `ended_ns` is reported and its writers have gone.
    pub(super) fn end(self, ended_ns: u64) {
        let Some(thread) = self.thread else { return };
        let over = match self.shared.stage() {
            ReportingStage::Running { from_ns } => ReportingStage::Over { from_ns, ended_ns },
            ReportingStage::Waiting => ReportingStage::Over {
                from_ns: u64::MAX,
                ended_ns: 0,
            },
            stage => stage,
        };
        if over != ReportingStage::Closed {
            self.shared.set(over);
        }
        let is_closed = || self.shared.stage() == ReportingStage::Closed;
        let closes_within =
            |ns| super::await_change(&self.shared.changed, monotonic_ns() + ns, is_closed);
        if closes_within(CLOSE_TIMEOUT_NS)
            || self.program.interrupt(thread.as_pthread_t()) && closes_within(LAST_WORDS_NS)
        {
            // The thread itself has reported a panic.
            let _: std::thread::Result<()> = thread.join();
        }
    }
}

impl ReportingShared {
    fn stage(&self) -> ReportingStage {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, stage: ReportingStage) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        self.changed.notify_all();
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(shared: &ReportingShared, program: &Arc<dyn Program>) {
    let Ok(mut desk) = ReportWriters::open(shared, program) else {
        shared.engine.control.fail();
        return;
    };
    let from_ns = loop {
        let generation = shared.changed.generation();
        match shared.stage() {
            ReportingStage::Waiting => shared.changed.wait_past(generation, None),
            ReportingStage::Running { from_ns } | ReportingStage::Over { from_ns, .. } => {
                break from_ns;
            }
            ReportingStage::Closed => return,
        }
    };
    let mut dues = Dues::new(&shared.engine.settings, from_ns);
    while let Some(due_ns) = dues.next_ns() {
        if !await_instant(shared, due_ns) {
            return;
        }
        // An interval that ends with a checkpoint is read before it, which empties a histogram, and printed after it.
        let ends_interval = dues.takes_interval(due_ns, monotonic_ns());
        let figures = ends_interval.then(|| desk.read_interval(due_ns));
        if dues.takes_checkpoint(due_ns) {
            desk.checkpoint();
        }
        if let Some(figures) = figures {
            desk.interval(&figures);
        }
    }
}

/// Waits until a report is due. False if the run ended before.
fn await_instant(shared: &ReportingShared, due_ns: u64) -> bool {
    loop {
        let generation = shared.changed.generation();
        match shared.stage() {
            ReportingStage::Over { ended_ns, .. } if due_ns > ended_ns => return false,
            ReportingStage::Over { .. } | ReportingStage::Closed => return true,
            _ if monotonic_ns() >= due_ns => return true,
            _ => shared.changed.wait_past(generation, Some(due_ns)),
        }
    }
}

/// Says who writes the two kinds of report.
struct ReportWriters<'a> {
    shared: &'a ReportingShared,
    program: &'a Arc<dyn Program>,
    intermediate: Option<Box<dyn Reporter>>,
    cumulative: Option<Box<dyn Reporter>>,
}

impl<'a> ReportWriters<'a> {
    fn open(shared: &'a ReportingShared, program: &'a Arc<dyn Program>) -> Result<Self, Failed> {
        let engine = &shared.engine;
        let writer = |place, wanted: bool, started: &str| {
            if !wanted {
                return Ok(None);
            }
            let writer = program.reporter(engine, engine.reporting_actor(place))?;
            engine.log.say(Level::Debug, started);
            Ok(writer)
        };
        let intervals = engine.settings.report_interval_s > 0;
        let checkpoints = !engine.settings.checkpoints_s.is_empty();
        Ok(Self {
            shared,
            program,
            intermediate: writer(0, intervals, "Reporting thread started")?,
            cumulative: writer(1, checkpoints, "Checkpoints report thread started")?,
        })
    }

    fn read_interval(&self, due_ns: u64) -> IntervalFigures {
        let engine = &self.shared.engine;
        let now_ns = monotonic_ns();
        let running = engine.figures.running_at(due_ns);
        let queue = engine.control.queue(&engine.figures, now_ns);
        let mut ledger = self.shared.ledger();
        ledger.interval(&engine.figures, now_ns, running, queue)
    }

    fn interval(&mut self, figures: &IntervalFigures) {
        let engine = &self.shared.engine;
        let handled = match &mut self.intermediate {
            Some(writer) => writer.intermediate(&Stat::intermediate(figures)),
            None => Ok(false),
        };
        if handled == Ok(false) {
            let percentile = engine.settings.percentile;
            let line = text::interval(figures, percentile, engine.figures.has_driver());
            engine.log.print_timed(Level::Notice, &line);
        }
    }

    fn checkpoint(&mut self) {
        let engine = &self.shared.engine;
        let now_ns = monotonic_ns();
        let running = engine.control.threads_running();
        let figures = self.shared.ledger().full(&engine.figures, now_ns, now_ns);
        let heading = text::checkpoint_heading(&figures);
        engine.log.print_timed(Level::Notice, &heading);
        let handled = match &mut self.cumulative {
            Some(writer) => writer.cumulative(&Stat::cumulative(&figures, running)),
            None => Ok(false),
        };
        if handled == Ok(false) {
            super::closing::print_full(engine, self.program, &figures);
        }
    }
}
