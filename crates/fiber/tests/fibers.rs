//! Checks that fibers wait for sockets, instants, signals and blocking calls without delaying each other.

#![allow(clippy::unwrap_used)]

use dbdyno_fiber::{
    Scheduler, Signal, SocketWatch, in_fiber, local, monotonic_ns, run_blocking, set_local,
    sleep_until, yield_now,
};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

type Messages = Rc<RefCell<Vec<String>>>;

fn run(fibers: Vec<Box<dyn FnOnce()>>) {
    let mut scheduler = Scheduler::new().unwrap();
    for fiber in fibers {
        scheduler.spawn(fiber).unwrap();
    }
    scheduler.run();
}

#[test]
fn a_fiber_that_waits_for_its_socket_lets_the_other_answer_it() {
    let (mut asking, mut answering) = UnixStream::pair().unwrap();
    asking.set_nonblocking(true).unwrap();
    answering.set_nonblocking(true).unwrap();
    let said: Messages = Messages::default();
    let heard = Rc::clone(&said);
    run(vec![
        Box::new(move || {
            let watch = SocketWatch::new(asking.as_fd()).unwrap();
            for _ in 0..100 {
                asking.write_all(b"?").unwrap();
                let mut answer = [0];
                while asking.read(&mut answer).is_err() {
                    watch.readable().unwrap();
                }
                heard.borrow_mut().push(format!("{}", answer[0]));
            }
        }),
        Box::new(move || {
            let watch = SocketWatch::new(answering.as_fd()).unwrap();
            for number in 0..100 {
                while answering.read(&mut [0]).is_err() {
                    watch.readable().unwrap();
                }
                answering.write_all(&[number]).unwrap();
            }
        }),
    ]);
    let expected: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    assert_eq!(*said.borrow(), expected);
}

#[test]
fn a_full_socket_is_waited_for_until_the_other_side_reads() {
    let (mut writing, mut reading) = UnixStream::pair().unwrap();
    writing.set_nonblocking(true).unwrap();
    let total = 8 << 20;
    let reader = std::thread::spawn(move || {
        let mut count = 0;
        let mut buffer = vec![0; 1 << 16];
        while count < total {
            count += reading.read(&mut buffer).unwrap();
        }
        count
    });
    run(vec![Box::new(move || {
        let watch = SocketWatch::new(writing.as_fd()).unwrap();
        let data = vec![7; total];
        let mut sent = 0;
        while sent < total {
            match writing.write(&data[sent..]) {
                Ok(count) => sent += count,
                Err(_) => watch.writable().unwrap(),
            }
        }
    })]);
    assert_eq!(reader.join().unwrap(), total);
}

#[test]
fn a_signal_of_another_thread_is_heard_by_every_fiber() {
    let signal = Signal::new();
    let told = signal.clone();
    let arrived = Arc::new(AtomicU32::new(0));
    let waiting = Arc::clone(&arrived);
    let teller = std::thread::spawn(move || {
        while waiting.load(Ordering::Acquire) < 10 {
            std::thread::yield_now();
        }
        told.notify_all();
    });
    let fibers = (0..10).map(|_| {
        let (signal, arrived) = (signal.clone(), Arc::clone(&arrived));
        Box::new(move || {
            arrived.fetch_add(1, Ordering::Release);
            while signal.generation() == 0 {
                signal.wait_past(0, None);
            }
        }) as Box<dyn FnOnce()>
    });
    run(fibers.collect());
    teller.join().unwrap();
}

#[test]
fn notify_one_wakes_one() {
    let signal = Signal::new();
    let taken = Rc::new(RefCell::new(0));
    let (first, second) = (signal.clone(), signal.clone());
    let (count, counted) = (Rc::clone(&taken), Rc::clone(&taken));
    let until_ns = monotonic_ns() + 50_000_000;
    run(vec![
        Box::new(move || {
            first.wait_past(0, None);
            *count.borrow_mut() += 1;
        }),
        Box::new(move || {
            second.notify_one();
            yield_now();
            assert_eq!(*counted.borrow(), 1);
            second.wait_past(second.generation(), Some(until_ns));
        }),
    ]);
    assert!(monotonic_ns() >= until_ns);
}

#[test]
fn a_wait_with_an_instant_ends_without_a_notification() {
    let signal = Signal::new();
    let until_ns = monotonic_ns() + 20_000_000;
    signal.wait_past(0, Some(until_ns)); // a thread
    assert!(monotonic_ns() >= until_ns);
    let until_ns = monotonic_ns() + 20_000_000;
    run(vec![Box::new(move || {
        signal.wait_past(0, Some(until_ns));
        assert!(monotonic_ns() >= until_ns);
    })]);
}

#[test]
fn a_blocking_call_does_not_hold_up_the_others() {
    let said: Messages = Messages::default();
    let (slow, quick) = (Rc::clone(&said), Rc::clone(&said));
    run(vec![
        Box::new(move || {
            let answer = run_blocking(|| {
                std::thread::sleep(Duration::from_millis(50));
                assert!(!in_fiber());
                42
            });
            slow.borrow_mut().push(format!("helper {answer}"));
        }),
        Box::new(move || {
            sleep_until(monotonic_ns() + 1_000_000);
            quick.borrow_mut().push("quick".to_owned());
        }),
    ]);
    assert_eq!(*said.borrow(), ["quick", "helper 42"]);
}

/// Touches so many KiB of the stack; returns the address of its lowest page.
#[inline(never)]
fn deep(kib: usize) -> usize {
    let room = std::hint::black_box([1_u8; 1024]);
    let here = &raw const room as usize;
    let lowest = if kib > 0 { deep(kib - 1) } else { here };
    lowest + usize::from(std::hint::black_box(room[9])) - 1
}

/// Counts the resident pages of a range, as the system tells them.
fn resident_pages(start: usize, pages: usize) -> usize {
    let page_bytes = rustix::param::page_size();
    let map = std::fs::File::open("/proc/self/pagemap").unwrap();
    let mut entries = vec![0; pages * 8];
    std::os::unix::fs::FileExt::read_exact_at(&map, &mut entries, (start / page_bytes * 8) as u64)
        .unwrap();
    let is_present = |entry: &&[u8]| entry[7] & 0x80 != 0;
    entries.chunks(8).filter(is_present).count()
}

#[test]
fn a_fiber_that_waits_for_a_blocking_call_holds_no_unused_stack() {
    run(vec![Box::new(|| {
        let lowest = deep(100);
        let pages = 64 * 1024 / rustix::param::page_size();
        assert_eq!(resident_pages(lowest, pages), pages, "before");
        let resident = run_blocking(move || {
            std::thread::sleep(Duration::from_millis(50)); // the fiber has left its stack by then
            resident_pages(lowest, pages)
        });
        assert_eq!(resident, 0);
    })]);
}

#[test]
fn each_fiber_has_its_own_word() {
    set_local(1);
    let fibers = (10..20).map(|word| {
        Box::new(move || {
            assert_eq!(local(), 0);
            set_local(word);
            yield_now();
            assert_eq!(local(), word);
        }) as Box<dyn FnOnce()>
    });
    run(fibers.collect());
    assert_eq!(local(), 1);
}

#[test]
fn fibers_that_never_ended_are_left_behind() {
    let mut scheduler = Scheduler::new().unwrap();
    scheduler.spawn(|| unreachable!()).unwrap();
    drop(scheduler);
    assert!(Scheduler::new().is_ok(), "the thread may have a new one");
}
