//! The columns of the tables and their types.

use super::table::Table;
use crate::tpcc::dialect::Dialect;

/// What a column holds; which type that is depends on the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
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
type Column = (&'static str, Holds);

/// The definitions of a table's columns, in the order in which the dialect's schema has them.
pub(crate) fn definitions(table: Table, dialect: Dialect) -> Vec<String> {
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

/// The names of a table's columns in the order of Percona's schema, in which all rows are written.
pub(crate) fn names(table: Table) -> impl Iterator<Item = &'static str> {
    columns(table).iter().map(|(name, _)| *name)
}

impl Holds {
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

/// What the word BINARY means, which newer servers no longer want to hear.
fn binary(sql: &str) -> String {
    format!("{sql} CHARACTER SET latin1 COLLATE latin1_bin")
}

const fn columns(table: Table) -> &'static [Column] {
    match table {
        Table::OrderLine => ORDER_LINE,
        Table::NewOrders => NEW_ORDERS,
        Table::Orders => ORDERS,
        Table::History => HISTORY,
        Table::Stock => STOCK,
        Table::Customer => CUSTOMER,
        Table::District => DISTRICT,
        Table::Warehouse => WAREHOUSE,
        Table::Item => ITEM,
    }
}

const ORDER_LINE: &[Column] = &[
    ("ol_o_id", Holds::Number),
    ("ol_d_id", Holds::District),
    ("ol_w_id", Holds::Warehouse),
    ("ol_number", Holds::Small),
    ("ol_i_id", Holds::Number),
    ("ol_supply_w_id", Holds::Warehouse),
    ("ol_delivery_d", Holds::Date),
    ("ol_quantity", Holds::Small),
    ("ol_amount", Holds::LineAmount),
    ("ol_dist_info", Holds::Char(24)),
];

const NEW_ORDERS: &[Column] = &[
    ("no_o_id", Holds::Number),
    ("no_d_id", Holds::District),
    ("no_w_id", Holds::Warehouse),
];

const ORDERS: &[Column] = &[
    ("o_id", Holds::Number),
    ("o_d_id", Holds::District),
    ("o_w_id", Holds::Warehouse),
    ("o_c_id", Holds::Number),
    ("o_entry_d", Holds::Date),
    ("o_carrier_id", Holds::Small),
    ("o_ol_cnt", Holds::Small),
    ("o_all_local", Holds::Small),
];

const HISTORY: &[Column] = &[
    ("h_c_id", Holds::Number),
    ("h_c_d_id", Holds::District),
    ("h_c_w_id", Holds::Warehouse),
    ("h_d_id", Holds::District),
    ("h_w_id", Holds::Warehouse),
    ("h_date", Holds::Date),
    ("h_amount", Holds::Payment),
    ("h_data", Holds::Varchar(24)),
];

const STOCK: &[Column] = &[
    ("s_i_id", Holds::Number),
    ("s_w_id", Holds::Warehouse),
    ("s_quantity", Holds::Count),
    ("s_dist_01", Holds::Char(24)),
    ("s_dist_02", Holds::Char(24)),
    ("s_dist_03", Holds::Char(24)),
    ("s_dist_04", Holds::Char(24)),
    ("s_dist_05", Holds::Char(24)),
    ("s_dist_06", Holds::Char(24)),
    ("s_dist_07", Holds::Char(24)),
    ("s_dist_08", Holds::Char(24)),
    ("s_dist_09", Holds::Char(24)),
    ("s_dist_10", Holds::Char(24)),
    ("s_ytd", Holds::StockYtd),
    ("s_order_cnt", Holds::Count),
    ("s_remote_cnt", Holds::Count),
    ("s_data", Holds::Varchar(50)),
];

const CUSTOMER: &[Column] = &[
    ("c_id", Holds::Number),
    ("c_d_id", Holds::District),
    ("c_w_id", Holds::Warehouse),
    ("c_first", Holds::Varchar(16)),
    ("c_middle", Holds::Char(2)),
    ("c_last", Holds::Varchar(16)),
    ("c_street_1", Holds::Varchar(20)),
    ("c_street_2", Holds::Varchar(20)),
    ("c_city", Holds::Varchar(20)),
    ("c_state", Holds::Char(2)),
    ("c_zip", Holds::Char(9)),
    ("c_phone", Holds::Char(16)),
    ("c_since", Holds::Date),
    ("c_credit", Holds::Char(2)),
    ("c_credit_lim", Holds::CreditLimit),
    ("c_discount", Holds::Share),
    ("c_balance", Holds::Money),
    ("c_ytd_payment", Holds::Money),
    ("c_payment_cnt", Holds::Count),
    ("c_delivery_cnt", Holds::Count),
    ("c_data", Holds::LongText),
];

const DISTRICT: &[Column] = &[
    ("d_id", Holds::District),
    ("d_w_id", Holds::Warehouse),
    ("d_name", Holds::Varchar(10)),
    ("d_street_1", Holds::Varchar(20)),
    ("d_street_2", Holds::Varchar(20)),
    ("d_city", Holds::Varchar(20)),
    ("d_state", Holds::Char(2)),
    ("d_zip", Holds::Char(9)),
    ("d_tax", Holds::Share),
    ("d_ytd", Holds::Money),
    ("d_next_o_id", Holds::Number),
];

const WAREHOUSE: &[Column] = &[
    ("w_id", Holds::Warehouse),
    ("w_name", Holds::Varchar(10)),
    ("w_street_1", Holds::Varchar(20)),
    ("w_street_2", Holds::Varchar(20)),
    ("w_city", Holds::Varchar(20)),
    ("w_state", Holds::Char(2)),
    ("w_zip", Holds::Char(9)),
    ("w_tax", Holds::Share),
    ("w_ytd", Holds::Money),
];

const ITEM: &[Column] = &[
    ("i_id", Holds::Number),
    ("i_im_id", Holds::Number),
    ("i_name", Holds::Varchar(24)),
    ("i_price", Holds::Price),
    ("i_data", Holds::Varchar(50)),
];

/// Where HammerDB has its columns in another order.
#[rustfmt::skip]
fn order_of_hammerdb(table: Table) -> Option<&'static [&'static str]> {
    match table {
        Table::OrderLine => Some(&[
            "ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_delivery_d", "ol_amount", "ol_supply_w_id",
            "ol_quantity", "ol_dist_info",
        ]),
        Table::NewOrders => Some(&["no_w_id", "no_d_id", "no_o_id"]),
        Table::Orders => Some(&[
            "o_id", "o_w_id", "o_d_id", "o_c_id", "o_carrier_id", "o_ol_cnt", "o_all_local", "o_entry_d",
        ]),
        Table::District => Some(&[
            "d_id", "d_w_id", "d_ytd", "d_tax", "d_next_o_id", "d_name", "d_street_1", "d_street_2", "d_city",
            "d_state", "d_zip",
        ]),
        Table::Warehouse => Some(&[
            "w_id", "w_ytd", "w_tax", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip",
        ]),
        Table::Stock | Table::History | Table::Customer | Table::Item => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hammerdb_has_the_same_columns_in_its_own_order() {
        for table in Table::ALL {
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
            (Table::Warehouse, "w_id", "SMALLINT", "INT", "SMALLINT"),
            (
                Table::District,
                "d_tax",
                "DECIMAL(4,2)",
                "DECIMAL(4,4)",
                "DECIMAL(4,4)",
            ),
            (
                Table::Customer,
                "c_credit_lim",
                "BIGINT",
                "DECIMAL(12,2)",
                "DECIMAL(12,2)",
            ),
            (
                Table::OrderLine,
                "ol_amount",
                "DECIMAL(6,2)",
                "INT",
                "DECIMAL(6,2)",
            ),
            (
                Table::Stock,
                "s_ytd",
                "DECIMAL(8,0)",
                "BIGINT",
                "DECIMAL(8,0)",
            ),
            (Table::Stock, "s_quantity", "SMALLINT", "INT", "SMALLINT"),
            (
                Table::Customer,
                "c_balance",
                "DECIMAL(12,2)",
                "DECIMAL(12,2)",
                "DECIMAL(12,2)",
            ),
            (Table::Item, "i_im_id", "INT", "INT", "INT"),
        ] {
            assert_eq!(type_of(table, Dialect::SysbenchTpcc, column), percona);
            assert_eq!(type_of(table, Dialect::TpccMysql, column), percona);
            assert_eq!(type_of(table, Dialect::Hammerdb, column), hammerdb);
            assert_eq!(type_of(table, Dialect::Standard, column), standard);
        }
    }
}
