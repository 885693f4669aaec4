//! Keeps replies until the lab has them, so that a resent request is not executed again.

use crate::refusal::Refusal;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most requests under way at once.
const MAX_OPEN: usize = 256;

/// Holds the replies of a session by the number of their request.
#[derive(Debug, Default)]
pub(crate) struct Replies {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    below: u64,
    /// `None`: under way.
    replies: HashMap<u64, Option<Arc<Vec<u8>>>>,
}

/// Says what to do with an incoming request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is new: execute it.
    Do,
    /// It is under way, or the lab has its reply.
    Ignore,
    /// It is done: send this reply again.
    Again(Arc<Vec<u8>>),
    /// Not now.
    Refuse(Refusal),
}

impl Replies {
    /// Admits a request; drops replies to requests below `answered_below`.
    pub(crate) fn admit(&self, id: u64, answered_below: u64) -> Admission {
        let mut table = self.table();
        if answered_below > table.below {
            table.below = answered_below;
            table.replies.retain(|id, _| *id >= answered_below);
        }
        if id < table.below {
            return Admission::Ignore;
        }
        match table.replies.get(&id) {
            Some(Some(reply)) => return Admission::Again(Arc::clone(reply)),
            Some(None) => return Admission::Ignore,
            None => {}
        }
        if table
            .replies
            .values()
            .filter(|reply| reply.is_none())
            .count()
            >= MAX_OPEN
        {
            let text = format!("{MAX_OPEN} requests are under way");
            return Admission::Refuse(Refusal::new("busy", "", text));
        }
        table.replies.insert(id, None);
        Admission::Do
    }

    /// Keeps a reply.
    pub(crate) fn keep(&self, id: u64, reply: &Arc<Vec<u8>>) {
        let mut table = self.table();
        if id >= table.below {
            table.replies.insert(id, Some(Arc::clone(reply)));
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_done_once_however_often_it_comes() {
        let replies = Replies::default();
        assert_eq!(replies.admit(7, 0), Admission::Do);
        assert_eq!(replies.admit(7, 0), Admission::Ignore);
        let reply = Arc::new(b"reply".to_vec());
        replies.keep(7, &reply);
        assert_eq!(replies.admit(7, 7), Admission::Again(reply));
        assert_eq!(replies.admit(8, 8), Admission::Do);
        assert_eq!(replies.admit(7, 8), Admission::Ignore);
    }

    #[test]
    fn too_many_at_once_are_refused_until_some_are_done() {
        let replies = Replies::default();
        for id in 0..MAX_OPEN as u64 {
            assert_eq!(replies.admit(id, 0), Admission::Do);
        }
        assert!(matches!(replies.admit(1000, 0), Admission::Refuse(_)));
        replies.keep(3, &Arc::new(Vec::new()));
        assert_eq!(replies.admit(1000, 0), Admission::Do);
    }
}
