//! Replies with rows that a server with TPC-C's data could give, for runs without a server.
//!
//! The dialects `sysbench-tpcc` and `tpcc-mysql` name their statements alike; what a name stands for is asked of
//! every dialect here. Columns that nobody looks at are there all the same, so that places agree.

use super::build::CannedQuestion;
use super::dialect::Dialect;
use super::draws::ITEMS;
use super::input::UNUSED_ITEM;
use crate::canned::{changed, rows_reply};
use dbdyno_wire::{BufferedRows, Parameter, Reply};

const NEXT_ORDER: i64 = 3001;
/// Customers of one last name in a district of 3,000 with 1,000 names.
const NAMESAKES: i64 = 3;
/// Distinct items of the last 20 orders, about.
const RECENT_ITEMS: i64 = 200;

/// Returns the reply to one statement.
pub(crate) fn canned_reply(question: &CannedQuestion<'_>, rows: &mut BufferedRows) -> Reply {
    let Some(name) = question.statement_type.split_once('.') else {
        return changed(0);
    };
    match name {
        (_, "update" | "insert" | "delete") => return changed(1),
        ("new_order", what) => new_order(what, question, rows),
        ("payment" | "order_status", what) => customer(what, question, rows),
        ("delivery", what) => delivery(what, rows),
        ("stock_level", what) => stock_level(what, rows),
        ("purge", "select_oldest") => int(2101, rows),
        _ => {}
    }
    if is_write(name.1) {
        return changed(1);
    }
    rows_reply(rows.len() as u64, 1)
}

/// Makes a reply without a server: `row` to a query, but none for the item that no item is; a row changed to anything
/// else.
pub(crate) fn answered(
    question: &CannedQuestion<'_>,
    row: &[Parameter<'_>],
    rows: &mut BufferedRows,
) -> Reply {
    let name = question.statement_type;
    let (_, verb) = name.split_once('.').unwrap_or_default();
    let is_query = ["select_", "count_", "sum_"]
        .iter()
        .any(|start| verb.starts_with(start));
    if !is_query {
        return changed(1);
    }
    let item = question.call.parameters.iter().next();
    let is_missing = verb == "select_item" && item == Some(Parameter::Int(i64::from(UNUSED_ITEM)));
    if !is_missing {
        rows.push(row);
    }
    rows_reply(rows.len() as u64, 0)
}

fn is_write(what: &str) -> bool {
    ["update_", "insert_", "delete_"]
        .iter()
        .any(|verb| what.starts_with(verb))
}

fn int(value: i64, rows: &mut BufferedRows) {
    rows.push(&[Parameter::Int(value)]);
}

/// Returns the statement's value at a place, a number.
fn parameter_at(question: &CannedQuestion<'_>, place: usize) -> i64 {
    match question.call.parameters.iter().nth(place) {
        Some(Parameter::Int(value)) => value,
        _ => 0,
    }
}

fn new_order(what: &str, question: &CannedQuestion<'_>, rows: &mut BufferedRows) {
    let text = Parameter::Text;
    match what {
        "select_customer" => rows.push(&[
            text(b"0.10"),
            text(b"BARBARBAR"),
            text(b"GC"),
            text(b"0.10"),
        ]),
        "select_district" => rows.push(&[Parameter::Int(NEXT_ORDER), text(b"0.10")]),
        "select_item" if (1..=i64::from(ITEMS)).contains(&parameter_at(question, 0)) => {
            rows.push(&[text(b"50.00"), text(b"item"), text(b"data of an item")]);
        }
        "select_stock" => {
            let mut row = [text(b"abcdefghijklmnopqrstuvwx"); 12];
            row[0] = Parameter::Int(50);
            rows.push(&row);
        }
        _ => {}
    }
}

/// Answers what payment and order status ask.
fn customer(what: &str, question: &CannedQuestion<'_>, rows: &mut BufferedRows) {
    let text = Parameter::Text;
    let is_sysbench = question.options.dialect == Dialect::SysbenchTpcc;
    match what {
        "select_warehouse" | "select_address" => {
            rows.push(&[
                text(b"street"),
                text(b"street"),
                text(b"city"),
                text(b"ST"),
                text(b"123456789"),
                text(b"name"),
            ]);
        }
        "count_namesakes" => int(NAMESAKES, rows),
        "select_namesakes" => {
            for number in 1..=NAMESAKES {
                rows.push(&[Parameter::Int(number)]);
            }
        }
        "select_customer_by_name" => {
            for number in 1..=NAMESAKES {
                rows.push(&[
                    text(b"-10.00"),
                    text(b"first"),
                    text(b"OE"),
                    Parameter::Int(number),
                    Parameter::Int(number),
                ]);
            }
        }
        "select_customer" => {
            let one_in = if is_sysbench { 10 } else { 2 };
            let is_bad = parameter_at(question, 2) % one_in == 0;
            let mut row = [text(b"text"); 15];
            row[9] = text(if is_bad { b"BC" } else { b"GC" });
            row[12] = text(b"-10.00");
            row[13] = text(b"10.00");
            rows.push(&row);
        }
        "select_data" => rows.push(&[text(b"data of a customer")]),
        "select_order" => rows.push(&[
            Parameter::Int(NEXT_ORDER - 1),
            Parameter::Null,
            Parameter::Null,
        ]),
        _ => {}
    }
}

fn delivery(what: &str, rows: &mut BufferedRows) {
    match what {
        "select_new_order" => int(2101, rows),
        "select_customer" => int(1, rows),
        "sum_lines" => rows.push(&[Parameter::Text(b"12345.67")]),
        _ => {}
    }
}

fn stock_level(what: &str, rows: &mut BufferedRows) {
    match what {
        "select_district" => int(NEXT_ORDER, rows),
        "select_items" => (1..=RECENT_ITEMS).for_each(|item| int(item, rows)),
        "count_low" => int(0, rows),
        _ => {}
    }
}
