//! Replies with rows that a server with the standard's tables could give.

use crate::tpcc::build::CannedQuestion;
use crate::tpcc::canned_replies::answered;
use dbdyno_wire::{BufferedRows, Parameter, Reply};

const GOOD: Parameter<'static> = Parameter::Text(b"GC");
const NAME: Parameter<'static> = Parameter::Text(b"somewhere");
const MONEY: Parameter<'static> = Parameter::Text(b"12.34");
const DIST: Parameter<'static> = Parameter::Text(b"abcdefghijklmnopqrstuvwx");

/// Answers with one row that fits, but none for the item that doesn't exist; everything else has changed a row.
pub(super) fn canned_reply(question: &CannedQuestion<'_>, rows: &mut BufferedRows) -> Reply {
    let row: &[Parameter<'static>] = match question.statement_type {
        "new_order.select_district" => &[Parameter::Int(3001), Parameter::Text(b"0.1000")],
        "new_order.select_item" => &[MONEY, NAME, NAME],
        "new_order.select_stock" => &[Parameter::Int(50), NAME, DIST],
        "payment.select_warehouse" | "payment.select_district" | "payment.select_data" => &[NAME],
        "payment.select_customer" => &[GOOD],
        "stock_level.select_district" => &[Parameter::Int(3001)],
        "delivery.select_new_order" => &[Parameter::Int(2101)],
        "delivery.sum_lines" => &[MONEY],
        _ => &[Parameter::Int(1)],
    };
    answered(question, row, rows)
}
