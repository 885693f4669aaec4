//! Lists the options of a run, for any script.

use super::{Definition, option};
use crate::options::ArgKind::{Double, File, Flag, Int, List, Size, Text};

pub(super) const LIMITS: &[Definition] = &[
    option("threads", Int, Some("1"), "number of threads to use"),
    option("events", Int, Some("0"), "limit for total number of events"),
    option(
        "time",
        Int,
        Some("10"),
        "limit for total execution time in seconds",
    ),
];

pub(super) const WARMUP: &[Definition] = &[option(
    "warmup-time",
    Int,
    Some("0"),
    "execute events for this many seconds with statistics disabled before the actual benchmark run with statistics enabled",
)];

pub(super) const DURATION: &[Definition] = &[
    option(
        "forced-shutdown",
        Text,
        Some("off"),
        "number of seconds to wait after the --time limit before forcing shutdown, or 'off' to disable",
    ),
    option(
        "thread-stack-size",
        Size,
        Some("64K"),
        "size of stack per thread",
    ),
];

pub(super) const INIT_TIMEOUT: &[Definition] = &[option(
    "thread-init-timeout",
    Int,
    Some("30"),
    "wait time in seconds for worker threads to initialize",
)];

pub(super) const RATE: &[Definition] = &[
    option(
        "rate",
        Int,
        Some("0"),
        "average transactions rate. 0 for unlimited rate",
    ),
    option(
        "report-interval",
        Int,
        Some("0"),
        "periodically report intermediate statistics with a specified interval in seconds. 0 disables intermediate reports",
    ),
    option(
        "report-checkpoints",
        List,
        Some(""),
        "dump full statistics and reset all counters at specified points in time. The argument is a list of comma-separated values representing the amount of time in seconds elapsed from start of test when report checkpoint(s) must be performed. Report checkpoints are off by default.",
    ),
    option("debug", Flag, Some("off"), "print more debugging info"),
    option(
        "validate",
        Flag,
        Some("off"),
        "perform validation checks where possible",
    ),
    option("help", Flag, Some("off"), "print help and exit"),
    option("version", Flag, Some("off"), "print version and exit"),
    option(
        "config-file",
        File,
        None,
        "File containing command line options",
    ),
];

pub(super) const ALIASES: &[Definition] = &[
    option("tx-rate", Int, Some("0"), "deprecated alias for --rate"),
    option(
        "max-requests",
        Int,
        Some("0"),
        "deprecated alias for --events",
    ),
    option("max-time", Int, Some("0"), "deprecated alias for --time"),
    option(
        "num-threads",
        Int,
        Some("1"),
        "deprecated alias for --threads",
    ),
];

pub(super) const LUAJIT: &[Definition] = &[option(
    "luajit-cmd",
    Text,
    None,
    "perform LuaJIT control command. This option is equivalent to 'luajit -j'. See LuaJIT documentation for more information",
)];

pub(super) const RANDOM_1_0: &[Definition] = &[
    option(
        "rand-type",
        Text,
        Some("special"),
        "random numbers distribution {uniform,gaussian,special,pareto}",
    ),
    option(
        "rand-spec-iter",
        Int,
        Some("12"),
        "number of iterations used for numbers generation",
    ),
    option(
        "rand-spec-pct",
        Int,
        Some("1"),
        "percentage of values to be treated as 'special' (for special distribution)",
    ),
    option(
        "rand-spec-res",
        Int,
        Some("75"),
        "percentage of 'special' values to use (for special distribution)",
    ),
    option(
        "rand-seed",
        Int,
        Some("0"),
        "seed for random number generator. When 0, the current time is used as a RNG seed.",
    ),
    option(
        "rand-pareto-h",
        Double,
        Some("0.2"),
        "parameter h for pareto distribution",
    ),
];

pub(super) const RANDOM_1_1: &[Definition] = &[
    option(
        "rand-type",
        Text,
        Some("uniform"),
        "random numbers distribution {uniform, gaussian, pareto, zipfian} to use by default",
    ),
    option(
        "rand-seed",
        Int,
        Some("0"),
        "seed for random number generator. When 0, the current time is used as an RNG seed.",
    ),
    option(
        "rand-pareto-h",
        Double,
        Some("0.2"),
        "shape parameter for the Pareto distribution",
    ),
    option(
        "rand-zipfian-exp",
        Double,
        Some("0.8"),
        "shape parameter (exponent, theta) for the Zipfian distribution",
    ),
];

pub(super) const LOG: &[Definition] = &[option(
    "verbosity",
    Int,
    Some("3"),
    "verbosity level {5 - debug, 0 - only critical messages}",
)];

pub(super) const LATENCY: &[Definition] = &[
    option(
        "percentile",
        Int,
        Some("95"),
        "percentile to calculate in latency statistics (1-100). Use the special value of 0 to disable percentile calculations",
    ),
    option(
        "histogram",
        Flag,
        Some("off"),
        "print latency histogram in report",
    ),
];
