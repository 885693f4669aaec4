//! Runs the transactions as statements, prepared unless the load sends text.

mod canned_replies;
mod delivery;
mod new_order;
mod payment;

use super::super::client::{bare, found, look_at_stock, push, say};
use super::super::dialect_statement::{sentences, templates};
use super::super::input::TransactionInput;
use super::super::names::{LastName, middle_row};
use super::super::terminal_user::{self, TransactionExecutor};
use super::super::transaction::{NEW_ORDER, ORDER_STATUS, PAYMENT, STOCK_LEVEL};
use super::terminal::StandardTerminal;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};
use crate::{StatementTemplate, User};

pub(super) use canned_replies::canned_reply;

sentences! {
    /// Every statement, by its place among the workload's.
    Says;
    Begin = "begin", Begin, false, "START TRANSACTION";
    Commit = "commit", Commit, false, "COMMIT";
    Rollback = "rollback", Commit, false, "ROLLBACK";
    OrderCustomer = "new_order.select_customer", Work, false,
        "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse \
         WHERE w_id = ? AND c_w_id = ? AND c_d_id = ? AND c_id = ?";
    OrderDistrict = "new_order.select_district", Work, true,
        "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE";
    RaiseNextOrder = "new_order.update_district", Work, false,
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?";
    Order = "new_order.insert_order", Work, false,
        "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
         VALUES (?, ?, ?, ?, NOW(), ?, ?)";
    NewOrder = "new_order.insert_new_order", Work, false,
        "INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)";
    Item = "new_order.select_item", Work, true,
        "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?";
    Stock = "new_order.select_stock", Work, true,
        "SELECT s_quantity, s_data, ELT(?, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, \
         s_dist_07, s_dist_08, s_dist_09, s_dist_10) FROM stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE";
    TakeStock = "new_order.update_stock", Work, false,
        "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, \
         s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?";
    NewLine = "new_order.insert_order_line", Work, false,
        "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, \
         ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    PayWarehouse = "payment.update_warehouse", Work, false,
        "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?";
    PaidWarehouse = "payment.select_warehouse", Work, true,
        "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = ?";
    PayDistrict = "payment.update_district", Work, false,
        "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?";
    PaidDistrict = "payment.select_district", Work, true,
        "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district WHERE d_w_id = ? AND d_id = ?";
    PayersNamed = "payment.select_customers", Work, true,
        "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first";
    Payer = "payment.select_customer", Work, true,
        "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, \
         c_since, c_credit_lim, c_discount, c_balance FROM customer \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE";
    PayerData = "payment.select_data", Work, true,
        "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    Pay = "payment.update_customer", Work, false,
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, \
         c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    PayWithData = "payment.update_bad_customer", Work, false,
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, \
         c_payment_cnt = c_payment_cnt + 1, c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    History = "payment.insert_history", Work, false,
        "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
         VALUES (?, ?, ?, ?, ?, NOW(), ?, ?)";
    AskersNamed = "order_status.select_customers", Work, true,
        "SELECT c_id, c_first, c_middle, c_last, c_balance FROM customer \
         WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first";
    Asker = "order_status.select_customer", Work, false,
        "SELECT c_id, c_first, c_middle, c_last, c_balance FROM customer \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    LatestOrder = "order_status.select_order", Work, true,
        "SELECT o_id, o_carrier_id, o_entry_d FROM orders \
         WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1";
    OrderLines = "order_status.select_lines", Work, false,
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line \
         WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
    OldestOrder = "delivery.select_new_order", Work, true,
        "SELECT no_o_id FROM new_orders WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1 FOR UPDATE";
    DropNewOrder = "delivery.delete_new_order", Work, false,
        "DELETE FROM new_orders WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?";
    OrderedBy = "delivery.select_order", Work, true,
        "SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
    SetCarrier = "delivery.update_order", Work, false,
        "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
    DateLines = "delivery.update_lines", Work, false,
        "UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
    SumLines = "delivery.sum_lines", Work, true,
        "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
    Bill = "delivery.update_customer", Work, false,
        "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    LevelDistrict = "stock_level.select_district", Work, true,
        "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?";
    LowStock = "stock_level.count_low_stock", Work, false,
        "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? \
         AND ol_o_id >= ? AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?";
}

/// The statements and the names of their types.
pub(super) fn statements() -> (Vec<StatementTemplate>, Vec<&'static str>) {
    templates(Says::TABLE, str::to_owned)
}

pub(super) fn user(terminal: StandardTerminal) -> Box<dyn User> {
    terminal_user::user(terminal, Statements::default())
}

#[derive(Default)]
struct Statements {
    scratch: StandardPaymentBuffers,
}

/// Texts of a payment, kept so that none allocates.
#[derive(Default)]
struct StandardPaymentBuffers {
    /// Names of warehouse and district.
    label: Vec<u8>,
    /// What is known of a customer with bad credit.
    known: Vec<u8>,
}

impl TransactionExecutor<StandardTerminal> for Statements {
    async fn run(
        &mut self,
        terminal: &mut StandardTerminal,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        if terminal.defers() {
            return Ok(EventEnd::Done);
        }
        let input = &terminal.input;
        bare(context, Says::Begin).await?;
        let end = match terminal.transaction {
            NEW_ORDER => new_order::run(input, context).await?,
            PAYMENT => payment::run(input, &mut self.scratch, context).await?,
            ORDER_STATUS => order_status(input, context).await?,
            STOCK_LEVEL => {
                let statements = [Says::LevelDistrict.into(), Says::LowStock.into()];
                look_at_stock(context, input, statements).await?;
                EventEnd::Done
            }
            _ => delivery::run(input, context).await?,
        };
        let last = match end {
            EventEnd::Done => Says::Commit,
            EventEnd::RolledBack => Says::Rollback,
        };
        bare(context, last).await?;
        Ok(end)
    }
}

/// Looks for a name and gives the customer's number: of `n` rows the one at place n/2, rounded up.
async fn find_named(
    context: &mut ScriptContext,
    what: Says,
    warehouse: u32,
    district: u32,
    last_name: u32,
) -> Result<u32, Aborted> {
    let values = context.bind(what.into());
    push(values, &[warehouse, district]);
    LastName::of(last_name).push(values);
    context.execute().await?;
    Ok(found(context, middle_row(context.rows.len()), 0))
}

async fn order_status(
    input: &TransactionInput,
    context: &mut ScriptContext,
) -> Result<EventEnd, Aborted> {
    let (warehouse, district) = (input.warehouse, input.district);
    let mut customer = input.customer;
    if input.is_by_name {
        let what = Says::AskersNamed;
        customer = find_named(context, what, warehouse, district, input.last_name).await?;
    } else {
        say(context, Says::Asker, &[warehouse, district, customer]).await?;
    }
    say(context, Says::LatestOrder, &[warehouse, district, customer]).await?;
    let order = found(context, 0, 0);
    say(context, Says::OrderLines, &[warehouse, district, order]).await?;
    Ok(EventEnd::Done)
}
