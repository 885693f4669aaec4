//! One connection of a worker, the user behind it and the event under way.

use crate::login::{AS_TEXT, Opened, StatementIds};
use dbdyno_wire::Channel;
use dbdyno_workload::{TransactionType, User};

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// No event is under way.
    Free,
    /// A statement of the event was sent and not answered yet.
    Statement,
    /// ROLLBACK was sent; the event is repeated afterwards, or given up.
    Rollback {
        /// Whether the event is repeated.
        repeat: bool,
    },
    /// An attempt at the event was given up, and the next one waits for its instant.
    Pause,
    /// The connection was lost and is being opened again; an event is under way or not.
    Down {
        /// Whether an event waits to be repeated.
        event: bool,
    },
}

/// Everything a worker holds for one connection.
pub(crate) struct Connection {
    /// `None` while it is being opened again.
    pub(crate) channel: Option<Channel>,
    pub(crate) ids: StatementIds,
    pub(crate) user: Box<dyn User>,
    pub(crate) activity: Activity,
    pub(crate) transaction: TransactionType,
    /// It was lost and opened again before.
    pub(crate) was_reopened: bool,
    /// Place of the statement sent last.
    pub(crate) statement: u16,
    /// Attempts at the event so far.
    pub(crate) attempts: u32,
    /// When the event was due.
    pub(crate) due_ns: u64,
    /// When the event's first statement was sent.
    pub(crate) begun_ns: u64,
    /// When the statement was sent.
    pub(crate) sent_ns: u64,
    /// Since when no event is under way.
    pub(crate) free_since_ns: u64,
    /// Bytes of the channel already counted in an interval: sent, received.
    pub(crate) counted_bytes: (u64, u64),
}

impl Connection {
    pub(crate) fn new(opened: Opened, user: Box<dyn User>) -> Self {
        let mut connection = Self {
            channel: None,
            ids: opened.ids.clone(),
            user,
            activity: Activity::Free,
            transaction: 0,
            was_reopened: false,
            statement: 0,
            attempts: 0,
            due_ns: 0,
            begun_ns: 0,
            sent_ns: 0,
            free_since_ns: 0,
            counted_bytes: (0, 0),
        };
        connection.plug(opened);
        connection
    }

    /// Takes a fresh channel. The bytes of its log-in belong to no interval.
    pub(crate) fn plug(&mut self, opened: Opened) {
        self.counted_bytes = (opened.channel.bytes_sent(), opened.channel.bytes_received());
        self.ids = opened.ids;
        self.channel = Some(opened.channel);
    }

    pub(crate) fn has_event(&self) -> bool {
        !matches!(
            self.activity,
            Activity::Free | Activity::Down { event: false }
        )
    }

    /// Bytes sent and received since the last call.
    pub(crate) fn take_bytes(&mut self) -> (u64, u64) {
        let Some(channel) = &self.channel else {
            return (0, 0);
        };
        let now = (channel.bytes_sent(), channel.bytes_received());
        let before = std::mem::replace(&mut self.counted_bytes, now);
        (now.0 - before.0, now.1 - before.1)
    }

    /// Whether statements can be sent.
    pub(crate) fn is_open(&self) -> bool {
        self.channel.is_some()
    }

    /// Gives up what is under way. A connection with an answer outstanding is of no use any more and is
    /// simply dropped; of one that stays open, the bytes of the drain belong to no interval.
    pub(crate) fn abandon(&mut self) {
        if self.activity != Activity::Free {
            self.channel = None;
            self.activity = Activity::Down { event: false };
        }
        self.take_bytes();
    }

    /// Closes the prepared statements as sysbench does, then the connection.
    pub(crate) fn say_good_bye(&mut self) {
        let Some(channel) = &mut self.channel else {
            return;
        };
        for &id in self.ids.iter().filter(|&&id| id != AS_TEXT) {
            channel.queue_close_statement(id);
        }
        channel.queue_quit();
        // The server drops the connection anyway if this does not get through.
        let _ = channel.flush();
    }
}
