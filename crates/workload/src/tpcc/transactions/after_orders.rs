//! Runs what follows orders: Order-Status, Delivery, Stock-Level, and sysbench-tpcc's purge.

use super::{StatementExecutor, number};
use crate::tpcc::draws::{DISTRICTS, uniform};
use crate::tpcc::input::TransactionInput;
use crate::tpcc::statements::StatementKind::*;
use crate::tpcc::values::Place;
use crate::transaction_script::{Aborted, ScriptContext};
use dbdyno_chance::Stream;

/// Orders whose items a Stock-Level looks at.
const RECENT_ORDERS: i64 = 20;
/// Orders that one purge may delete.
const PURGES: u32 = 10;

impl StatementExecutor {
    pub(super) async fn order_status(
        &mut self,
        input: &TransactionInput,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        self.begin_read_only(context).await?;
        if input.is_by_name {
            let row = self
                .find_namesake([CountBuyers, Buyers], self.rules().buyer_row, context)
                .await?;
            if let Some(column) = self.rules().buyer_column {
                self.take_customer(context.rows.int(row, column), input);
            }
        } else {
            self.send(Buyer, context).await?;
        }
        self.send(LastOrder, context).await?;
        self.take(Place::Order, context);
        if self.rules().reads_lines_of_district_number {
            self.values.set(Place::Order, input.district);
        }
        self.send(OrderLines, context).await?;
        self.send(Commit, context).await?;
        Ok(())
    }

    pub(super) async fn delivery(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let is_one = !self.rules().commits_each_district;
        if is_one {
            self.send(Begin, context).await?;
        }
        for district in 1..=DISTRICTS {
            self.values.set(Place::District, district);
            let is_found = self.deliver(context).await?;
            if is_found && !is_one {
                self.send(Commit, context).await?;
            }
            if !is_found && self.rules().stops_at_empty_district {
                break;
            }
        }
        if is_one {
            self.send(Commit, context).await?;
        }
        Ok(())
    }

    /// Delivers the oldest order of a district, if there is one.
    async fn deliver(&mut self, context: &mut ScriptContext) -> Result<bool, Aborted> {
        self.send(OldestNewOrder, context).await?;
        self.take(Place::Order, context);
        if self.values.whole(Place::Order) == 0 {
            return Ok(false);
        }
        self.send(DeleteNewOrder, context).await?;
        self.send(DeliveredCustomer, context).await?;
        self.take(Place::Customer, context);
        self.send(SetCarrier, context).await?;
        self.send(DateLines, context).await?;
        self.send(SumLines, context).await?;
        self.values.total = (self.dialect.rules.round)(number(context, 0));
        self.send(BookDelivery, context).await
    }

    pub(super) async fn stock_level(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        self.begin_read_only(context).await?;
        self.send(StockDistrict, context).await?;
        self.take(Place::Order, context);
        let oldest = self.values.whole(Place::Order) - RECENT_ORDERS;
        self.values.set(Place::OldestOrder, oldest);
        if self.send(RecentItems, context).await? {
            self.count_each_item(context).await?;
        } else {
            self.send(CountLow, context).await?;
        }
        self.send(Commit, context).await?;
        Ok(())
    }

    /// Looks up every item of the recent orders by a separate statement.
    async fn count_each_item(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        let rows = 0..context.rows.len();
        self.items.clear();
        self.items
            .extend(rows.filter_map(|row| context.rows.int(row, 0)));
        for place in 0..self.items.len() {
            self.values.set(Place::Item, self.items[place]);
            self.send(CountLow, context).await?;
        }
        Ok(())
    }

    /// Deletes old orders. Each look for one is a separate transaction, in a district drawn anew.
    pub(super) async fn purge(
        &mut self,
        stream: &mut Stream,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        for _ in 0..PURGES {
            self.values
                .set(Place::District, uniform(stream, 1, DISTRICTS));
            self.send(Begin, context).await?;
            self.purge_district(context).await?;
            self.send(Commit, context).await?;
        }
        Ok(())
    }

    async fn purge_district(&mut self, context: &mut ScriptContext) -> Result<(), Aborted> {
        for look in [OldestUndelivered, OldOrder] {
            self.send(look, context).await?;
            let Some(order) = context.rows.int(0, 0) else {
                return Ok(());
            };
            self.values.set(Place::Order, order);
        }
        for delete in [PurgeLines, PurgeOrder, PurgeHistory] {
            self.send(delete, context).await?;
        }
        Ok(())
    }
}
