//! Checks whole steps of the benchmark: what is inserted, queried and deleted, and when.

use super::roles::InsertEvent;
use super::test_driver::{SOURCE, SentStatement, count, driven, figure, given, made, rows_of};
use crate::{population, transcript, workload};

const MS: u64 = 1_000_000;

#[test]
fn the_load_and_the_step_of_the_keys_insert_what_populate_does() {
    let options = [("nr1", "950"), ("clients", "2"), ("fidelity", "fixed")];
    let step = |step| {
        let options = [&options[..], &[("step", step)]].concat();
        driven(&*made(&options), MS)
    };
    let (load, keys) = (step("l.i0"), step("l.x"));
    let population = population("insert-benchmark", &given(&options), SOURCE).unwrap();
    assert_eq!(population.rows_total(), 2 * 500 + 2 * 100);
    for client in 0..2 {
        let own = |metric: &Vec<SentStatement>| -> Vec<String> {
            let own = metric.iter().filter(|metric| metric.user == client);
            own.map(|metric| metric.sql.clone()).collect()
        };
        let sent = [own(&load), own(&keys)].concat();
        let name = population.table_name(client);
        assert_eq!(sent[0], format!("drop table if exists {name}"));
        let mut filled = population.before_rows(client);
        let (mut source, mut statement) = (population.rows(client, 0), Vec::new());
        while source.next_statement(&mut statement) > 0 {
            filled.push(String::from_utf8(statement.clone()).unwrap());
        }
        filled.extend(population.after_rows(client));
        assert!(sent[1..] == filled, "client {client} sends other things");
        assert_eq!(source.sums()[0], 600);
    }
}

#[test]
fn rows_are_within_their_ranges_and_differ_by_step_client_and_seed() {
    let load = rows_of(&driven(&*made(&[("step", "l.i0"), ("nr1", "20000")]), MS));
    let mut lengths = std::collections::BTreeSet::new();
    for row in &load {
        let values: Vec<&str> = row
            .trim_matches(|c| "()".contains(c))
            .splitn(6, ',')
            .collect();
        assert!(
            values[0].starts_with("'2025-") || values[0].starts_with("'2024-"),
            "{row}"
        );
        let number = |place: usize| {
            values[place]
                .trim_end_matches(".00")
                .parse::<u32>()
                .unwrap()
        };
        assert!(number(1) < 1_000 && number(2) < 100_000 && number(3) < 10_000);
        assert!(number(4) < 500 && values[4].ends_with(".00"), "{row}");
        let data = values[5].trim_matches('\'');
        let random = (data.len() as f64 * 0.375) as usize;
        assert!(
            data[..data.len() - random].bytes().all(|b| b == b'a'),
            "{row}"
        );
        lengths.insert(data.len());
    }
    assert_eq!(lengths, (10..=20).collect());
    let first = |options: &[(&str, &str)]| rows_of(&driven(&*made(options), MS))[0].clone();
    let small = |step| {
        first(&[
            ("step", step),
            ("nr1", "100"),
            ("nr2", "100"),
            ("query_threads", "0"),
            ("step_seconds", "1"),
        ])
    };
    let firsts = ["l.i0", "l.x", "l.i1", "l.i2", "qr100"].map(small);
    let different: std::collections::HashSet<_> = firsts.iter().collect();
    assert_eq!(different.len(), 5, "{firsts:?}");
}

#[test]
fn a_slow_deleter_holds_the_inserter_up_and_both_finish() {
    let made = made(&[
        ("step", "l.i1"),
        ("nr2", "125000"),
        ("delete_per_insert", "on"),
    ]);
    assert_eq!(made.spec().users, Some(3));
    let metric = driven(&*made, 3 * MS);
    assert_eq!(count(&metric, InsertEvent::Insert.name()), 2000);
    assert_eq!(count(&metric, InsertEvent::Delete.name()), 2000);
    assert_eq!(count(&metric, InsertEvent::FindMin.name()), 2);
    let (mut inserts, mut deletes) = (0_i64, 0_i64);
    for statement in &metric {
        inserts += i64::from(statement.kind == InsertEvent::Insert.name());
        deletes += i64::from(statement.kind == InsertEvent::Delete.name());
        assert!((inserts - deletes).abs() <= 10, "{inserts} {deletes}");
    }
    let deletes: Vec<_> = metric
        .iter()
        .filter(|t| t.kind == InsertEvent::Delete.name())
        .collect();
    assert_eq!(
        deletes[1].sql,
        "delete from pi1 where transactionid >= 51 order by transactionid asc limit 50"
    );
    assert_eq!(figure(&*made, "deleted_rows"), (Some(100_000.0), None));
}

#[test]
fn a_rate_is_held_by_a_fast_server_and_missed_by_a_slow_one() {
    for fidelity in ["tool", "fixed"] {
        for (statement_ns, held) in [(MS, true), (120 * MS, false)] {
            let made = made(&[
                ("step", "qr500"),
                ("step_seconds", "20"),
                ("clients", "2"),
                ("query_threads", "1"),
                ("fidelity", fidelity),
            ]);
            let metric = driven(&*made, statement_ns);
            assert_eq!(count(&metric, InsertEvent::Insert.name()), 400);
            let (share, told_held) = figure(&*made, "insert_rate_share");
            assert_eq!(told_held, Some(held), "{fidelity} {share:?}");
            let queries = |user| {
                let of =
                    |t: &&SentStatement| t.user == user && t.kind == InsertEvent::RangeQuery.name();
                metric.iter().filter(of).count()
            };
            assert_eq!((queries(1) % 16, queries(3) % 16), (0, 0));
        }
    }
}

#[test]
fn evenly_means_that_no_second_has_a_burst() {
    let made = made(&[
        ("step", "qr1000"),
        ("step_seconds", "4"),
        ("query_threads", "0"),
        ("fidelity", "fixed"),
    ]);
    let metric = driven(&*made, MS);
    let gaps: Vec<u64> = metric
        .windows(2)
        .map(|pair| pair[1].at_ns - pair[0].at_ns)
        .collect();
    assert_eq!(metric.len(), 80);
    assert!(gaps.iter().all(|gap| *gap == 50 * MS), "{gaps:?}");
}

#[test]
fn clients_start_apart_as_the_tools_do_and_together_when_repaired() {
    let starts = |options: &[(&str, &str)]| -> Vec<u64> {
        let options = [&[("clients", "3"), ("nr1", "600")], options].concat();
        let metric = driven(&*made(&options), MS);
        let first = |user| {
            metric
                .iter()
                .find(|metric| metric.user == user)
                .unwrap()
                .at_ns
        };
        (0..3).map(|user| first(user) / 1_000_000_000).collect()
    };
    assert_eq!(starts(&[("step", "l.i0")]), [0, 10, 11]);
    assert_eq!(starts(&[("step", "l.x")]), [0, 1, 2]);
    assert_eq!(
        starts(&[("step", "l.i0"), ("fidelity", "fixed")]),
        [0, 0, 0]
    );
}

#[test]
fn on_one_table_the_others_wait_until_it_is_there() {
    let made = made(&[
        ("step", "l.i0"),
        ("one_table", "on"),
        ("clients", "3"),
        ("nr1", "900"),
        ("fidelity", "fixed"),
    ]);
    let metric = driven(&*made, 40 * MS);
    assert_eq!(
        count(&metric, InsertEvent::CreateTable.name()),
        2,
        "drop and create"
    );
    let (first, of_others) = (&metric[0], metric.iter().filter(|metric| metric.user > 0));
    assert_eq!(
        (first.user, first.kind),
        (0, InsertEvent::CreateTable.name())
    );
    let first_ns = of_others.map(|metric| metric.at_ns).min();
    assert_eq!(first_ns, Some(10 * MS), "they look again until it is there");
    assert_eq!(count(&metric, InsertEvent::Insert.name()), 9);
}

#[test]
fn point_queries_draw_from_the_whole_range_unless_repaired() {
    let ids = |options: &[(&str, &str)]| -> Vec<u64> {
        let options = [
            &[("step", "qp0"), ("step_seconds", "1"), ("nr1", "1000")],
            options,
        ]
        .concat();
        let metric = driven(&*made(&options), MS);
        let points = metric
            .iter()
            .filter(|t| t.kind == InsertEvent::PointQuery.name());
        let list = |metric: &SentStatement| {
            let (_, ids) = metric.sql.split_once(" in (").unwrap();
            let ids: Vec<u64> = ids
                .trim_end_matches(')')
                .split(", ")
                .map(|id| id.parse().unwrap())
                .collect();
            assert_eq!(ids.len(), 10);
            ids
        };
        points.flat_map(list).collect()
    };
    let tool = ids(&[]);
    assert!(tool.iter().all(|id| *id < 1000) && tool.contains(&0));
    let fixed = ids(&[("fidelity", "fixed")]);
    assert!(fixed.iter().all(|id| (1..1000).contains(id)));
}

#[test]
fn myrocks_is_set_up_and_the_bulk_is_ended() {
    let made = made(&[
        ("step", "l.i0"),
        ("nr1", "200"),
        ("mysql_storage_engine", "rocksdb"),
        ("unique_checks", "off"),
    ]);
    let metric = driven(&*made, MS);
    let sent: Vec<&str> = metric.iter().map(|metric| metric.sql.as_str()).collect();
    assert_eq!(sent[2], "set unique_checks=0");
    assert_eq!(sent[3], "set rocksdb_bulk_load=1");
    assert_eq!(sent.last(), Some(&"set rocksdb_bulk_load=0"));
    assert_eq!(count(&metric, InsertEvent::Insert.name()), 2);
}

#[test]
fn a_step_in_which_nobody_has_anything_to_do_is_refused() {
    for options in [
        [("step", "l.i1"), ("nr2", "0")],
        [("step", "qr0"), ("query_threads", "0")],
    ] {
        let error = workload("insert-benchmark", &given(&options), SOURCE, 1).unwrap_err();
        assert!(error.to_string().contains("something to do"), "{error}");
    }
}

#[test]
fn a_transaction_is_held_open_for_as_long_as_asked() {
    let made = made(&[
        ("step", "qr100"),
        ("step_seconds", "7"),
        ("query_threads", "0"),
        ("htap_transaction_seconds", "3"),
    ]);
    let metric = driven(&*made, MS);
    let instants = |kind: &str| -> Vec<u64> {
        let of_kind = metric.iter().filter(|metric| metric.kind == kind);
        of_kind.map(|metric| metric.at_ns / 1_000_000_000).collect()
    };
    assert_eq!(instants(InsertEvent::Hold.name()), [0, 0, 3, 6]);
    assert_eq!(instants(InsertEvent::Release.name()), [3, 6, 7]);
}

#[test]
fn settling_lasts_as_long_as_asked_or_as_the_tools() {
    let made = made(&[
        ("step", "settle"),
        ("settle_seconds", "5"),
        ("clients", "2"),
    ]);
    let metric = driven(&*made, MS);
    assert!(metric[0].sql.starts_with("analyze table pi1"));
    let asked = metric
        .iter()
        .filter(|metric| metric.sql.contains("pages_dirty"));
    let seconds: Vec<u64> = asked.map(|metric| metric.at_ns / (1_000 * MS)).collect();
    assert_eq!(seconds, [1, 2, 3, 4]);
    let made = self::made(&[("step", "settle"), ("nr1", "2000000")]);
    let lasted_ns = driven(&*made, MS).last().unwrap().at_ns;
    assert_eq!(
        lasted_ns / (1_000 * MS),
        61,
        "60 s and one for each million rows"
    );
}

#[test]
fn a_sample_shows_each_users_statements() {
    let made = made(&[
        ("step", "qp100"),
        ("nr1", "1000"),
        ("delete_per_insert", "on"),
    ]);
    let first = |user| {
        let mut out = Vec::new();
        transcript::write_run(&*made, user, 2, transcript::Protocol::Text, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.lines().next().unwrap()[..20].to_owned()
    };
    let firsts: Vec<_> = (0..4).map(first).collect();
    let expected = [
        "Q\tinsert into pi1 (d",
        "Q\tselect min(transac",
        "Q\tdelete from pi1 wh",
        "Q\tselect max(transac",
    ];
    assert_eq!(firsts, expected);
}
