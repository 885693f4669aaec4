//! What becomes of orders at sysbench-tpcc: order status, delivery, stock level and purge.

use super::statements::Kind;
use super::terminal::Terminal;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::draws::{DISTRICTS, uniform};
use crate::tpcc::lines::{Word, put_words};
use crate::tpcc::saying::{find_namesake, say};

/// Orders whose items a stock level looks at.
const RECENT_ORDERS: i64 = 20;
/// Orders that one purge may delete.
const PURGES: u32 = 10;

impl Terminal {
    pub(super) async fn order_status(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        let (warehouse, district) = self.input.home();
        self.bare(Kind::BeginReadOnly, talk).await?;
        let customer = self.buyer(talk).await?;
        say(
            talk,
            self.of(Kind::LastOrder),
            &[warehouse, district, customer],
        )
        .await?;
        // Q-ST-3: the tool puts the district's number in the place of the order's.
        let order = if self.shared.is_fixed {
            talk.rows.int(0, 0).unwrap_or_default()
        } else {
            district
        };
        say(
            talk,
            self.of(Kind::OrderLines),
            &[warehouse, district, order],
        )
        .await?;
        self.bare(Kind::Commit, talk).await?;
        Ok(End::Done)
    }

    /// The customer's number.
    async fn buyer(&self, talk: &mut Talk) -> Result<i64, GivenUp> {
        let (warehouse, district) = self.input.home();
        let drawn = i64::from(self.input.customer);
        if self.input.is_by_name {
            let statements = [Kind::CountBuyers, Kind::Buyers].map(|kind| self.of(kind));
            let row = find_namesake(talk, &self.input, statements, self.row_of()).await?;
            return Ok(talk.rows.int(row, 3).unwrap_or(drawn));
        }
        say(talk, self.of(Kind::Buyer), &[warehouse, district, drawn]).await?;
        Ok(drawn)
    }

    pub(super) async fn delivery(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        self.bare(Kind::Begin, talk).await?;
        for district in 1..=i64::from(DISTRICTS) {
            self.deliver(district, talk).await?;
        }
        self.bare(Kind::Commit, talk).await?;
        Ok(End::Done)
    }

    async fn deliver(&self, district: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let warehouse = i64::from(self.input.warehouse);
        say(talk, self.of(Kind::OldestNewOrder), &[district, warehouse]).await?;
        let Some(order) = talk.rows.int(0, 0) else {
            return Ok(());
        };
        let key = [order, district, warehouse];
        say(talk, self.of(Kind::DeleteNewOrder), &key).await?;
        say(talk, self.of(Kind::DeliveredCustomer), &key).await?;
        let customer = talk.rows.int(0, 0).unwrap_or_default();
        let carrier = i64::from(self.input.carrier);
        say(
            talk,
            self.of(Kind::SetCarrier),
            &[carrier, order, district, warehouse],
        )
        .await?;
        say(talk, self.of(Kind::DateLines), &key).await?;
        say(talk, self.of(Kind::SumLines), &key).await?;
        let amount = talk.rows.number(0, 0).unwrap_or_default();
        self.write_booking(amount, [customer, district, warehouse], talk);
        talk.ask().await
    }

    fn write_booking(&self, amount: f64, key: [i64; 3], talk: &mut Talk) {
        let [customer, district, warehouse] = key;
        let words = [
            Word::Bare(format_args!("{amount:.6}")),
            Word::Bare(format_args!("{customer}")),
            Word::Bare(format_args!("{district}")),
            Word::Bare(format_args!("{warehouse}")),
        ];
        let text = talk.write(self.of(Kind::BookDelivery));
        put_words(self.template(Kind::BookDelivery), &words, text);
    }

    pub(super) async fn stock_level(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        let (warehouse, district) = self.input.home();
        self.bare(Kind::BeginReadOnly, talk).await?;
        say(talk, self.of(Kind::StockDistrict), &[district, warehouse]).await?;
        let next = talk.rows.int(0, 0).unwrap_or_default();
        let threshold = i64::from(self.input.threshold);
        let values = [
            warehouse,
            district,
            next,
            next - RECENT_ORDERS,
            warehouse,
            threshold,
        ];
        say(talk, self.of(Kind::CountLow), &values).await?;
        self.bare(Kind::Commit, talk).await?;
        Ok(End::Done)
    }

    /// Each look for an old order is a transaction of its own, in a district drawn anew.
    pub(super) async fn purge(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        for _ in 0..PURGES {
            let district = i64::from(uniform(&mut self.stream, 1, DISTRICTS));
            self.bare(Kind::Begin, talk).await?;
            self.purge_district(district, talk).await?;
            self.bare(Kind::Commit, talk).await?;
        }
        Ok(End::Done)
    }

    async fn purge_district(&self, district: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let warehouse = i64::from(self.input.warehouse);
        say(
            talk,
            self.of(Kind::OldestUndelivered),
            &[warehouse, district],
        )
        .await?;
        let Some(oldest) = talk.rows.int(0, 0) else {
            return Ok(());
        };
        say(
            talk,
            self.of(Kind::OldOrder),
            &[warehouse, district, oldest],
        )
        .await?;
        let Some(order) = talk.rows.int(0, 0) else {
            return Ok(());
        };
        say(
            talk,
            self.of(Kind::PurgeLines),
            &[warehouse, district, order],
        )
        .await?;
        say(
            talk,
            self.of(Kind::PurgeOrder),
            &[warehouse, district, order],
        )
        .await?;
        say(talk, self.of(Kind::PurgeHistory), &[warehouse, district]).await
    }
}
