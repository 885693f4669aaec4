//! The user that deletes, as many rows as are inserted, at the low end of the key.

use super::ground::Post;
use super::roles::Event;
use super::rounds::Hand;
use super::statement::Kind;
use crate::story::{End, GivenUp, Story, Talk};
use crate::{Draws, Standing, TransactionType};

/// Deletes behind one inserter.
pub(super) struct Deleter {
    post: Post,
    round: u64,
    is_set_up: bool,
    sets_up: bool,
    began_ns: u64,
    /// Rows that the delete under way took away, once it is answered.
    deleted_rows: Option<u64>,
}

impl Deleter {
    pub(super) fn new(post: Post) -> Self {
        Self {
            is_set_up: !post.ground.options.leaves_checks_out(),
            post,
            round: 0,
            sets_up: false,
            began_ns: 0,
            deleted_rows: None,
        }
    }
}

impl Story for Deleter {
    const STANDS_BY: bool = true;

    fn stand_by(&mut self, now_ns: u64) -> Standing {
        if let Some(rows) = self.deleted_rows.take() {
            let ns = now_ns.saturating_sub(self.began_ns);
            self.post.ground.account.add_delete(rows, ns);
        }
        self.began_ns = now_ns;
        let mut rounds = self.post.rounds();
        rounds.end(Hand::Deleter);
        rounds.stand_by(Hand::Deleter, now_ns)
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.sets_up = !std::mem::replace(&mut self.is_set_up, true);
        if !self.sets_up {
            self.round = self.post.rounds().begin(Hand::Deleter);
        }
        self.again(Draws::Same)
    }

    fn again(&mut self, _draws: Draws) -> TransactionType {
        self.post.number(match self.sets_up {
            true => Event::SetUp,
            false => Event::Delete,
        })
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        if self.sets_up {
            talk.say(self.post.place(Kind::NoUniqueChecks));
        } else {
            let from = self.post.rounds().delete_from(self.round);
            let values = talk.say(self.post.place(Kind::Delete));
            values.push_int(from as i64);
            values.push_int(self.post.ground.plan.rows_per_commit as i64);
        }
        talk.ask().await?;
        self.deleted_rows = (!self.sets_up).then_some(talk.affected);
        Ok(End::Done)
    }
}
