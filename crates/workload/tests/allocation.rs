//! Checks that the hot path allocates nothing: counted by an allocator of this test's own.
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]
#![expect(
    unsafe_code,
    reason = "an allocator that counts can't be written without"
)]

use dbdyno_wire::BufferedRows;
use dbdyno_workload::{
    Call, NextAction, RandomKind, RandomSource, Response, workload, workload_names,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Allocations of this thread alone: the test harness allocates on its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every request goes to the system's allocator unchanged; counting touches no memory of the request.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, thus from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns options for a table for each of four users, where they need that.
fn options(name: &str) -> Vec<(String, String)> {
    match name.ends_with("bulk_insert") {
        true => vec![("tables".to_owned(), "4".to_owned())],
        false => Vec::new(),
    }
}

#[test]
fn events_are_walked_without_an_allocation() {
    for kind in [RandomKind::Sysbench, RandomKind::Dbdyno] {
        for name in workload_names() {
            let made = workload(&name, &options(&name), RandomSource { kind, seed: 1 }, 4).unwrap();
            let (mut user, mut call) = (made.user(1), Call::default());
            let (mut rows, mut replies) = (BufferedRows::default(), 0_u64);
            let mut walk = |events: u32| {
                for _ in 0..events {
                    user.start_event(None);
                    let mut step = user.next(None, &mut call);
                    while step == NextAction::Send {
                        // The simulated reply is not part of the user, and may allocate.
                        let before = ALLOCATIONS.get();
                        rows.expect(false);
                        let reply = made.canned_reply(&call, &mut rows);
                        replies += ALLOCATIONS.get() - before;
                        let answer = Response {
                            reply: &reply,
                            rows: &mut rows,
                        };
                        step = user.next(Some(answer), &mut call);
                    }
                    user.finish_event();
                }
                std::mem::take(&mut replies)
            };
            walk(500); // the buffers grow to their size, which the longest of rare events decides
            let before = ALLOCATIONS.get();
            let replies = walk(1000);
            let allocated = ALLOCATIONS.get() - before - replies;
            assert!(before > 0, "the allocator isn't counting");
            assert!(
                allocated < 3,
                "{name}: {allocated} allocations in 1000 events"
            );
        }
    }
}
