//! Runs the same transactions without procedures: every statement is sent by itself.

mod canned_replies;
mod delivery;
mod new_order;
mod order_status;
mod payment;

use super::super::client::{bare, found, look_at_stock, push};
use super::super::dialect_statement::{filled_in, sentences, templates};
use super::super::names::LastName;
use super::super::terminal_user::{self, TransactionExecutor};
use super::super::transaction::{DELIVERY, NEW_ORDER, ORDER_STATUS, PAYMENT};
use super::procedures::words;
use super::terminal::HammerdbTerminal;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};
use crate::{StatementTemplate, User};

pub(super) use canned_replies::canned_reply;

sentences! {
    /// Every statement, by its place among the workload's.
    Says;
    Begin = "begin", Begin, false, "START TRANSACTION";
    Commit = "commit", Commit, false, "COMMIT";
    Rollback = "rollback", Commit, false, "ROLLBACK";
    OrderCustomer = "new_order.select_customer", Work, true,
        "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse \
         WHERE w_id = ? AND c_w_id = ? AND c_d_id = ? AND c_id = ?";
    OrderDistrict = "new_order.select_district", Work, true,
        "SELECT d_next_o_id, d_tax FROM district WHERE d_id = ? AND d_w_id = ? FOR UPDATE";
    RaiseNextOrder = "new_order.update_district", Work, false,
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = ? AND d_w_id = ?";
    Item = "new_order.select_item", Work, true,
        "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?";
    Stock = "new_order.select_stock", Work, true,
        "SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, \
         s_dist_08, s_dist_09, s_dist_10 FROM stock WHERE s_i_id = ? AND s_w_id = ?{for_update}";
    TakeStock = "new_order.update_stock", Work, false,
        "UPDATE stock SET s_quantity = ? WHERE s_i_id = ? AND s_w_id = ?";
    NewLine = "new_order.insert_order_line", Work, false,
        "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, \
         ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    Order = "new_order.insert_order", Work, false,
        "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
         VALUES (?, ?, ?, ?, NOW(), ?, ?)";
    NewOrder = "new_order.insert_new_order", Work, false,
        "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)";
    PayWarehouse = "payment.update_warehouse", Work, false,
        "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?";
    PaidWarehouse = "payment.select_warehouse", Work, true,
        "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse WHERE w_id = ?";
    PayDistrict = "payment.update_district", Work, false,
        "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?";
    PaidDistrict = "payment.select_district", Work, true,
        "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district WHERE d_w_id = ? AND d_id = ?";
    PayerCount = "payment.count_customers", Work, true,
        "SELECT COUNT(c_id) FROM customer WHERE c_last = ? AND c_d_id = ? AND c_w_id = ?";
    PayersNamed = "payment.select_customers", Work, true,
        "SELECT c_id, c_credit, c_balance, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, \
         c_credit_lim, c_discount, c_since FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? \
         ORDER BY c_first{for_update}";
    Payer = "payment.select_customer", Work, true,
        "SELECT c_id, c_credit, c_balance, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, \
         c_phone, c_credit_lim, c_discount, c_since FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?{for_update}";
    PayerData = "payment.select_data", Work, true,
        "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    Pay = "payment.update_customer", Work, false,
        "UPDATE customer SET c_balance = ?{paid} WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    PayWithData = "payment.update_bad_customer", Work, false,
        "UPDATE customer SET c_balance = ?, c_data = CONCAT(?, NOW(), ?){paid} \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    History = "payment.insert_history", Work, false,
        "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
         VALUES (?, ?, ?, ?, ?, NOW(), ?, ?)";
    AskerCount = "order_status.count_customers", Work, true,
        "SELECT COUNT(c_id) FROM customer WHERE c_last = ? AND c_d_id = ? AND c_w_id = ?";
    AskersNamed = "order_status.select_customers", Work, true,
        "SELECT c_balance, c_first, c_middle, c_id FROM customer \
         WHERE c_last = ? AND c_d_id = ? AND c_w_id = ? ORDER BY c_first";
    Asker = "order_status.select_customer", Work, true,
        "SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_id = ? AND c_d_id = ? AND c_w_id = ?";
    LatestOrder = "order_status.select_order", Work, true,
        "SELECT o_id, o_carrier_id, o_entry_d FROM (SELECT o_id, o_carrier_id, o_entry_d FROM orders \
         WHERE o_d_id = ? AND o_w_id = ? AND o_c_id = ? ORDER BY o_id DESC) AS latest LIMIT 1";
    OrderLines = "order_status.select_lines", Work, false,
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line \
         WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?";
    OldestOrder = "delivery.select_new_order", Work, true,
        "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ?{oldest}";
    DropNewOrder = "delivery.delete_new_order", Work, false,
        "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?";
    OrderedBy = "delivery.select_order", Work, true,
        "SELECT o_c_id FROM orders WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?";
    SetCarrier = "delivery.update_order", Work, false,
        "UPDATE orders SET o_carrier_id = ? WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?";
    DateLines = "delivery.update_lines", Work, false,
        "UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?";
    SumLines = "delivery.sum_lines", Work, true,
        "SELECT SUM(ol_amount) FROM order_line WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?";
    Bill = "delivery.update_customer", Work, false,
        "UPDATE customer SET c_balance = c_balance + ?{delivered} WHERE c_id = ? AND c_d_id = ? AND c_w_id = ?";
    LevelDistrict = "stock_level.select_district", Work, true,
        "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?";
    LowStock = "stock_level.count_low_stock", Work, false,
        "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? \
         AND ol_o_id >= ? AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?";
}

/// The statements and the names of their types.
pub(super) fn statements(is_fixed: bool) -> (Vec<StatementTemplate>, Vec<&'static str>) {
    let fill = |text: &str| {
        let text = filled_in(text, words(is_fixed));
        filled_in(&text, &[("{amount}", "?")])
    };
    let (mut statements, types) = templates(Says::TABLE, fill);
    for statement in &mut statements {
        statement.text_only = true;
    }
    (statements, types)
}

pub(super) fn user(terminal: HammerdbTerminal) -> Box<dyn User> {
    terminal_user::user(terminal, DirectStatements::default())
}

#[derive(Default)]
struct DirectStatements {
    scratch: HammerdbPaymentBuffers,
}

/// Texts of a payment, kept so that none allocates.
#[derive(Default)]
struct HammerdbPaymentBuffers {
    /// Names of warehouse and district.
    label: Vec<u8>,
    /// What is put in front of the data of a customer with bad credit, up to the date ...
    news: Vec<u8>,
    /// ... and after it.
    rest: Vec<u8>,
}

impl TransactionExecutor<HammerdbTerminal> for DirectStatements {
    async fn run(
        &mut self,
        terminal: &mut HammerdbTerminal,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let (input, is_fixed) = (&terminal.input, terminal.is_fixed());
        let scratch = &mut self.scratch;
        match terminal.transaction {
            NEW_ORDER => return new_order::run(input, context).await,
            PAYMENT => payment::run(input, is_fixed, scratch, context).await?,
            ORDER_STATUS => order_status::run(input, is_fixed, context).await?,
            DELIVERY => delivery::run(input, is_fixed, context).await?,
            _ => {
                bare(context, Says::Begin).await?;
                let statements = [Says::LevelDistrict.into(), Says::LowStock.into()];
                look_at_stock(context, input, statements).await?;
            }
        }
        bare(context, Says::Commit).await?;
        Ok(EventEnd::Done)
    }
}

/// To the nearest hundredth, as a client that counts in floating-point numbers must do before it writes money.
fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

/// How many customers have the name; in the words of both transactions that ask.
async fn count_named(
    context: &mut ScriptContext,
    what: Says,
    last_name: u32,
    place: [u32; 2],
) -> Result<usize, Aborted> {
    let values = context.bind(what.into());
    LastName::of(last_name).push(values);
    push(values, &place);
    context.execute().await?;
    Ok(found(context, 0, 0) as usize)
}
