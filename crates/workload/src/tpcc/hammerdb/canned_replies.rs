//! Replies with rows that a server with HammerDB's tables could give.

use crate::tpcc::build::CannedQuestion;
use crate::tpcc::canned_replies::answered;
use dbdyno_wire::{BufferedRows, Parameter, Reply};

const GOOD: Parameter<'static> = Parameter::Text(b"GC");
const NAME: Parameter<'static> = Parameter::Text(b"somewhere");
const TENTH: Parameter<'static> = Parameter::Text(b"0.1000");
const BALANCE: Parameter<'static> = Parameter::Text(b"-10.00");
const DIST: Parameter<'static> = Parameter::Text(b"abcdefghijklmnopqrstuvwx");

/// Answers with one row that fits, but none for the item that doesn't exist; everything else has changed a row.
pub(super) fn canned_reply(question: &CannedQuestion<'_>, rows: &mut BufferedRows) -> Reply {
    answered(question, row(question.statement_type), rows)
}

fn row(statement: &str) -> &'static [Parameter<'static>] {
    const COUNT: Parameter<'static> = Parameter::Int(1);
    const NEXT: Parameter<'static> = Parameter::Int(3001);
    match statement {
        "new_order.select_customer" => &[TENTH, NAME, GOOD, TENTH],
        "new_order.select_district" => &[NEXT, TENTH],
        "new_order.select_item" => &[Parameter::Text(b"12.34"), NAME, NAME],
        "new_order.select_stock" => &[
            Parameter::Int(50),
            NAME,
            DIST,
            DIST,
            DIST,
            DIST,
            DIST,
            DIST,
            DIST,
            DIST,
            DIST,
            DIST,
        ],
        "payment.select_warehouse" | "payment.select_district" => {
            &[NAME, NAME, NAME, NAME, NAME, NAME]
        }
        "payment.select_customer" | "payment.select_customers" => &[COUNT, GOOD, BALANCE],
        "order_status.select_customer" | "order_status.select_customers" => {
            &[BALANCE, NAME, NAME, COUNT]
        }
        "stock_level.select_district" => &[NEXT],
        "delivery.select_new_order" => &[Parameter::Int(2101)],
        "delivery.sum_lines" => &[Parameter::Text(b"100.00")],
        _ => &[COUNT],
    }
}
