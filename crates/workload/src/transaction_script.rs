//! Lets users whose next statement depends on the rows of the one before be written as scripts.
//!
//! A [`TransactionScript`] says what one event does from its first statement to its last, in one function that waits for each
//! answer where it stands. The compiler makes the state machine of it that [`User`] asks for; a user is allocated once
//! and none of its events allocates. There is no executor: the drive's call of [`User::next`] is what lets the script
//! go on, so nothing ever waits for anything but the server's answer.
//!
//! ```text
//! drive                     ScriptUser                    TransactionScript
//! start_event(wanted)  ──▶  Start(wanted)          ──▶   start() draws the event
//! next(None)           ──▶  Proceed                ──▶   run() goes up to its first execute()
//! next(answer)         ──▶  Answered               ──▶   execute() returns; on to the next
//! repeat_event(draws)  ──▶  Replay(draws)          ──▶   execute() returns Err(Aborted), run() ends; replay()
//! give_up_event()      ──▶  GivenUp                ──▶   execute() returns Err(Aborted), run() ends; rest_ns()
//! ```
//!
//! Both sides talk through a [`Mailbox`], which only one of them holds at a time: the user lends it to its thread while
//! the script runs, and the script reaches it there. So there is no lock and nothing shared.

use crate::{Call, NextAction, Readiness, Response, RetryValues, TransactionType, User};
use dbdyno_wire::{BufferedRows, OkReply, Parameters, Reply, RowsReply};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Defines what one client does, event by event.
pub(crate) trait TransactionScript: Send + 'static {
    /// Draws a fresh event, of the type `wanted` where the pacing fixes it.
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType;

    /// Prepares the event under way to be repeated from its beginning.
    fn replay(&mut self, draws: RetryValues) -> TransactionType;

    /// Does the event: every statement and what becomes of its answer.
    ///
    /// # Errors
    /// [`Aborted`], handed on from [`ScriptContext::execute`].
    fn run(
        &mut self,
        context: &mut ScriptContext,
    ) -> impl Future<Output = Result<EventEnd, Aborted>> + Send;

    /// Nanoseconds to rest before the very first event.
    fn initial_rest_ns(&mut self) -> u64 {
        0
    }

    /// Whether it says itself when its events begin.
    const IS_SELF_PACED: bool = false;

    /// Returns whether the next event begins; see [`User::poll_ready`].
    fn poll_ready(&mut self, _elapsed_ns: u64) -> Readiness {
        Readiness::Ready
    }

    /// Nanoseconds to rest after the event that has just completed, or was given up.
    fn rest_ns(&mut self) -> u64 {
        0
    }
}

/// Says how an event ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventEnd {
    /// As most do.
    Done,
    /// In the rollback that its own law asks for.
    RolledBack,
}

/// The drive has given the attempt up (an error, a lost connection): leave the event, by `?`.
#[derive(Debug)]
pub(crate) struct Aborted;

/// A script's side of the conversation: the statement being made, and the answer to the last one.
pub(crate) struct ScriptContext {
    call: Call,
    /// The rows of the last answer, where its statement's template keeps them.
    pub(crate) rows: BufferedRows,
    /// Rows that the last statement changed, or gave.
    pub(crate) affected: u64,
    /// First value that AUTO_INCREMENT gave in the last statement.
    pub(crate) insert_id: u64,
}

impl ScriptContext {
    /// Begins a statement, by its place among the workload's, and hands out its values to be filled in.
    pub(crate) fn bind(&mut self, statement: u16) -> &mut Parameters {
        self.call.start(statement);
        &mut self.call.parameters
    }

    /// Begins a statement whose whole text the script writes.
    pub(crate) fn text(&mut self, statement: u16) -> &mut Vec<u8> {
        self.call.start(statement);
        &mut self.call.text
    }

    /// Sends the statement and waits for its answer.
    ///
    /// # Errors
    /// The attempt at the event was given up.
    pub(crate) async fn execute(&mut self) -> Result<(), Aborted> {
        with_mailbox(|mailbox| {
            std::mem::swap(&mut mailbox.call, &mut self.call);
            mailbox.next_action = Some(NextAction::Send);
        });
        poll_fn(|_| self.poll_answer()).await
    }

    fn poll_answer(&mut self) -> Poll<Result<(), Aborted>> {
        with_mailbox(|mailbox| match mailbox.signal {
            None => Poll::Pending,
            Some(Signal::Answered(counts)) => {
                mailbox.signal = None;
                std::mem::swap(&mut mailbox.rows, &mut self.rows);
                (self.affected, self.insert_id) = counts;
                Poll::Ready(Ok(()))
            }
            // The next event takes this signal.
            Some(_) => Poll::Ready(Err(Aborted)),
        })
    }
}

/// Holds what lies between the drive and the script.
#[derive(Default)]
struct Mailbox {
    /// From the drive.
    signal: Option<Signal>,
    rows: BufferedRows,
    /// From the script.
    next_action: Option<NextAction>,
    call: Call,
    transaction: TransactionType,
    rest_ns: u64,
    readiness: Option<Readiness>,
}

#[derive(Clone, Copy)]
enum Signal {
    Start(Option<TransactionType>),
    Replay(RetryValues),
    /// Does the next event begin? The run has lasted so many nanoseconds.
    PollReady(u64),
    /// The event may begin.
    Proceed,
    /// Affected rows and insert id.
    Answered((u64, u64)),
    /// The event was given up.
    GivenUp,
}

thread_local! {
    /// The mailbox of the user whose script runs now on this thread.
    static LENT: Cell<Option<Box<Mailbox>>> = const { Cell::new(None) };
}

/// Gives a running script its user's mailbox. Polled by anyone but its user a script finds an empty one, and waits.
#[inline]
fn with_mailbox<T>(act: impl FnOnce(&mut Mailbox) -> T) -> T {
    LENT.with(|lent| {
        let mut mailbox = lent.take().unwrap_or_default();
        let result = act(&mut mailbox);
        lent.set(Some(mailbox));
        result
    })
}

/// A script as the user that the drive knows.
pub(crate) struct ScriptUser {
    /// Nothing only while it is lent.
    mailbox: Option<Box<Mailbox>>,
    initial_rest_ns: u64,
    is_self_paced: bool,
    life: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl ScriptUser {
    pub(crate) fn of<S: TransactionScript>(mut script: S) -> Box<dyn User> {
        let initial_rest_ns = script.initial_rest_ns();
        let context = ScriptContext {
            call: Call::default(),
            rows: BufferedRows::default(),
            affected: 0,
            insert_id: 0,
        };
        let life = Box::pin(live(script, context));
        Box::new(Self {
            mailbox: None,
            initial_rest_ns,
            is_self_paced: S::IS_SELF_PACED,
            life,
        })
    }

    fn deliver(&mut self, signal: Signal) {
        self.mailbox().signal = Some(signal);
        LENT.with(|lent| {
            let lent_before = lent.replace(self.mailbox.take());
            let mut context = Context::from_waker(Waker::noop());
            // A script never ends; it waits for the next event.
            let _ = self.life.as_mut().poll(&mut context);
            self.mailbox = lent.replace(lent_before);
        });
    }

    fn mailbox(&mut self) -> &mut Mailbox {
        self.mailbox.get_or_insert_default()
    }
}

/// Runs one event after the other, without end.
async fn live(mut script: impl TransactionScript, mut context: ScriptContext) {
    loop {
        let transaction = match next_signal().await {
            Signal::Start(wanted) => script.start(wanted),
            Signal::Replay(draws) => script.replay(draws),
            Signal::PollReady(elapsed_ns) => {
                let readiness = script.poll_ready(elapsed_ns);
                with_mailbox(|mailbox| mailbox.readiness = Some(readiness));
                continue;
            }
            Signal::GivenUp => {
                let rest_ns = script.rest_ns();
                with_mailbox(|mailbox| mailbox.rest_ns = rest_ns);
                continue;
            }
            Signal::Proceed | Signal::Answered(_) => continue,
        };
        with_mailbox(|mailbox| mailbox.transaction = transaction);
        if !can_start().await {
            continue;
        }
        if let Ok(end) = script.run(&mut context).await {
            let rest_ns = script.rest_ns();
            with_mailbox(|mailbox| {
                mailbox.rest_ns = rest_ns;
                mailbox.next_action = Some(match end {
                    EventEnd::Done => NextAction::Done,
                    EventEnd::RolledBack => NextAction::RolledBack,
                });
            });
        }
    }
}

async fn next_signal() -> Signal {
    poll_fn(|_| match with_mailbox(|mailbox| mailbox.signal.take()) {
        Some(signal) => Poll::Ready(signal),
        None => Poll::Pending,
    })
    .await
}

/// Waits for the start; false when another event is started instead, whose signal stays for it.
async fn can_start() -> bool {
    poll_fn(|_| {
        with_mailbox(|mailbox| match mailbox.signal {
            None => Poll::Pending,
            Some(Signal::Proceed) => {
                mailbox.signal = None;
                Poll::Ready(true)
            }
            Some(_) => Poll::Ready(false),
        })
    })
    .await
}

impl User for ScriptUser {
    fn start_event(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.deliver(Signal::Start(wanted));
        self.mailbox().transaction
    }

    fn repeat_event(&mut self, draws: RetryValues) -> TransactionType {
        self.deliver(Signal::Replay(draws));
        self.mailbox().transaction
    }

    fn next(&mut self, answer: Option<Response<'_>>, call: &mut Call) -> NextAction {
        let signal = match answer {
            None => Signal::Proceed,
            Some(answer) => {
                std::mem::swap(&mut self.mailbox().rows, answer.rows);
                Signal::Answered(counts(answer.reply))
            }
        };
        self.deliver(signal);
        let mailbox = self.mailbox();
        std::mem::swap(&mut mailbox.call, call);
        mailbox.next_action.take().unwrap_or(NextAction::Done)
    }

    fn initial_rest_ns(&mut self) -> u64 {
        self.initial_rest_ns
    }

    fn is_self_paced(&self) -> bool {
        self.is_self_paced
    }

    fn poll_ready(&mut self, elapsed_ns: u64) -> Readiness {
        self.deliver(Signal::PollReady(elapsed_ns));
        self.mailbox().readiness.take().unwrap_or(Readiness::Ready)
    }

    fn finish_event(&mut self) -> u64 {
        std::mem::take(&mut self.mailbox().rest_ns)
    }

    fn give_up_event(&mut self) -> u64 {
        self.deliver(Signal::GivenUp);
        std::mem::take(&mut self.mailbox().rest_ns)
    }
}

fn counts(reply: &Reply) -> (u64, u64) {
    match *reply {
        Reply::Ok(OkReply {
            affected_rows,
            last_insert_id,
            ..
        }) => (affected_rows, last_insert_id),
        Reply::Rows(RowsReply { rows, .. }) => (rows, 0),
        Reply::Error(_) => (0, 0),
    }
}

#[cfg(test)]
mod tests;
