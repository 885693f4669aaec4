//! Lists what must hold between the tables: the twelve consistency conditions (clause 3.3.2), counts of rows,
//! foreign keys.
//!
//! A condition is a query that must return no row. Of more than a hundred warehouses a sample is asked.

use super::condition_scope::holds;
use super::schema::foreign_key_names;
use crate::tpcc::draws::{CUSTOMERS, DISTRICTS, ITEMS};
use crate::tpcc::options::{ForeignKeys, TpccOptions};
use crate::tpcc::table::TpccTable;
use crate::{Condition, InvariantScope, counted};

/// Up to so many warehouses, all are asked.
const ALL_UP_TO: u32 = 100;
/// Warehouses of a sample, the first and the last among them.
const SAMPLE: u32 = 11;

/// Returns everything to be asked of one table set, in rising order.
pub(crate) fn conditions(options: &TpccOptions, set: u32) -> Vec<Condition> {
    let asked = ConditionNames::new(options, set);
    let mut all = asked.counts(options);
    all.extend(asked.foreign_keys(options));
    all.extend((1..=12).filter_map(|number| {
        let (meaning, sql) = asked.consistency(number);
        let name = format!("3.3.2.{number}");
        Some(asked.condition(&name, meaning, sql, holds(number, options)?))
    }));
    all
}

/// Names of tables and warehouses, as the queries need them.
struct ConditionNames {
    set: u32,
    /// `None`: all warehouses.
    sample: Option<Vec<u32>>,
    warehouses: u32,
    ending: &'static str,
    warehouse: String,
    district: String,
    customer: String,
    history: String,
    orders: String,
    new_orders: String,
    order_line: String,
    stock: String,
    item: String,
}

impl ConditionNames {
    fn new(options: &TpccOptions, set: u32) -> Self {
        let name = |table: TpccTable| table.name(options, set);
        Self {
            set,
            sample: (options.warehouses > ALL_UP_TO).then(|| sample(options.warehouses)),
            warehouses: options.warehouses,
            ending: if options.tables > 1 { " of set " } else { "" },
            warehouse: name(TpccTable::Warehouse),
            district: name(TpccTable::District),
            customer: name(TpccTable::Customer),
            history: name(TpccTable::History),
            orders: name(TpccTable::Orders),
            new_orders: name(TpccTable::NewOrders),
            order_line: name(TpccTable::OrderLine),
            stock: name(TpccTable::Stock),
            item: name(TpccTable::Item),
        }
    }

    fn condition(
        &self,
        name: &str,
        meaning: &str,
        sql: String,
        holds: InvariantScope,
    ) -> Condition {
        let mut name = name.to_owned();
        if !self.ending.is_empty() {
            name += &format!("{}{}", self.ending, self.set + 1);
        }
        let asked = self.sample.as_ref().map(|sample| {
            let list = listed(sample);
            format!(" (asked of warehouses {list} of {})", self.warehouses)
        });
        Condition {
            name,
            meaning: format!("{meaning}{}", asked.unwrap_or_default()),
            sql,
            holds,
        }
    }

    /// Returns `WHERE column IN (sample)`, or nothing.
    fn within(&self, column: &str) -> String {
        let of = |sample: &Vec<u32>| format!(" WHERE {column} IN ({})", listed(sample));
        self.sample.as_ref().map(of).unwrap_or_default()
    }

    /// Returns the same after another condition.
    fn and_within(&self, column: &str) -> String {
        self.within(column).replacen(" WHERE ", " AND ", 1)
    }

    /// Returns conditions on counts of rows, and the next order's number, of which a run changes some.
    fn counts(&self, options: &TpccOptions) -> Vec<Condition> {
        let warehouses = self
            .sample
            .as_ref()
            .map_or(self.warehouses, |sample| sample.len() as u32);
        let district_rows = DISTRICTS * CUSTOMERS;
        let mut all: Vec<Condition> = [
            (&self.warehouse, "w_id", 1, InvariantScope::Always),
            (&self.district, "d_w_id", DISTRICTS, InvariantScope::Always),
            (
                &self.customer,
                "c_w_id",
                district_rows,
                InvariantScope::Always,
            ),
            (&self.stock, "s_w_id", ITEMS, InvariantScope::Always),
            (
                &self.history,
                "h_w_id",
                district_rows,
                InvariantScope::AfterLoad,
            ),
            (
                &self.orders,
                "o_w_id",
                district_rows,
                InvariantScope::AfterLoad,
            ),
            (
                &self.new_orders,
                "no_w_id",
                DISTRICTS * 900,
                InvariantScope::AfterLoad,
            ),
        ]
        .into_iter()
        .map(|(table, column, rows_a_warehouse, holds)| {
            let rows = u64::from(rows_a_warehouse) * u64::from(warehouses);
            self.count(table, &self.within(column), rows, holds)
        })
        .collect();
        all.push(self.count(&self.item, "", u64::from(ITEMS), InvariantScope::Always));
        let next_order = CUSTOMERS + 1;
        let sql = format!(
            "SELECT d_w_id, d_id FROM {} WHERE d_next_o_id <> {next_order}{}",
            self.district,
            self.and_within("d_w_id")
        );
        let meaning = "the next order of every district is 3001";
        all.push(self.condition("next_order", meaning, sql, InvariantScope::AfterLoad));
        debug_assert_eq!(options.warehouses, self.warehouses);
        all
    }

    fn count(&self, table: &str, within: &str, rows: u64, holds: InvariantScope) -> Condition {
        let sql = format!("SELECT COUNT(*) FROM {table}{within} HAVING COUNT(*) <> {rows}");
        let meaning = format!("{table} has {}", counted(rows, "row"));
        let name = format!(
            "rows_{}",
            table.trim_end_matches(|c: char| c.is_ascii_digit())
        );
        self.condition(&name, &meaning, sql, holds)
    }

    /// Returns the condition on foreign keys: a storage engine without them takes their definitions and says nothing.
    fn foreign_keys(&self, options: &TpccOptions) -> Option<Condition> {
        if options.fk == ForeignKeys::None {
            return None;
        }
        let names = foreign_key_names(options, self.set);
        let sql = format!(
            "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND \
             CONSTRAINT_NAME IN ('{}') HAVING COUNT(*) <> {}",
            names.join("', '"),
            names.len()
        );
        let meaning = "the ten foreign keys are there";
        Some(self.condition("foreign_keys", meaning, sql, InvariantScope::Always))
    }

    /// Returns what condition 3.3.2.`number` says, and its query.
    fn consistency(&self, number: u32) -> (&'static str, String) {
        match number {
            1 => ("w_ytd is the sum of d_ytd", self.ytd_of_districts()),
            2 => (
                "d_next_o_id - 1 is the last order and the last new order",
                self.last_orders(),
            ),
            3 => ("numbers of new orders have no gaps", self.gaps()),
            4 => (
                "a district has as many lines as its orders say",
                self.lines_of_districts(),
            ),
            5 => (
                "an order has no carrier exactly while it is new",
                self.carriers(),
            ),
            6 => (
                "an order has as many lines as it says",
                self.lines_of_orders(),
            ),
            7 => (
                "lines are dated exactly when their order has a carrier",
                self.delivery_dates(),
            ),
            8 => (
                "w_ytd is the sum of payments",
                self.payments_of_warehouses(),
            ),
            9 => ("d_ytd is the sum of payments", self.payments_of_districts()),
            10 => (
                "c_balance is what was delivered less what was paid",
                self.customers("c_balance", true),
            ),
            11 => (
                "2100 orders of each district are delivered",
                self.delivered_orders(),
            ),
            _ => (
                "c_balance + c_ytd_payment is what was delivered",
                self.customers("c_balance + c_ytd_payment", false),
            ),
        }
    }

    fn ytd_of_districts(&self) -> String {
        let (warehouse, district) = (&self.warehouse, &self.district);
        let within = self.within("w_id");
        format!(
            "SELECT w_id FROM {warehouse} JOIN {district} ON d_w_id = w_id{within} GROUP BY w_id, w_ytd \
             HAVING w_ytd <> SUM(d_ytd)"
        )
    }

    /// Asks for the highest number together with a count, so that it is read by a scan of the key. Alone, TidesDB looks
    /// for it by skips that never end.
    fn last_orders(&self) -> String {
        let Self {
            district,
            orders,
            new_orders,
            ..
        } = self;
        let (o, no, d) = (
            self.within("o_w_id"),
            self.within("no_w_id"),
            self.and_within("d_w_id"),
        );
        format!(
            "SELECT d_w_id, d_id FROM {district} \
             LEFT JOIN (SELECT o_w_id w, o_d_id d, MAX(o_id) mo FROM {orders}{o} GROUP BY 1, 2 \
             HAVING COUNT(*) > 0) o ON o.w = d_w_id AND o.d = d_id \
             LEFT JOIN (SELECT no_w_id w, no_d_id d, MAX(no_o_id) mn FROM {new_orders}{no} GROUP BY 1, 2 \
             HAVING COUNT(*) > 0) n ON n.w = d_w_id AND n.d = d_id \
             WHERE (mo IS NULL OR d_next_o_id - 1 <> mo OR (mn IS NOT NULL AND d_next_o_id - 1 <> mn)){d}"
        )
    }

    fn gaps(&self) -> String {
        let (new_orders, within) = (&self.new_orders, self.within("no_w_id"));
        format!(
            "SELECT no_w_id, no_d_id FROM {new_orders}{within} GROUP BY 1, 2 \
             HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)"
        )
    }

    fn lines_of_districts(&self) -> String {
        let (orders, order_line) = (&self.orders, &self.order_line);
        let (o, ol) = (self.within("o_w_id"), self.within("ol_w_id"));
        format!(
            "SELECT a.w, a.d FROM (SELECT o_w_id w, o_d_id d, SUM(o_ol_cnt) s FROM {orders}{o} GROUP BY 1, 2) a \
             LEFT JOIN (SELECT ol_w_id w, ol_d_id d, COUNT(*) c FROM {order_line}{ol} GROUP BY 1, 2) b \
             ON a.w = b.w AND a.d = b.d WHERE s <> COALESCE(c, 0)"
        )
    }

    fn carriers(&self) -> String {
        let (orders, new_orders) = (&self.orders, &self.new_orders);
        let within = self.and_within("o_w_id");
        format!(
            "SELECT o_w_id, o_d_id, o_id FROM {orders} \
             LEFT JOIN {new_orders} ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id \
             WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL){within}"
        )
    }

    /// Adds up both sides of each order instead of joining them: servers before MySQL 5.6 and MariaDB 5.3 join a derived
    /// table without an index, for minutes.
    fn lines_of_orders(&self) -> String {
        let (orders, order_line) = (&self.orders, &self.order_line);
        let (o, ol) = (self.within("o_w_id"), self.within("ol_w_id"));
        format!(
            "SELECT o_w_id, o_d_id, o_id FROM (SELECT o_w_id, o_d_id, o_id, o_ol_cnt line_count FROM {orders}{o} \
             UNION ALL SELECT ol_w_id, ol_d_id, ol_o_id, -COUNT(*) FROM {order_line}{ol} GROUP BY 1, 2, 3) both_sides \
             GROUP BY 1, 2, 3 HAVING SUM(line_count) <> 0"
        )
    }

    fn delivery_dates(&self) -> String {
        let (orders, order_line) = (&self.orders, &self.order_line);
        let within = self.and_within("ol_w_id");
        format!(
            "SELECT ol_w_id, ol_d_id, ol_o_id FROM {order_line} \
             JOIN {orders} ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id \
             WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL){within}"
        )
    }

    fn payments_of_warehouses(&self) -> String {
        let (warehouse, history) = (&self.warehouse, &self.history);
        let (h, w) = (self.within("h_w_id"), self.and_within("w_id"));
        format!(
            "SELECT w_id FROM {warehouse} \
             LEFT JOIN (SELECT h_w_id w, SUM(h_amount) paid FROM {history}{h} GROUP BY 1) h ON h.w = w_id \
             WHERE w_ytd <> COALESCE(paid, 0){w}"
        )
    }

    fn payments_of_districts(&self) -> String {
        let (district, history) = (&self.district, &self.history);
        let (h, d) = (self.within("h_w_id"), self.and_within("d_w_id"));
        format!(
            "SELECT d_w_id, d_id FROM {district} \
             LEFT JOIN (SELECT h_w_id w, h_d_id d, SUM(h_amount) paid FROM {history}{h} GROUP BY 1, 2) h \
             ON h.w = d_w_id AND h.d = d_id WHERE d_ytd <> COALESCE(paid, 0){d}"
        )
    }

    /// Returns customers whose `balance`, an expression of their columns, is not what was delivered to them, less what
    /// they paid if `are_payments_subtracted`. Adds up the sides, as `lines_of_orders` does. Customers order at home;
    /// what they pay elsewhere is booked with them as well.
    fn customers(&self, balance: &str, are_payments_subtracted: bool) -> String {
        let Self {
            customer,
            orders,
            order_line,
            history,
            ..
        } = self;
        let (c, o) = (self.within("c_w_id"), self.and_within("o_w_id"));
        let payments = if are_payments_subtracted {
            let h = self.within("h_c_w_id");
            format!(
                " UNION ALL SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) FROM {history}{h} GROUP BY 1, 2, 3"
            )
        } else {
            String::new()
        };
        format!(
            "SELECT c_w_id, c_d_id, c_id FROM (SELECT c_w_id, c_d_id, c_id, {balance} amount FROM {customer}{c} \
             UNION ALL SELECT o_w_id, o_d_id, o_c_id, -SUM(ol_amount) FROM {orders} \
             JOIN {order_line} ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
             WHERE ol_delivery_d IS NOT NULL{o} GROUP BY 1, 2, 3{payments}) all_sides \
             GROUP BY 1, 2, 3 HAVING SUM(amount) <> 0"
        )
    }

    fn delivered_orders(&self) -> String {
        let (orders, new_orders) = (&self.orders, &self.new_orders);
        let (o, no) = (self.within("o_w_id"), self.within("no_w_id"));
        format!(
            "SELECT a.w, a.d FROM (SELECT o_w_id w, o_d_id d, COUNT(*) c FROM {orders}{o} GROUP BY 1, 2) a \
             LEFT JOIN (SELECT no_w_id w, no_d_id d, COUNT(*) c FROM {new_orders}{no} GROUP BY 1, 2) b \
             ON a.w = b.w AND a.d = b.d WHERE a.c - COALESCE(b.c, 0) <> 2100"
        )
    }
}

/// Returns a sample evenly spread over all warehouses.
fn sample(warehouses: u32) -> Vec<u32> {
    let steps = u64::from(SAMPLE - 1);
    (0..=steps)
        .map(|step| 1 + (u64::from(warehouses - 1) * step / steps) as u32)
        .collect()
}

fn listed(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests;
