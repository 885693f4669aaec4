//! Sends one call a transaction.

use super::super::build::CannedQuestion;
use super::super::client::push;
use super::super::dialect_statement::{sentences, templates};
use super::super::input::TransactionInput;
use super::super::names::LastName;
use super::super::terminal_user::{self, TransactionExecutor};
use super::super::transaction::{NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL};
use super::terminal::StandardTerminal;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};
use crate::{StatementTemplate, User};
use dbdyno_wire::{BufferedRows, OkReply, Parameters, Reply};
use std::io::Write;

sentences! {
    /// The calls, in the order of the transaction types.
    Says;
    NewOrder = "new_order.call", Work, false, "CALL tpcc_new_order(?, ?, ?, ?, ?, ?)";
    Payment = "payment.call", Work, false, "CALL tpcc_payment(?, ?, ?, ?, ?, ?, ?, ?)";
    OrderStatus = "order_status.call", Work, false, "CALL tpcc_order_status(?, ?, ?, ?, ?)";
    Delivery = "delivery.call", Work, false, "CALL tpcc_delivery(?, ?)";
    StockLevel = "stock_level.call", Work, false, "CALL tpcc_stock_level(?, ?, ?)";
}

/// The statements and the names of their types.
pub(super) fn statements() -> (Vec<StatementTemplate>, Vec<&'static str>) {
    templates(Says::TABLE, str::to_owned)
}

pub(super) fn user(terminal: StandardTerminal) -> Box<dyn User> {
    let packed = Vec::new();
    terminal_user::user(terminal, StandardCalls { packed })
}

struct StandardCalls {
    /// The lines of an order, as its procedure takes them.
    packed: Vec<u8>,
}

impl TransactionExecutor<StandardTerminal> for StandardCalls {
    async fn run(
        &mut self,
        terminal: &mut StandardTerminal,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        if terminal.defers() {
            return Ok(EventEnd::Done);
        }
        let input = &terminal.input;
        let transaction = terminal.transaction;
        let says = match transaction {
            NEW_ORDER => Says::NewOrder,
            PAYMENT => Says::Payment,
            ORDER_STATUS => Says::OrderStatus,
            STOCK_LEVEL => Says::StockLevel,
            _ => Says::Delivery,
        };
        let values = context.bind(says.into());
        match transaction {
            NEW_ORDER => push_order(input, &mut self.packed, values),
            PAYMENT => push_payment(input, values),
            ORDER_STATUS => {
                push(values, &[input.warehouse, input.district]);
                push_customer(input, values);
            }
            STOCK_LEVEL => push(values, &[input.warehouse, input.district, input.threshold]),
            _ => push(values, &[input.warehouse, input.carrier]),
        }
        context.execute().await?;
        let is_rolled_back = transaction == NEW_ORDER && input.has_unused_item();
        Ok(if is_rolled_back {
            EventEnd::RolledBack
        } else {
            EventEnd::Done
        })
    }
}

/// Sixteen digits a line: six of the item, eight of the supplying warehouse, two of the quantity.
fn push_order(input: &TransactionInput, packed: &mut Vec<u8>, to: &mut Parameters) {
    packed.clear();
    for line in input.order_lines() {
        // Writing to memory can't fail.
        let _ = write!(
            packed,
            "{:06}{:08}{:02}",
            line.item, line.supply, line.quantity
        );
    }
    let (lines, all_local) = (input.line_count as u32, u32::from(input.is_all_local()));
    push(
        to,
        &[
            input.warehouse,
            input.district,
            input.customer,
            lines,
            all_local,
        ],
    );
    to.push_text(packed);
}

fn push_payment(input: &TransactionInput, to: &mut Parameters) {
    push(to, &[input.warehouse, input.district]);
    push(to, &[input.customer_warehouse, input.customer_district]);
    push_customer(input, to);
    to.push_double(f64::from(input.amount) / 100.0);
}

/// The number, whether it is the name that counts, and the name.
fn push_customer(input: &TransactionInput, to: &mut Parameters) {
    push(to, &[input.customer, u32::from(input.is_by_name)]);
    LastName::of(input.last_name).push(to);
}

/// Nobody looks at what a procedure gives.
pub(super) fn canned_reply(_question: &CannedQuestion<'_>, _rows: &mut BufferedRows) -> Reply {
    Reply::Ok(OkReply::default())
}
