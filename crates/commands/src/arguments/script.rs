//! Defines the arguments of `script`.

use super::ServerArguments;
use super::parse::{TimeLimit, seconds, time_limit};
use super::requirement::{Requirement, RequirementMetric};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const LONG_ABOUT: &str = "\
Run a sysbench script, or a builtin such as oltp_read_write, with dbdyno-load's improvements on
sysbench. The script, its options and the lines of the report are sysbench's; --fixes chooses
among the improvements:
  prepare-exit  a parallel command that fails in any user exits with 1
  done-exit     an error in thread_done() or done() exits with 1; in bulk_insert, rows may be missing
  backlog       events of --rate that are still queued at the end are counted
  rollback      ROLLBACK before an event is repeated; a repeated BEGIN would commit its first half
  report        a run that fails prints its report up to the failure
  codes         the report ends with errors by number, and whether connections were encrypted

The schema must exist. Exit codes are sysbench's: 0 done; 1 something failed, or --require does
not hold; 2 ended by force, or users did not start in time. One is dbdyno-load's own: 3 if the path
to the server was lost (--path-timeout) or the server did not answer (--answer-timeout). For
sysbench's own command line see `dbdyno-load --help`.";

const EXAMPLES: &str = "\
Examples:
  Fill, run for a minute with 64 users, drop:
    dbdyno-load script oltp_read_write prepare --set tables=4 --set table_size=50000 --host db1
    dbdyno-load script oltp_read_write run     --set tables=4 --set table_size=50000 --host db1 \\
        --threads 64 --time 60s --report-interval 1s
    dbdyno-load script oltp_read_write cleanup --set tables=4 --host db1

  Your own script: show its options, then run it and record each second:
    dbdyno-load script ./orders.lua help
    dbdyno-load script ./orders.lua --set warehouses=10 --host db1 --json-lines run.jsonl

  A gate for continuous integration; the exit code is 1 if a requirement does not hold:
    dbdyno-load script ./orders.lua --threads 16 --time 60s --host db1 \\
        --require 'p99<20ms' --require 'errors<0.1%'";

/// Runs a sysbench script.
#[derive(Debug, Clone, Args)]
#[command(
    about = "Run a sysbench script or builtin, without sysbench's silent failures",
    long_about = LONG_ABOUT,
    after_long_help = EXAMPLES
)]
pub(crate) struct ScriptArguments {
    /// Script file, Lua module or builtin
    #[arg(value_name = "SCRIPT")]
    pub(crate) script: String,

    /// run, prepare, cleanup, help, or a command of the script
    #[arg(value_name = "COMMAND", default_value = "run")]
    pub(crate) command: String,

    /// Option of the script; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,

    #[command(flatten)]
    pub(crate) server: ServerArguments,

    /// Users, each with one event in flight
    #[arg(long, value_name = "COUNT", default_value_t = 1, help_heading = "Load")]
    pub(crate) threads: u32,

    /// How long to start new events, such as 60s; 0 for no limit
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s", help_heading = "Load")]
    pub(crate) time: u32,

    /// Events of all users together, 0 for no limit
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Load")]
    pub(crate) events: u64,

    /// Events that arrive per second; 0: each user starts its next event when the previous one is done
    #[arg(long, value_name = "COUNT", default_value_t = 0, help_heading = "Load")]
    pub(crate) rate: u32,

    /// Error codes after which an event is repeated, or all
    #[arg(
        long,
        value_name = "NUMBERS",
        default_value = "1213,1020,1205,2006,2013",
        help_heading = "Load"
    )]
    pub(crate) ignore_errors: String,

    /// Longest wait for any byte of a statement's answer; `none` waits for ever
    ///
    /// It holds for the command run; sysbench and the other commands wait for ever. After this time the connection counts
    /// as lost (error 2013), which ends the run unless 2013 is ignored. See --answer-timeout of `dbdyno-load run`.
    #[arg(long, value_name = "DURATION|none", default_value = "300s", value_parser = time_limit, help_heading = "Load")]
    answer_timeout: TimeLimit,

    /// Seed of the random numbers, 0 for the current time
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        help_heading = "Load"
    )]
    pub(crate) seed: u32,

    /// Operating system threads that drive the users
    #[arg(long, value_name = "COUNT", help_heading = "Load")]
    pub(crate) workers: Option<u32>,

    /// sysbench version that the script was written for: 1.0 or 1.1
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "1.0",
        help_heading = "sysbench"
    )]
    pub(crate) dialect: String,

    /// Improvements on sysbench: all, none, or names separated by commas
    #[arg(
        long,
        value_name = "LIST",
        default_value = "all",
        help_heading = "sysbench"
    )]
    pub(crate) fixes: String,

    /// Any other option of sysbench's form except those of the server, such as --option=--histogram
    #[arg(
        long = "option",
        value_name = "--NAME=VALUE",
        allow_hyphen_values = true,
        help_heading = "sysbench"
    )]
    pub(crate) others: Vec<String>,

    /// Time between progress lines, 0 for none
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "0s", help_heading = "Output")]
    pub(crate) report_interval: u32,

    /// Write records to this file, - for standard output
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    pub(crate) json_lines: Option<PathBuf>,

    /// Exit with 1 unless the run meets this: p99<20ms, errors<0.1%, tps>=1000; may be given several times
    ///
    /// As in `dbdyno-load run`, of all events after the warm-up. errors is the number of ignored errors, and of events that
    /// had not ended, per 100 events. A line for each requirement follows the report: PASS or FAIL and the value. A metric
    /// that was not measured fails; so does errors if many arrivals of --rate were not done.
    #[arg(long, value_name = "EXPRESSION", help_heading = "Output")]
    pub(crate) require: Vec<Requirement>,
}

impl ScriptArguments {
    /// Returns why the requirements can't be judged, if they can't.
    pub(crate) fn refuse_requirements(&self) -> Option<&'static str> {
        let asks_failed = |one: &Requirement| one.metric == RequirementMetric::Failed;
        if !self.require.is_empty() && self.command != "run" {
            return Some("--require holds for the command run only");
        }
        let why = "--require failed: a script repeats an event that fails, or ends; use errors";
        self.require.iter().any(asks_failed).then_some(why)
    }

    /// How long a statement of a run may be without any byte of an answer.
    pub(crate) fn answer_timeout(&self) -> Option<Duration> {
        self.answer_timeout.0.map(Duration::from_nanos)
    }

    /// The same request in sysbench's words, the program's name first; the server is not in it.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = vec![
            "dbdyno-load".to_owned(),
            format!("--threads={}", self.threads),
            format!("--time={}", self.time),
            format!("--events={}", self.events),
            format!("--rate={}", self.rate),
            format!("--mysql-ignore-errors={}", self.ignore_errors),
            format!("--rand-seed={}", self.seed),
            format!("--dialect={}", self.dialect),
            format!("--fixes={}", self.fixes),
            format!("--report-interval={}", self.report_interval),
        ];
        words.extend(self.workers.map(|count| format!("--workers={count}")));
        let json_lines = self.json_lines.as_ref();
        words.extend(json_lines.map(|path| format!("--json-lines={}", path.display())));
        words.extend(self.others.iter().cloned());
        words.extend(self.options.iter().map(|option| format!("--{option}")));
        words.extend([self.script.clone(), self.command.clone()]);
        words
    }
}
