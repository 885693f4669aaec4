//! The seam between what is done (this crate) and who does it when (`dbdyno-drive`).

use crate::Call;
use dbdyno_chance::{Stream, Unique};
use dbdyno_wire::Reply;

/// Index into [`Workload::statement_types`]: point select, COMMIT, ...
pub type StatementType = u8;

/// Index into [`Workload::transaction_types`]: read_write, new_order, ...
pub type TransactionType = u8;

/// What a statement does to a transaction, for policies and counters. The server's reply decides
/// whether sysbench would call it a read, a write or other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Opens a transaction.
    Begin,
    /// Ends a transaction; its time is reported apart.
    Commit,
    /// Anything else.
    Work,
}

/// One statement text with `?` where values go.
#[derive(Debug, Clone)]
pub struct StatementTemplate {
    /// The text, as prepared or, with values written in, as sent.
    pub text: String,
    /// Which line of the per-statement report it belongs to.
    pub statement_type: StatementType,
    /// What it does to the transaction.
    pub class: Class,
    /// Never prepared, always sent as text (sysbench's oltp_insert).
    pub text_only: bool,
}

/// What must be recorded of a workload so that its figures can be set beside another tool's.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The imitated tool and version, such as `sysbench 1.0.20`.
    pub imitates: String,
    /// Every option with its value, defaults included, in a fixed order.
    pub options: Vec<(String, String)>,
    /// Identifiers of the active quirks, such as `Q-SB-5`.
    pub quirks: Vec<String>,
}

/// The values of an event that is repeated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Draws {
    /// Drawn anew, as sysbench does.
    #[default]
    New,
    /// Those of the first attempt, as tpcc-mysql does.
    Same,
}

/// What a user wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The call holds a statement to send.
    Send,
    /// The event is complete.
    Done,
}

/// What a user draws from, where that is not the workload's own choice.
#[derive(Debug, Clone)]
pub struct UserDraws {
    /// Everything but new ids.
    pub stream: Stream,
    /// New ids, which all users of the workload share out among themselves.
    pub unique: Unique,
}

/// A workload: shared, immutable, the same for every worker.
pub trait Workload: Send + Sync + std::fmt::Debug {
    /// Name as a study writes it, such as `sysbench/oltp_read_write`.
    fn name(&self) -> &str;
    /// All statements in the order in which they are prepared on each connection.
    fn statements(&self) -> &[StatementTemplate];
    /// Names of the statement types.
    fn statement_types(&self) -> &[&'static str];
    /// Names of the transaction types.
    fn transaction_types(&self) -> &[&'static str];
    /// What the manifest records.
    fn facts(&self) -> Facts;
    /// The client number `index`, counted from 0. Its draws depend on the seed and `index` alone.
    fn user(&self, index: u32) -> Box<dyn User>;
    /// The same client, but one that draws from what it is given.
    fn user_drawing(&self, index: u32, draws: UserDraws) -> Box<dyn User>;
}

/// One client: draws its events and hands out their statements one by one.
pub trait User: Send {
    /// Starts a fresh event and says of which type it is: the one `wanted` where the pacing fixes it,
    /// otherwise the user's own choice.
    fn start_event(&mut self, wanted: Option<TransactionType>) -> TransactionType;
    /// Starts the event under way again, after an attempt at it was given up. It keeps its type.
    fn repeat_event(&mut self, draws: Draws);
    /// Fills `call` with the event's next statement. `reply` answers the statement before it, `None`
    /// for the first.
    fn next(&mut self, reply: Option<&Reply>, call: &mut Call) -> Step;
    /// Told once when an event has completed (not when an attempt was given up).
    fn finish_event(&mut self);
}
