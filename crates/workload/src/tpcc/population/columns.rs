//! Lists the columns of the tables and their types.

use crate::tpcc::dialect::Dialect;
use crate::tpcc::table::TpccTable;

/// Says what a column holds; which type that is depends on the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnContent {
    Warehouse,
    District,
    /// Of an order, customer or item.
    Number,
    /// Up to a hundred.
    Small,
    /// s_quantity, and counts of orders and payments.
    Count,
    StockYtd,
    /// A tax or discount.
    Share,
    Money,
    CreditLimit,
    Payment,
    LineAmount,
    Price,
    Char(u8),
    Varchar(u8),
    LongText,
    Date,
}

/// Name and content.
type Column = (&'static str, ColumnContent);

/// Returns the definitions of a table's columns, in the order in which the dialect's schema has them.
pub(crate) fn definitions(table: TpccTable, dialect: Dialect) -> Vec<String> {
    let columns = columns(table);
    let define = |(name, holds): &Column| format!("{name} {}", holds.sql(dialect));
    match order_of_hammerdb(table) {
        Some(order) if dialect == Dialect::Hammerdb => order
            .iter()
            .filter_map(|wanted| columns.iter().find(|(name, _)| name == wanted))
            .map(define)
            .collect(),
        _ => columns.iter().map(define).collect(),
    }
}

/// Returns the names of a table's columns in the order of Percona's schema, in which all rows are written.
pub(crate) fn names(table: TpccTable) -> impl Iterator<Item = &'static str> {
    columns(table).iter().map(|(name, _)| *name)
}

impl ColumnContent {
    fn sql(self, dialect: Dialect) -> String {
        let is_hammerdb = dialect == Dialect::Hammerdb;
        let has_standard_decimals = matches!(dialect, Dialect::Standard | Dialect::Hammerdb);
        let text = match self {
            Self::Date => "DATETIME",
            Self::Money => "DECIMAL(12,2)",
            Self::Payment => "DECIMAL(6,2)",
            Self::Price => "DECIMAL(5,2)",
            Self::Share if has_standard_decimals => "DECIMAL(4,4)",
            Self::Share => "DECIMAL(4,2)",
            Self::CreditLimit if has_standard_decimals => "DECIMAL(12,2)",
            Self::CreditLimit => "BIGINT",
            Self::StockYtd if is_hammerdb => "BIGINT",
            Self::StockYtd => "DECIMAL(8,0)",
            Self::LongText if is_hammerdb => return binary("VARCHAR(500)"),
            Self::LongText if dialect == Dialect::Standard => "VARCHAR(500)",
            Self::LongText => "TEXT",
            Self::Char(length) if is_hammerdb => return binary(&format!("CHAR({length})")),
            Self::Char(length) => return format!("CHAR({length})"),
            Self::Varchar(length) if is_hammerdb => return binary(&format!("VARCHAR({length})")),
            Self::Varchar(length) => return format!("VARCHAR({length})"),
            _ if is_hammerdb => "INT", // its line amounts, too
            Self::LineAmount => "DECIMAL(6,2)",
            Self::Warehouse | Self::Count => "SMALLINT",
            Self::District | Self::Small => "TINYINT",
            Self::Number => "INT",
        };
        text.to_owned()
    }
}

/// Returns what the word BINARY means, which newer servers no longer want to hear.
fn binary(sql: &str) -> String {
    format!("{sql} CHARACTER SET latin1 COLLATE latin1_bin")
}

const fn columns(table: TpccTable) -> &'static [Column] {
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

const ORDER_LINE: &[Column] = &[
    ("ol_o_id", ColumnContent::Number),
    ("ol_d_id", ColumnContent::District),
    ("ol_w_id", ColumnContent::Warehouse),
    ("ol_number", ColumnContent::Small),
    ("ol_i_id", ColumnContent::Number),
    ("ol_supply_w_id", ColumnContent::Warehouse),
    ("ol_delivery_d", ColumnContent::Date),
    ("ol_quantity", ColumnContent::Small),
    ("ol_amount", ColumnContent::LineAmount),
    ("ol_dist_info", ColumnContent::Char(24)),
];

const NEW_ORDERS: &[Column] = &[
    ("no_o_id", ColumnContent::Number),
    ("no_d_id", ColumnContent::District),
    ("no_w_id", ColumnContent::Warehouse),
];

const ORDERS: &[Column] = &[
    ("o_id", ColumnContent::Number),
    ("o_d_id", ColumnContent::District),
    ("o_w_id", ColumnContent::Warehouse),
    ("o_c_id", ColumnContent::Number),
    ("o_entry_d", ColumnContent::Date),
    ("o_carrier_id", ColumnContent::Small),
    ("o_ol_cnt", ColumnContent::Small),
    ("o_all_local", ColumnContent::Small),
];

const HISTORY: &[Column] = &[
    ("h_c_id", ColumnContent::Number),
    ("h_c_d_id", ColumnContent::District),
    ("h_c_w_id", ColumnContent::Warehouse),
    ("h_d_id", ColumnContent::District),
    ("h_w_id", ColumnContent::Warehouse),
    ("h_date", ColumnContent::Date),
    ("h_amount", ColumnContent::Payment),
    ("h_data", ColumnContent::Varchar(24)),
];

const STOCK: &[Column] = &[
    ("s_i_id", ColumnContent::Number),
    ("s_w_id", ColumnContent::Warehouse),
    ("s_quantity", ColumnContent::Count),
    ("s_dist_01", ColumnContent::Char(24)),
    ("s_dist_02", ColumnContent::Char(24)),
    ("s_dist_03", ColumnContent::Char(24)),
    ("s_dist_04", ColumnContent::Char(24)),
    ("s_dist_05", ColumnContent::Char(24)),
    ("s_dist_06", ColumnContent::Char(24)),
    ("s_dist_07", ColumnContent::Char(24)),
    ("s_dist_08", ColumnContent::Char(24)),
    ("s_dist_09", ColumnContent::Char(24)),
    ("s_dist_10", ColumnContent::Char(24)),
    ("s_ytd", ColumnContent::StockYtd),
    ("s_order_cnt", ColumnContent::Count),
    ("s_remote_cnt", ColumnContent::Count),
    ("s_data", ColumnContent::Varchar(50)),
];

const CUSTOMER: &[Column] = &[
    ("c_id", ColumnContent::Number),
    ("c_d_id", ColumnContent::District),
    ("c_w_id", ColumnContent::Warehouse),
    ("c_first", ColumnContent::Varchar(16)),
    ("c_middle", ColumnContent::Char(2)),
    ("c_last", ColumnContent::Varchar(16)),
    ("c_street_1", ColumnContent::Varchar(20)),
    ("c_street_2", ColumnContent::Varchar(20)),
    ("c_city", ColumnContent::Varchar(20)),
    ("c_state", ColumnContent::Char(2)),
    ("c_zip", ColumnContent::Char(9)),
    ("c_phone", ColumnContent::Char(16)),
    ("c_since", ColumnContent::Date),
    ("c_credit", ColumnContent::Char(2)),
    ("c_credit_lim", ColumnContent::CreditLimit),
    ("c_discount", ColumnContent::Share),
    ("c_balance", ColumnContent::Money),
    ("c_ytd_payment", ColumnContent::Money),
    ("c_payment_cnt", ColumnContent::Count),
    ("c_delivery_cnt", ColumnContent::Count),
    ("c_data", ColumnContent::LongText),
];

const DISTRICT: &[Column] = &[
    ("d_id", ColumnContent::District),
    ("d_w_id", ColumnContent::Warehouse),
    ("d_name", ColumnContent::Varchar(10)),
    ("d_street_1", ColumnContent::Varchar(20)),
    ("d_street_2", ColumnContent::Varchar(20)),
    ("d_city", ColumnContent::Varchar(20)),
    ("d_state", ColumnContent::Char(2)),
    ("d_zip", ColumnContent::Char(9)),
    ("d_tax", ColumnContent::Share),
    ("d_ytd", ColumnContent::Money),
    ("d_next_o_id", ColumnContent::Number),
];

const WAREHOUSE: &[Column] = &[
    ("w_id", ColumnContent::Warehouse),
    ("w_name", ColumnContent::Varchar(10)),
    ("w_street_1", ColumnContent::Varchar(20)),
    ("w_street_2", ColumnContent::Varchar(20)),
    ("w_city", ColumnContent::Varchar(20)),
    ("w_state", ColumnContent::Char(2)),
    ("w_zip", ColumnContent::Char(9)),
    ("w_tax", ColumnContent::Share),
    ("w_ytd", ColumnContent::Money),
];

const ITEM: &[Column] = &[
    ("i_id", ColumnContent::Number),
    ("i_im_id", ColumnContent::Number),
    ("i_name", ColumnContent::Varchar(24)),
    ("i_price", ColumnContent::Price),
    ("i_data", ColumnContent::Varchar(50)),
];

/// Returns where HammerDB has its columns in another order.
#[rustfmt::skip]
fn order_of_hammerdb(table: TpccTable) -> Option<&'static [&'static str]> {
    match table {
        TpccTable::OrderLine => Some(&[
            "ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_delivery_d", "ol_amount", "ol_supply_w_id",
            "ol_quantity", "ol_dist_info",
        ]),
        TpccTable::NewOrders => Some(&["no_w_id", "no_d_id", "no_o_id"]),
        TpccTable::Orders => Some(&[
            "o_id", "o_w_id", "o_d_id", "o_c_id", "o_carrier_id", "o_ol_cnt", "o_all_local", "o_entry_d",
        ]),
        TpccTable::District => Some(&[
            "d_id", "d_w_id", "d_ytd", "d_tax", "d_next_o_id", "d_name", "d_street_1", "d_street_2", "d_city",
            "d_state", "d_zip",
        ]),
        TpccTable::Warehouse => Some(&[
            "w_id", "w_ytd", "w_tax", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip",
        ]),
        TpccTable::Stock | TpccTable::History | TpccTable::Customer | TpccTable::Item => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hammerdb_has_the_same_columns_in_its_own_order() {
        for table in TpccTable::ALL {
            let sorted = |dialect| {
                let mut names: Vec<String> = definitions(table, dialect)
                    .iter()
                    .map(|text| text.split(' ').next().unwrap().to_owned())
                    .collect();
                names.sort();
                names
            };
            assert_eq!(sorted(Dialect::Hammerdb), sorted(Dialect::SysbenchTpcc));
        }
    }

    #[test]
    fn the_types_are_those_of_the_dialect() {
        let type_of = |table, dialect, column: &str| {
            let found = definitions(table, dialect);
            let found = found
                .iter()
                .find(|text| text.starts_with(&format!("{column} ")));
            found.unwrap()[column.len() + 1..].to_owned()
        };
        for (table, column, percona, hammerdb, standard) in [
            (TpccTable::Warehouse, "w_id", "SMALLINT", "INT", "SMALLINT"),
            (
                TpccTable::District,
                "d_tax",
                "DECIMAL(4,2)",
                "DECIMAL(4,4)",
                "DECIMAL(4,4)",
            ),
            (
                TpccTable::Customer,
                "c_credit_lim",
                "BIGINT",
                "DECIMAL(12,2)",
                "DECIMAL(12,2)",
            ),
            (
                TpccTable::OrderLine,
                "ol_amount",
                "DECIMAL(6,2)",
                "INT",
                "DECIMAL(6,2)",
            ),
            (
                TpccTable::Stock,
                "s_ytd",
                "DECIMAL(8,0)",
                "BIGINT",
                "DECIMAL(8,0)",
            ),
            (
                TpccTable::Stock,
                "s_quantity",
                "SMALLINT",
                "INT",
                "SMALLINT",
            ),
            (
                TpccTable::Customer,
                "c_balance",
                "DECIMAL(12,2)",
                "DECIMAL(12,2)",
                "DECIMAL(12,2)",
            ),
            (TpccTable::Item, "i_im_id", "INT", "INT", "INT"),
        ] {
            assert_eq!(type_of(table, Dialect::SysbenchTpcc, column), percona);
            assert_eq!(type_of(table, Dialect::TpccMysql, column), percona);
            assert_eq!(type_of(table, Dialect::Hammerdb, column), hammerdb);
            assert_eq!(type_of(table, Dialect::Standard, column), standard);
        }
    }
}
