//! Defines the seam between what is done (this crate) and who does it when (`dbdyno-drive`).

use crate::{Call, Precondition, RateProfile, ServerCounts, UserDigest};
use dbdyno_chance::{Stream, Unique};
use dbdyno_wire::{BufferedRows, OkReply, Reply};

/// Index into [`WorkloadSpec::statement_types`]: point select, COMMIT, ...
pub type StatementType = u8;

/// Index into [`WorkloadSpec::transaction_types`]: read_write, new_order, ...
pub type TransactionType = u8;

/// Says what a statement does to a transaction, for policies and counters. The server's reply decides whether sysbench
/// would call it a read, a write or other.
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
    /// The text, as prepared or, with values written in, as sent. Of a statement that is written by the user, what
    /// it looks like.
    pub text: String,
    /// Which line of the per-statement report it belongs to.
    pub statement_type: StatementType,
    /// What it does to the transaction.
    pub class: Class,
    /// Never prepared, always sent as text (sysbench's oltp_insert).
    pub text_only: bool,
    /// The user writes the whole text into [`Call::text`], because its shape depends on the values. It is never
    /// prepared.
    pub is_written: bool,
    /// The user looks at the rows; those of other statements are counted and passed over.
    pub keeps_rows: bool,
    /// Which of the user's connections it goes over, from 0.
    pub lane: u8,
}

impl StatementTemplate {
    /// Makes an ordinary statement: prepared if the load says so, its rows not looked at, over the first connection.
    pub fn new(text: impl Into<String>, statement_type: StatementType, class: Class) -> Self {
        Self {
            text: text.into(),
            statement_type,
            class,
            text_only: false,
            is_written: false,
            keeps_rows: false,
            lane: 0,
        }
    }

    /// Returns whether it can be prepared at all.
    pub fn can_be_prepared(&self) -> bool {
        !self.text_only && !self.is_written
    }

    /// Returns whether only a result set can answer it: a SELECT, unless it puts its rows into variables or a file.
    /// False where the text doesn't show that.
    pub fn returns_rows(&self) -> bool {
        let text = self
            .text
            .trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_select = words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("select"));
        let has_one_statement = !text.trim_end().trim_end_matches(';').contains(';');
        is_select && has_one_statement && !words.any(|word| word.eq_ignore_ascii_case("into"))
    }
}

/// Holds what the server answered to the statement before.
#[derive(Debug)]
pub struct Response<'a> {
    /// The reply; never an error, which the drive takes itself.
    pub reply: &'a Reply,
    /// The rows, where the statement's template keeps them. They may be taken, with their memory.
    pub rows: &'a mut BufferedRows,
}

/// Holds what must be recorded of a workload so that its figures can be compared with another tool's.
#[derive(Debug, Clone, Default)]
pub struct Metadata {
    /// The imitated tool and version, such as `sysbench 1.0.20`.
    pub imitates: String,
    /// Every option with its value, defaults included, in a fixed order.
    pub options: Vec<(String, String)>,
    /// Identifiers of the active quirks, such as `Q-SB-5`.
    pub quirks: Vec<String>,
}

/// The values of an event that is repeated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
#[cfg_attr(feature = "arguments", serde(rename_all = "kebab-case"))]
pub enum RetryValues {
    /// Drawn again (sysbench).
    #[default]
    New,
    /// Those of the first attempt (tpcc-mysql).
    Same,
}

/// Describes what the imitated tool does after an error of the server: the policy of a load that asks for no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// After which errors the event is repeated or dropped; any other ends the run.
    pub after: RetryAfter,
    /// Send ROLLBACK before what comes next.
    pub rollback_first: bool,
    /// Repeats of one event after which it counts as failed and the next one begins; `None`: repeated until it
    /// succeeds, `Some(0)`: never repeated.
    pub limit: Option<u32>,
    /// Which values a repeat has.
    pub draws: RetryValues,
}

/// Errors that don't end a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryAfter {
    /// Those with these codes.
    Codes(Vec<u16>),
    /// All but a lost connection.
    AnyError,
}

/// Says what a user wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAction {
    /// The call holds a statement to send.
    Send,
    /// The event is complete.
    Done,
    /// The event is complete: it ended in the rollback that its own law asks for (TPC-C: 1 % of the new orders). It
    /// counts as completed, and apart.
    RolledBack,
}

/// Says whether a user begins its next event, for users that say so themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// At once.
    Ready,
    /// Not before this many nanoseconds since the run began; it is asked again then.
    RestUntil(u64),
    /// Never: it has done all it has to do. A run ends when all its users have.
    Retired,
}

/// Holds a figure of a run beyond times and counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Name in records, its unit last.
    pub name: String,
    /// What it says, in a few words.
    pub meaning: String,
    /// The figure; `None` where the run had no data for it.
    pub value: Option<f64>,
    /// Whether what was asked for held; `None` where nothing was.
    pub held: Option<bool>,
}

/// Holds what a user draws from, where that is not the workload's own choice.
#[derive(Debug, Clone)]
pub struct UserDraws {
    /// Everything but new ids.
    pub stream: Stream,
    /// New ids, which all users of the workload share out among themselves.
    pub unique: Unique,
}

/// Holds what is known of a workload before it runs.
#[derive(Debug, Clone, Default)]
pub struct WorkloadSpec {
    /// Name as a study writes it, such as `sysbench/oltp_read_write`.
    pub name: String,
    /// All statements in the order in which they are prepared on each connection.
    pub statements: Vec<StatementTemplate>,
    /// Names of the statement types.
    pub statement_types: Vec<&'static str>,
    /// Names of the transaction types.
    pub transaction_types: Vec<&'static str>,
    /// What the manifest records.
    pub metadata: Metadata,
    /// What the imitated tool does after errors, where the order for a load leaves it to the workload.
    pub retry: Option<RetryPolicy>,
    /// The rates that belong to the workload, for loads that ask for no other pacing.
    pub rate_profile: Option<RateProfile>,
    /// What the tables must hold.
    pub preconditions: Vec<Precondition>,
    /// What the server counts of the work by itself, where it does.
    pub server_counts: Option<ServerCounts>,
    /// Whether several statements may stand in one request, separated by semicolons.
    pub sends_several_statements: bool,
    /// How many users it has, where the workload itself fixes that: each has its own part. They pace themselves, by
    /// [`User::poll_ready`].
    pub users: Option<u32>,
    /// Whether each user holds a second connection.
    pub has_second_connection: bool,
    /// The role of the server that each user's second connection goes to, where that is another server.
    pub role: Option<String>,
    /// Statements that each of a user's connections begins with, before anything is prepared; again after it was
    /// reopened.
    pub session_statements: [Vec<String>; 2],
}

impl WorkloadSpec {
    /// Connections that each user holds, 1 or 2.
    pub fn lanes(&self) -> u8 {
        1 + u8::from(self.has_second_connection)
    }

    /// Returns the name of the type of a statement, by its place.
    pub fn type_of(&self, statement: u16) -> &'static str {
        let template = &self.statements[usize::from(statement)];
        self.statement_types[usize::from(template.statement_type)]
    }
}

/// A workload: shared, immutable, the same for every worker.
pub trait Workload: Send + Sync + std::fmt::Debug {
    /// Returns what is known of it before it runs.
    fn spec(&self) -> &WorkloadSpec;
    /// Returns the client number `index`, counted from 0. Its draws depend on the seed and `index` alone.
    fn user(&self, index: u32) -> Box<dyn User>;
    /// Returns the same client, but one that draws from what it is given. Only the sysbench family, whose users can run
    /// on sysbench's own generators, uses that.
    fn user_drawing(&self, index: u32, _draws: UserDraws) -> Box<dyn User> {
        self.user(index)
    }
    /// Returns a reply that a server holding this workload's data could give, for walks without one.
    fn canned_reply(&self, _call: &Call, _rows: &mut BufferedRows) -> Reply {
        Reply::Ok(OkReply::default())
    }
    /// Metrics of the run so far beyond times and counts.
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }
    /// Returns what its users have sent so far, where that is digested (see [`Digested`](crate::Digested)).
    fn digests(&self) -> Vec<UserDigest> {
        Vec::new()
    }
}

/// One client: draws its events and hands out their statements one by one.
pub trait User: Send {
    /// Starts a fresh event and says of which type it is: the one `wanted` where the pacing fixes it,
    /// otherwise the user's own choice.
    fn start_event(&mut self, wanted: Option<TransactionType>) -> TransactionType;
    /// Starts the event under way again, after an attempt at it was given up, and says of which type it is now: the
    /// same, unless the imitated tool draws that again, too.
    fn repeat_event(&mut self, draws: RetryValues) -> TransactionType;
    /// Fills `call` with the event's next statement. `answer` is that to the statement before it, `None` for the
    /// first.
    fn next(&mut self, answer: Option<Response<'_>>, call: &mut Call) -> NextAction;
    /// Nanoseconds that this client rests before its very first event.
    fn initial_rest_ns(&mut self) -> u64 {
        0
    }
    /// Returns whether it is asked before each event, by [`poll_ready`](Self::poll_ready), if it begins now.
    fn is_self_paced(&self) -> bool {
        false
    }
    /// Says whether the next event begins: called before each event, as soon as the one before has ended, well or not.
    /// `elapsed_ns` is how long the run has lasted. What it sends must not depend on the time.
    fn poll_ready(&mut self, _elapsed_ns: u64) -> Readiness {
        Readiness::Ready
    }
    /// Fills `call` with a statement that is still owed for events that have completed, and says whether there is one
    /// (rows that sysbench's bulk_insert has gathered). Called once when no event of this client begins any more. Its
    /// answer is not passed on.
    fn settle_up(&mut self, _call: &mut Call) -> bool {
        false
    }
    /// Called once when an event has completed (not when an attempt was given up). Returns how many nanoseconds this
    /// client rests before its next event, where that belongs to the workload (TPC-C's thinking and keying).
    fn finish_event(&mut self) -> u64;
    /// Called once when an event was given up, instead of [`finish_event`](Self::finish_event). Returns how many
    /// nanoseconds this client rests then: an error does not keep a user from thinking.
    fn give_up_event(&mut self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_result_set_answers_is_told_from_its_text() {
        let returns_rows = |text: &str| StatementTemplate::new(text, 0, Class::Work).returns_rows();
        for text in [
            "SELECT c FROM sbtest1 WHERE id=?",
            " (select 1) UNION (SELECT 2)",
            "SELECT\nDISTINCT c FROM t FOR UPDATE;",
        ] {
            assert!(returns_rows(text), "{text}");
        }
        for text in [
            "UPDATE t SET c = (SELECT 1)",
            "SELECT a INTO @a FROM t",
            "select a from t into outfile 'f'",
            "SELECT 1; DELETE FROM t",
            "SELECTED",
            "CALL p()",
            "",
        ] {
            assert!(!returns_rows(text), "{text}");
        }
    }
}
