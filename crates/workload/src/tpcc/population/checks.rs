//! Compares the filled tables with what was sent, by sums.

use crate::Check;
use crate::tpcc::table::TpccTable;

const ROWS: Check = Check {
    name: "rows",
    sql: "COUNT(*)",
};

/// Returns the count of rows, a checksum of all columns as they were written, and the sums that people know.
pub(crate) fn checks(table: TpccTable) -> &'static [Check] {
    match table {
        TpccTable::OrderLine => ORDER_LINE,
        TpccTable::NewOrders => NEW_ORDERS,
        TpccTable::Orders => ORDERS,
        TpccTable::History => HISTORY,
        TpccTable::Stock => STOCK,
        TpccTable::Customer => CUSTOMER,
        TpccTable::District => DISTRICT,
        TpccTable::Warehouse => WAREHOUSE,
        TpccTable::Item => ITEM,
    }
}

/// The checksum over the values of a row, as they stand in an INSERT.
macro_rules! crc32 {
    ($values:literal) => {
        Check {
            name: "sum_crc32",
            sql: concat!("COALESCE(SUM(CRC32(CONCAT_WS(',', ", $values, "))), 0)"),
        }
    };
}

/// A sum of whole numbers.
macro_rules! sum {
    ($name:literal, $column:literal) => {
        Check {
            name: $name,
            sql: concat!("COALESCE(SUM(", $column, "), 0)"),
        }
    };
}

/// A sum of money, in cents.
macro_rules! cents {
    ($name:literal, $column:literal) => {
        Check {
            name: $name,
            sql: concat!("CAST(COALESCE(SUM(", $column, "), 0) * 100 AS SIGNED)"),
        }
    };
}

const ORDER_LINE: &[Check] = &[
    ROWS,
    crc32!(
        "ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, QUOTE(ol_delivery_d), ol_quantity, ol_amount, \
         QUOTE(ol_dist_info)"
    ),
    cents!("sum_amount_cents", "ol_amount"),
];

const NEW_ORDERS: &[Check] = &[ROWS, crc32!("no_o_id, no_d_id, no_w_id")];

const ORDERS: &[Check] = &[
    ROWS,
    crc32!(
        "o_id, o_d_id, o_w_id, o_c_id, QUOTE(o_entry_d), COALESCE(o_carrier_id, 'NULL'), o_ol_cnt, o_all_local"
    ),
    sum!("sum_ol_cnt", "o_ol_cnt"),
];

const HISTORY: &[Check] = &[
    ROWS,
    crc32!("h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, QUOTE(h_date), h_amount, QUOTE(h_data)"),
    cents!("sum_amount_cents", "h_amount"),
];

const STOCK: &[Check] = &[
    ROWS,
    crc32!(
        "s_i_id, s_w_id, s_quantity, QUOTE(s_dist_01), QUOTE(s_dist_02), QUOTE(s_dist_03), QUOTE(s_dist_04), \
         QUOTE(s_dist_05), QUOTE(s_dist_06), QUOTE(s_dist_07), QUOTE(s_dist_08), QUOTE(s_dist_09), QUOTE(s_dist_10), \
         s_ytd, s_order_cnt, s_remote_cnt, QUOTE(s_data)"
    ),
    sum!("sum_quantity", "s_quantity"),
];

const CUSTOMER: &[Check] = &[
    ROWS,
    crc32!(
        "c_id, c_d_id, c_w_id, QUOTE(c_first), QUOTE(c_middle), QUOTE(c_last), QUOTE(c_street_1), QUOTE(c_street_2), \
         QUOTE(c_city), QUOTE(c_state), QUOTE(c_zip), QUOTE(c_phone), QUOTE(c_since), QUOTE(c_credit), c_credit_lim, \
         c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, QUOTE(c_data)"
    ),
    cents!("sum_owed_cents", "-c_balance"),
    cents!("sum_ytd_payment_cents", "c_ytd_payment"),
];

const DISTRICT: &[Check] = &[
    ROWS,
    crc32!(
        "d_id, d_w_id, QUOTE(d_name), QUOTE(d_street_1), QUOTE(d_street_2), QUOTE(d_city), QUOTE(d_state), \
         QUOTE(d_zip), d_tax, d_ytd, d_next_o_id"
    ),
    cents!("sum_ytd_cents", "d_ytd"),
    sum!("sum_next_o_id", "d_next_o_id"),
];

const WAREHOUSE: &[Check] = &[
    ROWS,
    crc32!(
        "w_id, QUOTE(w_name), QUOTE(w_street_1), QUOTE(w_street_2), QUOTE(w_city), QUOTE(w_state), QUOTE(w_zip), \
         w_tax, w_ytd"
    ),
    cents!("sum_ytd_cents", "w_ytd"),
];

const ITEM: &[Check] = &[
    ROWS,
    crc32!("i_id, i_im_id, QUOTE(i_name), i_price, QUOTE(i_data)"),
    cents!("sum_price_cents", "i_price"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::population::columns::names;

    #[test]
    fn checksums_cover_every_column_in_the_order_of_the_rows() {
        for table in TpccTable::ALL {
            let (_, values) = checks(table)[1].sql.split_once("',', ").unwrap();
            let words = values.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let columns: Vec<&str> = words
                .filter(|word| names(table).any(|name| name == *word))
                .collect();
            assert!(columns.into_iter().eq(names(table)), "{table:?}");
        }
    }
}
