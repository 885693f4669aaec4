//! How a connection of tpcc-mysql takes an order.

use super::statements::Kind;
use super::terminal::Terminal;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::saying::{bare, say};
use crate::tpcc::stock::{dist_info, tool_rule};

/// Place of s_dist_01 among the columns of a row of stock.
const FIRST_DIST: usize = 2;

/// What the lines of an order need of its head.
struct Head {
    order: i64,
    /// What quantity times price is multiplied with.
    factor: f64,
}

impl Terminal {
    pub(super) async fn new_order(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        let head = self.order_head(talk).await?;
        for place in 0..self.input.line_count {
            if !self.order_line(&head, place, talk).await? {
                bare(talk, Kind::Rollback).await?;
                return Ok(End::RolledBack);
            }
        }
        bare(talk, Kind::Commit).await?;
        Ok(End::Done)
    }

    async fn order_head(&self, talk: &mut Talk) -> Result<Head, GivenUp> {
        let (warehouse, district) = self.input.home();
        let customer = i64::from(self.input.customer);
        say(talk, Kind::OrderCustomer, &[warehouse, district, customer]).await?;
        let discount = talk.rows.number(0, 0).unwrap_or_default();
        let warehouse_tax = talk.rows.number(0, 3).unwrap_or_default();
        say(talk, Kind::OrderDistrict, &[district, warehouse]).await?;
        let order = talk.rows.int(0, 0).unwrap_or_default();
        let district_tax = talk.rows.number(0, 1).unwrap_or_default();
        say(talk, Kind::RaiseDistrict, &[order, district, warehouse]).await?;
        self.insert_order(order, talk).await?;
        say(talk, Kind::InsertNewOrder, &[order, district, warehouse]).await?;
        Ok(Head {
            order,
            factor: (1.0 + warehouse_tax + district_tax) * (1.0 - discount),
        })
    }

    async fn insert_order(&self, order: i64, talk: &mut Talk) -> Result<(), GivenUp> {
        let (warehouse, district) = self.input.home();
        let values = talk.say(Kind::InsertOrder as u16);
        for value in [order, district, warehouse, i64::from(self.input.customer)] {
            values.push_int(value);
        }
        values.push_text(&self.now);
        values.push_int(self.input.line_count as i64);
        values.push_int(i64::from(self.input.is_all_local()));
        talk.ask().await
    }

    /// False if there is no such item.
    async fn order_line(
        &self,
        head: &Head,
        place: usize,
        talk: &mut Talk,
    ) -> Result<bool, GivenUp> {
        let line = self.input.lines[place];
        let (item, supplier) = (i64::from(line.item), i64::from(line.supply));
        say(talk, Kind::Item, &[item]).await?;
        let Some(price) = talk.rows.number(0, 0) else {
            return Ok(false);
        };
        say(talk, Kind::Stock, &[item, supplier]).await?;
        let in_stock = talk.rows.int(0, 0).unwrap_or_default();
        let left = i64::from(tool_rule(in_stock as u32, line.quantity));
        let district = self.input.district as usize;
        let information = dist_info(talk, FIRST_DIST + district - 1);
        say(talk, Kind::SetStock, &[left, item, supplier]).await?;
        let amount = f64::from(line.quantity) * price * head.factor;
        let (warehouse, district) = self.input.home();
        let values = talk.say(Kind::InsertLine as u16);
        for value in [
            head.order,
            district,
            warehouse,
            place as i64 + 1,
            item,
            supplier,
        ] {
            values.push_int(value);
        }
        values.push_int(i64::from(line.quantity));
        values.push_double(self.money(amount));
        values.push_text(information.text());
        talk.ask().await?;
        Ok(true)
    }
}
