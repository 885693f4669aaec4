//! Starts all hosts together, watches them, and ends them together.

pub(super) use super::connection::ShareFailure;
use super::connection::{Connection, Pipes};
use super::host_clock::ClockOffset;
use super::live_records::LiveRecords;
use super::share_command::ShareCommand;
use crate::run::merge::ShareSource;
use crate::terminal;
use anyhow::Context as _;
use dbdyno_drive::StopSwitch;
use dbdyno_meter::clock;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time from sending the start to the start. Shares report their start 100 ms before it.
const LEAD_NS: u64 = 500_000_000;

/// Comparisons of the clocks before the start.
const EXCHANGES: usize = 20;

/// Time limit of one of them.
const EXCHANGE_WAIT: Duration = Duration::from_secs(1);

/// How often shares are checked for a sign of life.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// The same until they are ready.
const ASK_OFTEN: Duration = Duration::from_millis(200);

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Time that hosts may take to end after the last command: events under way have 5 s unless another drain is asked for.
const END_WAIT: Duration = Duration::from_secs(8);

/// Controls all hosts of one client.
pub(super) struct Hosts {
    shared: Arc<SharedHosts>,
    sources: Mutex<Vec<(String, Box<dyn ShareSource>)>>,
}

struct SharedHosts {
    connections: Vec<Connection>,
    /// The user's switch.
    stop: StopSwitch,
    is_stopping: AtomicBool,
    has_begun: AtomicBool,
    is_done: AtomicBool,
    /// The failure that ended all hosts.
    failure: Mutex<Option<ShareFailure>>,
}

impl Hosts {
    /// Starts the share of each host.
    pub(super) fn start(shares: Vec<ShareCommand>, stop: StopSwitch) -> anyhow::Result<Self> {
        let (mut connections, mut pipes) = (Vec::new(), Vec::new());
        let mut sources: Vec<(String, Box<dyn ShareSource>)> = Vec::new();
        for share in &shares {
            let (sender, records) = channel();
            let (connection, own) = Connection::start(share, sender)?;
            connections.push(connection);
            pipes.push(own);
            sources.push((share.host.clone(), Box::new(LiveRecords::new(records))));
        }
        let shared = Arc::new(SharedHosts {
            connections,
            stop,
            is_stopping: AtomicBool::new(false),
            has_begun: AtomicBool::new(false),
            is_done: AtomicBool::new(false),
            failure: Mutex::default(),
        });
        let hosts = Self {
            shared,
            sources: Mutex::new(sources),
        };
        hosts.watch(pipes).context("load hosts can't be watched")?;
        Ok(hosts)
    }

    /// Waits until all are ready, and sends them the start; otherwise returns what prevented it, `None` for the user.
    pub(super) fn begin(&self) -> Result<(), Option<ShareFailure>> {
        let shared = &*self.shared;
        while !shared.connections.iter().all(Connection::is_ready) {
            shared.check()?;
            thread::sleep(LOOK_EVERY);
        }
        shared.warn_of_one_machine();
        let offsets = shared.compare_clocks()?;
        let start_at_ns = clock::realtime_ns() + LEAD_NS;
        for (connection, offset) in shared.connections.iter().zip(offsets) {
            connection.begin(start_at_ns, offset);
        }
        shared.has_begun.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the records of each host, by their names; once.
    pub(super) fn sources(&self) -> Vec<(String, Box<dyn ShareSource>)> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *sources)
    }

    /// Returns what ended all hosts early, see [`Self::begin`]; nothing if nothing did.
    pub(super) fn check(&self) -> Result<(), Option<ShareFailure>> {
        self.shared.check()
    }

    fn watch(&self, pipes: Vec<Pipes>) -> std::io::Result<()> {
        for (place, (output, errors)) in pipes.into_iter().enumerate() {
            let (reading, listening) = (Arc::clone(&self.shared), Arc::clone(&self.shared));
            thread::Builder::new()
                .spawn(move || listening.connections[place].read_words(errors))?;
            thread::Builder::new().spawn(move || {
                reading.connections[place].read(output, |failure| reading.fail(failure));
            })?;
        }
        let shared = Arc::clone(&self.shared);
        thread::Builder::new().spawn(move || shared.keep())?;
        Ok(())
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        let shared = &*self.shared;
        shared.stop_all();
        for connection in &shared.connections {
            connection.finish(END_WAIT);
        }
        shared.is_done.store(true, Ordering::Relaxed);
    }
}

impl SharedHosts {
    /// Checks each share for a sign of life, and ends all if one gives none or the user interrupts.
    fn keep(&self) {
        let mut asked = Instant::now();
        while !self.is_done.load(Ordering::Relaxed) {
            thread::sleep(LOOK_EVERY);
            if self.stop.is_thrown() {
                self.stop_all();
            }
            let every = match self.has_begun.load(Ordering::Relaxed) {
                true => ASK_EVERY,
                false => ASK_OFTEN,
            };
            let is_due = asked.elapsed() >= every;
            for connection in self.connections.iter().filter(|one| !one.is_over()) {
                if is_due {
                    connection.ask_clock();
                }
                if let Some(failure) = connection.check_silence() {
                    self.fail(failure);
                }
            }
            if is_due {
                asked = Instant::now();
            }
        }
    }

    /// Warns of hosts that are one machine, by whatever names they were given: they add no processors and no network.
    fn warn_of_one_machine(&self) {
        let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for connection in &self.connections {
            let hosts = names.entry(connection.boot_id()).or_default();
            hosts.push(&connection.host);
        }
        names.remove("");
        for hosts in names.values().filter(|hosts| hosts.len() > 1) {
            // Nobody reads the messages any more, so none is lost.
            let _ = writeln!(
                terminal::stderr(),
                "warning: {} are one machine (one boot id), so together they have the processors and the network of one host",
                hosts.join(" and ")
            );
        }
    }

    fn compare_clocks(&self) -> Result<Vec<ClockOffset>, Option<ShareFailure>> {
        self.connections
            .iter()
            .for_each(Connection::forget_exchanges);
        for count in 1..=EXCHANGES {
            self.connections.iter().for_each(Connection::ask_clock);
            let deadline = Instant::now() + EXCHANGE_WAIT;
            let is_answered = |one: &Connection| one.exchanges().len() >= count;
            while !self.connections.iter().all(is_answered) && Instant::now() < deadline {
                self.check()?;
                thread::sleep(Duration::from_millis(1));
            }
        }
        let offset = |one: &Connection| {
            ClockOffset::of(&one.exchanges()).ok_or_else(|| {
                Some(ShareFailure {
                    host: one.host.clone(),
                    reason: "it did not report its time".to_owned(),
                    error_code: None,
                    kind: "network".to_owned(),
                })
            })
        };
        self.connections.iter().map(offset).collect()
    }

    /// Returns an error if all hosts are to end.
    fn check(&self) -> Result<(), Option<ShareFailure>> {
        match self.failure() {
            Some(failure) => Err(Some(failure)),
            None if self.stop.is_thrown() => Err(None),
            None => Ok(()),
        }
    }

    fn failure(&self) -> Option<ShareFailure> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone()
    }

    /// Records a failure; failures of shares that are already being ended are not the reason.
    fn fail(&self, failure: ShareFailure) {
        if !self.is_stopping.load(Ordering::Relaxed) {
            let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(failure);
        }
        self.stop_all();
    }

    fn stop_all(&self) {
        if !self.is_stopping.swap(true, Ordering::Relaxed) {
            self.connections.iter().for_each(Connection::stop);
        }
    }
}
