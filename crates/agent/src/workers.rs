//! Runs each piece of work on a separate thread, and keeps some threads for the next: a lab asks a dozen times a
//! second, and making a thread takes longer than most answers.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Idle threads that are kept.
const KEPT: usize = 8;

type Work = Box<dyn FnOnce() + Send>;

/// Holds work and the threads that wait for some.
#[derive(Clone, Default)]
pub(crate) struct Workers {
    shared: Arc<(Mutex<Waiting>, Condvar)>,
}

/// Holds work that an idle thread takes next: never more than there are idle threads.
#[derive(Default)]
struct Waiting {
    work: VecDeque<Work>,
    idle_threads: usize,
}

impl Workers {
    /// Begins a piece of work, which must not panic.
    ///
    /// # Errors
    ///
    /// No thread waits and none can be made.
    pub(crate) fn begin(&self, work: Work) -> io::Result<()> {
        let mut waiting = self.waiting();
        if waiting.idle_threads > waiting.work.len() {
            waiting.work.push_back(work);
            drop(waiting); // else the thread that wakes waits for this one
            self.shared.1.notify_one();
            return Ok(());
        }
        drop(waiting);
        let workers = self.clone();
        let serve = move || workers.serve(work);
        thread::Builder::new().spawn(serve).map(drop)
    }

    /// Does work until enough other threads wait for some.
    fn serve(&self, first: Work) {
        let mut work = first;
        loop {
            work();
            let mut waiting = self.waiting();
            if waiting.idle_threads >= KEPT {
                return;
            }
            waiting.idle_threads += 1;
            work = loop {
                if let Some(next) = waiting.work.pop_front() {
                    break next;
                }
                let woken = self.shared.1.wait(waiting);
                waiting = woken.unwrap_or_else(PoisonError::into_inner);
            };
            waiting.idle_threads -= 1;
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        let (waiting, _) = &*self.shared;
        waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Workers").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Barrier;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn work_that_waits_does_not_hold_other_work_up() {
        let workers = Workers::default();
        let all = Arc::new(Barrier::new(3 * KEPT + 1));
        for _ in 0..3 * KEPT {
            let all = Arc::clone(&all);
            let wait = move || {
                all.wait();
            };
            workers.begin(Box::new(wait)).unwrap();
        }
        all.wait();
    }

    #[test]
    fn one_request_after_the_other_is_answered_by_few_threads() {
        let workers = Workers::default();
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let (sender, receiver) = channel();
        for _ in 0..50 {
            let (seen, sender) = (Arc::clone(&seen), sender.clone());
            let work = move || {
                let name = format!("{:?}", thread::current().id());
                seen.lock().unwrap().insert(name);
                sender.send(()).unwrap();
            };
            workers.begin(Box::new(work)).unwrap();
            receiver.recv_timeout(Duration::from_secs(10)).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        let threads = seen.lock().unwrap().len();
        assert!(threads <= KEPT, "{threads}");
        assert!(workers.waiting().idle_threads <= KEPT);
    }
}
