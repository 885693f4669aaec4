//! Keeps what a script can ask about the last call that failed.

/// Describes what becomes of the event in which a call failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ErrorKind {
    /// The call went well.
    #[default]
    None,
    /// It is repeated.
    Ignorable,
    /// It ends the run.
    Fatal,
}

/// The connection's `error`, `sql_errno`, `sql_state` and `sql_errmsg`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastError {
    /// What becomes of the event.
    pub kind: ErrorKind,
    /// Number of the server's or the client library's error; 0 if there was none.
    pub code: u16,
    /// SQLSTATE; `None`, a null pointer in sysbench, until there was an error.
    pub state: Option<[u8; 5]>,
    /// The words; empty if there was no error.
    pub message: String,
}

/// The SQLSTATE of success, which the client library shows where an error left no other.
pub(super) const NO_STATE: [u8; 5] = *b"00000";

impl LastError {
    /// Begins a call.
    #[inline]
    pub(super) fn clear(&mut self) {
        if self.kind != ErrorKind::None || self.state.is_some() {
            *self = Self::default();
        }
    }

    pub(super) fn set(&mut self, code: u16, state: [u8; 5], message: &str) {
        self.code = code;
        self.state = Some(state);
        message.clone_into(&mut self.message);
    }

    /// Records a failure without its own error: sysbench shows the number of the one before, if there was one, with the
    /// words of success.
    pub(super) fn fail_without_words(&mut self) {
        self.kind = ErrorKind::Fatal;
        if self.state.is_some() {
            self.state = Some(NO_STATE);
            self.message.clear();
        }
    }
}
