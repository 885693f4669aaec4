//! The options that every run knows, by dialect, in the groups and the order of the help.

use super::ArgKind::{self, Double, File, Flag, Int, List, Size, Text};
use crate::Dialect;

/// An option with what help says of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    pub name: &'static str,
    pub kind: ArgKind,
    pub default: Option<&'static str>,
    pub description: &'static str,
}

const fn option(
    name: &'static str,
    kind: ArgKind,
    default: Option<&'static str>,
    description: &'static str,
) -> Definition {
    Definition {
        name,
        kind,
        default,
        description,
    }
}

/// The groups of a dialect's help.
pub(super) struct Groups {
    pub general: &'static [&'static [Definition]],
    pub random: &'static [Definition],
    pub log: &'static [Definition],
    pub latency: &'static [Definition],
    pub database: &'static [Definition],
    pub mysql: &'static [&'static [Definition]],
    pub postgresql: &'static [Definition],
    /// Taken beside them, and told of nowhere.
    pub hidden: &'static [Definition],
}

impl Groups {
    pub fn of(dialect: Dialect) -> &'static Self {
        match dialect {
            Dialect::V1_0 => &GROUPS_1_0,
            Dialect::V1_1 => &GROUPS_1_1,
        }
    }
}

/// Every option that a dialect knows.
pub(super) fn general(dialect: Dialect) -> impl Iterator<Item = &'static Definition> {
    let groups = Groups::of(dialect);
    let nested = groups.general.iter().chain(groups.mysql).copied();
    let flat = [
        groups.random,
        groups.log,
        groups.latency,
        groups.database,
        groups.postgresql,
    ];
    nested.chain(flat).flatten()
}

static GROUPS_1_0: Groups = Groups {
    general: &[LIMITS, DURATION, RATE, ALIASES],
    random: RANDOM_1_0,
    log: LOG,
    latency: LATENCY,
    database: DATABASE,
    mysql: &[
        MYSQL_SERVER,
        MYSQL_SSL_1_0,
        MYSQL_CIPHER,
        MYSQL_COMPRESSION,
        MYSQL_REST,
    ],
    postgresql: POSTGRESQL,
    hidden: MYSQL_SSL_FILES,
};

static GROUPS_1_1: Groups = Groups {
    general: &[LIMITS, WARMUP, DURATION, INIT_TIMEOUT, RATE, LUAJIT],
    random: RANDOM_1_1,
    log: LOG,
    latency: LATENCY,
    database: DATABASE,
    mysql: &[
        MYSQL_SERVER,
        MYSQL_SSL_1_1,
        MYSQL_SSL_FILES,
        MYSQL_CIPHER,
        MYSQL_COMPRESSION,
        MYSQL_ALGORITHMS,
        MYSQL_REST,
    ],
    postgresql: &[],
    hidden: &[],
};

const LIMITS: &[Definition] = &[
    option("threads", Int, Some("1"), "number of threads to use"),
    option("events", Int, Some("0"), "limit for total number of events"),
    option(
        "time",
        Int,
        Some("10"),
        "limit for total execution time in seconds",
    ),
];

const WARMUP: &[Definition] = &[option(
    "warmup-time",
    Int,
    Some("0"),
    "execute events for this many seconds with statistics disabled before the actual benchmark run with statistics enabled",
)];

const DURATION: &[Definition] = &[
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

const INIT_TIMEOUT: &[Definition] = &[option(
    "thread-init-timeout",
    Int,
    Some("30"),
    "wait time in seconds for worker threads to initialize",
)];

const RATE: &[Definition] = &[
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

const ALIASES: &[Definition] = &[
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

const LUAJIT: &[Definition] = &[option(
    "luajit-cmd",
    Text,
    None,
    "perform LuaJIT control command. This option is equivalent to 'luajit -j'. See LuaJIT documentation for more information",
)];

const RANDOM_1_0: &[Definition] = &[
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

const RANDOM_1_1: &[Definition] = &[
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

const LOG: &[Definition] = &[option(
    "verbosity",
    Int,
    Some("3"),
    "verbosity level {5 - debug, 0 - only critical messages}",
)];

const LATENCY: &[Definition] = &[
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

const DATABASE: &[Definition] = &[
    option(
        "db-driver",
        Text,
        Some("mysql"),
        "specifies database driver to use ('help' to get list of available drivers)",
    ),
    option(
        "db-ps-mode",
        Text,
        Some("auto"),
        "prepared statements usage mode {auto, disable}",
    ),
    option(
        "db-debug",
        Flag,
        Some("off"),
        "print database-specific debug information",
    ),
];

const MYSQL_SERVER: &[Definition] = &[
    option("mysql-host", List, Some("localhost"), "MySQL server host"),
    option("mysql-port", List, Some("3306"), "MySQL server port"),
    option("mysql-socket", List, None, "MySQL socket"),
    option("mysql-user", Text, Some("sbtest"), "MySQL user"),
    option("mysql-password", Text, Some(""), "MySQL password"),
    option("mysql-db", Text, Some("sbtest"), "MySQL database name"),
];

const MYSQL_SSL_1_0: &[Definition] = &[option(
    "mysql-ssl",
    Flag,
    Some("off"),
    "use SSL connections, if available in the client library",
)];

const MYSQL_SSL_1_1: &[Definition] = &[option(
    "mysql-ssl",
    Text,
    Some("disabled"),
    "SSL mode. This accepts the same values as the --ssl-mode option in the MySQL client utilities. Disabled by default",
)];

const MYSQL_SSL_FILES: &[Definition] = &[
    option(
        "mysql-ssl-key",
        Text,
        None,
        "path name of the client private key file",
    ),
    option("mysql-ssl-ca", Text, None, "path name of the CA file"),
    option(
        "mysql-ssl-cert",
        Text,
        None,
        "path name of the client public key certificate file",
    ),
];

const MYSQL_CIPHER: &[Definition] = &[option(
    "mysql-ssl-cipher",
    Text,
    Some(""),
    "use specific cipher for SSL connections",
)];

const MYSQL_COMPRESSION: &[Definition] = &[option(
    "mysql-compression",
    Flag,
    Some("off"),
    "use compression, if available in the client library",
)];

const MYSQL_ALGORITHMS: &[Definition] = &[option(
    "mysql-compression-algorithms",
    Text,
    Some("zlib"),
    "compression algorithms to use",
)];

const MYSQL_REST: &[Definition] = &[
    option(
        "mysql-debug",
        Flag,
        Some("off"),
        "trace all client library calls",
    ),
    option(
        "mysql-ignore-errors",
        List,
        Some("1213,1020,1205"),
        "list of errors to ignore, or \"all\"",
    ),
    option(
        "mysql-dry-run",
        Flag,
        Some("off"),
        "Dry run, pretend that all MySQL client API calls are successful without executing them",
    ),
];

const POSTGRESQL: &[Definition] = &[
    option(
        "pgsql-host",
        Text,
        Some("localhost"),
        "PostgreSQL server host",
    ),
    option("pgsql-port", Int, Some("5432"), "PostgreSQL server port"),
    option("pgsql-user", Text, Some("sbtest"), "PostgreSQL user"),
    option("pgsql-password", Text, Some(""), "PostgreSQL password"),
    option("pgsql-db", Text, Some("sbtest"), "PostgreSQL database name"),
];
