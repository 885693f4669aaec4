//! The user that inserts. In `l.i0` it makes its table first, in `l.x` the secondary keys last.

use super::ground::{Ground, Post};
use super::roles::Event;
use super::rounds::Hand;
use super::rows::RowMaker;
use super::schema::add_keys;
use super::statement::{ADD_KEYS, Kind, insert_head};
use super::step::Step;
use crate::story::{End, GivenUp, Story, Talk};
use crate::{Draws, Standing, TransactionType};
use std::sync::Arc;

/// Between the starts of two clients; after the first one more in `l.i0`, which leaves it the time to make the table.
const START_GAP_NS: u64 = 1_000_000_000;
const FIRST_START_GAP_NS: u64 = 10_000_000_000;

/// How long those wait who need a table that another client makes.
const TABLE_POLL_NS: u64 = 10_000_000;

/// One kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Duty {
    CreateTable,
    SetUp,
    Insert,
    AddKeys,
    TearDown,
}

/// Inserts the rows of one client.
pub(super) struct Inserter {
    post: Post,
    rows: RowMaker,
    head: Vec<u8>,
    /// The statement under way, kept for repeats.
    text: Vec<u8>,
    /// What comes before the first insert, last first; and what comes after the last.
    before: Vec<Duty>,
    after: Vec<Duty>,
    duty: Duty,
    began_ns: u64,
    /// An event was begun that the client hasn't said to be over.
    is_under_way: bool,
    /// Its last statement was answered.
    is_done: bool,
}

impl Inserter {
    pub(super) fn new(post: Post) -> Self {
        let (ground, client) = (&post.ground, post.client);
        let (options, step) = (&ground.options, ground.plan.step);
        let creates = step == Step::Load && (!options.one_table || client == 0);
        let rows = RowMaker::new(Arc::clone(ground), step, client);
        let head = insert_head(options, options.table_of(client)).into_bytes();
        let listed = |duties: [(bool, Duty); 2]| {
            let asked = duties.into_iter().filter(|(is_asked, _)| *is_asked);
            asked.map(|(_, duty)| duty).collect()
        };
        Self {
            text: Vec::with_capacity(head.len() + rows.round_bytes()),
            rows,
            head,
            before: listed([
                (options.sets_up(), Duty::SetUp),
                (creates, Duty::CreateTable),
            ]),
            after: listed([
                (options.adds_keys(), Duty::AddKeys),
                (options.loads_in_bulk(), Duty::TearDown),
            ]),
            duty: Duty::Insert,
            began_ns: 0,
            is_under_way: false,
            is_done: false,
            post,
        }
    }

    fn ground(&self) -> &Ground {
        &self.post.ground
    }

    fn starts_at_ns(&self) -> u64 {
        let (client, step) = (u64::from(self.post.client), self.ground().plan.step);
        match (client, step) {
            _ if self.ground().options.is_fixed() => 0,
            (0, _) => 0,
            (_, Step::Load) => FIRST_START_GAP_NS + (client - 1) * START_GAP_NS,
            _ => client * START_GAP_NS,
        }
    }

    fn begin_insert(&mut self) {
        self.post.rounds().begin(Hand::Inserter);
        self.text.clear();
        self.text.extend_from_slice(&self.head);
        self.rows.put_round(&mut self.text, |_| ());
    }

    /// The event before is over; its rows count if it ended well.
    fn close(&mut self, now_ns: u64) {
        if !std::mem::take(&mut self.is_under_way) {
            return;
        }
        let is_done = std::mem::take(&mut self.is_done);
        if self.duty == Duty::Insert {
            self.post.rounds().end(Hand::Inserter);
            if is_done {
                let (client, rows) = (self.post.client, self.ground().plan.rows_per_commit);
                let span_ns = (self.began_ns, now_ns);
                self.ground().account.add_insert(client, rows, span_ns);
            }
        }
    }

    async fn say(&self, kind: Kind, talk: &mut Talk) -> Result<(), GivenUp> {
        talk.say(self.post.place(kind));
        talk.ask().await
    }

    async fn set_up(&self, talk: &mut Talk) -> Result<(), GivenUp> {
        let options = &self.ground().options;
        if options.leaves_checks_out() {
            self.say(Kind::NoUniqueChecks, talk).await?;
        }
        if options.loads_in_bulk() {
            self.say(Kind::BulkLoad, talk).await?;
        }
        Ok(())
    }
}

impl Story for Inserter {
    const STANDS_BY: bool = true;

    fn stand_by(&mut self, now_ns: u64) -> Standing {
        self.close(now_ns);
        self.began_ns = now_ns;
        if now_ns < self.starts_at_ns() {
            return Standing::RestUntil(self.starts_at_ns());
        }
        if self.before.contains(&Duty::CreateTable) {
            return Standing::Ready;
        }
        if self.ground().plan.step == Step::Load && !self.ground().has_table_of(self.post.client) {
            return Standing::RestUntil(now_ns + TABLE_POLL_NS);
        }
        self.ground().account.begin(self.post.client, now_ns);
        if !self.before.is_empty() {
            return Standing::Ready;
        }
        let standing = self.post.rounds().stand_by(Hand::Inserter, now_ns);
        match standing {
            Standing::Retired if !self.after.is_empty() => Standing::Ready,
            other => other,
        }
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.is_under_way = true;
        let is_over = self.post.rounds().has_begun_all(Hand::Inserter);
        self.duty = match self.before.pop() {
            Some(duty) => duty,
            None if is_over && !self.after.is_empty() => self.after.remove(0),
            None => Duty::Insert,
        };
        if self.duty == Duty::Insert {
            self.begin_insert();
        }
        self.again(Draws::Same)
    }

    /// Always with the same rows: they are the round's.
    fn again(&mut self, _draws: Draws) -> TransactionType {
        self.post.number(match self.duty {
            Duty::CreateTable => Event::CreateTable,
            Duty::SetUp | Duty::TearDown => Event::SetUp,
            Duty::Insert => Event::Insert,
            Duty::AddKeys => Event::AddKeys,
        })
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        match self.duty {
            Duty::CreateTable => {
                self.say(Kind::DropTable, talk).await?;
                self.say(Kind::CreateTable, talk).await?;
                self.ground().note_table(self.post.client);
            }
            Duty::SetUp => self.set_up(talk).await?,
            Duty::Insert => {
                let out = talk.write(self.post.place(Kind::Insert));
                out.reserve(self.text.capacity()); // once, for the longest that there may be
                out.extend_from_slice(&self.text);
                talk.ask().await?;
            }
            Duty::AddKeys => {
                let statements = add_keys(&self.ground().options, 0).len();
                for kind in &ADD_KEYS[..statements] {
                    self.say(*kind, talk).await?;
                }
            }
            Duty::TearDown => self.say(Kind::EndBulkLoad, talk).await?,
        }
        self.is_done = true;
        Ok(End::Done)
    }
}
