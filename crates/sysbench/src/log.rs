//! sysbench's messages, on standard output.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// How much a message matters; `--verbosity` says up to which one is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The run is over.
    Fatal,
    /// Something is wrong.
    Alert,
    /// Something looks wrong.
    Warning,
    /// What everybody sees.
    Notice,
    /// For the curious.
    Info,
    /// For whoever looks for a fault.
    Debug,
}

impl Level {
    fn prefix(self) -> &'static str {
        match self {
            Self::Fatal => "FATAL: ",
            Self::Alert => "ALERT: ",
            Self::Warning => "WARNING: ",
            Self::Notice | Self::Info => "",
            Self::Debug => "DEBUG: ",
        }
    }
}

/// Writes messages as they come, and folds equal ones that follow each other.
pub struct Log {
    verbosity: u8,
    state: Mutex<State>,
}

struct State {
    out: Box<dyn Write + Send>,
    last: String,
    repeats: u32,
}

impl Log {
    /// Messages up to `verbosity` on standard output.
    #[must_use]
    pub fn stdout(verbosity: u8) -> Self {
        Self::to(verbosity, Box::new(io::stdout()))
    }

    /// Messages up to `verbosity`, anywhere.
    #[must_use]
    pub fn to(verbosity: u8, out: Box<dyn Write + Send>) -> Self {
        Self {
            verbosity,
            state: Mutex::new(State {
                out,
                last: String::new(),
                repeats: 0,
            }),
        }
    }

    /// Whether a message of this level is shown.
    #[must_use]
    pub fn shows(&self, level: Level) -> bool {
        level as u8 <= self.verbosity
    }

    /// One message and a line's end. One that equals the message before it is only counted.
    pub fn say(&self, level: Level, text: &str) {
        if !self.shows(level) {
            return;
        }
        let line = format!("{}{text}\n", level.prefix());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.last == line {
            state.repeats += 1;
            return;
        }
        state.tell_repeats();
        state.write(&line);
        state.last = line;
    }

    /// Text as it is, never folded: interval lines and reports.
    pub fn print(&self, level: Level, text: &str) {
        if self.shows(level) {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.tell_repeats();
            state.write(text);
        }
    }

    /// Tells of messages that were only counted, before the program ends.
    pub fn close(&self) {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .tell_repeats();
    }

    /// [`Level::Fatal`].
    pub fn fatal(&self, text: &str) {
        self.say(Level::Fatal, text);
    }

    /// [`Level::Alert`].
    pub fn alert(&self, text: &str) {
        self.say(Level::Alert, text);
    }

    /// [`Level::Warning`].
    pub fn warning(&self, text: &str) {
        self.say(Level::Warning, text);
    }

    /// [`Level::Notice`].
    pub fn notice(&self, text: &str) {
        self.say(Level::Notice, text);
    }
}

impl State {
    fn tell_repeats(&mut self) {
        if self.repeats > 0 {
            let line = format!("(last message repeated {} times)\n", self.repeats);
            self.write(&line);
            self.repeats = 0;
        }
    }

    /// A closed pipe is no reason to stop: the run's work is done all the same.
    fn write(&mut self, text: &str) {
        let _: io::Result<()> = self.out.write_all(text.as_bytes());
        let _: io::Result<()> = self.out.flush();
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log")
            .field("verbosity", &self.verbosity)
            .finish_non_exhaustive()
    }
}
