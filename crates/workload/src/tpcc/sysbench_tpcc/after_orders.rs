//! Runs what follows orders at sysbench-tpcc: order status, delivery, stock level and purge.

use super::statements::StatementKind;
use super::terminal::SysbenchTpccTerminal;
use crate::tpcc::client::{find_namesake, say};
use crate::tpcc::draws::{DISTRICTS, uniform};
use crate::tpcc::statement_rows::{Word, put_words};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

/// Orders whose items a stock level looks at.
const RECENT_ORDERS: i64 = 20;
/// Orders that one purge may delete.
const PURGES: u32 = 10;

impl SysbenchTpccTerminal {
    pub(super) async fn order_status(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let (warehouse, district) = self.input.home();
        self.bare(StatementKind::BeginReadOnly, context).await?;
        let customer = self.buyer(context).await?;
        say(
            context,
            self.of(StatementKind::LastOrder),
            &[warehouse, district, customer],
        )
        .await?;
        // Q-ST-3: the tool puts the district's number in the place of the order's.
        let order = if self.shared.is_fixed {
            context.rows.int(0, 0).unwrap_or_default()
        } else {
            district
        };
        say(
            context,
            self.of(StatementKind::OrderLines),
            &[warehouse, district, order],
        )
        .await?;
        self.bare(StatementKind::Commit, context).await?;
        Ok(EventEnd::Done)
    }

    /// The customer's number.
    async fn buyer(&self, context: &mut ScriptContext) -> Result<i64, Aborted> {
        let (warehouse, district) = self.input.home();
        let drawn = i64::from(self.input.customer);
        if self.input.is_by_name {
            let statements =
                [StatementKind::CountBuyers, StatementKind::Buyers].map(|kind| self.of(kind));
            let row = find_namesake(context, &self.input, statements, self.row_of()).await?;
            return Ok(context.rows.int(row, 3).unwrap_or(drawn));
        }
        say(
            context,
            self.of(StatementKind::Buyer),
            &[warehouse, district, drawn],
        )
        .await?;
        Ok(drawn)
    }

    pub(super) async fn delivery(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        self.bare(StatementKind::Begin, context).await?;
        for district in 1..=i64::from(DISTRICTS) {
            self.deliver(district, context).await?;
        }
        self.bare(StatementKind::Commit, context).await?;
        Ok(EventEnd::Done)
    }

    async fn deliver(&self, district: i64, context: &mut ScriptContext) -> Result<(), Aborted> {
        let warehouse = i64::from(self.input.warehouse);
        say(
            context,
            self.of(StatementKind::OldestNewOrder),
            &[district, warehouse],
        )
        .await?;
        let Some(order) = context.rows.int(0, 0) else {
            return Ok(());
        };
        let key = [order, district, warehouse];
        say(context, self.of(StatementKind::DeleteNewOrder), &key).await?;
        say(context, self.of(StatementKind::DeliveredCustomer), &key).await?;
        let customer = context.rows.int(0, 0).unwrap_or_default();
        let carrier = i64::from(self.input.carrier);
        say(
            context,
            self.of(StatementKind::SetCarrier),
            &[carrier, order, district, warehouse],
        )
        .await?;
        say(context, self.of(StatementKind::DateLines), &key).await?;
        say(context, self.of(StatementKind::SumLines), &key).await?;
        let amount = context.rows.number(0, 0).unwrap_or_default();
        self.write_booking(amount, [customer, district, warehouse], context);
        context.execute().await
    }

    fn write_booking(&self, amount: f64, key: [i64; 3], context: &mut ScriptContext) {
        let [customer, district, warehouse] = key;
        let words = [
            Word::Bare(format_args!("{amount:.6}")),
            Word::Bare(format_args!("{customer}")),
            Word::Bare(format_args!("{district}")),
            Word::Bare(format_args!("{warehouse}")),
        ];
        let text = context.text(self.of(StatementKind::BookDelivery));
        put_words(self.template(StatementKind::BookDelivery), &words, text);
    }

    pub(super) async fn stock_level(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let (warehouse, district) = self.input.home();
        self.bare(StatementKind::BeginReadOnly, context).await?;
        say(
            context,
            self.of(StatementKind::StockDistrict),
            &[district, warehouse],
        )
        .await?;
        let next = context.rows.int(0, 0).unwrap_or_default();
        let threshold = i64::from(self.input.threshold);
        let values = [
            warehouse,
            district,
            next,
            next - RECENT_ORDERS,
            warehouse,
            threshold,
        ];
        say(context, self.of(StatementKind::CountLow), &values).await?;
        self.bare(StatementKind::Commit, context).await?;
        Ok(EventEnd::Done)
    }

    /// Each look for an old order is a transaction of its own, in a district drawn anew.
    pub(super) async fn purge(&mut self, context: &mut ScriptContext) -> Result<EventEnd, Aborted> {
        for _ in 0..PURGES {
            let district = i64::from(uniform(&mut self.stream, 1, DISTRICTS));
            self.bare(StatementKind::Begin, context).await?;
            self.purge_district(district, context).await?;
            self.bare(StatementKind::Commit, context).await?;
        }
        Ok(EventEnd::Done)
    }

    async fn purge_district(
        &self,
        district: i64,
        context: &mut ScriptContext,
    ) -> Result<(), Aborted> {
        let warehouse = i64::from(self.input.warehouse);
        say(
            context,
            self.of(StatementKind::OldestUndelivered),
            &[warehouse, district],
        )
        .await?;
        let Some(oldest) = context.rows.int(0, 0) else {
            return Ok(());
        };
        say(
            context,
            self.of(StatementKind::OldOrder),
            &[warehouse, district, oldest],
        )
        .await?;
        let Some(order) = context.rows.int(0, 0) else {
            return Ok(());
        };
        say(
            context,
            self.of(StatementKind::PurgeLines),
            &[warehouse, district, order],
        )
        .await?;
        say(
            context,
            self.of(StatementKind::PurgeOrder),
            &[warehouse, district, order],
        )
        .await?;
        say(
            context,
            self.of(StatementKind::PurgeHistory),
            &[warehouse, district],
        )
        .await
    }
}
