//! Runs what follows orders at tpcc-mysql: order status, delivery and stock level.

use super::statements::StatementKind;
use super::terminal::TpccMysqlTerminal;
use crate::tpcc::client::{bare, find_namesake, say};
use crate::tpcc::draws::DISTRICTS;
use crate::tpcc::names::middle_row;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

impl TpccMysqlTerminal {
    pub(super) async fn order_status(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let (warehouse, district) = self.input.home();
        let customer = self.buyer(context).await?;
        let key = [warehouse, district, customer];
        let [a, b, c] = key;
        say(context, StatementKind::LastOrder, &[a, b, c, a, b, c]).await?;
        let order = context.rows.int(0, 0).unwrap_or_default();
        say(
            context,
            StatementKind::OrderLines,
            &[warehouse, district, order],
        )
        .await?;
        bare(context, StatementKind::Commit).await?;
        Ok(EventEnd::Done)
    }

    /// The customer's number: for the tool the drawn one even if the customer was named (Q-TM-4).
    async fn buyer(&self, context: &mut ScriptContext) -> Result<i64, Aborted> {
        let (warehouse, district) = self.input.home();
        let drawn = i64::from(self.input.customer);
        if !self.input.is_by_name {
            say(context, StatementKind::Buyer, &[warehouse, district, drawn]).await?;
            return Ok(drawn);
        }
        let statements = [StatementKind::CountBuyers, StatementKind::Buyers].map(u16::from);
        let row = find_namesake(context, &self.input, statements, middle_row).await?;
        let found = context.rows.int(row, 3).filter(|_| self.shared.is_fixed);
        Ok(found.unwrap_or(drawn))
    }

    /// Each district is a transaction of its own.
    pub(super) async fn delivery(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        for district in 1..=i64::from(DISTRICTS) {
            self.deliver(district, context).await?;
        }
        Ok(EventEnd::Done)
    }

    async fn deliver(&self, district: i64, context: &mut ScriptContext) -> Result<(), Aborted> {
        let warehouse = i64::from(self.input.warehouse);
        say(
            context,
            StatementKind::OldestNewOrder,
            &[district, warehouse],
        )
        .await?;
        let order = context.rows.int(0, 0).unwrap_or_default();
        if order == 0 {
            return Ok(());
        }
        let key = [order, district, warehouse];
        say(context, StatementKind::DeleteNewOrder, &key).await?;
        say(context, StatementKind::DeliveredCustomer, &key).await?;
        let customer = context.rows.int(0, 0).unwrap_or_default();
        let carrier = i64::from(self.input.carrier);
        say(
            context,
            StatementKind::SetCarrier,
            &[carrier, order, district, warehouse],
        )
        .await?;
        let values = context.bind(StatementKind::DateLines as u16);
        values.push_text(&self.now);
        for part in key {
            values.push_int(part);
        }
        context.execute().await?;
        say(context, StatementKind::SumLines, &key).await?;
        let amount = context.rows.number(0, 0).unwrap_or_default();
        let values = context.bind(StatementKind::BookDelivery as u16);
        values.push_double(self.money(amount));
        for part in [customer, district, warehouse] {
            values.push_int(part);
        }
        context.execute().await?;
        bare(context, StatementKind::Commit).await
    }

    /// Every distinct item of the last 20 orders is looked up by a statement of its own.
    pub(super) async fn stock_level(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let (warehouse, district) = self.input.home();
        say(
            context,
            StatementKind::StockDistrict,
            &[district, warehouse],
        )
        .await?;
        let next = context.rows.int(0, 0).unwrap_or_default();
        say(
            context,
            StatementKind::RecentItems,
            &[warehouse, district, next, next],
        )
        .await?;
        self.items.clear();
        let rows = 0..context.rows.len();
        self.items
            .extend(rows.filter_map(|row| context.rows.int(row, 0)));
        let threshold = i64::from(self.input.threshold);
        for item in &self.items {
            say(
                context,
                StatementKind::CountLow,
                &[warehouse, *item, threshold],
            )
            .await?;
        }
        bare(context, StatementKind::Commit).await?;
        Ok(EventEnd::Done)
    }
}
