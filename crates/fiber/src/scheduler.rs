//! Runs the fibers of one thread.

use crate::core::{Core, FiberYielder, RunningFiber, set_running};
use crate::local::{local, set_local};
use crate::sleep::monotonic_ns;
use crate::stack::{new_stack, trim_left_stack};
use crate::stack_overflow::install_fault_handler;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use std::io;
use std::rc::Rc;

/// Runs the fibers of one thread.
///
/// It is created and run on the same thread. If it is dropped before its fibers have ended, it leaves their stacks
/// unchanged: they may hold foreign code that can't be unwound.
pub struct Scheduler {
    core: Rc<Core>,
    fibers: Vec<Option<Fiber>>,
    live: usize,
}

struct Fiber {
    coroutine: Coroutine<(), (), (), DefaultStack>,
    /// The word of a fiber while it does not run.
    local: usize,
}

impl Scheduler {
    /// Creates a scheduler for this thread.
    ///
    /// # Errors
    /// The system gives no epoll set, or this thread has a scheduler already.
    pub fn new() -> io::Result<Self> {
        install_fault_handler();
        Ok(Self {
            core: Core::install()?,
            fibers: Vec::new(),
            live: 0,
        })
    }

    /// Adds a fiber, which starts when the scheduler runs.
    ///
    /// # Errors
    /// The system gives no memory for its stack.
    pub fn spawn(&mut self, body: impl FnOnce() + 'static) -> io::Result<()> {
        let (stack, layout) = new_stack()?;
        let fiber = self.core.add_fiber();
        let coroutine = Coroutine::with_stack(stack, move |leave: &FiberYielder, ()| {
            set_running(Some(RunningFiber {
                fiber,
                leave,
                stack: layout,
            }));
            body();
        });
        self.fibers.push(Some(Fiber {
            coroutine,
            local: 0,
        }));
        self.live += 1;
        Ok(())
    }

    /// Runs the fibers until all have ended.
    pub fn run(mut self) {
        while self.live > 0 {
            for _ in 0..self.core.ready_count() {
                if let Some(fiber) = self.core.next_ready() {
                    self.resume(fiber);
                }
            }
            if self.live > 0 {
                self.wait();
            }
        }
    }

    fn resume(&mut self, number: u32) {
        let Some(fiber) = &mut self.fibers[number as usize] else {
            return;
        };
        let outside = local();
        set_local(fiber.local);
        let result = fiber.coroutine.resume(());
        fiber.local = local();
        set_local(outside);
        set_running(None);
        trim_left_stack();
        if let CoroutineResult::Return(()) = result {
            self.fibers[number as usize] = None;
            self.live -= 1;
        }
    }

    /// Sleeps until a fiber can run; only polls if one already can.
    fn wait(&mut self) {
        let timeout_ns = match (self.core.ready_count(), self.core.next_timer_ns()) {
            (0, None) => None,
            (0, Some(at_ns)) => Some(at_ns.saturating_sub(monotonic_ns())),
            _ => Some(0),
        };
        // Without a usable epoll set nothing can run: a defect, not an error of the environment.
        if let Err(error) = self.core.poll(timeout_ns) {
            panic!("waiting for sockets: {error}");
        }
        if self.core.next_timer_ns().is_some() {
            self.core.end_due_waits(monotonic_ns());
        }
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        Core::remove();
        for fiber in self.fibers.drain(..).flatten() {
            std::mem::forget(fiber);
        }
    }
}

impl std::fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scheduler")
            .field("live", &self.live)
            .finish_non_exhaustive()
    }
}
