//! The user that asks for the lowest key, from which rows are deleted. While it waits for the answer, no round is made.

use super::ground::Post;
use super::roles::Event;
use super::statement::Kind;
use crate::story::{End, GivenUp, Story, Talk};
use crate::{Draws, Standing, TransactionType};

/// Asks now and then.
pub(super) struct Minimum {
    pub(super) post: Post,
}

impl Story for Minimum {
    const STANDS_BY: bool = true;

    fn stand_by(&mut self, now_ns: u64) -> Standing {
        self.post.rounds().stand_by_to_ask(now_ns)
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.post.number(Event::FindMin)
    }

    fn again(&mut self, _draws: Draws) -> TransactionType {
        self.post.number(Event::FindMin)
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        talk.say(self.post.place(Kind::FindMin));
        talk.ask().await?;
        let key = talk.rows.int(0, 0).unwrap_or_default(); // NULL of an empty table
        self.post.rounds().learn_lowest(key as u64);
        Ok(End::Done)
    }
}
