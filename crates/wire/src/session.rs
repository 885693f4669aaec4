//! The cold path: a connection that waits for each answer.

use crate::bytes::Bytes;
use crate::channel::Channel;
use crate::connection::{Connection, Progress};
use crate::reply_reader::parse_error;
use crate::rows::Rows;
use crate::{
    Endpoint, Parameters, ReadBuffer, Reply, SessionFacts, WireError, capability, command, login,
};
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

/// One value as text; `None` for SQL NULL.
pub type Value = Option<Vec<u8>>;

/// A whole result, kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryResult {
    /// Names of the columns; empty for a statement without rows.
    pub columns: Vec<String>,
    /// The rows, each value as text.
    pub rows: Vec<Vec<Value>>,
    /// Rows inserted, changed or deleted.
    pub affected_rows: u64,
    /// First value that AUTO_INCREMENT gave, or 0.
    pub last_insert_id: u64,
    /// Count of warnings.
    pub warnings: u16,
}

impl Session {
    /// Connects and logs in within `timeout`. A full listen queue is waited out.
    pub fn open(endpoint: &Endpoint, timeout: Duration) -> Result<Self, WireError> {
        login::log_in(endpoint, timeout).map(Self::over)
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

    /// Has the server forget a prepared statement.
    pub fn close_statement(&mut self, statement: PreparedStatement) -> Result<(), WireError> {
        command::put_close_statement(&mut self.connection.out, statement.id);
        self.connection.flush_all()
    }

    /// Goes over to the hot path: nothing blocks from here.
    pub fn into_channel(self) -> Result<Channel, WireError> {
        self.connection.transport.stream().set_nonblocking(true)?;
        Ok(Channel::over(self.connection))
    }

    /// Says good-bye. A server that is gone already does not mind.
    pub fn close(mut self) {
        command::put_quit(&mut self.connection.out);
        let _: Result<(), WireError> = self.connection.flush_all();
    }

    pub(crate) fn over(connection: Connection) -> Self {
        Self {
            connection,
            buffer: ReadBuffer::small(),
        }
    }

    fn collect(&mut self, mut rows: Rows) -> Result<QueryResult, WireError> {
        self.connection.flush_all()?;
        let reply = loop {
            match self.connection.receive(&mut self.buffer, &mut rows)? {
                Progress::Reply(reply) => break reply,
                Progress::Part => {}
                Progress::Nothing => {
                    return Err(self.connection.transport.stream().timed_out("reading from"));
                }
            }
        };
        let Rows { columns, rows, .. } = rows;
        match reply {
            Reply::Error(error) => Err(error.into()),
            Reply::Rows(reply) => Ok(QueryResult {
                columns,
                rows,
                warnings: reply.warnings,
                ..QueryResult::default()
            }),
            Reply::Ok(ok) => Ok(QueryResult {
                affected_rows: ok.affected_rows,
                last_insert_id: ok.last_insert_id,
                warnings: ok.warnings,
                ..QueryResult::default()
            }),
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

fn parse_prepared(answer: &[u8]) -> Result<PreparedStatement, WireError> {
    let mut bytes = Bytes(answer);
    if bytes.u8()? != 0 {
        return Err(WireError::Protocol(
            "it answered PREPARE with nonsense".to_owned(),
        ));
    }
    let id = bytes.u32()?;
    let column_count = bytes.u16()?;
    Ok(PreparedStatement {
        id,
        column_count,
        parameter_count: bytes.u16()?,
    })
}
