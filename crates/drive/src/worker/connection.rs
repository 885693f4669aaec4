//! Holds one connection of a worker, the user behind it and the event under way.

use crate::connection_pair::ConnectionPair;
use crate::login::{AS_TEXT, Opened, StatementIds};
use dbdyno_wire::{BufferedRows, Channel};
use dbdyno_workload::{StatementTemplate, TransactionType, User};

/// Says what a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// No event is under way.
    Free,
    /// A statement of the event was sent and not answered yet.
    Statement,
    /// ROLLBACK was sent; the event is then repeated or given up.
    Rollback {
        /// Whether the event is repeated.
        repeat: bool,
    },
    /// An attempt at the event was given up, and the next one waits for its instant.
    Pause,
    /// The user's remaining statements were sent after its last event, and not answered yet.
    SettlingUp,
    /// The connection was lost and is being opened again; an event is under way or not.
    Down {
        /// Whether an event waits to be repeated.
        event: bool,
    },
}

/// Holds everything of a worker for one connection.
pub(crate) struct WorkerConnection {
    /// `None` while it is being opened again.
    pub(crate) lanes: Option<ConnectionPair>,
    pub(crate) ids: StatementIds,
    pub(crate) user: Box<dyn User>,
    pub(crate) activity: Activity,
    pub(crate) transaction: TransactionType,
    /// Whether it was lost and opened again before.
    pub(crate) was_reopened: bool,
    /// Place of the statement sent last.
    pub(crate) statement: u16,
    /// Number of the connection it was sent over.
    pub(crate) lane: u8,
    /// Rows of its answer, if the user reads them.
    pub(crate) rows: BufferedRows,
    /// Attempts at the event so far.
    pub(crate) attempts: u32,
    /// When the event was due.
    pub(crate) due_ns: u64,
    /// When the event's first statement was sent.
    pub(crate) begun_ns: u64,
    /// When the statement was sent.
    pub(crate) sent_ns: u64,
    /// End of the last second in which a byte came.
    pub(crate) heard_ns: u64,
    /// Time since which no event is under way.
    pub(crate) free_since_ns: u64,
    /// Whether the user is asked before each event if it begins.
    pub(crate) is_self_paced: bool,
    /// Whether it has reported that it begins no more events.
    pub(crate) is_retired: bool,
    /// How long the user rests before its next event, if the workload decides that.
    pub(crate) rest_ns: u64,
    /// Whether it was lost while its user rested, up to `due_ns` if the workload decides that.
    pub(crate) is_resting: bool,
    /// Bytes of the channel already counted in an interval: sent, received.
    pub(crate) counted_bytes: (u64, u64),
}

impl WorkerConnection {
    pub(crate) fn new(opened: Opened, user: Box<dyn User>) -> Self {
        let mut connection = Self {
            lanes: None,
            ids: opened.ids.clone(),
            is_self_paced: user.is_self_paced(),
            is_retired: false,
            user,
            activity: Activity::Free,
            transaction: 0,
            was_reopened: false,
            statement: 0,
            lane: 0,
            rows: BufferedRows::default(),
            attempts: 0,
            due_ns: 0,
            begun_ns: 0,
            sent_ns: 0,
            heard_ns: 0,
            free_since_ns: 0,
            rest_ns: 0,
            is_resting: false,
            counted_bytes: (0, 0),
        };
        connection.plug(opened);
        connection
    }

    /// Installs new connections. The bytes of their log-ins belong to no interval.
    pub(crate) fn plug(&mut self, opened: Opened) {
        self.counted_bytes = opened.lanes.bytes();
        self.ids = opened.ids;
        self.lanes = Some(opened.lanes);
    }

    pub(crate) fn has_event(&self) -> bool {
        !matches!(
            self.activity,
            Activity::Free | Activity::Down { event: false }
        )
    }

    /// Returns the connection on which an answer is awaited.
    pub(crate) fn awaiting(&mut self) -> Option<&mut Channel> {
        let awaits = matches!(
            self.activity,
            Activity::Statement | Activity::Rollback { .. } | Activity::SettlingUp
        );
        let lanes = self.lanes.as_mut().filter(|_| awaits)?;
        Some(lanes.lane(self.lane))
    }

    /// Returns the bytes sent and received since the last call.
    pub(crate) fn take_bytes(&mut self) -> (u64, u64) {
        let Some(lanes) = &self.lanes else {
            return (0, 0);
        };
        let now = lanes.bytes();
        let before = std::mem::replace(&mut self.counted_bytes, now);
        (now.0 - before.0, now.1 - before.1)
    }

    /// Returns whether statements can be sent.
    pub(crate) fn is_open(&self) -> bool {
        self.lanes.is_some()
    }

    /// Gives up the event under way. A connection with an outstanding answer is useless and is
    /// dropped; if it stays open, the bytes of the drain belong to no interval.
    pub(crate) fn abandon(&mut self) {
        if self.activity != Activity::Free {
            self.lanes = None;
            self.activity = Activity::Down { event: false };
        }
        self.take_bytes();
    }

    /// Closes the prepared statements as sysbench does, then the connections.
    pub(crate) fn say_good_bye(&mut self, statements: &[StatementTemplate]) {
        let Some(lanes) = &mut self.lanes else {
            return;
        };
        for (lane, channel) in lanes.iter_mut() {
            for (statement, &id) in statements.iter().zip(&*self.ids) {
                if id != AS_TEXT && statement.lane == lane {
                    channel.queue_close_statement(id);
                }
            }
            channel.queue_quit();
            // If this is not sent, the server drops the connection anyway.
            let _ = channel.flush();
        }
    }
}
