//! Runs blocking calls on other threads while the fiber waits.

use crate::Signal;
use crate::core::in_fiber;
use crate::stack::trim_stack;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// Threads that make blocking calls. They spend most of their time waiting for a server's answer to a log-in.
const THREADS: usize = 16;

type Job = Box<dyn FnOnce() + Send>;

/// Runs `job` on another thread while the fiber waits; outside a fiber runs it here. A panic of the job is passed on to
/// the fiber.
pub fn run_blocking<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> T {
    if !in_fiber() {
        return job();
    }
    let done = Signal::new();
    let result = Arc::new(Mutex::new(None));
    let (signal, place) = (done.clone(), Arc::clone(&result));
    let task: Job = Box::new(move || {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        signal.notify_all();
    });
    // The pool lives as long as the process, so it always has a receiver.
    let _: Result<(), _> = pool().send(task);
    trim_stack(); // thousands of users wait here for their log-ins at the same time
    loop {
        let generation = done.generation();
        if let Some(outcome) = result.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        done.wait_past(generation, None);
    }
}

fn pool() -> Sender<Job> {
    static POOL: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..THREADS {
            let receiver = Arc::clone(&receiver);
            thread::spawn(move || work(&receiver));
        }
        Mutex::new(sender)
    });
    pool.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}
