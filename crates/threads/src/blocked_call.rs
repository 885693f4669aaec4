//! Classifies a blocked system call by its number and its arguments.

use crate::client_sockets::ClientSockets;
use crate::open_files::{OpenFile, OpenFiles};
use crate::process::{BlockedIn, WatchedProcess};
use crate::wait_class::WaitClass;

/// Describes what a call shows by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallMeaning {
    /// All there is to know.
    Class(WaitClass),
    /// A read from a socket of the client's: the thread is a session and waits for a command.
    ClientRead(u64),
    /// The stack decides; if it does not, this.
    AskStack(WaitClass),
}

/// Returns what a thread waits for, as far as its call shows.
pub(crate) fn meaning(
    call: &BlockedIn,
    process: &WatchedProcess,
    files: &mut OpenFiles,
    clients: &ClientSockets,
) -> CallMeaning {
    let mut file = |descriptor: u64| files.file(process.pid, descriptor);
    match Call::of(call.number) {
        Call::Read => match file(call.arguments[0]) {
            OpenFile::Socket(inode) => socket_read(inode, clients),
            OpenFile::Other => CallMeaning::Class(WaitClass::OtherFile),
            OpenFile::Redo | OpenFile::Binlog | OpenFile::Data => {
                CallMeaning::Class(WaitClass::DataRead)
            }
        },
        Call::Write => CallMeaning::Class(written(file(call.arguments[0]))),
        Call::Poll => match first_polled(call, process) {
            Some(polled) => polled_meaning(file(polled.descriptor), polled.is_for_room, clients),
            None => CallMeaning::AskStack(WaitClass::NotNamed),
        },
        Call::Futex => CallMeaning::AskStack(futex_default(call)),
        Call::Send => CallMeaning::Class(WaitClass::NetworkSend),
        Call::MemoryMap => CallMeaning::AskStack(WaitClass::PageFault),
        // Nothing wakes the thread earlier, so it waits for the time only.
        Call::Sleep => CallMeaning::AskStack(WaitClass::Delay),
        Call::Other => CallMeaning::AskStack(WaitClass::NotNamed),
    }
}

/// Returns what a thread waits for that polls a file or socket, for room to write or else for what comes in.
fn polled_meaning(file: OpenFile, is_for_room: bool, clients: &ClientSockets) -> CallMeaning {
    match file {
        // Servers send without blocking, and poll where the socket has no room.
        OpenFile::Socket(_) if is_for_room => CallMeaning::Class(WaitClass::NetworkSend),
        OpenFile::Socket(inode) => socket_read(inode, clients),
        // A regular file is always ready: polling one is a deliberate delay.
        OpenFile::Data => CallMeaning::Class(WaitClass::DataRead),
        log @ (OpenFile::Redo | OpenFile::Binlog) => CallMeaning::Class(written(log)),
        OpenFile::Other => CallMeaning::AskStack(WaitClass::NotNamed),
    }
}

fn socket_read(inode: u64, clients: &ClientSockets) -> CallMeaning {
    if clients.contains(inode) {
        CallMeaning::ClientRead(inode)
    } else {
        CallMeaning::Class(WaitClass::Client)
    }
}

fn written(file: OpenFile) -> WaitClass {
    match file {
        OpenFile::Redo => WaitClass::RedoFlush,
        OpenFile::Binlog => WaitClass::BinlogFlush,
        OpenFile::Data => WaitClass::DataFlush,
        OpenFile::Socket(_) => WaitClass::NetworkSend,
        OpenFile::Other => WaitClass::OtherFile,
    }
}

/// Holds the first entry of a `poll`.
struct Polled {
    descriptor: u64,
    /// It waits for room to write, and for nothing to read.
    is_for_room: bool,
}

/// Returns the first entry of a `poll`: the array stands in the process's memory.
fn first_polled(call: &BlockedIn, process: &WatchedProcess) -> Option<Polled> {
    let mut bytes = [0; 6];
    let count = process.read_memory(call.arguments[0], &mut bytes).ok()?;
    let descriptor = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let events = libc::c_short::from_ne_bytes([bytes[4], bytes[5]]);
    (count == bytes.len()).then_some(Polled {
        descriptor: u64::from(descriptor),
        is_for_room: events & (libc::POLLIN | libc::POLLOUT) == libc::POLLOUT,
    })
}

/// Returns the default class of a futex wait: `FUTEX_WAIT` is what mutexes and the read-write locks of InnoDB use;
/// conditions, which stand for all kinds of waits, use `FUTEX_WAIT_BITSET`.
fn futex_default(call: &BlockedIn) -> WaitClass {
    const COMMAND: u64 = 0x7f;
    if call.arguments[1] & COMMAND == libc::FUTEX_WAIT as u64 {
        WaitClass::Latch
    } else {
        WaitClass::NotNamed
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Read,
    Write,
    Poll,
    Futex,
    Send,
    MemoryMap,
    Sleep,
    Other,
}

impl Call {
    fn of(number: i64) -> Self {
        match number {
            libc::SYS_read
            | libc::SYS_pread64
            | libc::SYS_readv
            | libc::SYS_preadv
            | libc::SYS_preadv2
            | libc::SYS_recvfrom
            | libc::SYS_recvmsg => Self::Read,
            libc::SYS_write
            | libc::SYS_pwrite64
            | libc::SYS_writev
            | libc::SYS_pwritev
            | libc::SYS_pwritev2
            | libc::SYS_fsync
            | libc::SYS_fdatasync
            | libc::SYS_sync_file_range
            | libc::SYS_fallocate
            | libc::SYS_ftruncate => Self::Write,
            libc::SYS_sendto | libc::SYS_sendmsg => Self::Send,
            libc::SYS_ppoll => Self::Poll,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_poll => Self::Poll,
            libc::SYS_futex => Self::Futex,
            libc::SYS_mmap
            | libc::SYS_munmap
            | libc::SYS_mprotect
            | libc::SYS_madvise
            | libc::SYS_brk => Self::MemoryMap,
            libc::SYS_nanosleep | libc::SYS_clock_nanosleep => Self::Sleep,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: i64, arguments: [u64; 6]) -> BlockedIn {
        BlockedIn {
            number,
            arguments,
            stack_pointer: 0,
        }
    }

    #[test]
    fn a_call_on_a_file_is_named_by_the_file() {
        let folder = std::env::temp_dir().join(format!("threads-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let process = WatchedProcess::open(std::process::id()).unwrap();
        let (mut files, clients) = (OpenFiles::default(), ClientSockets::default());
        for (name, number, class) in [
            ("ib_logfile0", libc::SYS_fdatasync, WaitClass::RedoFlush),
            ("binlog.000001", libc::SYS_fsync, WaitClass::BinlogFlush),
            ("t.ibd", libc::SYS_pread64, WaitClass::DataRead),
            ("t2.ibd", libc::SYS_fsync, WaitClass::DataFlush),
            ("sorted", libc::SYS_write, WaitClass::OtherFile),
        ] {
            let file = std::fs::File::create(folder.join(name)).unwrap();
            let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file) as u64;
            files.forget();
            let call = call(number, [descriptor, 0, 0, 0, 0, 0]);
            let meaning = meaning(&call, &process, &mut files, &clients);
            assert_eq!(meaning, CallMeaning::Class(class), "{name}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_poll_for_room_in_a_socket_is_a_wait_to_send_and_one_for_a_command_is_not() {
        let (ours, _theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let process = WatchedProcess::open(std::process::id()).unwrap();
        let (mut files, clients) = (OpenFiles::default(), ClientSockets::default());
        for (events, class) in [
            (libc::POLLOUT, WaitClass::NetworkSend),
            (libc::POLLIN | libc::POLLPRI, WaitClass::Client),
        ] {
            let polled = libc::pollfd {
                fd: std::os::fd::AsRawFd::as_raw_fd(&ours),
                events,
                revents: 0,
            };
            let address = std::ptr::from_ref(&polled) as u64;
            let call = call(libc::SYS_ppoll, [address, 1, 0, 0, 0, 0]);
            let meaning = meaning(&call, &process, &mut files, &clients);
            assert_eq!(meaning, CallMeaning::Class(class));
        }
    }

    #[test]
    fn a_sleep_is_a_delay_unless_the_stack_says_why() {
        let process = WatchedProcess::open(std::process::id()).unwrap();
        let (mut files, clients) = (OpenFiles::default(), ClientSockets::default());
        for number in [libc::SYS_nanosleep, libc::SYS_clock_nanosleep] {
            let meaning = meaning(&call(number, [0; 6]), &process, &mut files, &clients);
            assert_eq!(meaning, CallMeaning::AskStack(WaitClass::Delay));
        }
    }

    #[test]
    fn a_mutex_and_a_condition_are_told_apart() {
        let wait = |operation| call(libc::SYS_futex, [0, operation, 2, 0, 0, 0]);
        assert_eq!(futex_default(&wait(128)), WaitClass::Latch);
        assert_eq!(futex_default(&wait(0x189)), WaitClass::NotNamed);
    }
}
