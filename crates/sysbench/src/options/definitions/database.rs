//! Lists the options of databases.

use super::{Definition, option};
use crate::options::ArgKind::{Flag, Int, List, Text};

pub(super) const DATABASE: &[Definition] = &[
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

pub(super) const MYSQL_SERVER: &[Definition] = &[
    option("mysql-host", List, Some("localhost"), "MySQL server host"),
    option("mysql-port", List, Some("3306"), "MySQL server port"),
    option("mysql-socket", List, None, "MySQL socket"),
    option("mysql-user", Text, Some("sbtest"), "MySQL user"),
    option("mysql-password", Text, Some(""), "MySQL password"),
    option("mysql-db", Text, Some("sbtest"), "MySQL database name"),
];

pub(super) const MYSQL_SSL_1_0: &[Definition] = &[option(
    "mysql-ssl",
    Flag,
    Some("off"),
    "use SSL connections, if available in the client library",
)];

pub(super) const MYSQL_SSL_1_1: &[Definition] = &[option(
    "mysql-ssl",
    Text,
    Some("disabled"),
    "SSL mode. This accepts the same values as the --ssl-mode option in the MySQL client utilities. Disabled by default",
)];

pub(super) const MYSQL_SSL_FILES: &[Definition] = &[
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

pub(super) const MYSQL_CIPHER: &[Definition] = &[option(
    "mysql-ssl-cipher",
    Text,
    Some(""),
    "use specific cipher for SSL connections",
)];

pub(super) const MYSQL_COMPRESSION: &[Definition] = &[option(
    "mysql-compression",
    Flag,
    Some("off"),
    "use compression, if available in the client library",
)];

pub(super) const MYSQL_ALGORITHMS: &[Definition] = &[option(
    "mysql-compression-algorithms",
    Text,
    Some("zlib"),
    "compression algorithms to use",
)];

pub(super) const MYSQL_REST: &[Definition] = &[
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

pub(super) const POSTGRESQL: &[Definition] = &[
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

pub(super) const POSTGRESQL_1_1: &[Definition] = &[option(
    "pgsql-sslmode",
    Text,
    Some("prefer"),
    "PostgreSQL SSL mode (disable, allow, prefer, require, verify-ca, verify-full)",
)];
