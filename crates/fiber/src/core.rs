//! Holds what the fibers of one thread share: which fiber waits for what, and which runs next.

use crate::inbox::{Inbox, Wait};
use crate::poller::Poller;
use crate::stack::StackLayout;
use crate::timers::Timers;
use corosensei::Yielder;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

/// Token of the inbox's wakeup; watched sockets are numbered from 0.
const WAKEUP_TOKEN: u32 = u32::MAX;

thread_local! {
    /// The core of this thread while a scheduler lives on it.
    static CORE: RefCell<Option<Rc<Core>>> = const { RefCell::new(None) };
    /// The fiber that is running now.
    static RUNNING: Cell<Option<RunningFiber>> = const { Cell::new(None) };
}

/// Suspends a running fiber.
pub(crate) type FiberYielder = Yielder<(), ()>;

/// Identifies the running fiber.
#[derive(Clone, Copy)]
pub(crate) struct RunningFiber {
    pub(crate) fiber: u32,
    pub(crate) leave: *const FiberYielder,
    pub(crate) stack: StackLayout,
}

/// State of a watched socket.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WatchedSocket {
    /// It became ready while nobody waited for it.
    ready: bool,
    waiting: Option<Wait>,
}

pub(crate) struct Core {
    pub(crate) poller: RefCell<Poller>,
    pub(crate) inbox: Arc<Inbox>,
    sockets: RefCell<Vec<WatchedSocket>>,
    free_sockets: RefCell<Vec<u32>>,
    timers: RefCell<Timers>,
    ready: RefCell<VecDeque<u32>>,
    /// Number of each fiber's current wait.
    waits: RefCell<Vec<u64>>,
    arrived: RefCell<Vec<Wait>>,
}

/// Ends one wait of one fiber, from any thread.
#[derive(Debug)]
pub(crate) struct Waker {
    inbox: Arc<Inbox>,
    wait: Wait,
}

impl Waker {
    /// Ends the wait; a fiber of the same thread needs no wakeup.
    pub(crate) fn wake(&self) {
        match current() {
            Some((core, _)) if Arc::ptr_eq(&core.inbox, &self.inbox) => core.end_wait(self.wait),
            _ => self.inbox.put(self.wait),
        }
    }
}

/// Returns whether the caller runs in a fiber.
#[inline]
#[must_use]
pub fn in_fiber() -> bool {
    RUNNING.get().is_some()
}

/// Returns the scheduler's shared part on this thread, if the caller runs in a fiber.
#[inline]
pub(crate) fn current() -> Option<(Rc<Core>, RunningFiber)> {
    let running = RUNNING.get()?;
    let core = CORE.with_borrow(Clone::clone)?;
    Some((core, running))
}

/// Returns the fiber that runs on this thread. May be called by a signal handler.
#[inline]
pub(crate) fn running() -> Option<RunningFiber> {
    RUNNING.get()
}

pub(crate) fn set_running(running: Option<RunningFiber>) {
    RUNNING.set(running);
}

impl Core {
    /// Creates this thread's core; a thread has one at a time.
    pub(crate) fn install() -> io::Result<Rc<Self>> {
        let inbox = Arc::new(Inbox::new()?);
        let poller = Poller::new()?;
        poller.watch(inbox.wakeup(), WAKEUP_TOKEN)?;
        let core = Rc::new(Self {
            poller: RefCell::new(poller),
            inbox,
            sockets: RefCell::default(),
            free_sockets: RefCell::default(),
            timers: RefCell::default(),
            ready: RefCell::default(),
            waits: RefCell::default(),
            arrived: RefCell::default(),
        });
        CORE.with_borrow_mut(|place| match place {
            Some(_) => Err(io::Error::other("this thread has a scheduler already")),
            None => {
                *place = Some(Rc::clone(&core));
                Ok(core)
            }
        })
    }

    pub(crate) fn remove() {
        CORE.with_borrow_mut(|place| *place = None);
    }

    /// Adds a fiber that is ready to run for the first time.
    pub(crate) fn add_fiber(&self) -> u32 {
        let mut waits = self.waits.borrow_mut();
        waits.push(0);
        let fiber = waits.len() as u32 - 1;
        self.ready.borrow_mut().push_back(fiber);
        fiber
    }

    /// Begins the next wait of the running fiber.
    pub(crate) fn begin_wait(&self, running: RunningFiber) -> Wait {
        let waits = self.waits.borrow();
        Wait {
            fiber: running.fiber,
            number: waits[running.fiber as usize],
        }
    }

    pub(crate) fn waker(&self, wait: Wait) -> Waker {
        Waker {
            inbox: Arc::clone(&self.inbox),
            wait,
        }
    }

    /// Ends a wait, if it is still the current one of its fiber.
    pub(crate) fn end_wait(&self, wait: Wait) {
        let mut waits = self.waits.borrow_mut();
        let number = &mut waits[wait.fiber as usize];
        if *number == wait.number {
            *number += 1;
            self.ready.borrow_mut().push_back(wait.fiber);
        }
    }

    /// Ends a wait at an instant, if it has not ended by then.
    pub(crate) fn end_wait_at(&self, wait: Wait, at_ns: u64) {
        self.timers.borrow_mut().set(wait, at_ns);
    }

    pub(crate) fn next_ready(&self) -> Option<u32> {
        self.ready.borrow_mut().pop_front()
    }

    pub(crate) fn ready_count(&self) -> usize {
        self.ready.borrow().len()
    }

    /// Returns the earliest instant at which a wait may end by its timer.
    pub(crate) fn next_timer_ns(&self) -> Option<u64> {
        self.timers.borrow().next_ns()
    }

    pub(crate) fn end_due_waits(&self, now_ns: u64) {
        let mut due = self.arrived.borrow_mut();
        self.timers
            .borrow_mut()
            .take_due(now_ns, &self.waits.borrow(), &mut due);
        due.drain(..).for_each(|wait| self.end_wait(wait));
    }

    /// Polls the sockets and the wakeup, and ends the waits on those that are ready.
    pub(crate) fn poll(&self, timeout_ns: Option<u64>) -> io::Result<()> {
        let mut poller = self.poller.borrow_mut();
        for token in poller.wait(timeout_ns)? {
            if token == WAKEUP_TOKEN {
                self.open_inbox();
            } else {
                self.mark_ready(token);
            }
        }
        Ok(())
    }

    fn open_inbox(&self) {
        let mut arrived = self.arrived.borrow_mut();
        self.inbox.take(&mut arrived);
        arrived.drain(..).for_each(|wait| self.end_wait(wait));
    }

    fn mark_ready(&self, token: u32) {
        let waiting = {
            let mut sockets = self.sockets.borrow_mut();
            let socket = &mut sockets[token as usize];
            socket.ready = socket.waiting.is_none();
            socket.waiting.take()
        };
        if let Some(wait) = waiting {
            self.end_wait(wait);
        }
    }

    /// Adds an entry for a socket.
    pub(crate) fn add_socket(&self) -> u32 {
        let mut sockets = self.sockets.borrow_mut();
        if let Some(token) = self.free_sockets.borrow_mut().pop() {
            sockets[token as usize] = WatchedSocket::default();
            return token;
        }
        sockets.push(WatchedSocket::default());
        sockets.len() as u32 - 1
    }

    pub(crate) fn remove_socket(&self, token: u32) {
        self.free_sockets.borrow_mut().push(token);
    }

    /// Returns whether the socket became ready since its last wait; if not, its next event ends `wait`.
    pub(crate) fn register_wait(&self, token: u32, wait: Wait) -> bool {
        let mut sockets = self.sockets.borrow_mut();
        let socket = &mut sockets[token as usize];
        let was_ready = std::mem::take(&mut socket.ready);
        socket.waiting = (!was_ready).then_some(wait);
        was_ready
    }
}

/// Leaves the running fiber's stack until its wait is over.
#[expect(
    unsafe_code,
    reason = "the way back to the scheduler lies on the fiber's own stack"
)]
#[inline]
pub(crate) fn leave(running: RunningFiber) {
    // SAFETY: `leave` points to the yielder that corosensei lent to this fiber's body, which has not returned: it is
    // what is running here. Nobody else uses it meanwhile.
    unsafe { (*running.leave).suspend(()) }
    set_running(Some(running));
}
