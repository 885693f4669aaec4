//! Holds what the user asked for, typed.

use crate::db::AnswerLimits;
use crate::{Dialect, Random};
use dbdyno_wire::{Password, PathTimeout, TlsVersion};
use std::path::PathBuf;

/// Everything that is not an option of the script itself. Times are whole seconds, as on the command line.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whose words and defaults.
    pub dialect: Dialect,
    /// Users, each with one event in flight.
    pub threads: u32,
    /// Events over all users; 0: no limit.
    pub events: u64,
    /// Time limit; 0: none.
    pub time_s: u32,
    /// Driven before the time counts (1.1).
    pub warmup_s: u32,
    /// Grace after the time limit before users are given up; `None`: they are waited for.
    pub forced_shutdown_s: Option<u32>,
    /// How long users may take to initialise; 0: no limit.
    pub init_timeout_s: u32,
    /// Events a second that arrive on their own; 0: each user starts its next event when the last is done.
    pub rate: u32,
    /// Seconds between intermediate reports; 0: none.
    pub report_interval_s: u32,
    /// Seconds after which a full report is printed and the counts begin anew, sorted.
    pub checkpoints_s: Vec<u32>,
    /// `--debug`: verbosity 5 and figures by user.
    pub debug: bool,
    /// `--validate`.
    pub validate: bool,
    /// 0 fatal only to 5 debug.
    pub verbosity: u8,
    /// 1 to 100; 0: off.
    pub percentile: u32,
    /// Print the latency histogram.
    pub histogram: bool,
    /// `--luajit-cmd` (1.1): the first command of every state of a script to its compiler.
    pub luajit_command: Option<String>,
    /// Which numbers are drawn.
    pub random: Random,
    /// The server and how to talk to it.
    pub database: DatabaseSettings,
    /// Operating system threads that share the users; `None`: chosen by the machine.
    pub workers: Option<u32>,
    /// Where sysbench is wrong, what is done better.
    pub fixes: Fixes,
    /// Where dbdyno's own records go; `-` is standard output.
    pub json_lines: Option<PathBuf>,
    /// How long a script may compute outside of events without a wait; 0: for ever.
    pub script_timeout_s: u32,
    /// Where the script may run as the native events of the same name, it does.
    pub native: bool,
    /// Requirements are judged after the run: a script that ends the process before (`os.exit`) fails.
    pub is_judged: bool,
}

/// The `--db-*` and `--mysql-*` options. Driver and mode are words still: sysbench looks at them only when a driver is made.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `--db-driver`.
    pub driver: String,
    /// `--db-ps-mode`.
    pub ps_mode: String,
    /// `--db-debug`.
    pub debug: bool,
    /// `--mysql-host`, in turn.
    pub hosts: Vec<String>,
    /// `--mysql-port`, in turn; what is no number is 0.
    pub ports: Vec<u16>,
    /// Whether the host `localhost` is the default socket, for any port, as in client libraries. Our own form has an
    /// argument for the socket, so there it is a host like others.
    pub localhost_is_socket: bool,
    /// `--mysql-socket`, in turn; if there are any, hosts and ports say nothing.
    pub sockets: Vec<PathBuf>,
    /// `--mysql-user`.
    pub user: String,
    /// `--mysql-password`.
    pub password: Password,
    /// `--mysql-db`.
    pub database: String,
    /// `--mysql-ssl`: `off`, `on`, or a mode word of 1.1 in lower case (disabled, preferred, required, verify_ca, verify_identity).
    pub ssl: String,
    /// `--mysql-ssl-key`.
    pub ssl_key: Option<PathBuf>,
    /// `--mysql-ssl-ca`.
    pub ssl_ca: Option<PathBuf>,
    /// `--mysql-ssl-cert`.
    pub ssl_cert: Option<PathBuf>,
    /// The oldest version of TLS to agree to, which only our own form chooses.
    pub tls_minimum: TlsVersion,
    /// How long the way to the server may be silent, which only our own form chooses; sysbench waits for a quarter of an
    /// hour, and on an idle connection for ever.
    pub path_timeout: PathTimeout,
    /// Whether answers are watched, which only a run in our own form asks for; sysbench waits for ever.
    pub answers: Option<AnswerLimits>,
    /// `--mysql-ssl-cipher`: OpenSSL's names with colons between; empty: any.
    pub ssl_cipher: String,
    /// `--mysql-compression`.
    pub compression: bool,
    /// `--mysql-ignore-errors`.
    pub ignore: IgnoreErrors,
    /// `--mysql-dry-run`: nothing is connected to, every query is done at once.
    pub dry_run: bool,
}

/// Errors after which an event is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IgnoreErrors {
    /// Any.
    All,
    /// Those with these numbers.
    Codes(Vec<u16>),
}

impl IgnoreErrors {
    /// Returns whether an event that met this error is repeated.
    #[must_use]
    pub fn matches(&self, code: u16) -> bool {
        match self {
            Self::All => true,
            Self::Codes(codes) => codes.contains(&code),
        }
    }
}

/// Lists what is done better than sysbench does it; each can be switched (`--fixes=LIST`, `all`, `none`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixes {
    /// `prepare-exit`: a parallel command that failed in any user exits with 1.
    pub prepare_exit: bool,
    /// `done-exit`: an error in `thread_done` or `done` exits with 1.
    pub done_exit: bool,
    /// `backlog`: arrivals still queued at the end of a `--rate` run are counted and printed.
    pub backlog: bool,
    /// `rollback`: ROLLBACK before an event is repeated.
    pub rollback: bool,
    /// `report`: a run that failed prints its report all the same.
    pub report: bool,
    /// `codes`: errors by number, and whether the connections were encrypted, in the final report.
    pub codes: bool,
}

impl Fixes {
    /// The sysbench form: only what changes no figure and no report of a run.
    pub const SYSBENCH: Self = Self {
        prepare_exit: true,
        done_exit: false,
        backlog: false,
        rollback: false,
        report: false,
        codes: false,
    };
    /// Our own form.
    pub const ALL: Self = Self {
        prepare_exit: true,
        done_exit: true,
        backlog: true,
        rollback: true,
        report: true,
        codes: true,
    };
    /// As sysbench, its silent failures included.
    pub const NONE: Self = Self {
        prepare_exit: false,
        ..Self::SYSBENCH
    };
}
