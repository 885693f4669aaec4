//! Sends a request to the server and waits for its reply.

use super::answer_watch::{AnswerWatch, WatchedConnection};
use dbdyno_drive::{Cause, Failure, Fault};
use dbdyno_fiber::SocketWatch;
use dbdyno_wire::{
    Channel, Flush, Parameters, PrepareReply, ReadBuffer, Reply, RowSink, ServerError, WireError,
};
use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

thread_local! {
    /// Buffer that all connections of a thread read into. It is borrowed while bytes are taken, never while they are
    /// waited for.
    static READ_BUFFER: RefCell<ReadBuffer> = RefCell::new(ReadBuffer::new());
}

/// A logged-in connection that waits for each answer: its fiber does, or its thread.
#[derive(Debug)]
pub(super) struct Link {
    // These two before the channel, whose socket they watch, so that they are dropped first.
    watched: Option<WatchedConnection>,
    watch: SocketWatch,
    channel: Channel,
    loss: Option<Loss>,
}

/// Describes how a connection came to its end.
#[derive(Debug)]
pub(super) enum LinkError {
    /// The request did not get out.
    Sending,
    /// No answer came.
    Reading,
    /// The answer was none.
    Malformed,
    /// The answer was longer than this, in words.
    Excess(&'static str),
}

/// Describes how a connection was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) cause: Cause,
    pub(crate) message: String,
}

impl Loss {
    /// Returns what an error says of the connection on which it was met.
    pub(super) fn of(error: &WireError) -> Self {
        Self {
            cause: Cause::of(error),
            message: error.to_string(),
        }
    }

    /// Returns what became of a run that ended by it, with an error of this number.
    pub(super) fn failure(&self, code: u16) -> Failure {
        Failure {
            code: Some(code),
            statement: None,
            message: self.message.clone(),
            fault: Fault::World,
            cause: self.cause,
        }
    }
}

impl Link {
    pub(super) fn new(mut channel: Channel) -> io::Result<Self> {
        channel.give_each_result();
        Ok(Self {
            watched: None,
            watch: SocketWatch::new(channel.as_fd())?,
            channel,
            loss: None,
        })
    }

    /// Watches its answers. `is_reopened`: it takes the place of one that was lost.
    pub(super) fn watch_answers(&mut self, by: &Arc<AnswerWatch>, peer: &str, is_reopened: bool) {
        self.watched = Some(by.add(&self.channel, peer, is_reopened));
    }

    /// Returns how the connection was lost, if it was and its answers are watched.
    pub(super) fn into_loss(self) -> Option<Loss> {
        self.loss
    }

    /// Handles the server taking its leave.
    pub(super) fn takes_leave(&mut self, error: &ServerError) {
        self.note_loss(&WireError::Server(error.clone()));
    }

    /// Sends a text and waits for its first result.
    pub(super) fn query<S: RowSink>(
        &mut self,
        sql: &[u8],
        sink: &mut S,
    ) -> Result<Reply, LinkError> {
        self.channel.queue_query(sql);
        self.ask(sink)
    }

    /// Executes a prepared statement and waits for its first result.
    #[inline]
    pub(super) fn execute<S: RowSink>(
        &mut self,
        id: u32,
        parameters: &Parameters,
        sink: &mut S,
    ) -> Result<Reply, LinkError> {
        self.channel.queue_execute(id, parameters);
        self.ask(sink)
    }

    /// Waits for the next result of the request before.
    pub(super) fn next_result<S: RowSink>(&mut self, sink: &mut S) -> Result<Reply, LinkError> {
        self.note_question();
        // It may have come together with the result before; then no further event would wake this task.
        match self.receive(sink)? {
            Some(reply) => {
                self.note_answer();
                Ok(reply)
            }
            None => self.answer(sink),
        }
    }

    /// Makes the server parse a statement.
    pub(super) fn prepare(&mut self, sql: &[u8]) -> Result<PrepareReply, LinkError> {
        self.channel.queue_prepare(sql);
        self.note_question();
        self.flush()?;
        loop {
            let channel = &mut self.channel;
            let reply = READ_BUFFER.with_borrow_mut(|buffer| channel.receive_prepared(buffer));
            match reply.map_err(|error| self.reading(&error))? {
                Some(reply) => {
                    self.note_answer();
                    return Ok(reply);
                }
                None => self.watch.readable().map_err(|_| LinkError::Reading)?,
            }
        }
    }

    /// Makes the server forget a statement, when the next request leaves.
    pub(super) fn forget(&mut self, id: u32) {
        self.channel.queue_close_statement(id);
    }

    /// Says good-bye. A server that does not take it at once notices the end all the same.
    pub(super) fn quit(mut self) {
        self.channel.queue_quit();
        let _: Result<Flush, WireError> = self.channel.flush();
    }

    #[inline]
    fn ask<S: RowSink>(&mut self, sink: &mut S) -> Result<Reply, LinkError> {
        self.note_question();
        self.flush()?;
        // Anything read with the reply before, such as a farewell, is the answer.
        if self.channel.has_unread()
            && let Some(reply) = self.receive(sink)?
        {
            self.note_answer();
            return Ok(reply);
        }
        self.answer(sink)
    }

    #[inline]
    fn answer<S: RowSink>(&mut self, sink: &mut S) -> Result<Reply, LinkError> {
        loop {
            self.watch.readable().map_err(|_| LinkError::Reading)?;
            if let Some(reply) = self.receive(sink)? {
                self.note_answer();
                return Ok(reply);
            }
            self.note_part();
        }
    }

    #[inline]
    fn note_question(&self) {
        if let Some(watched) = &self.watched {
            watched.ask();
        }
    }

    #[inline]
    fn note_answer(&self) {
        if let Some(watched) = &self.watched {
            watched.hear();
        }
    }

    #[cold]
    fn note_part(&self) {
        if let Some(watched) = &self.watched {
            watched.hear_part();
        }
    }

    #[cold]
    fn note_loss(&mut self, error: &WireError) {
        let Some(watched) = &self.watched else {
            return;
        };
        let loss = match watched.given_up_after() {
            Some(limit) => Loss::of(&self.channel.no_answer(limit)),
            None => Loss::of(error),
        };
        watched.lose(loss.cause);
        self.loss = Some(loss);
    }

    #[inline]
    fn receive<S: RowSink>(&mut self, sink: &mut S) -> Result<Option<Reply>, LinkError> {
        let channel = &mut self.channel;
        READ_BUFFER
            .with_borrow_mut(|buffer| channel.receive_into(buffer, sink))
            .map_err(|error| self.reading(&error))
    }

    #[cold]
    fn reading(&mut self, error: &WireError) -> LinkError {
        self.note_loss(error);
        match error {
            WireError::Protocol(_) => LinkError::Malformed,
            WireError::Excess { limit, .. } => LinkError::Excess(limit),
            _ => LinkError::Reading,
        }
    }

    #[inline]
    fn flush(&mut self) -> Result<(), LinkError> {
        loop {
            match self.channel.flush() {
                Ok(Flush::Complete) => return Ok(()),
                Ok(Flush::WouldBlock) => self.watch.writable().map_err(|_| LinkError::Sending)?,
                Err(error) => {
                    self.note_loss(&error);
                    return Err(LinkError::Sending);
                }
            }
        }
    }
}
