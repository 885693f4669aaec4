//! Checks workloads whose files are elsewhere than their names say, or were sent by another machine.

use super::tests::{shop, source, statements_of};
use super::{SQL_SOURCES, portable_name, source_files};
use crate::{population, workload};

#[test]
fn files_that_were_sent_stand_for_the_directory() {
    let folder = shop();
    let sources = source_files(&folder.name(), &[]).unwrap().unwrap();
    let statements = statements_of(&*folder.workload().unwrap(), 2, 100);
    drop(folder);
    let sent = [(SQL_SOURCES.to_owned(), sources.clone())];
    let other = workload("sql:shop", &sent, source(1), 4).unwrap();
    assert_eq!(statements_of(&*other, 2, 100), statements);
    assert_eq!(other.spec().name, "sql:shop");
    assert_eq!(source_files("sql:shop", &sent).unwrap(), Some(sources));
    assert_eq!(source_files("sysbench/oltp_read_only", &[]).unwrap(), None);
    let part = [(
        SQL_SOURCES.to_owned(),
        r#"{"workload.toml": "[transactions.pay]"}"#.to_owned(),
    )];
    let error = workload("sql:shop", &part, source(1), 4).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("pay.sql can't be read: it was not sent"),
        "{error}"
    );
}

#[test]
fn a_directory_elsewhere_keeps_the_name_of_the_workload() {
    let folder = shop();
    let path = folder.0.display().to_string();
    let elsewhere = [("folder".to_owned(), path)];
    let made = workload("sql:shop", &elsewhere, source(1), 4).unwrap();
    assert_eq!(made.spec().name, "sql:shop");
    let expected = statements_of(&*folder.workload().unwrap(), 0, 50);
    assert_eq!(statements_of(&*made, 0, 50), expected);
    assert!(population("sql:shop", &elsewhere, source(1)).is_ok());
}

#[test]
fn a_name_loses_the_path_of_its_machine() {
    assert_eq!(portable_name("sql:/home/ada/shop/"), "sql:shop");
    assert_eq!(portable_name("sql:shop"), "sql:shop");
    let here = std::env::current_dir().unwrap();
    let name = here.file_name().unwrap().to_str().unwrap();
    assert_eq!(portable_name("sql:."), format!("sql:{name}"));
    assert_eq!(portable_name("tpcc/standard"), "tpcc/standard");
}
