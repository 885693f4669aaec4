//! Checks where statements begin, end and have places.

use super::*;

fn file(text: &str) -> SourceFile {
    SourceFile {
        path: "shop/order.sql".to_owned(),
        name: "order.sql".to_owned(),
        text: text.to_owned(),
    }
}

fn texts(text: &str) -> Vec<String> {
    let found = statements(&file(text)).unwrap();
    found.into_iter().map(|sql| sql.text).collect()
}

fn error(text: &str) -> String {
    statements(&file(text)).unwrap_err().to_string()
}

#[test]
fn statements_end_at_semicolons_outside_quotes_and_comments() {
    assert_eq!(
        texts("SELECT ';' ; -- one; two\nSELECT 2 /* ; */;\n# three;\n SELECT `;`"),
        ["SELECT ';'", "SELECT 2 /* ; */", "SELECT `;`"]
    );
    assert!(texts(" ; ;\n-- nothing\n").is_empty());
    assert_eq!(texts("/* about; */ SELECT 1"), ["SELECT 1"]);
    assert_eq!(texts("/*!50000 SELECT 1 */"), ["/*!50000 SELECT 1 */"]);
}

#[test]
fn a_body_of_a_procedure_is_kept_whole_between_delimiter_commands() {
    let text =
        "DELIMITER //\nCREATE PROCEDURE p() BEGIN DO 1; DO 2; END//\ndelimiter ;\nDO 3; DO 4;";
    let expected = ["CREATE PROCEDURE p() BEGIN DO 1; DO 2; END", "DO 3", "DO 4"];
    assert_eq!(texts(text), expected);
}

#[test]
fn comments_name_a_statement_and_its_columns() {
    let text = "-- about: this file\n-- name: read_item\n-- keep: price, stock\nSELECT 1, 2;\nSELECT 3; -- keep: other\nDO 1;";
    let found = statements(&file(text)).unwrap();
    assert_eq!(found[0].name.as_deref(), Some("read_item"));
    assert_eq!(
        (found[0].line, &found[0].keep[..]),
        (4, &["price".to_owned(), "stock".to_owned()][..])
    );
    assert_eq!(found[1].keep, ["other"], "behind it in its line");
    assert_eq!(
        found[2],
        ScannedStatement {
            text: "DO 1".to_owned(),
            line: 6,
            ..ScannedStatement::default()
        }
    );
}

#[test]
fn what_a_comment_says_must_be_a_name_and_of_a_statement() {
    let wrong = error("SELECT 1;\n-- keep: a b\nSELECT 2;");
    assert!(wrong.starts_with("shop/order.sql:2: \"a b\" "), "{wrong}");
    let wrong = error("SELECT 1;\n-- name: last\n");
    assert!(wrong.starts_with("shop/order.sql:3: "), "{wrong}");
}

#[test]
fn names_become_places_outside_quotes_and_comments() {
    let text = "UPDATE t SET a = :a, b = ':no' /* :no */\nWHERE c = :c_2 AND @x:=1";
    let file = file(text);
    let (sql, names) = places(&file, &statements(&file).unwrap()[0]).unwrap();
    assert_eq!(
        sql,
        "UPDATE t SET a = ?, b = ':no' /* :no */\nWHERE c = ? AND @x:=1"
    );
    let place = |name: &str, line| Placeholder {
        name: name.to_owned(),
        line,
    };
    assert_eq!(names, [place("a", 1), place("c_2", 2)]);
}

#[test]
fn a_place_without_a_name_is_refused() {
    let file = file("SELECT\n ?");
    let wrong = places(&file, &statements(&file).unwrap()[0])
        .unwrap_err()
        .to_string();
    assert!(
        wrong.starts_with("shop/order.sql:2: ? has no name"),
        "{wrong}"
    );
}
