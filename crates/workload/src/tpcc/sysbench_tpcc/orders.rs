//! Runs New-Order as a worker of sysbench-tpcc does.

use super::statements::{StatementKind, stock_of};
use super::terminal::SysbenchTpccTerminal;
use crate::tpcc::client::say;
use crate::tpcc::input::{OrderLineInput, UNUSED_ITEM};
use crate::tpcc::statement_rows::{Word, put_words};
use crate::tpcc::stock::{DistInfo, dist_info, tool_rule};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

/// The item number that the tool looks for in vain.
const NO_ITEM: i64 = -1;

/// What the lines of an order need of its head.
struct SysbenchOrderHead {
    order: i64,
    taxed: f64,
    discounted: f64,
}

impl SysbenchTpccTerminal {
    pub(super) async fn new_order(
        &mut self,
        context: &mut ScriptContext,
    ) -> Result<EventEnd, Aborted> {
        self.bare(StatementKind::Begin, context).await?;
        let head = self.order_head(context).await?;
        for place in 0..self.input.line_count {
            if !self.order_line(&head, place, context).await? {
                self.bare(StatementKind::Rollback, context).await?;
                return Ok(EventEnd::RolledBack);
            }
        }
        self.bare(StatementKind::Commit, context).await?;
        Ok(EventEnd::Done)
    }

    async fn order_head(&self, context: &mut ScriptContext) -> Result<SysbenchOrderHead, Aborted> {
        let (warehouse, district) = self.input.home();
        let input = &self.input;
        let customer = i64::from(input.customer);
        say(
            context,
            self.of(StatementKind::OrderCustomer),
            &[warehouse, district, customer],
        )
        .await?;
        let discount = context.rows.number(0, 0).unwrap_or_default();
        let warehouse_tax = context.rows.number(0, 3).unwrap_or_default();
        say(
            context,
            self.of(StatementKind::OrderDistrict),
            &[warehouse, district],
        )
        .await?;
        let number = context.rows.int(0, 0).unwrap_or_default();
        let district_tax = context.rows.number(0, 1).unwrap_or_default();
        say(
            context,
            self.of(StatementKind::RaiseDistrict),
            &[number + 1, district, warehouse],
        )
        .await?;
        let is_local = input.is_all_local() && !input.is_called_remote;
        let (lines, is_local) = (input.line_count as i64, i64::from(is_local));
        let row = [number, district, warehouse, customer, lines, is_local];
        say(context, self.of(StatementKind::InsertOrder), &row).await?;
        say(
            context,
            self.of(StatementKind::InsertNewOrder),
            &[number, district, warehouse],
        )
        .await?;
        Ok(SysbenchOrderHead {
            order: number,
            taxed: 1.0 + warehouse_tax + district_tax,
            discounted: 1.0 - discount,
        })
    }

    /// False if there is no such item.
    async fn order_line(
        &self,
        head: &SysbenchOrderHead,
        place: usize,
        context: &mut ScriptContext,
    ) -> Result<bool, Aborted> {
        let line = self.input.lines[place];
        let (item, supplier) = (item_number(line), i64::from(line.supply));
        say(context, self.of(StatementKind::Item), &[item]).await?;
        let Some(price) = context.rows.number(0, 0) else {
            return Ok(false);
        };
        let stock = stock_of(self.input.set, self.input.district);
        say(context, stock, &[item, supplier]).await?;
        let in_stock = context.rows.int(0, 0).unwrap_or_default();
        let left = i64::from(tool_rule(in_stock as u32, line.quantity));
        let information = dist_info(context, 2);
        say(
            context,
            self.of(StatementKind::SetStock),
            &[left, item, supplier],
        )
        .await?;
        let amount = f64::from(line.quantity) * price * head.taxed * head.discounted;
        self.write_line(head.order, place, amount, &information, context);
        context.execute().await?;
        Ok(true)
    }

    fn write_line(
        &self,
        order: i64,
        place: usize,
        amount: f64,
        information: &DistInfo,
        context: &mut ScriptContext,
    ) {
        let (warehouse, district) = self.input.home();
        let OrderLineInput {
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
        let text = context.text(self.of(StatementKind::InsertLine));
        put_words(self.template(StatementKind::InsertLine), &words, text);
    }
}

fn item_number(line: OrderLineInput) -> i64 {
    if line.item == UNUSED_ITEM {
        NO_ITEM
    } else {
        i64::from(line.item)
    }
}
