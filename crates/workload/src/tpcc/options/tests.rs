//! Checks how the options are read.

use super::*;
use crate::option_table::given;

fn read(named: Option<Dialect>, pairs: &[(&str, &str)]) -> Result<TpccOptions, String> {
    TpccOptions::read(named, &given(pairs)).map_err(|error| error.to_string())
}

#[test]
fn every_default_reads_back_as_itself_in_its_dialect() {
    for dialect in Dialect::ALL {
        for fidelity in [Fidelity::Tool, Fidelity::Fixed] {
            let options = TpccOptions::new(dialect, fidelity);
            let given = options.list();
            assert_eq!(TpccOptions::read(Some(dialect), &given), Ok(options));
        }
    }
}

#[test]
fn the_dialect_decides_the_other_defaults_wherever_it_stands() {
    let options = read(None, &[("use_fk", "0"), ("dialect", "sysbench-tpcc")]).unwrap();
    assert_eq!((options.warehouses, options.fk), (100, ForeignKeys::None));
    assert_eq!(options.strings, Strings::Repeated);
    let fixed = read(Some(Dialect::SysbenchTpcc), &[("fidelity", "fixed")]).unwrap();
    assert_eq!(fixed.strings, Strings::Random);
}

#[test]
fn options_go_by_the_names_of_their_tools() {
    let hammerdb = read(
        Some(Dialect::Hammerdb),
        &[
            ("count-ware", "5"),
            ("history_pk", "on"),
            ("storage_engine", "rocksdb"),
        ],
    )
    .unwrap();
    assert_eq!(hammerdb.warehouses, 5);
    assert!(hammerdb.force_pk);
    assert_eq!(hammerdb.mysql_storage_engine, "rocksdb");
    let sysbench = read(
        Some(Dialect::SysbenchTpcc),
        &[("scale", "3"), ("enable_purge", "yes"), ("trx_level", "RC")],
    )
    .unwrap();
    assert_eq!(sysbench.warehouses, 3);
    assert!(sysbench.enable_purge);
    assert_eq!(sysbench.trx_level, Isolation::ReadCommitted);
}

#[test]
fn without_thinking_deliveries_are_inline_unless_asked_for_otherwise() {
    let law = |given: &[(&str, &str)]| read(None, given).unwrap().delivery;
    assert_eq!(law(&[]), DeliveryMode::Queue);
    assert_eq!(law(&[("think", "off")]), DeliveryMode::Inline);
    let asked = law(&[("think", "off"), ("delivery", "queue")]);
    assert_eq!(asked, DeliveryMode::Queue);
}

#[test]
fn options_of_other_dialects_and_mistyped_ones_are_refused_with_the_nearest() {
    let message = read(Some(Dialect::TpccMysql), &[("tables", "2")]).unwrap_err();
    assert!(
        message.contains("tpcc/tpcc-mysql has no option"),
        "{message}"
    );
    let message = read(None, &[("warehuoses", "2")]).unwrap_err();
    assert!(message.contains("\"warehouses\""), "{message}");
}

#[test]
fn engines_without_foreign_keys_are_found_before_the_tables_are_filled() {
    let rocksdb = ("mysql_storage_engine", "rocksdb");
    for dialect in [Dialect::TpccMysql, Dialect::SysbenchTpcc] {
        let message = read(Some(dialect), &[rocksdb]).unwrap_err();
        assert!(message.contains("rocksdb has no foreign keys"), "{message}");
        assert!(read(Some(dialect), &[rocksdb, ("fk", "none")]).is_ok());
    }
    assert!(read(Some(Dialect::Standard), &[rocksdb]).is_ok());
}

#[test]
fn values_out_of_range_are_refused_with_what_is_allowed() {
    for (name, value, hint) in [
        ("warehouses", "0", "1 to"),
        ("warehouses", "32768", "32767"),
        ("dialect", "oracle", "hammerdb"),
        ("fk", "on", "declared"),
        ("weights", "1,2,3", "five"),
        ("weights", "0,0,0,0,0", "not all 0"),
        ("c_load", "256", "0 to 255"),
    ] {
        let message = read(None, &[(name, value)]).unwrap_err();
        assert!(
            message.contains(hint) && message.contains(name),
            "{message}"
        );
    }
    let message = read(Some(Dialect::Hammerdb), &[("dialect", "standard")]).unwrap_err();
    assert!(message.contains("name says"), "{message}");
}
