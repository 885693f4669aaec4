//! Checks how plans are read, and which errors name which line.

use crate::sql_files::tests::Folder;
use crate::{Class, RateSegment};

const ONE: &str = "[transactions.order]\n";

fn error(toml: &str, order: &str) -> String {
    Folder::with(&[("workload.toml", toml), ("order.sql", order)]).error()
}

#[test]
fn what_is_wrong_in_a_file_of_sql_is_said_with_its_line() {
    for (order, line, fact) in [
        ("DO 1;\nSELECT :itm;", "order.sql:2: ", ":itm;"),
        ("BEGIN;\nDO 1;", "order.sql:1: ", "COMMIT or ROLLBACK"),
        ("SELECT 1;\nSELECT ?;", "order.sql:2: ? ", ":name"),
        (
            "SELECT :later;\n-- keep: later\nSELECT 1",
            "order.sql:1: ",
            ":later",
        ),
    ] {
        let wrong = error(ONE, order);
        assert!(wrong.starts_with(line) && wrong.contains(fact), "{wrong}");
    }
    let toml = "[parameters]\nitem = { uniform = [1, 2] }\n[transactions.order]";
    let wrong = error(toml, "SELECT :itm");
    assert!(wrong.contains("the nearest name is :item;"), "{wrong}");
    let wrong = error(toml, "DO 1;\n-- keep: item\nSELECT 1");
    assert!(
        wrong.starts_with("order.sql:3: keep: item is the name of a parameter"),
        "{wrong}"
    );
}

#[test]
fn what_is_wrong_in_the_toml_is_said_with_its_line() {
    for (toml, expected) in [
        (
            "\n[transactions.order]\nwieght = 1",
            "workload.toml:3: unknown field `wieght`",
        ),
        (
            "[transactions.order]\nweight = -1",
            "workload.toml:2: weight = -1: 0 to",
        ),
        (
            "[transactions.order]\nweight = 0",
            "workload.toml:1: [transactions] needs one",
        ),
        (
            "[transactions.order]\nfile = \"odrer.sql\"",
            "workload.toml:2: odrer.sql can't be read",
        ),
        (
            "[transactions.order]\n[transactions.pay]",
            "workload.toml:2: pay.sql can't be read",
        ),
        (
            "[transactions.order]\nstatements = []",
            "workload.toml:1: transaction order has no statement",
        ),
        (
            "[transactions.order]\nstatements = [\"DO 1\",\n\"DO :x\"]",
            "workload.toml:3: there is no value :x",
        ),
        (
            "[parameters]\nx = { uniform = [3, 1] }\n[transactions.order]",
            "workload.toml:2: parameter x: [3, 1]: the lowest",
        ),
        (
            "think_distribution = \"gauss\"\n[transactions.order]",
            "workload.toml:1: think_distribution = \"gauss\": exponential",
        ),
        (
            "[transactions.order]\nweight = 1\nweight = 2",
            "workload.toml:3: duplicate key",
        ),
        ("", "workload.toml:1: missing field `transactions`"),
    ] {
        let wrong = error(toml, "DO 1");
        assert!(wrong.starts_with(expected), "{wrong}");
    }
}

#[test]
fn statements_know_what_they_do_and_are_named_after_it() {
    let order = "start transaction; UPDATE a SET b = 1; update a SET b = 2;\n-- name: look\nSELECT 1; ROLLBACK;";
    let made = Folder::with(&[("workload.toml", ONE), ("order.sql", order)])
        .workload()
        .unwrap();
    let names = [
        "order.start",
        "order.update",
        "order.update_2",
        "order.look",
        "order.rollback",
    ];
    assert_eq!(made.spec().statement_types, names);
    let classes: Vec<_> = made
        .spec()
        .statements
        .iter()
        .map(|each| each.class)
        .collect();
    let work = Class::Work;
    assert_eq!(classes, [Class::Begin, work, work, work, work]);
}

#[test]
fn a_transaction_that_ends_in_rollback_counts_as_rolled_back() {
    let order = "BEGIN; ROLLBACK;";
    let made = Folder::with(&[("workload.toml", ONE), ("order.sql", order)])
        .workload()
        .unwrap();
    let (mut user, mut call) = (made.user(0), crate::Call::default());
    user.start_event(None);
    let mut steps = Vec::new();
    let (reply, mut rows) = (
        dbdyno_wire::Reply::Ok(dbdyno_wire::OkReply::default()),
        dbdyno_wire::BufferedRows::default(),
    );
    steps.push(user.next(None, &mut call));
    for _ in 0..2 {
        let answer = crate::Response {
            reply: &reply,
            rows: &mut rows,
        };
        steps.push(user.next(Some(answer), &mut call));
    }
    assert_eq!(
        steps,
        [
            crate::NextAction::Send,
            crate::NextAction::Send,
            crate::NextAction::RolledBack
        ]
    );
}

const TWO: &str = "[transactions.order]\nweight = 1\n[transactions.browse]\nweight = 3\nstatements = [\"DO 1\"]\n";

#[test]
fn phases_are_streams_of_events_whose_rates_are_shares() {
    let phases = "[[phases]]\nname = \"morning\"\nseconds = 10\nrate_per_s = 100\n\
                  [[phases]]\nname = \"noon\"\nseconds = 20\nrate_per_s = 100\nto_per_s = 300\nweights = { order = 1 }\n";
    let toml = format!("{TWO}{phases}");
    let made = Folder::with(&[("workload.toml", &toml), ("order.sql", "DO 1")])
        .workload()
        .unwrap();
    let course = made.spec().rate_profile.as_ref().unwrap();
    assert_eq!(
        course.phases,
        [("morning".to_owned(), 10), ("noon".to_owned(), 20)]
    );
    let stretch = |seconds, from_per_s, to_per_s| RateSegment {
        seconds,
        from_per_s,
        to_per_s,
    };
    let streams = [
        (0, vec![stretch(10, 25.0, 25.0), stretch(20, 100.0, 300.0)]),
        (1, vec![stretch(10, 75.0, 75.0), stretch(20, 0.0, 0.0)]),
    ];
    assert_eq!(course.streams, streams);
    let plain = Folder::with(&[("workload.toml", TWO), ("order.sql", "DO 1")])
        .workload()
        .unwrap();
    assert!(plain.spec().rate_profile.is_none());
}

#[test]
fn phases_that_cannot_be_driven_are_refused_with_the_reason() {
    for (phase, hint) in [
        ("", "has no rate_per_s: without rates"),
        ("rate_per_s = -1", "between 0 and 10000000"),
        ("rate_per_s = 0", "0 in all phases"),
        (
            "rate_per_s = 5\nweights = { ordr = 1 }",
            "the nearest one is \"order\"",
        ),
        (
            "rate_per_s = 5\nweights = { order = 0 }",
            "no weight above 0",
        ),
    ] {
        let toml = format!("{TWO}[[phases]]\nname = \"p\"\nseconds = 1\n{phase}\n");
        let wrong = error(&toml, "DO 1");
        assert!(
            wrong.starts_with("workload.toml:6: ") && wrong.contains(hint),
            "{wrong}"
        );
    }
    let phase = "[[phases]]\nname = \"p\"\nseconds = 1\nrate_per_s = 1\n";
    let wrong = error(&format!("think_ms = 5\n{TWO}{phase}"), "DO 1");
    assert!(
        wrong.starts_with("workload.toml:1: with [[phases]]"),
        "{wrong}"
    );
}

#[test]
fn a_rest_is_that_of_the_transaction_or_of_all() {
    let toml = "think_ms = 5\nthink_distribution = \"constant\"\n[transactions.order]\nthink_ms = 2\n[transactions.browse]\nstatements = [\"DO 1\"]\n";
    let made = Folder::with(&[("workload.toml", toml), ("order.sql", "DO 1")])
        .workload()
        .unwrap();
    let (reply, mut rows) = (
        dbdyno_wire::Reply::Ok(dbdyno_wire::OkReply::default()),
        dbdyno_wire::BufferedRows::default(),
    );
    let mut user = made.user(0);
    assert!(user.initial_rest_ns() <= 5_000_000);
    for (transaction, rest_ns) in [(0, 2_000_000), (1, 5_000_000)] {
        let mut call = crate::Call::default();
        user.start_event(Some(transaction));
        user.next(None, &mut call);
        user.next(
            Some(crate::Response {
                reply: &reply,
                rows: &mut rows,
            }),
            &mut call,
        );
        assert_eq!(user.finish_event(), rest_ns);
    }
}

#[test]
fn transactions_with_a_role_go_over_the_second_connection() {
    let toml = "[transactions.look]\nrole = \"reader\"\nstatements = [\"SELECT 1\", \"SELECT 2\"]\n\
                [transactions.buy]\nstatements = [\"DO 1\"]\n";
    let made = Folder::with(&[("workload.toml", toml)]).workload().unwrap();
    let lanes: Vec<u8> = made
        .spec()
        .statements
        .iter()
        .map(|each| each.lane)
        .collect();
    assert_eq!(lanes, [1, 1, 0]);
    assert_eq!(
        (made.spec().lanes(), made.spec().role.as_deref()),
        (2, Some("reader"))
    );
}

#[test]
fn one_role_is_the_most_and_its_name_is_a_word() {
    let two = "[transactions.a]\nrole = \"reader\"\nstatements = [\"DO 1\"]\n\
               [transactions.b]\nrole = \"archive\"\nstatements = [\"DO 1\"]\n";
    let wrong = error(two, "");
    assert!(
        wrong.starts_with("workload.toml:5: roles reader and archive: one role"),
        "{wrong}"
    );
    let wrong = error("[transactions.order]\nrole = \"a b\"", "DO 1");
    assert!(
        wrong.starts_with("workload.toml:2: role = \"a b\": a word of letters"),
        "{wrong}"
    );
}
