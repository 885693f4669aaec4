//! Measures the floor: what any client with one request in flight per connection must spend, and nothing else.
//!
//! It logs in without a password, prepares sysbench's OLTP statements, builds each connection's requests
//! once, and then only patches random ids into them, sends them, and walks the packet headers of the
//! replies. Of other workloads it sends again and again what they wrote down beforehand (--script). No value is decoded, nothing is timed, nothing is counted but statements, errors and bytes. Its CPU
//! time a statement is what a real load generator's is divided by. It shares no code with the crates, so
//! that a slip there can't lower the floor too.
//!
//!     dbdyno-bench-floor --socket PATH | --port N  --workload point_select|read_write | --script FILE
//!                        --connections N --seconds S [--blocking]
//!
//! One thread, one epoll set; with --blocking (one connection only) plain blocking calls. It prints one
//! JSON object; CPU time counts from when all connections are ready.

mod arguments;
mod replay;
mod reply;
mod requests;
mod session;
mod turns;

use arguments::Arguments;
use replay::{Replay, Script};
use requests::{Requests, steps_of};
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// One connection: its socket, its requests, and how far it is.
struct Client {
    socket: OwnedFd,
    source: Source,
    scan: reply::Scan,
}

/// Where requests come from.
enum Source {
    Patched(Requests),
    Replayed(Replay),
}

impl Source {
    /// The next request, and how many results its reply has.
    fn next(&mut self) -> (&[u8], u8) {
        match self {
            Self::Patched(requests) => (requests.next(), 1),
            Self::Replayed(replay) => replay.next(),
        }
    }
}

/// What a run came to.
#[derive(Default)]
struct Counts {
    statements: u64,
    errors: u64,
    bytes_received: u64,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}

fn run() -> io::Result<()> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let mut clients = match &arguments.script {
        Some(path) => replaying(&arguments, &Rc::new(Script::read(path)?)),
        None => patching(&arguments),
    }?;
    let (cpu_ns, began) = (process_cpu_ns(), Instant::now());
    let end = began + Duration::from_secs_f64(arguments.seconds);
    let counts = match arguments.is_blocking {
        true => turns::block(&mut clients[0], end)?,
        false => turns::poll(&mut clients, end)?,
    };
    let line = format!(
        "{{\"statements\":{},\"errors\":{},\"bytes_received\":{},\"cpu_ns\":{},\"wall_ns\":{}}}\n",
        counts.statements,
        counts.errors,
        counts.bytes_received,
        process_cpu_ns() - cpu_ns,
        began.elapsed().as_nanos()
    );
    io::stdout().write_all(line.as_bytes())
}

fn patching(arguments: &Arguments) -> io::Result<Vec<Client>> {
    let steps = steps_of(&arguments.workload)?;
    let open = |index| session::open(&arguments.address, steps, index);
    (0..arguments.connections).map(open).collect()
}

fn replaying(arguments: &Arguments, script: &Rc<Script>) -> io::Result<Vec<Client>> {
    let count = arguments.connections;
    let open = |index| {
        let client = session::open(&arguments.address, &[], index)?;
        let source = Source::Replayed(Replay::new(script, index, count));
        Ok(Client { source, ..client })
    };
    (0..count).map(open).collect()
}

fn process_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
