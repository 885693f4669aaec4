//! Runs each piece of work on a thread of its own, and keeps some threads for the next: a lab asks a dozen times a
//! second, and making a thread takes longer than most answers.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Idle threads that are kept.
const KEPT: usize = 8;

type Work = Box<dyn FnOnce() + Send>;

/// Holds the threads that wait for work.
#[derive(Debug, Clone, Default)]
pub(crate) struct Workers {
    idle: Arc<Mutex<Vec<Sender<Work>>>>,
}

impl Workers {
    /// Begins a piece of work, which must not panic.
    ///
    /// # Errors
    ///
    /// No thread waits and none can be made.
    pub(crate) fn begin(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let work: Work = Box::new(work);
        let waiting = self.idle().pop();
        match waiting {
            Some(worker) => worker
                .send(work)
                .or_else(|unsent| self.add_worker(unsent.0)),
            None => self.add_worker(work),
        }
    }

    fn add_worker(&self, first: Work) -> io::Result<()> {
        let workers = self.clone();
        let serve = move || {
            first();
            workers.serve();
        };
        thread::Builder::new().spawn(serve).map(drop)
    }

    /// Does work until enough other threads wait for some.
    fn serve(&self) {
        let (sender, receiver) = channel();
        loop {
            {
                let mut idle = self.idle();
                if idle.len() >= KEPT {
                    return;
                }
                idle.push(Sender::clone(&sender));
            }
            let Ok(work) = receiver.recv() else { return };
            work();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Sender<Work>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Barrier;
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
            workers.begin(wait).unwrap();
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
            workers.begin(work).unwrap();
            receiver.recv_timeout(Duration::from_secs(10)).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        let threads = seen.lock().unwrap().len();
        assert!(threads <= KEPT, "{threads}");
        assert!(workers.idle().len() <= KEPT);
    }
}
