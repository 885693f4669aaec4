//! Prints sysbench's messages, on standard output.
//!
//! A message that equals the one before it is only counted, and the count is printed before the next that differs.
//! Blocks take part in that. Lines with a time do not: they are printed at once, regardless of any count.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Says how much a message matters; `--verbosity` says up to which one is shown.
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
    /// For a reader who looks for a fault.
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
    state: Mutex<LogState>,
}

struct LogState {
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
            state: Mutex::new(LogState {
                out,
                last: String::new(),
                repeats: 0,
            }),
        }
    }

    /// Returns whether a message of this level is shown.
    #[must_use]
    pub fn shows(&self, level: Level) -> bool {
        level as u8 <= self.verbosity
    }

    /// Prints one message and a line's end. One that equals the message before it is only counted.
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

    /// Prints a block unchanged: its lines are never folded, and what follows it is compared to none before it.
    pub fn print(&self, level: Level, text: &str) {
        if self.shows(level) {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.tell_repeats();
            state.last.clear();
            state.write(text);
        }
    }

    /// Prints what was asked for, such as a script's help: at any verbosity.
    pub fn answer(&self, text: &str) {
        self.print(Level::Fatal, text);
    }

    /// Prints a line that begins with its time (an intermediate report, the heading of a checkpoint): folding does not
    /// see it.
    pub fn print_timed(&self, level: Level, text: &str) {
        if self.shows(level) {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.write(text);
        }
    }

    /// Reports messages that were only counted, before the program ends. sysbench never does, nor do we in its place.
    pub fn close(&self) {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .tell_repeats();
    }

    /// Prints at [`Level::Fatal`].
    pub fn fatal(&self, text: &str) {
        self.say(Level::Fatal, text);
    }

    /// Prints at [`Level::Alert`].
    pub fn alert(&self, text: &str) {
        self.say(Level::Alert, text);
    }

    /// Prints at [`Level::Warning`].
    pub fn warning(&self, text: &str) {
        self.say(Level::Warning, text);
    }
}

impl LogState {
    fn tell_repeats(&mut self) {
        if self.repeats > 0 {
            let line = format!("(last message repeated {} times)\n", self.repeats);
            self.write(&line);
            self.repeats = 0;
        }
    }

    /// Writes a text. A closed pipe is no reason to stop: the run's work is done all the same.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct LogOutput(Arc<Mutex<Vec<u8>>>);

    impl Write for LogOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns what is printed after these words at this verbosity.
    fn written(verbosity: u8, words: impl FnOnce(&Log)) -> String {
        let paper = LogOutput::default();
        words(&Log::to(verbosity, Box::new(paper.clone())));
        let bytes = paper.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn equal_messages_are_counted_until_another_comes() {
        let text = written(3, |log| {
            log.alert("closed");
            log.alert("closed");
            log.alert("closed");
            log.fatal("closed");
            log.alert("closed");
        });
        assert_eq!(
            text,
            "ALERT: closed\n(last message repeated 2 times)\nFATAL: closed\nALERT: closed\n"
        );
    }

    /// As seen with an alert every 0.3 s, reports every second and a checkpoint.
    #[test]
    fn timed_lines_pass_by_what_was_counted_and_blocks_do_not() {
        let text = written(3, |log| {
            log.alert("closed");
            log.alert("closed");
            log.print_timed(Level::Notice, "[ 1s ] Checkpoint report:\n");
            log.print(Level::Notice, "SQL statistics:\n\n");
            log.print_timed(Level::Notice, "[ 1s ] thds: 1\n");
            log.alert("closed");
            log.print_timed(Level::Notice, "[ 2s ] thds: 1\n");
            log.alert("closed");
        });
        assert_eq!(
            text,
            "ALERT: closed\n[ 1s ] Checkpoint report:\n(last message repeated 1 times)\nSQL statistics:\n\n\
             [ 1s ] thds: 1\nALERT: closed\n[ 2s ] thds: 1\n"
        );
    }

    #[test]
    fn what_is_too_minor_is_not_there() {
        let text = written(0, |log| {
            log.fatal("a");
            log.alert("b");
            log.print(Level::Notice, "block\n");
            log.answer("options:\n");
            log.fatal("a");
        });
        assert_eq!(text, "FATAL: a\noptions:\nFATAL: a\n");
    }
}
