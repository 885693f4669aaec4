//! Drives a connection that never waits: the hot path.

use crate::connection::{ReadProgress, WireConnection};
use crate::row_sink::{CountOnly, RowSink};
use crate::{
    Parameters, PathState, PathUse, PrepareReply, ReadBuffer, Reply, Session, SessionInfo,
    StatementText, WireError, command,
};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

/// A logged-in connection that never blocks and, once its buffers have grown, never allocates.
///
/// Made for a worker with many channels and one level-triggered epoll set: queue a request, [`flush`]
/// it, and when the socket can be read, [`receive`]. A request costs one write and a reply one read;
/// the read that would find the socket empty is left out. Several requests may be under way at once:
/// then call `receive` until it gives `None`, since their replies may have come in one read.
///
/// Dropping a channel closes the connection; [`queue_quit`] informs the server first.
///
/// [`flush`]: Channel::flush
/// [`receive`]: Channel::receive
/// [`queue_quit`]: Channel::queue_quit
#[derive(Debug)]
pub struct Channel {
    connection: WireConnection,
}

/// Says whether everything queued has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// All of it.
    Complete,
    /// The socket is full: flush again when it can be written.
    WouldBlock,
}

impl Channel {
    pub(crate) fn over(connection: WireConnection) -> Self {
        Self { connection }
    }

    /// Returns what the log-in found out.
    #[must_use]
    pub fn info(&self) -> &SessionInfo {
        &self.connection.info
    }

    /// Queues a statement as text.
    pub fn queue_query(&mut self, sql: &[u8]) {
        self.connection.pending_replies += 1;
        command::put_query(&mut self.connection.out, sql);
    }

    /// Queues a statement as text with its values written in.
    pub fn queue_text(&mut self, text: &StatementText, parameters: &Parameters) {
        self.connection.pending_replies += 1;
        command::put_text(&mut self.connection.out, text, parameters);
    }

    /// Queues an execution of the prepared statement `id`, with as many values as it has places.
    pub fn queue_execute(&mut self, id: u32, parameters: &Parameters) {
        self.connection.pending_replies += 1;
        command::put_execute(&mut self.connection.out, id, parameters);
    }

    /// Queues the parsing of a statement. Its reply is [`receive_prepared`](Channel::receive_prepared)'s to take.
    pub fn queue_prepare(&mut self, sql: &[u8]) {
        self.connection.pending_replies += 1;
        command::put_prepare(&mut self.connection.out, sql);
    }

    /// Queues the closing of the prepared statement `id`; the server does not reply to it.
    pub fn queue_close_statement(&mut self, id: u32) {
        command::put_close_statement(&mut self.connection.out, id);
    }

    /// Queues the good-bye; the server does not reply to it but closes the connection.
    pub fn queue_quit(&mut self) {
        command::put_quit(&mut self.connection.out);
    }

    /// Writes what is queued as far as the socket takes it.
    pub fn flush(&mut self) -> Result<Flush, WireError> {
        Ok(if self.connection.flush()? {
            Flush::Complete
        } else {
            Flush::WouldBlock
        })
    }

    /// Reads what has come; `None` while the reply is not complete. Rows are counted and passed over.
    pub fn receive(&mut self, shared: &mut ReadBuffer) -> Result<Option<Reply>, WireError> {
        self.receive_into(shared, &mut CountOnly)
    }

    /// Receives as [`receive`](Channel::receive), for statements whose rows matter: `sink` is given each of them. A
    /// reply that comes in pieces must be received into the same sink throughout.
    pub fn receive_into<S: RowSink>(
        &mut self,
        shared: &mut ReadBuffer,
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        match self.connection.receive(shared, sink) {
            Ok(ReadProgress::Reply(reply)) => Ok(Some(reply)),
            Ok(ReadProgress::Part | ReadProgress::Nothing) => Ok(None),
            Ok(ReadProgress::FileWanted(_)) => Err(self.refused_file()),
            Err(error) => Err(self.named(error)),
        }
    }

    /// Requests may be under way already, which the server would take for the file: it gets none.
    #[cold]
    fn refused_file(&self) -> WireError {
        let what = "it asked for a file of this machine, and was sent none".to_owned();
        self.named(WireError::Protocol(what))
    }

    #[cold]
    fn named(&self, error: WireError) -> WireError {
        let peer = self.connection.transport.stream().peer();
        error.with_context(peer, || "answering a statement".to_owned())
    }

    /// Reads what has come in reply to [`queue_prepare`](Channel::queue_prepare); `None` while that is not complete.
    pub fn receive_prepared(
        &mut self,
        shared: &mut ReadBuffer,
    ) -> Result<Option<PrepareReply>, WireError> {
        self.connection.receive_prepared(shared)
    }

    /// Gives each result of a request that has several (a stored procedure, statements separated by semicolons) as its
    /// own reply from now on; [`Reply::has_more`] says whether another follows.
    pub fn give_each_result(&mut self) {
        self.connection.reader.give_each_result();
    }

    /// Returns whether bytes were read that are part of no reply given so far.
    #[must_use]
    pub fn has_unread(&self) -> bool {
        self.connection.has_leftover()
    }

    /// Returns whether something queued has not left yet, so that the socket should be watched for writing.
    #[must_use]
    pub fn wants_write(&self) -> bool {
        self.connection.wants_write()
    }

    /// Counts requests that have not been answered.
    #[must_use]
    pub fn replies_pending(&self) -> u32 {
        self.connection.pending_replies
    }

    /// Counts bytes written to the socket since the connection was made, log-in and encryption included.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.connection.transport.stream().bytes_sent
    }

    /// Counts bytes read from the socket since the connection was made, log-in and encryption included.
    #[must_use]
    pub fn bytes_received(&self) -> u64 {
        self.connection.transport.stream().bytes_received
    }

    /// Returns what the kernel knows of the way to the server, for a connection that has been silent; `None` where
    /// there is no way, as to a socket of this machine.
    #[must_use]
    pub fn check_path(&self) -> Option<PathState> {
        self.connection.transport.stream().check_path()
    }

    /// Keeps the kernel from taking a server that reads nothing for a lost path, for a connection that has been silent;
    /// see [`allow_zero_window`](crate::allow_zero_window).
    pub fn allow_zero_window(&self) {
        self.connection.transport.stream().allow_zero_window();
    }

    /// Returns what the kernel has counted on the way to the server since the connection was made; `None` where there
    /// is no way.
    #[must_use]
    pub fn path_use(&self) -> Option<PathUse> {
        self.connection.transport.stream().path_use()
    }

    /// Returns the error of a server that has given no byte of an answer for so long.
    #[must_use]
    pub fn no_answer(&self, limit: Duration) -> WireError {
        self.connection.transport.stream().no_answer(limit)
    }

    /// Goes back to the cold path. Fails if replies are outstanding, for the session would take them
    /// for its own; what is queued without a reply leaves with the session's next request.
    pub fn into_session(mut self) -> Result<Session, WireError> {
        if self.connection.pending_replies > 0 {
            return Err(WireError::Misuse(
                "a channel with replies outstanding can't be a session",
            ));
        }
        self.connection
            .transport
            .stream_mut()
            .set_nonblocking(false)?;
        Ok(Session::over(self.connection))
    }
}

/// What an epoll set watches.
impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.transport.stream().as_fd()
    }
}

impl AsRawFd for Channel {
    fn as_raw_fd(&self) -> RawFd {
        self.connection.transport.stream().as_raw_fd()
    }
}
