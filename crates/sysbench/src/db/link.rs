//! Asking the server and waiting for its answer.

use dbdyno_fiber::Watch;
use dbdyno_wire::{
    Channel, Flush, Parameters, PrepareReply, ReadBuffer, Reply, RowSink, WireError,
};
use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd;

thread_local! {
    /// What all connections of a thread read into. It is borrowed while bytes are taken, never while they are waited for.
    static READ_BUFFER: RefCell<ReadBuffer> = RefCell::new(ReadBuffer::new());
}

/// A logged-in connection that waits for each answer: its fiber does, or its thread.
#[derive(Debug)]
pub(super) struct Link {
    // Before the channel, whose socket it watches, so that it is dropped first.
    watch: Watch,
    channel: Channel,
}

/// How a connection came to its end.
#[derive(Debug)]
pub(super) enum Break {
    /// The request did not get out.
    Sending,
    /// No answer came.
    Reading,
    /// The answer was none.
    Malformed,
}

impl Link {
    pub(super) fn new(mut channel: Channel) -> io::Result<Self> {
        channel.give_each_result();
        Ok(Self {
            watch: Watch::new(channel.as_fd())?,
            channel,
        })
    }

    /// Sends a text and waits for its first result.
    pub(super) fn query<S: RowSink>(&mut self, sql: &[u8], sink: &mut S) -> Result<Reply, Break> {
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
    ) -> Result<Reply, Break> {
        self.channel.queue_execute(id, parameters);
        self.ask(sink)
    }

    /// Waits for the next result of the request before.
    pub(super) fn next_result<S: RowSink>(&mut self, sink: &mut S) -> Result<Reply, Break> {
        // It may have come together with the result before, and then nothing more would wake us.
        match self.receive(sink)? {
            Some(reply) => Ok(reply),
            None => self.answer(sink),
        }
    }

    /// Has the server parse a statement.
    pub(super) fn prepare(&mut self, sql: &[u8]) -> Result<PrepareReply, Break> {
        self.channel.queue_prepare(sql);
        self.flush()?;
        loop {
            let channel = &mut self.channel;
            let reply = READ_BUFFER.with_borrow_mut(|buffer| channel.receive_prepared(buffer));
            match reply.map_err(|error| reading(&error))? {
                Some(reply) => return Ok(reply),
                None => self.watch.readable().map_err(|_| Break::Reading)?,
            }
        }
    }

    /// Has the server forget a statement, when the next request leaves.
    pub(super) fn forget(&mut self, id: u32) {
        self.channel.queue_close_statement(id);
    }

    /// Says good-bye. A server that does not take it at once notices the end all the same.
    pub(super) fn quit(mut self) {
        self.channel.queue_quit();
        let _: Result<Flush, WireError> = self.channel.flush();
    }

    #[inline]
    fn ask<S: RowSink>(&mut self, sink: &mut S) -> Result<Reply, Break> {
        self.flush()?;
        // Whatever was read with the reply before, such as a farewell, is the answer.
        if self.channel.has_unread()
            && let Some(reply) = self.receive(sink)?
        {
            return Ok(reply);
        }
        self.answer(sink)
    }

    #[inline]
    fn answer<S: RowSink>(&mut self, sink: &mut S) -> Result<Reply, Break> {
        loop {
            self.watch.readable().map_err(|_| Break::Reading)?;
            if let Some(reply) = self.receive(sink)? {
                return Ok(reply);
            }
        }
    }

    #[inline]
    fn receive<S: RowSink>(&mut self, sink: &mut S) -> Result<Option<Reply>, Break> {
        let channel = &mut self.channel;
        READ_BUFFER
            .with_borrow_mut(|buffer| channel.receive_into(buffer, sink))
            .map_err(|error| reading(&error))
    }

    #[inline]
    fn flush(&mut self) -> Result<(), Break> {
        loop {
            match self.channel.flush() {
                Ok(Flush::Complete) => return Ok(()),
                Ok(Flush::WouldBlock) => self.watch.writable().map_err(|_| Break::Sending)?,
                Err(_) => return Err(Break::Sending),
            }
        }
    }
}

#[cold]
fn reading(error: &WireError) -> Break {
    match error {
        WireError::Protocol(_) => Break::Malformed,
        _ => Break::Reading,
    }
}
