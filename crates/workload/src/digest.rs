//! Shows whether two runs sent the same statements: it chains hashes over the statements of each user.
//!
//! The link of an event is SHA-256 over the link before it (32 zeros before the first) and SHA-256 over the event's
//! statements, values written in, each with its length before it. Attempts that were repeated are not in it, because
//! their number depends on the server. So equal digests mean equal statements in the same order, for any protocol,
//! pace, or number of threads.
//!
//! It is a workload around another one, so that a run without it costs nothing more.

use crate::{
    Call, Metric, NextAction, Readiness, Response, RetryValues, TransactionType, User, UserDraws,
    Workload, WorkloadSpec,
};
use dbdyno_wire::{BufferedRows, Reply, StatementText};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Holds what one user sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDigest {
    /// Its number, from 0.
    pub user: u32,
    /// Events that are in the digest.
    pub events: u64,
    /// The last link of the chain.
    pub sha256: [u8; 32],
}

impl fmt::Display for UserDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sha256
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

type SharedDigests = Arc<Mutex<BTreeMap<u32, UserDigest>>>;

/// A workload whose users' first events are digested.
#[derive(Debug)]
pub struct Digested {
    spec: WorkloadSpec,
    inner: Arc<dyn Workload>,
    events: u64,
    texts: Arc<[StatementText]>,
    /// Whether users rest where the workload has them rest.
    rests: bool,
    kept: SharedDigests,
}

impl Digested {
    /// Digests the first `events` events of each user of a workload.
    #[must_use]
    pub fn new(inner: Arc<dyn Workload>, events: u64) -> Self {
        let spec = inner.spec().clone();
        let texts = spec
            .statements
            .iter()
            .map(|template| StatementText::new(&template.text))
            .collect();
        Self {
            spec,
            inner,
            events,
            texts,
            rests: true,
            kept: SharedDigests::default(),
        }
    }

    /// Makes time stand still for these users: the server's functions for the time of day give this Unix time, so that
    /// what they write does not depend on when they write it, and nobody rests between events.
    #[must_use]
    pub fn at_standstill(mut self, unix_s: u64) -> Self {
        self.rests = false;
        for statements in &mut self.spec.session_statements {
            statements.push(format!("SET timestamp = {unix_s}"));
        }
        self
    }

    fn digesting(&self, index: u32, inner: Box<dyn User>) -> Box<dyn User> {
        Box::new(DigestedUser {
            inner,
            written: self
                .spec
                .statements
                .iter()
                .map(|template| template.is_written)
                .collect(),
            texts: Arc::clone(&self.texts),
            left: self.events,
            rests: self.rests,
            event: Sha256::new(),
            text: Vec::new(),
            digest: UserDigest {
                user: index,
                events: 0,
                sha256: [0; 32],
            },
            kept: Arc::clone(&self.kept),
        })
    }
}

impl Workload for Digested {
    fn spec(&self) -> &WorkloadSpec {
        &self.spec
    }

    fn metrics(&self) -> Vec<Metric> {
        self.inner.metrics()
    }

    fn digests(&self) -> Vec<UserDigest> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.values().cloned().collect()
    }

    fn canned_reply(&self, call: &Call, rows: &mut BufferedRows) -> Reply {
        self.inner.canned_reply(call, rows)
    }

    fn user(&self, index: u32) -> Box<dyn User> {
        self.digesting(index, self.inner.user(index))
    }

    fn user_drawing(&self, index: u32, draws: UserDraws) -> Box<dyn User> {
        self.digesting(index, self.inner.user_drawing(index, draws))
    }
}

struct DigestedUser {
    inner: Box<dyn User>,
    /// Of each statement: the user writes its whole text.
    written: Vec<bool>,
    texts: Arc<[StatementText]>,
    /// Events that are still to be digested.
    left: u64,
    rests: bool,
    /// Of the attempt under way.
    event: Sha256,
    text: Vec<u8>,
    digest: UserDigest,
    kept: SharedDigests,
}

impl DigestedUser {
    fn add(&mut self, call: &Call) {
        let place = usize::from(call.statement);
        let text = match self.written[place] {
            true => &call.text,
            false => {
                self.text.clear();
                self.texts[place].write_with(&call.parameters, &mut self.text);
                &self.text
            }
        };
        self.event.update((text.len() as u64).to_le_bytes());
        self.event.update(text);
    }

    fn link(&mut self) {
        let event = std::mem::take(&mut self.event).finalize();
        let link = Sha256::new()
            .chain_update(self.digest.sha256)
            .chain_update(event);
        self.digest.sha256 = link.finalize().into();
        self.digest.events += 1;
        self.left -= 1;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(self.digest.user, self.digest.clone());
    }
}

impl User for DigestedUser {
    fn start_event(&mut self, wanted: Option<TransactionType>) -> TransactionType {
        self.event = Sha256::new();
        self.inner.start_event(wanted)
    }

    fn repeat_event(&mut self, draws: RetryValues) -> TransactionType {
        self.event = Sha256::new();
        self.inner.repeat_event(draws)
    }

    fn next(&mut self, answer: Option<Response<'_>>, call: &mut Call) -> NextAction {
        let step = self.inner.next(answer, call);
        if step == NextAction::Send && self.left > 0 {
            self.add(call);
        }
        step
    }

    fn initial_rest_ns(&mut self) -> u64 {
        let rest_ns = self.inner.initial_rest_ns();
        if self.rests { rest_ns } else { 0 }
    }

    fn is_self_paced(&self) -> bool {
        self.inner.is_self_paced()
    }

    fn poll_ready(&mut self, elapsed_ns: u64) -> Readiness {
        self.inner.poll_ready(elapsed_ns)
    }

    fn settle_up(&mut self, call: &mut Call) -> bool {
        self.inner.settle_up(call)
    }

    fn finish_event(&mut self) -> u64 {
        if self.left > 0 {
            self.link();
        }
        let rest_ns = self.inner.finish_event();
        if self.rests { rest_ns } else { 0 }
    }

    fn give_up_event(&mut self) -> u64 {
        let rest_ns = self.inner.give_up_event();
        if self.rests { rest_ns } else { 0 }
    }
}
