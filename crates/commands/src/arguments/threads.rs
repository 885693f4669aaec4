//! Defines the arguments of `threads`.

use clap::Args;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Watch the threads of a server on this machine that serve a client's connections, and print one
record per second. Processor time and time on the run queue are exact; blocked time is sampled,
and named by what the thread waits for. Nothing is stopped, and the server needs no
instrumentation.

dbdyno starts this itself next to each run. You can also use it alone, with any server and any
client.";

const EXAMPLES: &str = "\
Examples:
  dbdyno-load threads --server-pid 4711 --client-pid 4712 --seconds 10
  dbdyno-load threads --server-pid $(pidof mariadbd) --client-pid $(pidof sysbench)
  dbdyno-load threads --server-pid $(pidof mysqld)     clients connect over the network";

/// Watches the session threads of a server.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Watch what the session threads of a server do and wait for",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct ThreadsArguments {
    /// Process id of the server
    #[arg(long, alias = "pid", value_name = "PID")]
    pub(crate) server_pid: u32,

    /// Process id of the client; threads that serve its connections count as sessions [default: clients on other hosts]
    #[arg(long, value_name = "PID")]
    pub(crate) client_pid: Option<u32>,

    /// Start of second 0, in ns of the monotonic clock [default: now]
    #[arg(long, value_name = "NS")]
    pub(crate) start_ns: Option<u64>,

    /// End after this many seconds [default: at a signal, or when the server or the client ends]
    #[arg(long, value_name = "COUNT")]
    pub(crate) seconds: Option<u32>,

    /// Samples of each session thread per second
    #[arg(long, value_name = "HZ", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rate: u32,

    /// JSON file of known wait sites, learned by provoking waits
    #[arg(long, value_name = "FILE")]
    pub(crate) sites: Option<PathBuf>,
}
