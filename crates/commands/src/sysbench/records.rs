//! Writes dbdyno's own records of a run in sysbench's form: one JSON object per line, as in
//! `contract/sysbench-record.schema.json`.

use super::complaint;
use super::record_fields::{
    ConnectionsRecord, CountsSnapshot, EndRecord, IntervalRecord, StartRecord, ignored_errors,
};
use crate::record::{OutageRecord, PROGRAM, RecordWriter, word_of};
use crate::terminal;
use dbdyno_meter::{SECOND_NS, clock};
use dbdyno_sysbench::Engine;
use dbdyno_sysbench::db::ConnectionAccount;
use dbdyno_sysbench::options::{CommandLine, EarlyExit};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval at which the recorder checks whether the run has begun or is over.
const LOOK: Duration = Duration::from_millis(20);

/// The same when a second is over already.
const SHORTEST_LOOK: Duration = Duration::from_millis(1);

/// Version of the records.
const SCHEMA_VERSION: u32 = 1;

/// Writes a record each second while a run goes on, if records were asked for.
pub(super) struct SysbenchRecorder {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<IntervalRecorder>>>,
}

struct IntervalRecorder {
    writer: RecordWriter<Box<dyn Write + Send>>,
    last: CountsSnapshot,
    second: u64,
    /// Length of a second.
    second_ns: u64,
}

impl SysbenchRecorder {
    /// Opens the file and records what will run.
    pub(super) fn start(engine: &Arc<Engine>, line: &CommandLine) -> Result<Self, EarlyExit> {
        let over = Arc::new(AtomicBool::new(false));
        let Some(path) = &engine.settings.json_lines else {
            return Ok(Self { over, thread: None });
        };
        let name = line.name.as_deref().unwrap_or("-");
        let recorder = IntervalRecorder::open(path, engine, name)
            .map_err(|error| complaint(format!("--json-lines={}: {error}\n", path.display())))?;
        let (engine, is_over) = (Arc::clone(engine), Arc::clone(&over));
        let thread =
            std::thread::spawn(move || recorder.keep(&engine, || is_over.load(Ordering::Acquire)));
        Ok(Self {
            over,
            thread: Some(thread),
        })
    }

    /// Records how the run ended.
    pub(super) fn end(
        self,
        engine: &Engine,
        exit_code: u8,
        account: &ConnectionAccount,
    ) -> Result<(), EarlyExit> {
        self.over.store(true, Ordering::Release);
        let Some(thread) = self.thread else {
            return Ok(());
        };
        let kept = thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the recorder broke off")));
        kept.and_then(|mut recorder| recorder.end(engine, exit_code, account))
            .map_err(|error| complaint(format!("--json-lines: {error}\n")))
    }
}

impl IntervalRecorder {
    fn open(path: &Path, engine: &Engine, benchmark: &str) -> io::Result<Self> {
        let out: Box<dyn Write + Send> = match path.to_str() {
            Some("-") => Box::new(terminal::raw_stdout()),
            _ => Box::new(File::create(path)?),
        };
        let mut writer = RecordWriter::new(out);
        let settings = &engine.settings;
        writer.write(&StartRecord {
            record: "start",
            schema_version: SCHEMA_VERSION,
            program: PROGRAM,
            imitates: format!("sysbench {}", settings.dialect.version()),
            benchmark,
            threads: settings.threads,
            rate: settings.rate,
            warm_up_ns: u64::from(settings.warmup_s) * SECOND_NS,
            time_limit_ns: u64::from(settings.time_s) * SECOND_NS,
            events_limit: settings.events,
            seed: settings.random.seed,
            ignored_errors: ignored_errors(engine),
        })?;
        Ok(Self::new(writer))
    }

    fn new(writer: RecordWriter<Box<dyn Write + Send>>) -> Self {
        Self {
            writer,
            last: CountsSnapshot::default(),
            second: 0,
            second_ns: SECOND_NS,
        }
    }

    /// Writes a record at the end of each second, and one for the rest.
    ///
    /// The run may end at any moment, also between reading the counts and the next check. So the check comes
    /// first: counts read after the end of a run are complete. What a script does after the end is in no second.
    fn keep(mut self, engine: &Engine, is_over: impl Fn() -> bool) -> io::Result<Self> {
        while engine.control.began_ns().is_none() && !is_over() {
            std::thread::sleep(LOOK);
        }
        let Some(began_ns) = engine.control.began_ns() else {
            return Ok(self);
        };
        self.last.at_ns = began_ns;
        loop {
            let due_ns = began_ns + (self.second + 1) * self.second_ns;
            let is_due = || clock::monotonic_ns() >= due_ns && engine.control.ended_ns().is_none();
            while !is_due() && !is_over() {
                let left = Duration::from_nanos(due_ns.saturating_sub(clock::monotonic_ns()));
                std::thread::sleep(left.clamp(SHORTEST_LOOK, LOOK));
            }
            let is_last = is_over();
            self.turn(engine)?;
            if is_last {
                return Ok(self);
            }
        }
    }

    fn turn(&mut self, engine: &Engine) -> io::Result<()> {
        let page = CountsSnapshot::read(engine);
        let record = IntervalRecord {
            record: "interval",
            second: self.second,
            monotonic_ns: self.last.at_ns,
            realtime_ns: realtime_of(self.last.at_ns),
            duration_ns: page.at_ns.saturating_sub(self.last.at_ns),
            threads_running: engine.control.threads_running(),
            figures: page.since(&self.last),
        };
        self.last = page;
        self.second += 1;
        self.writer.write(&record)
    }

    /// Builds the record of the whole run: the sum of its intervals after the warm-up, because users that were given up
    /// in mid-event go on counting.
    fn end(
        &mut self,
        engine: &Engine,
        exit_code: u8,
        account: &ConnectionAccount,
    ) -> io::Result<()> {
        let failure = account.failure.as_ref();
        let page = &self.last;
        let first = CountsSnapshot::where_measuring_began(engine).unwrap_or_else(|| page.clone());
        self.writer.write(&EndRecord {
            record: "end",
            exit_code,
            reason: failure.map_or_else(String::new, ToString::to_string),
            failure_kind: failure.map(|failure| word_of(failure.cause)),
            outages: account.outages.iter().map(OutageRecord::of).collect(),
            duration_ns: page.at_ns.saturating_sub(first.at_ns),
            backlog: engine.control.undone_arrivals(page.at_ns),
            process_cpu_ns: clock::process_cpu_ns(),
            connections: ConnectionsRecord::of(engine.database.encryption()),
            figures: page.since(&first),
        })
    }
}

/// Returns the Unix time of an instant, by the clock as it is set now.
fn realtime_of(monotonic_ns: u64) -> u64 {
    (clock::realtime_ns() + monotonic_ns).saturating_sub(clock::monotonic_ns())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_sysbench::figures::{Counter, Stat};
    use dbdyno_sysbench::options::{self, Environment};
    use dbdyno_sysbench::run::{self, Failed, MainActor, Program, VirtualUser};
    use dbdyno_sysbench::{Actor, Dialect, Log};
    use serde_json::Value;
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::Mutex;

    /// Runs a user without a single event, until it may end.
    #[derive(Clone, Default)]
    struct Nothing {
        may_end: Arc<AtomicBool>,
    }

    impl Program for Nothing {
        fn user(&self, _: &Arc<Engine>, _: Rc<Actor>) -> Result<Box<dyn VirtualUser>, Failed> {
            Ok(Box::new(self.clone()))
        }
    }

    impl VirtualUser for Nothing {
        fn thread_init(&mut self) -> Result<(), Failed> {
            Ok(())
        }

        fn thread_run(&mut self) -> Result<(), Failed> {
            while !self.may_end.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        }

        fn thread_done(&mut self) -> Result<(), Failed> {
            Ok(())
        }
    }

    impl MainActor for Nothing {
        fn init(&mut self) -> Result<(), Failed> {
            Ok(())
        }

        fn cumulative(&mut self, _: &Stat) -> Result<bool, Failed> {
            Ok(true)
        }

        fn done(&mut self) -> Result<(), Failed> {
            Ok(())
        }
    }

    #[derive(Clone, Default)]
    struct SharedBytes(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedBytes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A run that has begun.
    struct RunUnderWay {
        engine: Arc<Engine>,
        nothing: Nothing,
        thread: JoinHandle<u8>,
    }

    impl RunUnderWay {
        fn begin() -> Self {
            let environment = Environment {
                dialect: Dialect::default(),
                own_name: true,
                own_form: false,
            };
            let words = ["--threads=1", "--verbosity=0"].map(str::to_owned);
            let line = options::parse(&words, &environment).unwrap();
            let engine = Engine::new(line.settings, Log::to(0, Box::new(io::sink())));
            let nothing = Nothing::default();
            let (running, program) = (Arc::clone(&engine), nothing.clone());
            let thread = std::thread::spawn(move || {
                let (program, mut main): (Arc<dyn Program>, _) =
                    (Arc::new(program), Nothing::default());
                run::run(&running, &program, &mut main)
            });
            while engine.control.began_ns().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            Self {
                engine,
                nothing,
                thread,
            }
        }

        fn end(self) -> Arc<Engine> {
            self.nothing.may_end.store(true, Ordering::Release);
            self.thread.join().unwrap();
            self.engine
        }
    }

    /// Returns a recorder of short seconds, and what it writes.
    fn recorder(second_ms: u64) -> (IntervalRecorder, SharedBytes) {
        let kept = SharedBytes::default();
        let out: Box<dyn Write + Send> = Box::new(kept.clone());
        let mut recorder = IntervalRecorder::new(RecordWriter::new(out));
        recorder.second_ns = second_ms * 1_000_000;
        (recorder, kept)
    }

    /// Returns the end and the intervals before it.
    fn records(kept: &SharedBytes) -> (Value, Vec<Value>) {
        let bytes = kept.0.lock().unwrap();
        let records = serde_json::Deserializer::from_slice(&bytes).into_iter();
        let mut records: Vec<Value> = records.collect::<Result<_, _>>().unwrap();
        (records.pop().unwrap(), records)
    }

    fn sum(records: &[Value], field: &str) -> u64 {
        let values = records.iter().map(|record| record[field].as_u64());
        values.map(Option::unwrap).sum()
    }

    /// Statements are counted up to the end, and the run ends at the n-th check of the time.
    #[test]
    fn intervals_add_up_to_the_whole_whenever_the_run_ends() {
        for last_question in 1..6 {
            let run = RunUnderWay::begin();
            let engine = &run.engine;
            std::thread::sleep(Duration::from_millis(5));
            let (recorder, kept) = recorder(1); // the first second is over when it begins
            let (asked, user) = (Cell::new(0), engine.user_actor(0));
            let is_over = || {
                asked.set(asked.get() + 1);
                if asked.get() <= last_question {
                    engine.figures.count(&user, Counter::Read);
                }
                asked.get() >= last_question
            };
            let mut recorder = recorder.keep(engine, is_over).unwrap();
            recorder
                .end(engine, 0, &ConnectionAccount::default())
                .unwrap();
            run.end();
            let (end, intervals) = records(&kept);
            let reads = sum(&intervals, "reads");
            assert_eq!(reads, last_question, "ended at question {last_question}");
            assert_eq!(end["reads"], reads);
        }
    }

    /// As where a script tidies up for long after its last event.
    #[test]
    fn what_comes_after_the_end_of_the_run_is_in_no_second() {
        let run = RunUnderWay::begin();
        std::thread::sleep(Duration::from_millis(20));
        let engine = run.end();
        let control = &engine.control;
        let lasted_ns = control.ended_ns().unwrap() - control.began_ns().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let (recorder, kept) = recorder(1_000);
        let asked = Cell::new(0);
        let is_over = || asked.replace(asked.get() + 1) > 3;
        let mut recorder = recorder.keep(&engine, is_over).unwrap();
        recorder
            .end(&engine, 0, &ConnectionAccount::default())
            .unwrap();
        let (end, intervals) = records(&kept);
        assert_eq!(intervals.len(), 1);
        assert_eq!(sum(&intervals, "duration_ns"), lasted_ns);
        assert_eq!(end["duration_ns"], lasted_ns);
        let begun_ns = intervals[0]["realtime_ns"].as_u64().unwrap();
        let since_ns = clock::realtime_ns() - begun_ns;
        assert!(since_ns >= lasted_ns + 100_000_000, "{since_ns}");
    }
}
