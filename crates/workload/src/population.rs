//! Defines the seam between the rows of a dataset (this crate) and who sends them (`dbdyno-drive`).

use crate::RowForm;
use dbdyno_chance::Stream;
use dbdyno_wire::BoundRows;

/// Everything it takes to fill the tables of a workload. Tables are counted from 0.
///
/// Per table, in this order: [`before_rows`](Self::before_rows), every statement of the [`rows`](Self::rows) of all its
/// parts, [`after_rows`](Self::after_rows); when all tables are done, [`at_end`](Self::at_end). Then the sums of
/// [`checks`](Self::checks) asked from the server must equal those of the row sources of the table's parts, added
/// up. Tables and parts may be filled side by side: the content is the same for any number of connections.
pub trait Population: Send + Sync + std::fmt::Debug {
    /// Counts the tables.
    fn tables(&self) -> u32;
    /// Returns the name of a table.
    fn table_name(&self, table: u32) -> String;
    /// Counts the rows of all tables together.
    fn rows_total(&self) -> u64;
    /// Returns statements that each connection begins with.
    fn session_statements(&self) -> Vec<String> {
        Vec::new()
    }
    /// Returns statements that make the empty table.
    fn before_rows(&self, table: u32) -> Vec<String>;
    /// Parts of the table that can be filled side by side: ranges of its key.
    fn parts(&self, _table: u32) -> u32 {
        1
    }
    /// Returns the rows of one part, as statements.
    fn rows(&self, table: u32, part: u32) -> Box<dyn RowSource>;
    /// Returns how rows of the table go otherwise than as statements; `None`: they can't.
    fn row_form(&self, _table: u32) -> Option<RowForm> {
        None
    }
    /// Returns the condition, as SQL, under which a row of the table belongs to a part: it deletes a part that was
    /// begun and not ended. `None`: rows don't show it.
    fn part_condition(&self, _table: u32, _part: u32) -> Option<String> {
        None
    }
    /// Returns the table's rows, drawn from a stream that is given; [`RowSource::stream`] gives it back. Only the
    /// sysbench family, which can run on sysbench's own generators, heeds that.
    fn rows_drawing(&self, table: u32, _stream: Stream) -> Box<dyn RowSource> {
        self.rows(table, 0)
    }
    /// Returns the stream from which the imitated loader draws the rows of one table after the other, where dbdyno can
    /// do as it does. A listing then shows the loader's own statements; filling goes by parts all the same, with the
    /// same rows.
    fn loader_stream(&self) -> Option<Stream> {
        None
    }
    /// Returns statements for when the rows are in, such as secondary indexes.
    fn after_rows(&self, table: u32) -> Vec<String>;
    /// Returns statements for when all tables are done: foreign keys, procedures, statistics.
    fn at_end(&self) -> Vec<String> {
        Vec::new()
    }
    /// Returns statements that take the table away, whether it's there or not.
    fn drop_table(&self, table: u32) -> Vec<String>;
    /// Returns statements that take away what is no table (procedures), whether it's there or not.
    fn drop_rest(&self) -> Vec<String> {
        Vec::new()
    }
    /// Returns what to sum up. The first is always the count of rows.
    fn checks(&self, table: u32) -> &'static [Check];
    /// Returns how the server was asked to compress the tables, where it was.
    fn compression(&self) -> Option<Compression> {
        None
    }
    /// Returns what must hold between the tables, after the filling and after a run.
    fn conditions(&self) -> Vec<Condition> {
        Vec::new()
    }

    /// Returns the query that has the server compute all checks of a table, as one row.
    fn check_query(&self, table: u32) -> String {
        let sums: Vec<&str> = self.checks(table).iter().map(|check| check.sql).collect();
        format!("SELECT {} FROM {}", sums.join(", "), self.table_name(table))
    }
}

/// One sum over a table that both sides can compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Name in records.
    pub name: &'static str,
    /// The SQL expression. It gives 0, not NULL, for a table without rows.
    pub sql: &'static str,
}

/// Compression that a server may take note of and yet not do: by what is on its disk it is found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Rows are packed into pages of so many bytes.
    SmallPages(u32),
    /// Pages are written with holes, so that files take less of the disk than they are long.
    Holes,
}

/// A query that must return no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Name in records, such as `3.3.2.1`.
    pub name: String,
    /// What it says, in a few words.
    pub meaning: String,
    /// The query.
    pub sql: String,
    /// When it must hold.
    pub holds: InvariantScope,
}

/// Says when a condition must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvariantScope {
    /// Always: a run after which it doesn't is worth nothing.
    Always,
    /// After the filling; a run breaks it by its own nature.
    AfterLoad,
    /// After the filling, and after a run unless the quirk named struck: then it is only reported.
    UnlessQuirk(&'static str),
}

/// Says when a condition is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckPhase {
    /// The tables were filled, and nobody has worked on them since.
    AfterLoad,
    /// A run has worked on them.
    AfterRun,
}

impl InvariantScope {
    /// Returns whether a condition that is broken at this moment says that the data is wrong.
    pub fn is_required(&self, moment: CheckPhase) -> bool {
        *self == Self::Always || moment == CheckPhase::AfterLoad
    }
}

/// The rows of one part of a table, handed out as INSERT statements.
pub trait RowSource: Send {
    /// Replaces `statement` by the next INSERT and says how many rows it holds; 0 when all have been given.
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64;
    /// Appends the next rows until there is no place for more, and says how many; 0 when all have been given. `None` of
    /// rows that are only written as statements, from which [`RowForm::bind`] reads them. Nobody asks for both.
    fn bind(&mut self, _rows: &mut BoundRows) -> Option<u64> {
        None
    }
    /// Returns where the draws stand after the rows given so far, where they come from one stream.
    fn stream(&self) -> Option<Stream> {
        None
    }
    /// Returns the sums over all rows, in the order of [`Population::checks`]; complete once all rows have been given.
    fn sums(&self) -> Vec<u64>;
}
