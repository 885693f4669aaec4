//! The seam between the rows of a dataset (this crate) and who sends them (`dbdyno-drive`).

use dbdyno_chance::Stream;

/// Everything it takes to fill the tables of a workload. Tables are counted from 0.
///
/// Per table, in this order: [`before_rows`](Self::before_rows), every statement of [`rows`](Self::rows),
/// [`after_rows`](Self::after_rows); then the sums of [`checks`](Self::checks) asked from the server must equal
/// those of the row source. Tables may be filled side by side: the content is the same for any number of
/// connections.
pub trait Population: Send + Sync + std::fmt::Debug {
    /// Count of tables.
    fn tables(&self) -> u32;
    /// Name of a table.
    fn table_name(&self, table: u32) -> String;
    /// Count of rows of all tables together.
    fn rows_total(&self) -> u64;
    /// Statements that make the empty table.
    fn before_rows(&self, table: u32) -> Vec<String>;
    /// The table's rows, as statements.
    fn rows(&self, table: u32) -> Box<dyn RowSource>;
    /// The table's rows, drawn from a stream that is given; [`RowSource::stream`] gives it back.
    fn rows_drawing(&self, table: u32, stream: Stream) -> Box<dyn RowSource>;
    /// Statements for when the rows are in, such as secondary indexes.
    fn after_rows(&self, table: u32) -> Vec<String>;
    /// Statements that take the table away, whether it's there or not.
    fn drop_table(&self, table: u32) -> Vec<String>;
    /// What to sum up, the same for every table. The first is always the count of rows.
    fn checks(&self) -> &'static [Check];

    /// The query that has the server compute all checks of a table, as one row.
    fn check_query(&self, table: u32) -> String {
        let sums: Vec<&str> = self.checks().iter().map(|check| check.sql).collect();
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

/// The rows of one table, handed out as INSERT statements.
pub trait RowSource: Send {
    /// Replaces `statement` by the next INSERT and says how many rows it holds; 0 when all have been given.
    fn next_statement(&mut self, statement: &mut Vec<u8>) -> u64;
    /// Where the draws stand after the rows given so far.
    fn stream(&self) -> Stream;
    /// The sums over all rows, in the order of [`Population::checks`]; complete once all rows have been given.
    fn sums(&self) -> Vec<u64>;
}
