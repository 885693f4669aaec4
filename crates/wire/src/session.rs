//! The cold path: a connection that waits for each answer.

use crate::channel::Channel;
use crate::connection::{Connection, Progress};
use crate::prepare_reply::parse_prepared;
use crate::reply_reader::parse_error;
use crate::row_sink::CountOnly;
use crate::rows::Rows;
use crate::{
    BoundRows, Endpoint, Parameters, QueryResult, ReadBuffer, Reply, SessionFacts, SessionOptions,
    WireError, capability, command, local_file, login,
};
use std::io::{self, Read};
use std::time::Duration;

/// A logged-in connection that waits for each answer: for setting up, loading and tidying.
#[derive(Debug)]
pub struct Session {
    connection: Connection,
    buffer: ReadBuffer,
}

/// A statement that the server has parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreparedStatement {
    /// The server's number for it, valid on its own connection only.
    pub id: u32,
    /// Count of `?` places.
    pub parameter_count: u16,
    /// Count of result columns; 0 if it returns no rows.
    pub column_count: u16,
}

impl Session {
    /// Connects and logs in within `timeout`. A full listen queue is waited out.
    pub fn open(endpoint: &Endpoint, timeout: Duration) -> Result<Self, WireError> {
        Self::open_with(endpoint, &SessionOptions::default(), timeout)
    }

    /// As [`open`](Session::open), for a session that is to be able to do more.
    pub fn open_with(
        endpoint: &Endpoint,
        options: &SessionOptions,
        timeout: Duration,
    ) -> Result<Self, WireError> {
        login::log_in(endpoint, options, timeout).map(Self::over)
    }

    /// What the log-in found out.
    #[must_use]
    pub fn facts(&self) -> &SessionFacts {
        &self.connection.facts
    }

    /// Limits each later wait for the server; `None`, the state after `open`, waits for ever. When a
    /// wait has timed out the connection is of no more use.
    pub fn set_timeout(&mut self, limit: Option<Duration>) -> Result<(), WireError> {
        self.connection.transport.stream_mut().set_limit(limit)
    }

    /// Sends one statement as text and keeps its rows. Of several results the last with rows is kept.
    pub fn query(&mut self, sql: &str) -> Result<QueryResult, WireError> {
        command::put_query(&mut self.connection.out, sql.as_bytes());
        self.collect(Rows::new(false))
    }

    /// Sends a `LOAD DATA LOCAL INFILE` and, when the server asks for the file, what `rows` gives until its
    /// end. The name in the statement says nothing: no file is ever opened here. The session must have
    /// been opened with [`SessionOptions::local_files`]. If `rows` fails the connection is broken off,
    /// so that the server undoes the statement.
    pub fn load_local(&mut self, sql: &str, rows: &mut dyn Read) -> Result<QueryResult, WireError> {
        if self.facts().capabilities & capability::LOCAL_FILES == 0 {
            return Err(WireError::Misuse(
                "local files are not agreed on with the server",
            ));
        }
        command::put_query(&mut self.connection.out, sql.as_bytes());
        self.connection.flush_all()?;
        self.read_result(Rows::new(false), Some(rows))
    }

    /// Has the server parse a statement.
    pub fn prepare(&mut self, sql: &str) -> Result<PreparedStatement, WireError> {
        command::put_prepare(&mut self.connection.out, sql.as_bytes());
        self.connection.flush_all()?;
        let (answer, _) = self.connection.read_packet(&mut self.buffer, None)?;
        if answer.first() == Some(&0xff) {
            return Err(parse_error(&answer)?.into());
        }
        let statement = parse_prepared(&answer)?;
        self.pass_over_definitions(statement.parameter_count)?;
        self.pass_over_definitions(statement.column_count)?;
        Ok(statement)
    }

    /// Runs a prepared statement and keeps its rows.
    pub fn execute(
        &mut self,
        statement: &PreparedStatement,
        parameters: &Parameters,
    ) -> Result<QueryResult, WireError> {
        if parameters.len() != usize::from(statement.parameter_count) {
            return Err(WireError::Misuse(
                "values and places of a statement differ in number",
            ));
        }
        command::put_execute(&mut self.connection.out, statement.id, parameters);
        self.collect(Rows::new(true))
    }

    /// Runs a prepared INSERT with so many rows as it has places for.
    pub fn execute_rows(
        &mut self,
        statement: &PreparedStatement,
        rows: &mut BoundRows,
    ) -> Result<QueryResult, WireError> {
        if rows.values() != usize::from(statement.parameter_count) {
            return Err(WireError::Misuse(
                "rows and places of a statement differ in number",
            ));
        }
        let (packet, start) = rows.packet(statement.id);
        let sent = self.connection.send_from(packet, start);
        rows.clear();
        sent?;
        self.read_result(Rows::new(true), None)
    }

    /// Has the server forget a prepared statement.
    pub fn close_statement(&mut self, statement: PreparedStatement) -> Result<(), WireError> {
        command::put_close_statement(&mut self.connection.out, statement.id);
        self.connection.flush_all()
    }

    /// Goes over to the hot path: nothing blocks from here.
    pub fn into_channel(mut self) -> Result<Channel, WireError> {
        self.connection.reader.keep_changes(false);
        self.connection.transport.stream().set_nonblocking(true)?;
        Ok(Channel::over(self.connection))
    }

    /// Says good-bye. A server that is gone already does not mind.
    pub fn close(mut self) {
        command::put_quit(&mut self.connection.out);
        let _: Result<(), WireError> = self.connection.flush_all();
    }

    pub(crate) fn over(mut connection: Connection) -> Self {
        let tracks = connection.facts.capabilities & capability::SESSION_TRACK != 0;
        connection.reader.keep_changes(tracks);
        Self {
            connection,
            buffer: ReadBuffer::small(),
        }
    }

    fn collect(&mut self, rows: Rows) -> Result<QueryResult, WireError> {
        self.connection.flush_all()?;
        self.read_result(rows, None)
    }

    /// Reads to the end of a reply, and sends the file that it may ask for.
    fn read_result(
        &mut self,
        mut rows: Rows,
        mut file: Option<&mut dyn Read>,
    ) -> Result<QueryResult, WireError> {
        let mut was_refused = false;
        let reply = loop {
            match self.connection.receive(&mut self.buffer, &mut rows)? {
                Progress::Reply(reply) => break reply,
                Progress::Part => {}
                Progress::FileWanted(sequence) => {
                    was_refused |= file.is_none();
                    let sent = match file.take() {
                        Some(file) => local_file::send(&mut self.connection, file, sequence),
                        None => local_file::send(&mut self.connection, &mut io::empty(), sequence),
                    };
                    sent.map_err(|error| self.last_words().unwrap_or(error))?;
                }
                Progress::Nothing => {
                    return Err(self.connection.transport.stream().timed_out("reading from"));
                }
            }
        };
        let session_changes = self.connection.reader.take_changes();
        match was_refused {
            true => Err(WireError::Misuse(
                "the server asked for a local file, which it was not to have",
            )),
            false => rows.into_result(reply, session_changes),
        }
    }

    /// What the server said before it stopped listening.
    fn last_words(&mut self) -> Option<WireError> {
        match self.connection.receive(&mut self.buffer, &mut CountOnly) {
            Ok(Progress::Reply(Reply::Error(error))) => Some(error.into()),
            _ => None,
        }
    }

    /// So many definitions, and the EOF packet that older servers put behind them.
    fn pass_over_definitions(&mut self, count: u16) -> Result<(), WireError> {
        let has_eof = self.facts().capabilities & capability::DEPRECATE_EOF == 0 && count > 0;
        for _ in 0..u32::from(count) + u32::from(has_eof) {
            self.connection.read_packet(&mut self.buffer, None)?;
        }
        Ok(())
    }
}
