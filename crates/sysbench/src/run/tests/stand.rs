//! Provides a program for tests: its users do what a test says.

use crate::figures::Stat;
use crate::run::{Failed, MainActor, Program, Reporter, VirtualUser};
use crate::{
    Actor, DatabaseSettings, Dialect, Engine, Fixes, IgnoreErrors, Log, Random, RandomType,
    Settings,
};
use dbdyno_fiber::{monotonic_ns, sleep_until};
use std::io::{self, Write};
use std::os::unix::thread::RawPthread;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Holds what was printed, by the log and by users.
#[derive(Clone, Default)]
pub(super) struct Screen(Arc<Mutex<Vec<u8>>>);

impl Screen {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Returns the text with every number of a measurement as `#`.
    pub(super) fn shape(&self) -> String {
        let mut shape = String::new();
        for line in self.text().lines() {
            let words = line
                .split_inclusive(' ')
                .map(|word| match is_measured(word) {
                    true => masked(word),
                    false => word.to_owned(),
                });
            shape.push_str(words.collect::<String>().trim_end());
            shape.push('\n');
        }
        shape
    }

    /// Writes a whole line at once: between two writes, the log of another thread could write its own.
    pub(super) fn say(&self, text: &str) {
        let line = format!("{text}\n");
        self.clone().write_all(line.as_bytes()).unwrap();
    }
}

fn is_measured(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let mut triples = letters.windows(3);
    triples.any(|t| t[0].is_ascii_digit() && t[1] == '.' && t[2].is_ascii_digit())
}

fn masked(word: &str) -> String {
    let parts = word.split(|c: char| c.is_ascii_digit() || c == '.');
    parts
        .filter(|part| !part.is_empty())
        .fold("#".to_owned(), |text, part| text + part)
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(in crate::run) fn settings(threads: u32) -> Settings {
    Settings {
        dialect: Dialect::V1_0,
        threads,
        events: 0,
        time_s: 0,
        warmup_s: 0,
        forced_shutdown_s: None,
        init_timeout_s: 30,
        rate: 0,
        report_interval_s: 0,
        checkpoints_s: Vec::new(),
        debug: false,
        validate: false,
        verbosity: 3,
        percentile: 95,
        histogram: false,
        luajit_command: None,
        random: Random {
            kind: RandomType::Uniform,
            seed: 7,
            pareto_h: 0.2,
            zipfian_exponent: 0.8,
            iterations: 12,
            special_percent: 1,
            special_share: 75,
        },
        database: DatabaseSettings {
            driver: "mysql".to_owned(),
            ps_mode: "auto".to_owned(),
            debug: false,
            hosts: Vec::new(),
            ports: Vec::new(),
            localhost_is_socket: true,
            sockets: Vec::new(),
            user: String::new(),
            password: dbdyno_wire::Password::new(""),
            database: String::new(),
            ssl: "off".to_owned(),
            ssl_key: None,
            ssl_ca: None,
            ssl_cert: None,
            tls_minimum: dbdyno_wire::TlsVersion::default(),
            answers: None,
            path_timeout: dbdyno_wire::PathTimeout::default(),
            ssl_cipher: String::new(),
            compression: false,
            ignore: IgnoreErrors::Codes(Vec::new()),
            dry_run: false,
        },
        workers: Some(1),
        fixes: Fixes::SYSBENCH,
        json_lines: None,
        script_timeout_s: 30,
        native: true,
        is_judged: false,
    }
}

pub(super) type Event = Arc<dyn Fn(&Arc<Engine>, &Actor) -> Result<(), Failed> + Send + Sync>;

/// Users that carry out one closure after another, and say what happens to them.
#[derive(Clone)]
pub(super) struct Play {
    pub(super) screen: Screen,
    pub(super) event: Event,
    pub(super) init: Event,
    /// Scripts end when this is set.
    pub(super) interrupted: Arc<AtomicBool>,
    pub(super) writes_reports: bool,
}

impl Play {
    pub(super) fn new(
        event: impl Fn(&Arc<Engine>, &Actor) -> Result<(), Failed> + Send + Sync + 'static,
    ) -> Self {
        Self {
            screen: Screen::default(),
            event: Arc::new(event),
            init: Arc::new(|_, _| Ok(())),
            interrupted: Arc::default(),
            writes_reports: false,
        }
    }

    /// Events that wait so long.
    pub(super) fn of_pauses(pause_ms: u64) -> Self {
        Self::new(move |_, _| {
            pause(pause_ms);
            Ok(())
        })
    }

    pub(super) fn engine(&self, settings: Settings) -> Arc<Engine> {
        let log = Log::to(settings.verbosity, Box::new(self.screen.clone()));
        Engine::new(settings, log)
    }

    pub(super) fn run(&self, settings: Settings) -> u8 {
        self.run_on(&self.engine(settings))
    }

    pub(super) fn run_on(&self, engine: &Arc<Engine>) -> u8 {
        let program: Arc<dyn Program> = Arc::new(self.clone());
        super::super::run(engine, &program, &mut self.clone())
    }

    pub(super) fn run_with_timeout(&self, settings: Settings, stop_timeout_ns: u64) -> u8 {
        let program: Arc<dyn Program> = Arc::new(self.clone());
        let engine = self.engine(settings);
        super::super::run_with_timeout(&engine, &program, &mut self.clone(), stop_timeout_ns)
    }
}

pub(super) fn pause(ms: u64) {
    sleep_until(monotonic_ns() + ms * 1_000_000);
}

impl Program for Play {
    fn user(&self, engine: &Arc<Engine>, actor: Rc<Actor>) -> Result<Box<dyn VirtualUser>, Failed> {
        Ok(Box::new(User {
            play: self.clone(),
            engine: Arc::clone(engine),
            actor,
        }))
    }

    fn reporter(
        &self,
        _engine: &Arc<Engine>,
        actor: Rc<Actor>,
    ) -> Result<Option<Box<dyn Reporter>>, Failed> {
        let writer = Writer(self.screen.clone(), actor);
        Ok(self.writes_reports.then(|| Box::new(writer) as _))
    }

    fn interrupt(&self, _worker: RawPthread) -> bool {
        self.interrupted.store(true, Ordering::Relaxed);
        true
    }
}

impl MainActor for Play {
    fn init(&mut self) -> Result<(), Failed> {
        Ok(())
    }

    fn cumulative(&mut self, stat: &Stat) -> Result<bool, Failed> {
        if self.writes_reports {
            self.screen.say(&format!("final: {} events", stat.events));
        }
        Ok(self.writes_reports)
    }

    fn done(&mut self) -> Result<(), Failed> {
        self.screen.say("done");
        Ok(())
    }
}

struct Writer(Screen, Rc<Actor>);

impl Reporter for Writer {
    fn intermediate(&mut self, stat: &Stat) -> Result<bool, Failed> {
        let (running, tid) = (stat.threads_running, self.1.tid);
        self.0.say(&format!("interval by {tid}: {running} running"));
        Ok(true)
    }

    fn cumulative(&mut self, stat: &Stat) -> Result<bool, Failed> {
        self.0.say(&format!("checkpoint at {:.0}", stat.time_total));
        Ok(true)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.say("writer closed");
    }
}

struct User {
    play: Play,
    engine: Arc<Engine>,
    actor: Rc<Actor>,
}

impl VirtualUser for User {
    fn thread_init(&mut self) -> Result<(), Failed> {
        (self.play.init)(&self.engine, &self.actor)
    }

    fn thread_run(&mut self) -> Result<(), Failed> {
        while self.engine.more_events(&self.actor) {
            self.engine.event_start(&self.actor);
            (self.play.event)(&self.engine, &self.actor)?;
            self.engine.event_stop(&self.actor);
        }
        Ok(())
    }

    fn thread_done(&mut self) -> Result<(), Failed> {
        self.play
            .screen
            .say(&format!("thread_done {}", self.actor.tid));
        Ok(())
    }
}
