//! The user that keeps a transaction open, so that the server can't forget what was changed since.

use super::ground::Post;
use super::roles::Event;
use super::statement::Kind;
use crate::story::{End, GivenUp, Story, Talk};
use crate::{Draws, Standing, TransactionType};

const SECOND_NS: u64 = 1_000_000_000;

/// Reads a row, waits, commits, and so on as long as its client inserts.
pub(super) struct Holder {
    post: Post,
    is_set_up: bool,
    /// Since when a transaction is open.
    open_since_ns: Option<u64>,
    has_read: bool,
    commits: bool,
}

impl Holder {
    pub(super) fn new(post: Post) -> Self {
        Self {
            post,
            is_set_up: false,
            open_since_ns: None,
            has_read: false,
            commits: false,
        }
    }
}

impl Story for Holder {
    const STANDS_BY: bool = true;

    fn stand_by(&mut self, now_ns: u64) -> Standing {
        let is_over = self.post.rounds().is_over();
        if !self.has_read {
            return if is_over {
                Standing::Retired
            } else {
                Standing::Ready
            };
        }
        let options = &self.post.ground.options;
        let since_ns = *self.open_since_ns.get_or_insert(now_ns);
        let until_ns = since_ns + u64::from(options.htap_transaction_seconds) * SECOND_NS;
        match is_over || now_ns >= until_ns {
            true => Standing::Ready,
            // A step that ends meanwhile is noticed within a second.
            false => Standing::RestUntil(until_ns.min(now_ns + SECOND_NS)),
        }
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.commits = self.has_read;
        self.again(Draws::Same)
    }

    fn again(&mut self, _draws: Draws) -> TransactionType {
        self.post.number(match self.commits {
            true => Event::Release,
            false => Event::Hold,
        })
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        if self.commits {
            talk.say(self.post.place(Kind::Commit));
            talk.ask().await?;
            self.has_read = false;
            self.open_since_ns = None;
            return Ok(End::Done);
        }
        if !self.is_set_up {
            talk.say(self.post.place(Kind::NoAutocommit));
            talk.ask().await?;
            self.is_set_up = true;
        }
        talk.say(self.post.place(Kind::ReadRow));
        talk.ask().await?;
        self.has_read = true;
        Ok(End::Done)
    }
}
