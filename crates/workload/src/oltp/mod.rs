//! The sysbench OLTP family, as the scripts of sysbench 1.0.20 do it: statements, order, draws and quirks.
//!
//! A [`Script`] is a row of a table: what is prepared, and of which blocks an event is made. With [`Options`] it
//! becomes an [`Oltp`] workload, whose users walk the blocks; [`OltpPopulation`] makes the rows.

mod blocks;
mod option_table;
mod options;
mod population;
mod quirks;
mod rows;
mod schema;
mod script;
mod statement;
mod text;
mod user;
mod workload;

pub(crate) use option_table::option_table;
pub(crate) use options::Options;
pub(crate) use population::OltpPopulation;
pub(crate) use script::{Script, script_named, script_names};
pub(crate) use workload::Oltp;
