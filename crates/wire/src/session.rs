//! Drives a connection that waits for each reply: the cold path.

use crate::channel::Channel;
use crate::connection::{ReadProgress, WireConnection};
use crate::prepare_reply::parse_prepared;
use crate::reply_reader::parse_error;
use crate::row_sink::CountOnly;
use crate::stream::WaitReason;
use crate::text_rows::TextRows;
use crate::{
    BoundRows, Endpoint, Parameters, PathUse, QueryResult, ReadBuffer, Reply, SessionInfo,
    SessionOptions, WireError, capability, command, local_file, login,
};
use std::io::{self, Read};
use std::time::Duration;

/// How long the good-bye may take: nobody waits for an answer to it.
const QUIT_TIMEOUT: Duration = Duration::from_millis(250);

/// How long a server that was refused a file may take to say what it makes of that.
const REFUSAL: Duration = Duration::from_secs(1);

/// Characters of a statement that an error shows.
const SHOWN_CHARACTERS: usize = 80;

/// A logged-in connection that waits for each answer: for setting up, loading and tidying.
#[derive(Debug)]
pub struct Session {
    connection: WireConnection,
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

    /// Opens as [`open`](Session::open), for a session that is to be able to do more.
    pub fn open_with(
        endpoint: &Endpoint,
        options: &SessionOptions,
        timeout: Duration,
    ) -> Result<Self, WireError> {
        login::log_in(endpoint, options, timeout).map(Self::over)
    }

    /// Returns what the log-in found out.
    #[must_use]
    pub fn info(&self) -> &SessionInfo {
        &self.connection.info
    }

    /// Returns what the kernel has counted on the way to the server since the connection was made; `None` where there
    /// is no way.
    #[must_use]
    pub fn path_use(&self) -> Option<PathUse> {
        self.connection.transport.stream().path_use()
    }

    /// Gives the answer to each later request so long, whole; `None` waits for ever. After `open` it is what
    /// [`SessionOptions::answer_timeout`] says. When the time was not enough the connection is of no more use.
    pub fn set_timeout(&mut self, limit: Option<Duration>) -> Result<(), WireError> {
        self.connection.transport.stream_mut().set_limit(limit)
    }

    /// Makes a backslash in a literal an escape, as [`StatementText`](crate::StatementText) and files of rows are
    /// written, on a server whose `sql_mode` says otherwise.
    pub fn escape_by_backslash(&mut self) -> Result<(), WireError> {
        if self.info().has_plain_backslashes {
            self.query(
                "SET SESSION sql_mode = REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES', '')",
            )?;
        }
        Ok(())
    }

    /// Sends one statement as text and keeps its rows. Of several results the last with rows is kept.
    pub fn query(&mut self, sql: &str) -> Result<QueryResult, WireError> {
        self.begin();
        command::put_query(&mut self.connection.out, sql.as_bytes());
        let result = self.collect(TextRows::new(false));
        result.map_err(|error| self.with_context(error, "waiting for the answer to", sql))
    }

    /// Queries as [`query`](Session::query), for a statement that has rows, though it may be none: an answer without a
    /// result set is an error, for it says nothing about what was asked.
    pub fn select(&mut self, sql: &str) -> Result<QueryResult, WireError> {
        let result = self.query(sql)?;
        if result.has_result_set() {
            return Ok(result);
        }
        Err(self.unexpected_columns("without a result set", sql))
    }

    /// Selects as [`select`](Session::select), for a statement with so many columns: each row has as many values.
    pub fn select_columns(&mut self, sql: &str, columns: usize) -> Result<QueryResult, WireError> {
        let result = self.select(sql)?;
        let came = result.columns.len();
        if came == columns {
            return Ok(result);
        }
        let shape = format!("with {came} columns instead of {columns}");
        Err(self.unexpected_columns(&shape, sql))
    }

    /// Sends a `LOAD DATA LOCAL INFILE` and, when the server asks for the file, what `rows` gives until its
    /// end. The name in the statement says nothing: no file is ever opened here. The session must have
    /// been opened with [`SessionOptions::local_files`]. If `rows` fails the connection is broken off,
    /// so that the server undoes the statement.
    pub fn load_local(&mut self, sql: &str, rows: &mut dyn Read) -> Result<QueryResult, WireError> {
        if self.info().capabilities & capability::LOCAL_FILES == 0 {
            return Err(WireError::Misuse(
                "the server was not asked for local files",
            ));
        }
        self.begin();
        command::put_query(&mut self.connection.out, sql.as_bytes());
        let sent = self.connection.flush_all();
        let result = sent.and_then(|()| self.read_result(TextRows::new(false), Some(rows)));
        result.map_err(|error| self.with_context(error, "sending the rows of", sql))
    }

    /// Makes the server parse a statement.
    pub fn prepare(&mut self, sql: &str) -> Result<PreparedStatement, WireError> {
        self.begin();
        command::put_prepare(&mut self.connection.out, sql.as_bytes());
        let prepared = self.read_prepared();
        prepared.map_err(|error| self.with_context(error, "preparing", sql))
    }

    fn read_prepared(&mut self) -> Result<PreparedStatement, WireError> {
        self.connection.flush_all()?;
        let (answer, _) = self.connection.read_packet(&mut self.buffer)?;
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
                "a statement has different numbers of values and parameters",
            ));
        }
        self.begin();
        command::put_execute(&mut self.connection.out, statement.id, parameters);
        let result = self.collect(TextRows::new(true));
        result.map_err(|error| self.with_context(error, "executing", "a prepared statement"))
    }

    /// Sends so many rows as a prepared INSERT has places for, and forgets them. The next call must be
    /// [`finish_rows`](Self::finish_rows); the rows after these can be made in between.
    pub fn send_rows(
        &mut self,
        statement: &PreparedStatement,
        rows: &mut BoundRows,
    ) -> Result<(), WireError> {
        if rows.values() != usize::from(statement.parameter_count) {
            return Err(WireError::Misuse(
                "a statement has different numbers of rows and parameters",
            ));
        }
        self.begin();
        let (packet, start) = rows.packet(statement.id);
        let sent = self.connection.send_from(packet, start);
        rows.clear();
        sent.map_err(|error| self.with_context(error, "sending rows for", "a prepared INSERT"))
    }

    /// Waits for the answer to the rows that were sent.
    pub fn finish_rows(&mut self) -> Result<QueryResult, WireError> {
        let result = self.read_result(TextRows::new(true), None);
        result.map_err(|error| self.with_context(error, "executing", "a prepared INSERT"))
    }

    /// Makes the server forget a prepared statement.
    pub fn close_statement(&mut self, statement: PreparedStatement) -> Result<(), WireError> {
        self.begin();
        command::put_close_statement(&mut self.connection.out, statement.id);
        self.connection.flush_all()
    }

    /// Goes over to the hot path: nothing blocks from here.
    pub fn into_channel(mut self) -> Result<Channel, WireError> {
        self.connection.reader.keep_changes(false);
        let stream = self.connection.transport.stream_mut();
        stream.set_nonblocking(true)?;
        Ok(Channel::over(self.connection))
    }

    /// Says good-bye. A server that is gone already, or takes nothing more, does not mind.
    pub fn close(mut self) {
        let _: Result<(), WireError> = self.set_timeout(Some(QUIT_TIMEOUT));
        command::put_quit(&mut self.connection.out);
        let _: Result<(), WireError> = self.connection.flush_all();
    }

    pub(crate) fn over(mut connection: WireConnection) -> Self {
        let tracks = connection.info.capabilities & capability::SESSION_TRACK != 0;
        connection.reader.keep_changes(tracks);
        Self {
            connection,
            buffer: ReadBuffer::small(),
        }
    }

    /// Begins a request: its time runs from now.
    fn begin(&mut self) {
        self.connection.transport.stream_mut().begin();
    }

    fn with_context(&self, error: WireError, doing: &str, sql: &str) -> WireError {
        let peer = self.connection.transport.stream().peer();
        error.with_context(peer, || format!("{doing} {}", shortened(sql)))
    }

    fn unexpected_columns(&self, shape: &str, sql: &str) -> WireError {
        let error = WireError::Protocol(format!("it answered {shape}"));
        self.with_context(error, "asked for", sql)
    }

    fn collect(&mut self, rows: TextRows) -> Result<QueryResult, WireError> {
        self.connection.flush_all()?;
        self.read_result(rows, None)
    }

    /// Reads to the end of a reply, and sends the file that it may ask for.
    fn read_result(
        &mut self,
        mut rows: TextRows,
        mut file: Option<&mut dyn Read>,
    ) -> Result<QueryResult, WireError> {
        let mut was_refused = false;
        let reply = loop {
            match self.connection.receive(&mut self.buffer, &mut rows)? {
                ReadProgress::Reply(reply) => break reply,
                ReadProgress::Part => {}
                ReadProgress::FileWanted(_) if was_refused => return Err(wants_a_file()),
                ReadProgress::FileWanted(sequence) => {
                    if file.is_none() {
                        was_refused = true;
                        let stream = self.connection.transport.stream_mut();
                        stream.shorten(REFUSAL);
                    }
                    let sent = match file.take() {
                        Some(file) => local_file::send(&mut self.connection, file, sequence),
                        None => local_file::send(&mut self.connection, &mut io::empty(), sequence),
                    };
                    sent.map_err(|error| self.final_error().unwrap_or(error))?;
                }
                ReadProgress::Nothing if was_refused => return Err(wants_a_file()),
                ReadProgress::Nothing => {
                    return Err(self
                        .connection
                        .transport
                        .stream()
                        .timed_out(WaitReason::Answer));
                }
            }
        };
        let session_changes = self.connection.reader.take_changes();
        match was_refused {
            true => Err(wants_a_file()),
            false => rows.into_result(reply, session_changes),
        }
    }

    /// Returns what the server said before it stopped listening.
    fn final_error(&mut self) -> Option<WireError> {
        match self.connection.receive(&mut self.buffer, &mut CountOnly) {
            Ok(ReadProgress::Reply(Reply::Error(error))) => Some(error.into()),
            _ => None,
        }
    }

    /// Passes over so many definitions, and the EOF packet that older servers put behind them.
    fn pass_over_definitions(&mut self, count: u16) -> Result<(), WireError> {
        let has_eof = self.info().capabilities & capability::DEPRECATE_EOF == 0 && count > 0;
        for _ in 0..u32::from(count) + u32::from(has_eof) {
            self.connection.read_packet(&mut self.buffer)?;
        }
        Ok(())
    }
}

fn wants_a_file() -> WireError {
    WireError::Protocol("it asked for a file of this machine, and was sent none".to_owned())
}

/// Returns the beginning of a statement, on one line.
fn shortened(sql: &str) -> String {
    let words: Vec<&str> = sql.split_whitespace().take(SHOWN_CHARACTERS).collect();
    let text = words.join(" ");
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
