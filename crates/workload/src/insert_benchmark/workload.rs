//! The workload: one step, and who does what in it.

use super::deleter::Deleter;
use super::ground::{Ground, Post};
use super::holder::Holder;
use super::inserter::Inserter;
use super::minimum::Minimum;
use super::querier::Querier;
use super::roles::{Role, kinds};
use super::settler::Settler;
use super::step::Step;
use super::{NAME, quirks, stand_in, statement};
use crate::story::StoryUser;
use crate::{
    Call, Course, Draws, Facts, Figure, RetryAfter, RetryLaw, StatementTemplate, User, Workload,
};
use dbdyno_wire::{KeptRows, Reply};
use std::sync::Arc;

/// Longer than any step: it ends when its rows are in.
const LONGEST_S: u32 = 30 * 86_400;

const LOCK_WAIT_TIMEOUT: u16 = 1205;
const DEADLOCK: u16 = 1213;
const RECORD_CHANGED: u16 = 1020;

/// One step with its options.
#[derive(Debug)]
pub(super) struct InsertBenchmark {
    ground: Arc<Ground>,
    templates: Vec<StatementTemplate>,
    statement_types: Vec<&'static str>,
    transaction_types: Vec<&'static str>,
    course: Course,
}

impl InsertBenchmark {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        let kinds = kinds(&ground.roles, &ground.options);
        Self {
            templates: statement::templates(&ground.options, &kinds),
            statement_types: statement::names(&kinds),
            transaction_types: ground.events.names(),
            course: Course {
                phases: vec![("window".to_owned(), LONGEST_S)],
                streams: Vec::new(),
            },
            ground,
        }
    }
}

impl Workload for InsertBenchmark {
    fn name(&self) -> &str {
        NAME
    }

    fn statements(&self) -> &[StatementTemplate] {
        &self.templates
    }

    fn statement_types(&self) -> &[&'static str] {
        &self.statement_types
    }

    fn transaction_types(&self) -> &[&'static str] {
        &self.transaction_types
    }

    fn facts(&self) -> Facts {
        Facts {
            imitates: "iibench.py e1ba3d9 (mdcallag/mytools)".to_owned(),
            options: self.ground.options.list(),
            quirks: quirks::active(&self.ground.options),
        }
    }

    /// Without end and with the same rows: the tool means to count errors and loses its process (Q-IB-2).
    fn retry(&self) -> Option<RetryLaw> {
        Some(RetryLaw {
            after: RetryAfter::Codes(vec![DEADLOCK, LOCK_WAIT_TIMEOUT, RECORD_CHANGED]),
            rollback_first: false,
            limit: None,
            draws: Draws::Same,
        })
    }

    fn course(&self) -> Option<&Course> {
        Some(&self.course)
    }

    fn users(&self) -> Option<u32> {
        Some(self.ground.plan.clients * self.ground.roles.len() as u32)
    }

    fn figures(&self) -> Vec<Figure> {
        match self.ground.plan.step {
            Step::Settle => Vec::new(),
            _ => self.ground.account.figures(),
        }
    }

    fn stand_in(&self, call: &Call, rows: &mut KeptRows) -> Reply {
        let kind = statement::kind_at(call.statement, self.ground.options.tables());
        stand_in::reply(&self.ground, kind, rows)
    }

    /// The users of a client have numbers one after the other.
    fn user(&self, index: u32) -> Box<dyn User> {
        let roles = &self.ground.roles;
        let count = roles.len() as u32;
        let post = Post {
            ground: Arc::clone(&self.ground),
            client: index / count % self.ground.plan.clients,
        };
        match roles[(index % count) as usize] {
            Role::Insert => StoryUser::of(Inserter::new(post)),
            Role::FindMin => StoryUser::of(Minimum { post }),
            Role::Delete => StoryUser::of(Deleter::new(post)),
            Role::Hold => StoryUser::of(Holder::new(post)),
            Role::Settle => StoryUser::of(Settler::new(post)),
            Role::Query(reads, place) => {
                let number = post.client * self.ground.options.query_threads + place;
                StoryUser::of(Querier::new(post, reads, number))
            }
        }
    }
}
