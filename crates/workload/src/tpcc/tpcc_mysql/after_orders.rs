//! What becomes of orders at tpcc-mysql: order status, delivery and stock level.

use super::statements::Kind;
use super::terminal::Terminal;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::draws::DISTRICTS;
use crate::tpcc::names::middle_row;
use crate::tpcc::saying::{bare, find_namesake, say};

impl Terminal {
    pub(super) async fn order_status(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        let (warehouse, district) = self.input.home();
        let customer = self.buyer(talk).await?;
        let key = [warehouse, district, customer];
        let [a, b, c] = key;
        say(talk, Kind::LastOrder, &[a, b, c, a, b, c]).await?;
        let order = talk.rows.int(0, 0).unwrap_or_default();
        say(talk, Kind::OrderLines, &[warehouse, district, order]).await?;
        bare(talk, Kind::Commit).await?;
        Ok(End::Done)
    }

    /// The customer's number: for the tool the drawn one even if the customer was named (Q-TM-4).
    async fn buyer(&self, talk: &mut Talk) -> Result<i64, GivenUp> {
        let (warehouse, district) = self.input.home();
        let drawn = i64::from(self.input.customer);
        if !self.input.is_by_name {
            say(talk, Kind::Buyer, &[warehouse, district, drawn]).await?;
            return Ok(drawn);
        }
        let statements = [Kind::CountBuyers, Kind::Buyers].map(u16::from);
        let row = find_namesake(talk, &self.input, statements, middle_row).await?;
        let found = talk.rows.int(row, 3).filter(|_| self.shared.is_fixed);
        Ok(found.unwrap_or(drawn))
    }

    /// Each district is a transaction of its own.
    pub(super) async fn delivery(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        for district in 1..=i64::from(DISTRICTS) {
            self.deliver(district, talk).await?;
        }
        Ok(End::Done)
    }

    async fn deliver(&self, district: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let warehouse = i64::from(self.input.warehouse);
        say(talk, Kind::OldestNewOrder, &[district, warehouse]).await?;
        let order = talk.rows.int(0, 0).unwrap_or_default();
        if order == 0 {
            return Ok(());
        }
        let key = [order, district, warehouse];
        say(talk, Kind::DeleteNewOrder, &key).await?;
        say(talk, Kind::DeliveredCustomer, &key).await?;
        let customer = talk.rows.int(0, 0).unwrap_or_default();
        let carrier = i64::from(self.input.carrier);
        say(
            talk,
            Kind::SetCarrier,
            &[carrier, order, district, warehouse],
        )
        .await?;
        let values = talk.say(Kind::DateLines as u16);
        values.push_text(&self.now);
        for part in key {
            values.push_int(part);
        }
        talk.ask().await?;
        say(talk, Kind::SumLines, &key).await?;
        let amount = talk.rows.number(0, 0).unwrap_or_default();
        let values = talk.say(Kind::BookDelivery as u16);
        values.push_double(self.money(amount));
        for part in [customer, district, warehouse] {
            values.push_int(part);
        }
        talk.ask().await?;
        bare(talk, Kind::Commit).await
    }

    /// Every distinct item of the last 20 orders is looked up by a statement of its own.
    pub(super) async fn stock_level(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        let (warehouse, district) = self.input.home();
        say(talk, Kind::StockDistrict, &[district, warehouse]).await?;
        let next = talk.rows.int(0, 0).unwrap_or_default();
        say(talk, Kind::RecentItems, &[warehouse, district, next, next]).await?;
        self.items.clear();
        let rows = 0..talk.rows.len();
        self.items
            .extend(rows.filter_map(|row| talk.rows.int(row, 0)));
        let threshold = i64::from(self.input.threshold);
        for item in &self.items {
            say(talk, Kind::CountLow, &[warehouse, *item, threshold]).await?;
        }
        bare(talk, Kind::Commit).await?;
        Ok(End::Done)
    }
}
