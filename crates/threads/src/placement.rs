//! Keeps the sampler from seeing mostly what it causes itself.
//!
//! From the instant at which it is due until its first look, the sampler holds a processor that others may need. If it is
//! the load generator's, the server runs out of statements meanwhile; if it is the server's, statements pile up. It is
//! worse the longer the sampler waits for a processor: it then looks when a thread has just gone to sleep. So it comes
//! before other threads, and to a processor drawn for each look: where each of them is as likely as the others, as much
//! is held up of what ends statements as of what begins them.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that the sampler may use.
#[derive(Debug)]
pub struct Placement {
    processors: Vec<usize>,
}

impl Placement {
    /// Lets this thread go before all ordinary ones, where that is allowed. Where it is not, samples come later.
    pub fn take() -> Self {
        let _ = go_first();
        let allowed = sched_getaffinity(None).unwrap_or_default();
        let processors = (0..CpuSet::MAX_CPU).filter(|&number| allowed.is_set(number));
        Self {
            processors: processors.collect(),
        }
    }

    /// Number of processors to draw from.
    pub fn count(&self) -> usize {
        self.processors.len()
    }

    /// Moves this thread to one of the processors; does nothing where it may no longer use that one.
    pub fn move_to(&self, place: usize) {
        let Some(&processor) = self.processors.get(place) else {
            return;
        };
        let mut only = CpuSet::new();
        only.set(processor);
        let _ = sched_setaffinity(None, &only);
    }
}

/// Asks for the lowest real-time priority, which needs the capability `CAP_SYS_NICE`. Returns whether it was given.
#[expect(unsafe_code, reason = "a call of the kernel")]
fn go_first() -> bool {
    // Every field that a C library may add to this one is 0.
    // SAFETY: the structure holds numbers only, for which zeros are values.
    let mut priority: libc::sched_param = unsafe { std::mem::zeroed() };
    priority.sched_priority = 1;
    // SAFETY: the pointer is to a structure of this stack; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::thread::sched_getcpu;

    #[test]
    fn a_thread_goes_where_it_is_sent_and_no_further_than_it_may() {
        std::thread::spawn(|| {
            let placement = Placement::take();
            assert!(placement.count() > 0);
            for place in 0..placement.count() {
                placement.move_to(place);
                assert_eq!(sched_getcpu(), placement.processors[place]);
            }
            let last = sched_getcpu();
            placement.move_to(placement.count());
            assert_eq!(sched_getcpu(), last);
        })
        .join()
        .unwrap();
    }
}
