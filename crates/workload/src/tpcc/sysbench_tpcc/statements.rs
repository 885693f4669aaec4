//! Lists the statements of sysbench-tpcc, all sent as text.

use crate::StatementTemplate;
use crate::tpcc::options::TpccOptions;
use crate::tpcc::statement_rows::{self, RowHandling, StatementRow, statement_rows, type_names};

statement_rows! {
    Begin "begin" Unread "BEGIN",
    BeginReadOnly "begin" Unread "BEGIN",
    Commit "commit" Unread "COMMIT",
    Rollback "rollback" Unread "ROLLBACK",
    OrderCustomer "new_order.select_customer" Kept
        "SELECT c_discount, c_last, c_credit, w_tax FROM customer#, warehouse# \
         WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?",
    OrderDistrict "new_order.select_district" Kept
        "SELECT d_next_o_id, d_tax FROM district# WHERE d_w_id = ? AND d_id = ? FOR UPDATE",
    RaiseDistrict "new_order.update_district" Unread
        "UPDATE district# SET d_next_o_id = ? WHERE d_id = ? AND d_w_id= ?",
    InsertOrder "new_order.insert_order" Unread
        "INSERT INTO orders# (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
         VALUES (?,?,?,?,NOW(),?,?)",
    InsertNewOrder "new_order.insert_new_order" Unread
        "INSERT INTO new_orders# (no_o_id, no_d_id, no_w_id) VALUES (?,?,?)",
    Item "new_order.select_item" Kept "SELECT i_price, i_name, i_data FROM item# WHERE i_id = ?",
    Stock01 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_01 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock02 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_02 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock03 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_03 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock04 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_04 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock05 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_05 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock06 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_06 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock07 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_07 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock08 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_08 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock09 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_09 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    Stock10 "new_order.select_stock" Kept
        "SELECT s_quantity, s_data, s_dist_10 s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE",
    SetStock "new_order.update_stock" Unread
        "UPDATE stock# SET s_quantity = ? WHERE s_i_id = ? AND s_w_id= ?",
    InsertLine "new_order.insert_line" Written
        "INSERT INTO order_line# (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, \
         ol_amount, ol_dist_info) VALUES (?,?,?,?,?,?,?,?,?)",
    PayWarehouse "payment.update_warehouse" Unread
        "UPDATE warehouse# SET w_ytd = w_ytd + ? WHERE w_id = ?",
    PaymentWarehouse "payment.select_warehouse" Kept
        "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse# WHERE w_id = ?",
    PayDistrict "payment.update_district" Unread
        "UPDATE district# SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id= ?",
    PaymentDistrict "payment.select_address" Kept
        "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district# WHERE d_w_id = ? AND d_id = ?",
    CountPayers "payment.count_namesakes" Kept
        "SELECT count(c_id) namecnt FROM customer# WHERE c_w_id = ? AND c_d_id= ? AND c_last=?",
    Payers "payment.select_namesakes" Kept
        "SELECT c_id FROM customer# WHERE c_w_id = ? AND c_d_id= ? AND c_last=? ORDER BY c_first",
    Payer "payment.select_customer" Kept
        "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit, \
         c_credit_lim, c_discount, c_balance, c_ytd_payment, c_since FROM customer# \
         WHERE c_w_id = ? AND c_d_id= ? AND c_id=? FOR UPDATE",
    PayerData "payment.select_data" Kept
        "SELECT c_data FROM customer# WHERE c_w_id = ? AND c_d_id=? AND c_id= ?",
    SetPayerAndData "payment.update_customer_data" Written
        "UPDATE customer# SET c_balance=?, c_ytd_payment=?, c_data=? WHERE c_w_id = ? AND c_d_id=? AND c_id=?",
    SetPayer "payment.update_customer" Written
        "UPDATE customer# SET c_balance=?, c_ytd_payment=? WHERE c_w_id = ? AND c_d_id=? AND c_id=?",
    InsertHistory "payment.insert_history" Unread
        "INSERT INTO history# (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) \
         VALUES (?,?,?,?,?,NOW(),?,?)",
    CountBuyers "order_status.count_namesakes" Kept
        "SELECT count(c_id) namecnt FROM customer# WHERE c_w_id = ? AND c_d_id= ? AND c_last=?",
    Buyers "order_status.select_customer_by_name" Kept
        "SELECT c_balance, c_first, c_middle, c_id FROM customer# \
         WHERE c_w_id = ? AND c_d_id= ? AND c_last=? ORDER BY c_first",
    Buyer "order_status.select_customer" Unread
        "SELECT c_balance, c_first, c_middle, c_last FROM customer# WHERE c_w_id = ? AND c_d_id=? AND c_id=?",
    LastOrder "order_status.select_order" Kept
        "SELECT o_id, o_carrier_id, o_entry_d FROM orders# \
         WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC",
    OrderLines "order_status.select_lines" Unread
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line# \
         WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
    OldestNewOrder "delivery.select_new_order" Kept
        "SELECT no_o_id FROM new_orders# WHERE no_d_id = ? AND no_w_id = ? ORDER BY no_o_id ASC LIMIT 1 FOR UPDATE",
    DeleteNewOrder "delivery.delete_new_order" Unread
        "DELETE FROM new_orders# WHERE no_o_id = ? AND no_d_id = ? AND no_w_id = ?",
    DeliveredCustomer "delivery.select_customer" Kept
        "SELECT o_c_id FROM orders# WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?",
    SetCarrier "delivery.update_order" Unread
        "UPDATE orders# SET o_carrier_id = ? WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?",
    DateLines "delivery.update_lines" Unread
        "UPDATE order_line# SET ol_delivery_d = NOW() WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?",
    SumLines "delivery.sum_lines" Kept
        "SELECT SUM(ol_amount) sm FROM order_line# WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?",
    BookDelivery "delivery.update_customer" Written
        "UPDATE customer# SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 \
         WHERE c_id = ? AND c_d_id = ? AND c_w_id = ?",
    StockDistrict "stock_level.select_district" Kept
        "SELECT d_next_o_id FROM district# WHERE d_id = ? AND d_w_id= ?",
    CountLow "stock_level.count_low" Unread
        "SELECT COUNT(DISTINCT (s_i_id)) FROM order_line#, stock# WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? \
         AND ol_o_id >= ? AND s_w_id= ? AND s_i_id=ol_i_id AND s_quantity < ?",
    OldestUndelivered "purge.select_oldest" Kept
        "SELECT min(no_o_id) mo FROM new_orders# WHERE no_w_id = ? AND no_d_id = ?",
    OldOrder "purge.select_old_order" Kept
        "SELECT o_id FROM orders# o, (SELECT o_c_id,o_w_id,o_d_id,count(distinct o_id) FROM orders# \
         WHERE o_w_id=? AND o_d_id=? AND o_id > 2100 AND o_id < ? GROUP BY o_c_id,o_d_id,o_w_id \
         having count( distinct o_id) > 1 limit 1) t \
         WHERE t.o_w_id=o.o_w_id and t.o_d_id=o.o_d_id and t.o_c_id=o.o_c_id limit 1",
    PurgeLines "purge.delete_lines" Unread
        "DELETE FROM order_line# where ol_w_id=? AND ol_d_id=? AND ol_o_id=?",
    PurgeOrder "purge.delete_order" Unread
        "DELETE FROM orders# where o_w_id=? AND o_d_id=? and o_id=?",
    PurgeHistory "purge.delete_history" Unread
        "DELETE FROM history# where h_w_id=? AND h_d_id=? LIMIT 10",
}

/// The statement of a kind for a table set, from 0.
pub(super) fn statement(set: u32, kind: StatementKind) -> u16 {
    (set as usize * STATEMENT_ROWS.len()) as u16 + kind as u16
}

/// What reads stock for a district, from 1: each has a column of its own.
pub(super) fn stock_of(set: u32, district: u32) -> u16 {
    statement(set, StatementKind::Stock01) + (district - 1) as u16
}

pub(super) fn statement_types() -> Vec<&'static str> {
    type_names(STATEMENT_ROWS)
}

pub(super) fn templates(options: &TpccOptions) -> Vec<StatementTemplate> {
    let change = |line: &StatementRow| match (line.text, options.splittable) {
        ("BEGIN", true) if is_read_only(line) => "START TRANSACTION READ ONLY".to_owned(),
        ("BEGIN", true) => "START TRANSACTION READ WRITE".to_owned(),
        (text, _) => text.to_owned(),
    };
    let mut templates = statement_rows::templates(STATEMENT_ROWS, options, change);
    for template in &mut templates {
        template.text_only = true;
    }
    templates
}

fn is_read_only(line: &StatementRow) -> bool {
    std::ptr::eq(
        line,
        &raw const STATEMENT_ROWS[StatementKind::BeginReadOnly as usize],
    )
}
