//! Defines the arguments of `null-server`.

use clap::Args;
use dbdyno_null_server::{
    Auth, DelayDistribution, DropRule, Epoch, ErrorPlace, ErrorRule, FaultPlan, Refusal, Settings,
    Stall, TimeWindow, TimedFault, nanoseconds,
};
use std::net::SocketAddr;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
A MySQL-protocol server that does no work: it accepts every login, answers each statement at once
with a result of the right shape, and stores nothing. A load generator that drives it shows its own
cost.

It can also be slow, stall, fail and refuse connections, at known times and rates, so that the
report of a load generator can be compared with what happened. Delays, errors and drops affect the
statements of a load, not SET, SHOW, SELECT @@variable, preparing and pings.

When clients can connect, it prints one JSON line with \"ready\":true, its socket and its port.";

const EXAMPLES: &str = "\
Examples:
  Measure the cost of a load generator:
    dbdyno-load null-server --socket /tmp/null.sock &
    dbdyno-load run sysbench/oltp_point_select --socket /tmp/null.sock --user any --threads 64 --time 10s

  Test whether a load generator sees a freeze of ten seconds; true times go to a file:
    dbdyno-load null-server --listen 127.0.0.1:3399 --freeze 40s+10s --log truth.csv

  Fail like a busy server, the same way each time:
    dbdyno-load null-server --socket /tmp/null.sock --delay exponential:15ms \\
        --errors 1213:3%,1205:1%,1020:0.1% --errors-on commit --seed 7 --serve 60s --stats";

/// Is a server that does no work.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Serve the MySQL protocol without doing any work, with faults on request",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct NullServerArguments {
    #[command(flatten)]
    place: PlaceArguments,

    #[command(flatten)]
    faults: FaultArguments,

    /// End after this time [default: at SIGTERM or Ctrl-C]
    #[arg(long, value_name = "DURATION", value_parser = nanoseconds, help_heading = "Output")]
    pub(crate) serve: Option<u64>,

    /// Write one line per statement: arrived_ns,replied_ns,connection,kind,code
    ///
    /// Instants are of CLOCK_MONOTONIC: of the wake-up that found the request, and after the reply was
    /// handed to the kernel. Code 0 is success, 2013 a connection closed instead of an answer.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    log: Option<PathBuf>,

    /// Print statistics as a JSON line at the end, with exact quantiles (8 bytes of memory per statement)
    #[arg(long, help_heading = "Output")]
    pub(crate) stats: bool,
}

/// Where and as what it serves.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
struct PlaceArguments {
    /// Unix domain socket to create
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// TCP address; port 0 for any that is free
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,

    /// Allow addresses other than loopback; anybody who reaches it can log in
    #[arg(long)]
    anyone: bool,

    /// Connections that may wait to be accepted
    #[arg(long, value_name = "COUNT", default_value_t = 4096)]
    backlog: u16,

    /// Serving threads
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    workers: u32,

    /// Server version to report to clients
    #[arg(long, value_name = "TEXT", default_value = Settings::VERSION)]
    server_version: String,

    /// Authentication method; every password is accepted
    #[arg(long, value_name = "METHOD", default_value_t)]
    auth: Auth,

    /// Send EOF packets after column definitions, as before CLIENT_DEPRECATE_EOF
    #[arg(long)]
    no_deprecate_eof: bool,
}

/// What goes wrong.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Faults (FAULT@40s+10s: only from 40 s to 50 s)")]
struct FaultArguments {
    /// Send no reply for a part of each period, such as 100ms/1s
    ///
    /// The first silence begins one period after the epoch. All that waited is answered when it ends.
    #[arg(long, value_name = "LENGTH/EVERY")]
    stall: Vec<TimedFault<Stall>>,

    /// Send no reply from 40 s to 50 s after the epoch: 40s+10s
    #[arg(long, value_name = "AT+LENGTH")]
    freeze: Vec<TimeWindow>,

    /// Time from a statement to its reply
    ///
    /// constant:5ms, uniform:4ms..40ms, exponential:15ms, or two-peak:5ms@98%,80ms@2%. May be repeated with
    /// windows; the first whose window is open applies.
    #[arg(long, value_name = "LAW")]
    delay: Vec<TimedFault<DelayDistribution>>,

    /// Error codes and how often to send them: 1213:3%,1205:1% or 1213:every=100
    #[arg(long, value_name = "CODE:RATE", value_delimiter = ',')]
    errors: Vec<TimedFault<ErrorRule>>,

    /// Statements that get errors: any, a kind such as commit or point_select, or how their text begins
    #[arg(long, value_name = "WHICH", default_value = "any")]
    errors_on: ErrorPlace,

    /// Close the connection instead of answering: 0.1% or every=1000 statements
    #[arg(long, value_name = "RATE")]
    drop: Vec<TimedFault<DropRule>>,

    /// Refuse connections: 40s+10s with error 1040, or reset@40s+10s, or closed@40s+10s
    #[arg(long, value_name = "[HOW@]AT+LENGTH")]
    refuse: Vec<Refusal>,

    /// Serve at most this many statements per second, one by one
    #[arg(long, value_name = "STATEMENTS_PER_S")]
    capacity: Option<f64>,

    /// Keep at most this many prepared statements over all connections; more fail with error 1461
    #[arg(long, value_name = "COUNT")]
    max_prepared: Option<u32>,

    /// Time from which the faults count: first-statement of a load, start, or CLOCK_MONOTONIC in ns
    #[arg(long, value_name = "WHEN", default_value = "first-statement")]
    epoch: Epoch,

    /// Seed of random faults and delays
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

impl NullServerArguments {
    pub(crate) fn settings(&self) -> Settings {
        let Self { place, faults, .. } = self.clone();
        Settings {
            socket: place.socket,
            listen: place.listen,
            anyone: place.anyone,
            backlog: place.backlog,
            workers: place.workers,
            version: place.server_version,
            auth: place.auth,
            deprecate_eof: !place.no_deprecate_eof,
            epoch: faults.epoch,
            seed: faults.seed,
            faults: faults.plan(),
            log: self.log.clone(),
            keep_times: self.stats,
        }
    }
}

impl FaultArguments {
    fn plan(self) -> FaultPlan {
        FaultPlan {
            stalls: self.stall,
            freezes: self.freeze,
            delays: self.delay,
            errors: self.errors,
            errors_on: self.errors_on,
            drops: self.drop,
            refusals: self.refuse,
            capacity_per_s: self.capacity,
            max_prepared: self.max_prepared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: NullServerArguments,
    }

    fn settings(arguments: &[&str]) -> Settings {
        let all = [&["null-server"], arguments].concat();
        Alone::try_parse_from(all).unwrap().arguments.settings()
    }

    #[test]
    fn without_arguments_it_never_fails() {
        assert_eq!(settings(&[]), Settings::default());
    }

    #[test]
    fn faults_are_spoken_as_the_guide_has_them() {
        let faults = settings(&[
            "--stall",
            "100ms/1s",
            "--freeze",
            "40s+10s",
            "--delay",
            "two-peak:5ms@98%,80ms@2%@1s+1s",
            "--errors",
            "1213:3%,1205:1%,1020:every=1000",
            "--errors-on",
            "commit",
            "--drop",
            "0.1%",
            "--refuse",
            "closed@1s+2s",
            "--capacity",
            "5000",
        ])
        .faults;
        assert_eq!(faults.errors.len(), 3);
        assert_eq!(faults.errors_on, ErrorPlace::Kind("commit".to_owned()));
        assert!(faults.delays[0].window.is_some());
        assert_eq!(
            (
                faults.stalls.len(),
                faults.freezes.len(),
                faults.refusals.len()
            ),
            (1, 1, 1)
        );
    }

    #[test]
    fn a_mistake_is_told_with_what_is_right() {
        let error = Alone::try_parse_from(["null-server", "--delay", "normal:5ms"]).unwrap_err();
        assert!(error.to_string().contains("exponential:15ms"), "{error}");
    }
}
