//! Lists the options that every run knows, by dialect, in the groups and the order of the help.

mod database;
mod general;

use super::ArgKind;
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
    /// Options that are taken, too, but listed nowhere.
    pub hidden: &'static [&'static [Definition]],
}

impl Groups {
    pub fn of(dialect: Dialect) -> &'static Self {
        match dialect {
            Dialect::V1_0 => &GROUPS_1_0,
            Dialect::V1_1 => &GROUPS_1_1,
        }
    }
}

/// Returns every option that a dialect knows.
pub(super) fn all(dialect: Dialect) -> impl Iterator<Item = &'static Definition> {
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
    general: &[
        general::LIMITS,
        general::DURATION,
        general::RATE,
        general::ALIASES,
    ],
    random: general::RANDOM_1_0,
    log: general::LOG,
    latency: general::LATENCY,
    database: database::DATABASE,
    mysql: &[
        database::MYSQL_SERVER,
        database::MYSQL_SSL_1_0,
        database::MYSQL_CIPHER,
        database::MYSQL_COMPRESSION,
        database::MYSQL_REST,
    ],
    postgresql: database::POSTGRESQL,
    hidden: &[database::MYSQL_SSL_FILES],
};

static GROUPS_1_1: Groups = Groups {
    general: &[
        general::LIMITS,
        general::WARMUP,
        general::DURATION,
        general::INIT_TIMEOUT,
        general::RATE,
        general::LUAJIT,
    ],
    random: general::RANDOM_1_1,
    log: general::LOG,
    latency: general::LATENCY,
    database: database::DATABASE,
    mysql: &[
        database::MYSQL_SERVER,
        database::MYSQL_SSL_1_1,
        database::MYSQL_SSL_FILES,
        database::MYSQL_CIPHER,
        database::MYSQL_COMPRESSION,
        database::MYSQL_ALGORITHMS,
        database::MYSQL_REST,
    ],
    postgresql: &[],
    hidden: &[database::POSTGRESQL, database::POSTGRESQL_1_1],
};
