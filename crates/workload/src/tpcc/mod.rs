//! Implements TPC-C in four dialects: three tools' ways of doing it, and the standard's own.
//!
//! [`TpccOptions`] say which. Each dialect has a folder with its statements (`statements.sql`), its [`Rules`](rules::Rules) and
//! the inputs that it draws; the [`transactions`] are written once for all. Where a dialect calls procedures, `calls.rs`
//! does.
//! [`population`] makes the tables of all of them. None of it is a published TPC-C result: it is derived from TPC-C.

mod build;
mod canned_replies;
mod dialect;
mod draws;
mod hammerdb;
mod input;
mod mix;
mod names;
mod option_table;
mod options;
mod population;
mod quirks;
#[cfg(test)]
mod recorded_events;
#[cfg(test)]
mod rehearsal;
mod rests;
mod rules;
mod server_counts;
mod standard;
mod statements;
mod stock;
mod sysbench_tpcc;
mod table;
mod terminal;
mod tpcc_mysql;
mod transactions;
mod values;
#[cfg(test)]
mod vectors;

use crate::family::{Family, GivenOptions};
use crate::{Population, Workload, WorkloadError};
use dbdyno_chance::RandomSource;
use dialect::Dialect;
use options::{DeliveryMode, TpccOptions};
use std::sync::Arc;

/// The workload's name; a slash and a dialect may follow.
const NAME: &str = "tpcc";

/// How the catalogue knows the family.
pub(crate) const FAMILY: Family = Family {
    name: NAME,
    names: || Dialect::ALL.map(Dialect::workload).to_vec(),
    claims: |name| name == NAME || dialect_in(name).is_some(),
    options: option_table::described,
    workload,
    population,
};

/// The numbers of the transaction types.
pub(crate) mod transaction {
    use crate::TransactionType;

    pub(crate) const NEW_ORDER: TransactionType = 0;
    pub(crate) const PAYMENT: TransactionType = 1;
    pub(crate) const ORDER_STATUS: TransactionType = 2;
    pub(crate) const DELIVERY: TransactionType = 3;
    pub(crate) const STOCK_LEVEL: TransactionType = 4;
    /// The standard's own: the work of a delivery that was replied to before.
    pub(crate) const DEFERRED_DELIVERY: TransactionType = 5;
    /// sysbench-tpcc's own.
    pub(crate) const PURGE: TransactionType = 5;

    pub(super) const NAMES: &[&str] = &[
        "new_order",
        "payment",
        "order_status",
        "delivery",
        "stock_level",
        "purge",
    ];

    pub(super) const DEFERRED_NAMES: &[&str] = &[
        "new_order",
        "payment",
        "order_status",
        "delivery",
        "stock_level",
        "deferred_delivery",
    ];
}

/// Returns the standard's five, and the purge or the deferred deliveries where there are any.
fn transaction_types(options: &TpccOptions) -> &'static [&'static str] {
    if options.delivery == DeliveryMode::Queue {
        return transaction::DEFERRED_NAMES;
    }
    let count = if options.enable_purge { 6 } else { 5 };
    &transaction::NAMES[..count]
}

fn workload(
    name: &str,
    given: &GivenOptions,
    source: RandomSource,
    users: u32,
) -> Result<Arc<dyn Workload>, WorkloadError> {
    let options = TpccOptions::read(dialect_in(name), given)?;
    match options.dialect {
        Dialect::SysbenchTpcc => sysbench_tpcc::workload(options, source),
        Dialect::TpccMysql => tpcc_mysql::workload(options, source),
        Dialect::Hammerdb => hammerdb::workload(options, source, users),
        Dialect::Standard => standard::workload(options, source, users),
    }
}

fn population(
    name: &str,
    given: &GivenOptions,
    source: RandomSource,
) -> Result<Arc<dyn Population>, WorkloadError> {
    population::population(TpccOptions::read(dialect_in(name), given)?, source)
}

/// Returns the dialect of `tpcc/hammerdb`, or of the bare word `hammerdb`.
fn dialect_in(name: &str) -> Option<Dialect> {
    let bare = name
        .strip_prefix(NAME)
        .and_then(|rest| rest.strip_prefix('/'));
    Dialect::named(bare.unwrap_or(name))
}
