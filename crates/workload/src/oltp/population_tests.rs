//! Checks that the dataset is the same for every order of filling.

use crate::{Population, population};
use dbdyno_chance::{RandomKind, RandomSource};
use std::sync::Arc;

const KINDS: [RandomKind; 2] = [RandomKind::Sysbench, RandomKind::Dbdyno];

fn made(script: &str, kind: RandomKind, seed: u64, more: &[(&str, &str)]) -> Arc<dyn Population> {
    let mut options = vec![("tables", "4"), ("rows", "300")];
    options.extend(more);
    let options: Vec<_> = options
        .into_iter()
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .collect();
    population(script, &options, RandomSource { kind, seed }).unwrap()
}

/// Returns the rows of a part as a file has them, and its sums.
fn part(population: &dyn Population, table: u32, part: u32) -> (Vec<u8>, Vec<u64>) {
    let form = population.row_form(table).unwrap();
    let mut rows = population.rows(table, part);
    let (mut all, mut statement) = (Vec::new(), Vec::new());
    while rows.next_statement(&mut statement) > 0 {
        let first = form.cut(&mut statement);
        all.extend_from_slice(&statement[first..]);
    }
    (all, rows.sums())
}

fn content(population: &dyn Population, table: u32) -> (Vec<u8>, Vec<u64>) {
    let (mut all, mut sums) = (Vec::new(), vec![0; 5]);
    for number in 0..population.parts(table) {
        let (rows, of_part) = part(population, table, number);
        all.extend(rows);
        sums.iter_mut()
            .zip(of_part)
            .for_each(|(sum, of)| *sum += of);
    }
    (all, sums)
}

#[test]
fn tables_have_the_same_rows_in_whatever_order_they_are_filled() {
    for kind in KINDS {
        let (forth, back) = (
            made("oltp_read_write", kind, 1, &[]),
            made("oltp_read_write", kind, 1, &[]),
        );
        let mut rising: Vec<_> = (0..4).map(|table| content(&*forth, table)).collect();
        let falling: Vec<_> = (0..4).rev().map(|table| content(&*back, table)).collect();
        rising.reverse();
        assert_eq!(rising, falling, "{kind:?}");
    }
}

#[test]
fn a_part_that_is_made_again_has_the_same_rows() {
    let rows = [("tables", "2"), ("rows", "60000")];
    let population = made("oltp_read_write", RandomKind::Sysbench, 1, &rows);
    let last = part(&*population, 1, 2);
    let once = part(&*population, 0, 1);
    assert!(part(&*population, 0, 1) == once);
    assert!(part(&*population, 1, 2) == last);
    assert!(last != once);
}

#[test]
fn parts_have_the_same_rows_in_whatever_order_they_are_filled() {
    for kind in KINDS {
        let sized = || {
            made(
                "oltp_read_write",
                kind,
                1,
                &[("rows", "60000"), ("tables", "2")],
            )
        };
        let (forth, back) = (sized(), sized());
        assert_eq!(forth.parts(1), 3);
        let order = |table| (0..3).map(move |number| (table, number));
        let of = |from: &dyn Population, at: (u32, u32)| (at, part(from, at.0, at.1));
        let mut rising: Vec<_> = (0..2).flat_map(order).map(|at| of(&*forth, at)).collect();
        let units: Vec<_> = (0..2).flat_map(order).collect();
        let falling: Vec<_> = units.into_iter().rev().map(|at| of(&*back, at)).collect();
        rising.reverse();
        assert!(rising == falling, "{kind:?}");
        let rows: Vec<u64> = rising.iter().map(|(_, (_, sums))| sums[0]).collect();
        assert_eq!(rows, [10_000, 25_000, 25_000, 10_000, 25_000, 25_000]);
    }
}

#[test]
fn the_condition_of_a_part_holds_for_its_ids() {
    let made = made(
        "oltp_read_write",
        RandomKind::Dbdyno,
        1,
        &[("rows", "60000")],
    );
    for (number, expected) in [
        (0, "id BETWEEN 1 AND 25000"),
        (2, "id BETWEEN 50001 AND 60000"),
    ] {
        assert_eq!(made.part_condition(3, number).unwrap(), expected);
        let (first, last) = expected[11..].split_once(" AND ").unwrap();
        let (rows, _) = part(&*made, 3, number);
        let rows = String::from_utf8(rows).unwrap();
        assert!(rows.starts_with(&format!("({first}, ")));
        let last_row = rows.trim_end_matches("),").rsplit("),(").next().unwrap();
        assert!(last_row.starts_with(&format!("{last}, ")), "{last_row}");
    }
}

#[test]
fn every_table_has_rows_of_its_own() {
    for kind in KINDS {
        let made = made("oltp_read_write", kind, 1, &[]);
        let sums: Vec<_> = (0..4).map(|table| content(&*made, table).1).collect();
        for pair in sums.windows(2) {
            assert_eq!(pair[0][0], 300);
            assert_ne!(pair[0][2], pair[1][2]);
        }
    }
}

#[test]
fn only_the_own_generator_heeds_the_seed() {
    let crc = |kind, seed| content(&*made("oltp_read_write", kind, seed, &[]), 0).1[2];
    assert_ne!(crc(RandomKind::Dbdyno, 1), crc(RandomKind::Dbdyno, 2));
    assert_eq!(crc(RandomKind::Sysbench, 1), crc(RandomKind::Sysbench, 2));
}

#[test]
fn scripts_share_their_datasets_but_for_the_insert_script_without_auto_inc() {
    let kind = RandomKind::Dbdyno;
    let of = |script, more| content(&*made(script, kind, 1, more), 2);
    assert_eq!(of("oltp_read_write", &[]), of("oltp_point_select", &[]));
    assert_eq!(of("oltp_insert", &[]), of("oltp_point_select", &[]));
    assert_eq!(
        made("oltp_insert", kind, 1, &[("auto_inc", "off")]).rows_total(),
        0
    );
    assert_eq!(made("oltp_insert", kind, 1, &[]).rows_total(), 1200);
}

#[test]
fn a_stream_that_is_given_runs_through_the_tables_as_sysbenchs_own_does() {
    let more = [("rows", "26000")];
    let given = made("oltp_read_write", RandomKind::Sysbench, 1, &more);
    let (mut stream, mut statement) = (RandomSource::sysbench_main_thread(), Vec::new());
    for table in 0..4 {
        let mut rows = given.rows_drawing(table, stream);
        while rows.next_statement(&mut statement) > 0 {}
        assert_eq!(rows.sums(), content(&*given, table).1, "table {table}");
        stream = rows.stream().unwrap();
    }
}

#[test]
fn the_rows_of_the_own_generator_stay_what_they_are() {
    // A snapshot of an earlier release must still match the order.
    let sums = content(&*made("oltp_read_write", RandomKind::Dbdyno, 1, &[]), 0).1;
    assert_eq!(
        sums,
        [300, 45_150, 45_302, 624_876_694_018, 641_712_403_968]
    );
}

#[test]
fn the_check_query_asks_for_all_sums_at_once() {
    let query = made("oltp_read_write", RandomKind::Dbdyno, 1, &[]).check_query(1);
    assert!(
        query.starts_with("SELECT COUNT(*), COALESCE(SUM(id), 0), COALESCE(SUM(k), 0), "),
        "{query}"
    );
    assert!(query.ends_with(" FROM sbtest2"), "{query}");
}

#[test]
fn the_index_comes_after_the_rows_unless_it_is_switched_off() {
    let made_with = |value| {
        made(
            "oltp_read_write",
            RandomKind::Dbdyno,
            1,
            &[("create_secondary", value)],
        )
    };
    assert_eq!(
        made_with("on").after_rows(3),
        ["CREATE INDEX k_4 ON sbtest4(k)"]
    );
    assert!(made_with("off").after_rows(3).is_empty());
}
