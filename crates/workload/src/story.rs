//! Users whose next statement depends on the rows of the one before, written as stories.
//!
//! A [`Story`] says what one event does from its first statement to its last, in one function that waits for each
//! answer where it stands. The compiler makes the state machine of it that [`User`] asks for; a user is allocated once
//! and none of its events allocates. There is no executor: the drive's call of [`User::next`] is what lets the story
//! go on, so nothing ever waits for anything but the server's answer.
//!
//! ```text
//! drive                     StoryUser                    Story
//! start_event(wanted)  ──▶  begin: Start(wanted)   ──▶   start() draws the event
//! next(None)           ──▶  first statement        ──▶   tell() runs up to its first ask()
//! next(answer)         ──▶  Answered               ──▶   ask() returns; on to the next
//! repeat_event(draws)  ──▶  begin: Again(draws)    ──▶   ask() returns Err(GivenUp), tell() ends; again()
//! ```

use crate::{Answer, Call, Draws, Standing, Step, TransactionType, User};
use dbdyno_wire::{KeptRows, OkReply, Parameters, Reply, RowsReply};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// What one client does, event by event.
pub(crate) trait Story: Send + 'static {
    /// Draws a fresh event, of the type `wanted` where the pacing fixes it.
    fn start(&mut self, wanted: Option<TransactionType>) -> TransactionType;

    /// Prepares the event under way to be told again from its beginning.
    fn again(&mut self, draws: Draws) -> TransactionType;

    /// Does the event: every statement and what becomes of its answer.
    ///
    /// # Errors
    /// [`GivenUp`], handed on from [`Talk::ask`].
    fn tell(&mut self, talk: &mut Talk) -> impl Future<Output = Result<End, GivenUp>> + Send;

    /// Nanoseconds to rest before the very first event.
    fn initial_rest_ns(&mut self) -> u64 {
        0
    }

    /// Whether it says itself when its events begin.
    const STANDS_BY: bool = false;

    /// Whether the next event begins; see [`User::stand_by`].
    fn stand_by(&mut self, _elapsed_ns: u64) -> Standing {
        Standing::Ready
    }

    /// Nanoseconds to rest after the event that has just completed.
    fn rest_ns(&mut self) -> u64 {
        0
    }
}

/// How an event ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As most do.
    Done,
    /// In the rollback that its own law asks for.
    RolledBack,
}

/// The drive has given the attempt up (an error, a lost connection): leave the event, by `?`.
#[derive(Debug)]
pub(crate) struct GivenUp;

/// A story's side of the conversation: the statement being made, and the answer to the last one.
pub(crate) struct Talk {
    call: Call,
    /// The rows of the last answer, where its statement's template keeps them.
    pub(crate) rows: KeptRows,
    /// Rows that the last statement changed, or gave.
    pub(crate) affected: u64,
    /// First value that AUTO_INCREMENT gave in the last statement.
    pub(crate) insert_id: u64,
    between: Arc<Mutex<Between>>,
}

impl Talk {
    /// Begins a statement, by its place among the workload's, and hands out its values to be filled in.
    pub(crate) fn say(&mut self, statement: u16) -> &mut Parameters {
        self.call.start(statement);
        &mut self.call.parameters
    }

    /// Begins a statement whose whole text the story writes.
    pub(crate) fn write(&mut self, statement: u16) -> &mut Vec<u8> {
        self.call.start(statement);
        &mut self.call.text
    }

    /// Sends the statement and waits for its answer.
    ///
    /// # Errors
    /// The attempt at the event was given up.
    pub(crate) async fn ask(&mut self) -> Result<(), GivenUp> {
        {
            let mut between = hold(&self.between);
            std::mem::swap(&mut between.call, &mut self.call);
            between.wish = Some(Step::Send);
        }
        poll_fn(|_| self.poll_answer()).await
    }

    fn poll_answer(&mut self) -> Poll<Result<(), GivenUp>> {
        let mut between = hold(&self.between);
        match between.turn.take() {
            None => Poll::Pending,
            Some(Turn::Answered(counts)) => {
                std::mem::swap(&mut between.rows, &mut self.rows);
                (self.affected, self.insert_id) = counts;
                Poll::Ready(Ok(()))
            }
            Some(begin) => {
                between.turn = Some(begin);
                Poll::Ready(Err(GivenUp))
            }
        }
    }
}

/// What lies between the drive and the story. One thread uses both sides in turn, so the lock is never waited for.
#[derive(Default)]
struct Between {
    /// From the drive.
    turn: Option<Turn>,
    rows: KeptRows,
    /// From the story.
    wish: Option<Step>,
    call: Call,
    transaction: TransactionType,
    rest_ns: u64,
    standing: Option<Standing>,
}

#[derive(Clone, Copy)]
enum Turn {
    Start(Option<TransactionType>),
    Again(Draws),
    /// Does the next event begin? The run has lasted so many nanoseconds.
    Stand(u64),
    /// The event may begin.
    Go,
    /// Affected rows and insert id.
    Answered((u64, u64)),
}

fn hold(between: &Mutex<Between>) -> MutexGuard<'_, Between> {
    between.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A story as the user that the drive knows.
pub(crate) struct StoryUser {
    between: Arc<Mutex<Between>>,
    initial_rest_ns: u64,
    stands_by: bool,
    life: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl StoryUser {
    pub(crate) fn of<S: Story>(mut story: S) -> Box<dyn User> {
        let initial_rest_ns = story.initial_rest_ns();
        let between = Arc::<Mutex<Between>>::default();
        let talk = Talk {
            call: Call::default(),
            rows: KeptRows::default(),
            affected: 0,
            insert_id: 0,
            between: Arc::clone(&between),
        };
        let life = Box::pin(live(story, talk));
        Box::new(Self {
            between,
            initial_rest_ns,
            stands_by: S::STANDS_BY,
            life,
        })
    }

    fn give(&mut self, turn: Turn) {
        hold(&self.between).turn = Some(turn);
        let mut context = Context::from_waker(Waker::noop());
        // A story never ends; it waits for the next event.
        let _ = self.life.as_mut().poll(&mut context);
    }
}

/// One event after the other, without end.
async fn live(mut story: impl Story, mut talk: Talk) {
    loop {
        let transaction = match next_turn(&talk.between).await {
            Turn::Start(wanted) => story.start(wanted),
            Turn::Again(draws) => story.again(draws),
            Turn::Stand(elapsed_ns) => {
                let standing = story.stand_by(elapsed_ns);
                hold(&talk.between).standing = Some(standing);
                continue;
            }
            Turn::Go | Turn::Answered(_) => continue,
        };
        hold(&talk.between).transaction = transaction;
        if !may_go(&talk.between).await {
            continue;
        }
        if let Ok(end) = story.tell(&mut talk).await {
            let mut between = hold(&talk.between);
            between.rest_ns = story.rest_ns();
            between.wish = Some(match end {
                End::Done => Step::Done,
                End::RolledBack => Step::RolledBack,
            });
        }
    }
}

async fn next_turn(between: &Mutex<Between>) -> Turn {
    poll_fn(|_| match hold(between).turn.take() {
        Some(turn) => Poll::Ready(turn),
        None => Poll::Pending,
    })
    .await
}

/// False when another event is started instead; its turn is left lying.
async fn may_go(between: &Mutex<Between>) -> bool {
    poll_fn(|_| {
        let mut between = hold(between);
        match between.turn {
            None => Poll::Pending,
            Some(Turn::Go) => {
                between.turn = None;
                Poll::Ready(true)
            }
            Some(_) => Poll::Ready(false),
        }
    })
    .await
}

impl User for StoryUser {
    fn start_event(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.give(Turn::Start(wanted));
        hold(&self.between).transaction
    }

    fn repeat_event(&mut self, draws: Draws) -> TransactionType {
        self.give(Turn::Again(draws));
        hold(&self.between).transaction
    }

    fn next(&mut self, answer: Option<Answer<'_>>, call: &mut Call) -> Step {
        let turn = match answer {
            None => Turn::Go,
            Some(answer) => {
                std::mem::swap(&mut hold(&self.between).rows, answer.rows);
                Turn::Answered(counts(answer.reply))
            }
        };
        self.give(turn);
        let mut between = hold(&self.between);
        std::mem::swap(&mut between.call, call);
        between.wish.take().unwrap_or(Step::Done)
    }

    fn initial_rest_ns(&mut self) -> u64 {
        self.initial_rest_ns
    }

    fn stands_by(&self) -> bool {
        self.stands_by
    }

    fn stand_by(&mut self, elapsed_ns: u64) -> Standing {
        self.give(Turn::Stand(elapsed_ns));
        let standing = hold(&self.between).standing.take();
        standing.unwrap_or(Standing::Ready)
    }

    fn finish_event(&mut self) -> u64 {
        std::mem::take(&mut hold(&self.between).rest_ns)
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
