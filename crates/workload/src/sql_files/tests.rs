//! Checks whole directories: what their users send and what fills their tables.

use crate::transcript::{Protocol, for_each_prepare, walk, write_run};
use crate::{Population, RandomKind, RandomSource, Workload, WorkloadError, population, workload};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary directory that is removed at the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("dbdyno-sql-files-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
        Self(path)
    }

    pub(super) fn name(&self) -> String {
        format!("sql:{}", self.0.display())
    }

    pub(super) fn workload(&self) -> Result<Arc<dyn Workload>, WorkloadError> {
        workload(&self.name(), &[], source(1), 4)
    }

    fn population(&self, seed: u64) -> Arc<dyn Population> {
        population(&self.name(), &[], source(seed)).unwrap()
    }

    /// Returns the error, without the path of the directory.
    pub(super) fn error(&self) -> String {
        let error = self.workload().unwrap_err().to_string();
        error.replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn source(seed: u64) -> RandomSource {
    RandomSource {
        kind: RandomKind::Dbdyno,
        seed,
    }
}

const SHOP: &str = r#"
[parameters]
item = { uniform = [1, 100] }
order_id = { sequence = 1 }

[transactions.browse]
weight = 3
statements = ["SELECT * FROM item WHERE id = :item"]

[transactions.order]
"#;

const ORDER: &str = "BEGIN;
-- keep: price
SELECT price FROM item WHERE id = :item FOR UPDATE;
-- name: write
INSERT INTO orders VALUES (:order_id, :item, :price);
COMMIT;
";

pub(super) fn shop() -> Folder {
    Folder::with(&[("workload.toml", SHOP), ("order.sql", ORDER)])
}

pub(super) fn statements_of(workload: &dyn Workload, user: u32, events: u64) -> Vec<String> {
    let mut all = Vec::new();
    walk(workload, user, events, |sent| {
        all.push(format!("{} {}", sent.statement_type, sent.sql()));
        Ok::<(), Infallible>(())
    })
    .unwrap();
    all
}

#[test]
fn transactions_are_told_whole_with_one_value_a_name_and_what_was_kept() {
    let all = statements_of(&*shop().workload().unwrap(), 0, 200);
    let at = all
        .iter()
        .position(|line| line == "order.begin BEGIN")
        .unwrap();
    let [_, read, write, commit] = &all[at..at + 4] else {
        panic!("cut short")
    };
    let item = read.strip_prefix("order.select SELECT price FROM item WHERE id = ");
    let item = item.unwrap().strip_suffix(" FOR UPDATE").unwrap();
    // A column that a text protocol brought stays text.
    assert_eq!(
        *write,
        format!("order.write INSERT INTO orders VALUES (1, {item}, '1')")
    );
    assert_eq!(commit, "order.commit COMMIT");
}

#[test]
fn transactions_come_as_often_as_their_weights_say() {
    let all = statements_of(&*shop().workload().unwrap(), 0, 4000);
    let count = |what: &str| all.iter().filter(|line| line.starts_with(what)).count();
    let (browse, order) = (count("browse."), count("order.begin"));
    assert_eq!(browse + order, 4000);
    assert!((2900..3100).contains(&browse), "{browse}");
}

#[test]
fn statements_depend_on_the_seed_and_the_user_alone() {
    let folder = shop();
    let four = folder.workload().unwrap();
    let many = workload(&folder.name(), &[], source(1), 1000).unwrap();
    let other_seed = workload(&folder.name(), &[], source(2), 4).unwrap();
    assert_eq!(statements_of(&*four, 3, 50), statements_of(&*many, 3, 50));
    assert_ne!(statements_of(&*four, 3, 50), statements_of(&*four, 2, 50));
    assert_ne!(
        statements_of(&*four, 3, 50),
        statements_of(&*other_seed, 3, 50)
    );
}

#[test]
fn one_parameter_more_changes_the_values_of_no_other() {
    let with = SHOP.replace("[parameters]", "[parameters]\nextra = { uniform = [1, 9] }");
    let more = Folder::with(&[("workload.toml", &with), ("order.sql", ORDER)]);
    let (before, after) = (shop().workload().unwrap(), more.workload().unwrap());
    assert_eq!(
        statements_of(&*before, 0, 100),
        statements_of(&*after, 0, 100)
    );
}

#[test]
fn a_recording_shows_what_is_prepared_and_executed() {
    let mut out = Vec::new();
    write_run(
        &*shop().workload().unwrap(),
        0,
        1,
        Protocol::Prepared,
        &mut out,
    )
    .unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.starts_with("P\tSELECT * FROM item WHERE id = ?\nP\tBEGIN\n"),
        "{text}"
    );
    assert!(
        text.contains("P\tINSERT INTO orders VALUES (?, ?, ?)\n"),
        "{text}"
    );
}

const FILLED: &str = r#"
[transactions.one]
statements = ["SELECT 1"]

[tables.item]
rows = 120000
[tables.item.columns]
id = { sequence = 1 }
price = { uniform = [-5, 5] }
name = { text = [3, 8] }
state = { choose = ["new", "old"] }
"#;

fn prepared(folder: &Folder, seed: u64) -> Vec<String> {
    let mut all = Vec::new();
    for_each_prepare(&*folder.population(seed), |sql| {
        all.push(String::from_utf8(sql.to_vec()).unwrap());
        Ok::<(), Infallible>(())
    })
    .unwrap();
    all
}

#[test]
fn tables_are_made_filled_and_finished_in_this_order() {
    let folder = Folder::with(&[
        ("workload.toml", FILLED),
        (
            "setup.sql",
            "CREATE TABLE item (id INT);\nCREATE TABLE log (id INT);",
        ),
        ("finish.sql", "ALTER TABLE item ADD INDEX (price);"),
        ("cleanup.sql", "DROP TABLE log;"),
    ]);
    let all = prepared(&folder, 1);
    assert_eq!(all[0], "CREATE TABLE item (id INT)");
    assert_eq!(all[1], "CREATE TABLE log (id INT)");
    assert!(all[2].starts_with("INSERT INTO `item` (`id`, `price`, `name`, `state`) VALUES (1, "));
    assert_eq!(all.last().unwrap(), "ALTER TABLE item ADD INDEX (price)");
    let made = folder.population(1);
    assert_eq!(
        (made.tables(), made.rows_total(), made.parts(0)),
        (1, 120_000, 3)
    );
    assert_eq!(made.drop_table(0), ["DROP TABLE IF EXISTS `item`"]);
    assert_eq!(made.drop_rest(), ["DROP TABLE log"]);
}

#[test]
fn rows_are_the_same_for_a_seed_and_each_key_is_there_once() {
    let folder = Folder::with(&[("workload.toml", FILLED)]);
    let all = prepared(&folder, 1);
    assert_eq!(all, prepared(&folder, 1));
    assert_ne!(all, prepared(&folder, 2));
    let rows = all
        .iter()
        .flat_map(|sql| sql.split_once(" VALUES (").unwrap().1.split("), ("));
    let ids: BTreeSet<u64> = rows
        .map(|row| row.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(
        (ids.len(), ids.first(), ids.last()),
        (120_000, Some(&1), Some(&120_000))
    );
}

#[test]
fn keys_go_on_beyond_the_block_of_a_user_unless_a_block_was_given() {
    let last_id = |sequence: &str| {
        let rows = FILLED.replace("rows = 120000", "rows = 10000001");
        let form = rows.replace("sequence = 1", sequence);
        let folder = Folder::with(&[("workload.toml", &form)]);
        let mut rows = folder.population(1).rows(0, 200);
        let mut statement = Vec::new();
        assert_eq!(rows.next_statement(&mut statement), 1);
        let text = String::from_utf8(statement).unwrap();
        let (_, row) = text.split_once(" VALUES (").unwrap();
        row.split(',').next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(last_id("sequence = 1"), 10_000_001);
    assert_eq!(last_id("sequence = 1, block = 6"), 5);
}

#[test]
fn the_sums_are_those_of_the_rows_and_the_query_asks_for_them() {
    let folder = Folder::with(&[("workload.toml", FILLED)]);
    let made = folder.population(1);
    let (mut sums, mut expected) = ([0; 4], [0; 4]);
    for part in 0..3 {
        let mut rows = made.rows(0, part);
        let mut statement = Vec::new();
        while rows.next_statement(&mut statement) > 0 {
            let text = String::from_utf8(statement.clone()).unwrap();
            let (_, list) = text.split_once(" VALUES (").unwrap();
            for row in list.trim_end_matches(')').split("), (") {
                let values: Vec<_> = row.split(", ").collect();
                let number = |place: usize| values[place].parse::<i64>().unwrap();
                expected[0] += 1;
                expected[1] += (number(0) - 1) as u64;
                expected[2] += (number(1) + 5) as u64;
                expected[3] += u64::from(crc32fast::hash(values[2].trim_matches('\'').as_bytes()));
            }
        }
        sums.iter_mut()
            .zip(rows.sums())
            .for_each(|(sum, of_part)| *sum += of_part);
    }
    assert_eq!(sums, expected);
    let query = made.check_query(0);
    assert!(
        query.starts_with("SELECT COUNT(*), CAST(COALESCE(SUM(`id` - (1)), 0) AS UNSIGNED), "),
        "{query}"
    );
    assert!(
        query.ends_with("COALESCE(SUM(CRC32(`name`)), 0) FROM item"),
        "{query}"
    );
}

#[test]
fn only_the_storage_engine_is_an_option() {
    let folder = Folder::with(&[("workload.toml", FILLED)]);
    let given = |name: &str, value: &str| [(name.to_owned(), value.to_owned())];
    let engine = given("mysql-storage-engine", "rocksdb");
    let made = population(&folder.name(), &engine, source(1)).unwrap();
    assert_eq!(
        made.session_statements(),
        ["SET default_storage_engine = rocksdb"]
    );
    assert!(
        population(
            &folder.name(),
            &given("mysql_storage_engine", "a;b"),
            source(1)
        )
        .is_err()
    );
    let error = workload(&folder.name(), &given("tables", "4"), source(1), 1).unwrap_err();
    assert!(
        error.to_string().contains("has no option \"tables\""),
        "{error}"
    );
}

#[test]
fn a_directory_without_a_workload_is_told_so() {
    let error = Folder::with(&[]).error();
    assert!(
        error.starts_with("workload.toml can't be read: "),
        "{error}"
    );
    assert!(
        error.contains("names a directory that holds a workload.toml"),
        "{error}"
    );
}

/// Returns the files that the guide shows, by name: a name on its own line, and a block of code after it.
fn files_of_the_guide(guide: &str) -> Vec<(&str, &str)> {
    let pieces = guide.split("\n`shop/").skip(1);
    pieces
        .filter_map(|piece| {
            let (name, rest) = piece.split_once("`\n\n```")?;
            let (_, code) = rest.split_once('\n')?;
            Some((name, code.split_once("```")?.0))
        })
        .collect()
}

#[test]
fn the_guide_shows_a_workload_that_works() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/guides/sql-files.md"
    );
    let guide = fs::read_to_string(path).unwrap();
    let mut files = files_of_the_guide(&guide);
    let names: Vec<_> = files.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        ["workload.toml", "buy.sql", "setup.sql", "cleanup.sql"]
    );
    let made = Folder::with(&files);
    assert_eq!(
        made.workload().unwrap().spec().transaction_types,
        ["browse", "history", "buy"]
    );
    assert_eq!(
        prepared(&made, 1).len(),
        4,
        "two tables, and rows in two statements"
    );
    let (_, phases) = guide.split_once("```toml\n[[phases]]").unwrap();
    let phases = phases.split_once("```").unwrap().0;
    let with_phases = format!("{}\n[[phases]]{phases}", files[0].1);
    files[0].1 = &with_phases;
    let course = Folder::with(&files).workload().unwrap();
    assert_eq!(course.spec().rate_profile.as_ref().unwrap().phases.len(), 2);
}
