//! Runs New-Order as a connection of tpcc-mysql does.

use super::statements::StatementKind;
use super::terminal::TpccMysqlTerminal;
use crate::tpcc::client::{bare, say};
use crate::tpcc::stock::{dist_info, tool_rule};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

/// Place of s_dist_01 among the columns of a row of stock.
const FIRST_DIST: usize = 2;

/// What the lines of an order need of its head.
struct MysqlOrderHead {
    order: i64,
    /// What quantity times price is multiplied with.
    factor: f64,
}

impl TpccMysqlTerminal {
    pub(super) async fn new_order(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        let head = self.order_head(context).await?;
        for place in 0..self.input.line_count {
            if !self.order_line(&head, place, context).await? {
                bare(context, StatementKind::Rollback).await?;
                return Ok(EventEnd::RolledBack);
            }
        }
        bare(context, StatementKind::Commit).await?;
        Ok(EventEnd::Done)
    }

    async fn order_head(&self, context: &mut ScriptContext) -> Result<MysqlOrderHead, Aborted> {
        let (warehouse, district) = self.input.home();
        let customer = i64::from(self.input.customer);
        say(
            context,
            StatementKind::OrderCustomer,
            &[warehouse, district, customer],
        )
        .await?;
        let discount = context.rows.number(0, 0).unwrap_or_default();
        let warehouse_tax = context.rows.number(0, 3).unwrap_or_default();
        say(
            context,
            StatementKind::OrderDistrict,
            &[district, warehouse],
        )
        .await?;
        let order = context.rows.int(0, 0).unwrap_or_default();
        let district_tax = context.rows.number(0, 1).unwrap_or_default();
        say(
            context,
            StatementKind::RaiseDistrict,
            &[order, district, warehouse],
        )
        .await?;
        self.insert_order(order, context).await?;
        say(
            context,
            StatementKind::InsertNewOrder,
            &[order, district, warehouse],
        )
        .await?;
        Ok(MysqlOrderHead {
            order,
            factor: (1.0 + warehouse_tax + district_tax) * (1.0 - discount),
        })
    }

    async fn insert_order(&self, order: i64, context: &mut ScriptContext) -> Result<(), Aborted> {
        let (warehouse, district) = self.input.home();
        let values = context.bind(StatementKind::InsertOrder as u16);
        for value in [order, district, warehouse, i64::from(self.input.customer)] {
            values.push_int(value);
        }
        values.push_text(&self.now);
        values.push_int(self.input.line_count as i64);
        values.push_int(i64::from(self.input.is_all_local()));
        context.execute().await
    }

    /// False if there is no such item.
    async fn order_line(
        &self,
        head: &MysqlOrderHead,
        place: usize,
        context: &mut ScriptContext,
    ) -> Result<bool, Aborted> {
        let line = self.input.lines[place];
        let (item, supplier) = (i64::from(line.item), i64::from(line.supply));
        say(context, StatementKind::Item, &[item]).await?;
        let Some(price) = context.rows.number(0, 0) else {
            return Ok(false);
        };
        say(context, StatementKind::Stock, &[item, supplier]).await?;
        let in_stock = context.rows.int(0, 0).unwrap_or_default();
        let left = i64::from(tool_rule(in_stock as u32, line.quantity));
        let district = self.input.district as usize;
        let information = dist_info(context, FIRST_DIST + district - 1);
        say(context, StatementKind::SetStock, &[left, item, supplier]).await?;
        let amount = f64::from(line.quantity) * price * head.factor;
        let (warehouse, district) = self.input.home();
        let values = context.bind(StatementKind::InsertLine as u16);
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
        context.execute().await?;
        Ok(true)
    }
}
