//! How a worker of sysbench-tpcc takes an order.

use super::statements::{Kind, stock_of};
use super::terminal::Terminal;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::input::{Line, UNUSED_ITEM};
use crate::tpcc::lines::{Word, put_words};
use crate::tpcc::saying::say;
use crate::tpcc::stock::{DistInfo, dist_info, tool_rule};

/// The item number that the tool looks for in vain.
const NO_ITEM: i64 = -1;

/// What the lines of an order need of its head.
struct Head {
    order: i64,
    taxed: f64,
    discounted: f64,
}

impl Terminal {
    pub(super) async fn new_order(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        self.bare(Kind::Begin, talk).await?;
        let head = self.order_head(talk).await?;
        for place in 0..self.input.line_count {
            if !self.order_line(&head, place, talk).await? {
                self.bare(Kind::Rollback, talk).await?;
                return Ok(End::RolledBack);
            }
        }
        self.bare(Kind::Commit, talk).await?;
        Ok(End::Done)
    }

    async fn order_head(&self, talk: &mut Talk) -> Result<Head, GivenUp> {
        let (warehouse, district) = self.input.home();
        let input = &self.input;
        let customer = i64::from(input.customer);
        say(
            talk,
            self.of(Kind::OrderCustomer),
            &[warehouse, district, customer],
        )
        .await?;
        let discount = talk.rows.number(0, 0).unwrap_or_default();
        let warehouse_tax = talk.rows.number(0, 3).unwrap_or_default();
        say(talk, self.of(Kind::OrderDistrict), &[warehouse, district]).await?;
        let number = talk.rows.int(0, 0).unwrap_or_default();
        let district_tax = talk.rows.number(0, 1).unwrap_or_default();
        say(
            talk,
            self.of(Kind::RaiseDistrict),
            &[number + 1, district, warehouse],
        )
        .await?;
        let is_local = input.is_all_local() && !input.is_called_remote;
        let (lines, is_local) = (input.line_count as i64, i64::from(is_local));
        let row = [number, district, warehouse, customer, lines, is_local];
        say(talk, self.of(Kind::InsertOrder), &row).await?;
        say(
            talk,
            self.of(Kind::InsertNewOrder),
            &[number, district, warehouse],
        )
        .await?;
        Ok(Head {
            order: number,
            taxed: 1.0 + warehouse_tax + district_tax,
            discounted: 1.0 - discount,
        })
    }

    /// False if there is no such item.
    async fn order_line(
        &self,
        head: &Head,
        place: usize,
        talk: &mut Talk,
    ) -> Result<bool, GivenUp> {
        let line = self.input.lines[place];
        let (item, supplier) = (item_number(line), i64::from(line.supply));
        say(talk, self.of(Kind::Item), &[item]).await?;
        let Some(price) = talk.rows.number(0, 0) else {
            return Ok(false);
        };
        let stock = stock_of(self.input.set, self.input.district);
        say(talk, stock, &[item, supplier]).await?;
        let in_stock = talk.rows.int(0, 0).unwrap_or_default();
        let left = i64::from(tool_rule(in_stock as u32, line.quantity));
        let information = dist_info(talk, 2);
        say(talk, self.of(Kind::SetStock), &[left, item, supplier]).await?;
        let amount = f64::from(line.quantity) * price * head.taxed * head.discounted;
        self.write_line(head.order, place, amount, &information, talk);
        talk.ask().await?;
        Ok(true)
    }

    fn write_line(
        &self,
        order: i64,
        place: usize,
        amount: f64,
        information: &DistInfo,
        talk: &mut Talk,
    ) {
        let (warehouse, district) = self.input.home();
        let Line {
            item,
            supply,
            quantity,
        } = self.input.lines[place];
        // Q-ST-6: the tool cuts the fraction off.
        let (amount, places) = if self.shared.is_fixed {
            (amount, 2)
        } else {
            (amount.trunc(), 0)
        };
        let words = [
            Word::Bare(format_args!("{order}")),
            Word::Bare(format_args!("{district}")),
            Word::Bare(format_args!("{warehouse}")),
            Word::Bare(format_args!("{}", place + 1)),
            Word::Bare(format_args!("{item}")),
            Word::Bare(format_args!("{supply}")),
            Word::Bare(format_args!("{quantity}")),
            Word::Bare(format_args!("{amount:.places$}")),
            Word::Quoted(information.text()),
        ];
        let text = talk.write(self.of(Kind::InsertLine));
        put_words(self.template(Kind::InsertLine), &words, text);
    }
}

fn item_number(line: Line) -> i64 {
    if line.item == UNUSED_ITEM {
        NO_ITEM
    } else {
        i64::from(line.item)
    }
}
