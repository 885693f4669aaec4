//! Runs New-Order: 7 statements and 4 a line; one that is rolled back ends with its last item.

use super::super::super::stock;
use super::Says;
use crate::tpcc::client::{bare, found, push, say};
use crate::tpcc::input::{OrderLineInput, TransactionInput};
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

/// What the lines need to know of their order.
struct Order {
    id: u32,
    /// (1 + taxes) x (1 - discount)
    factor: f64,
}

pub(super) async fn run(
    input: &TransactionInput,
    context: &mut ScriptContext,
) -> Result<EventEnd, Aborted> {
    let (warehouse, district) = (input.warehouse, input.district);
    let customer = [warehouse, warehouse, district, input.customer];
    say(context, Says::OrderCustomer, &customer).await?;
    let number =
        |context: &ScriptContext, column| context.rows.number(0, column).unwrap_or_default();
    let (discount, warehouse_tax) = (number(context, 0), number(context, 3));
    bare(context, Says::Begin).await?;
    say(context, Says::OrderDistrict, &[district, warehouse]).await?;
    let district_tax = number(context, 1);
    let order = Order {
        id: found(context, 0, 0),
        factor: (1.0 + warehouse_tax + district_tax) * (1.0 - discount),
    };
    say(context, Says::RaiseNextOrder, &[district, warehouse]).await?;
    for (number, line) in (1..).zip(input.order_lines()) {
        if !tell_line(input, &order, number, line, context).await? {
            bare(context, Says::Rollback).await?;
            return Ok(EventEnd::RolledBack);
        }
    }
    let count = input.line_count as u32;
    let values = [
        order.id,
        district,
        warehouse,
        input.customer,
        count,
        u32::from(input.is_all_local()),
    ];
    say(context, Says::Order, &values).await?;
    say(context, Says::NewOrder, &[order.id, district, warehouse]).await?;
    bare(context, Says::Commit).await?;
    Ok(EventEnd::Done)
}

/// False if there is no such item.
async fn tell_line(
    input: &TransactionInput,
    order: &Order,
    number: u32,
    line: &OrderLineInput,
    context: &mut ScriptContext,
) -> Result<bool, Aborted> {
    say(context, Says::Item, &[line.item]).await?;
    if context.rows.is_empty() {
        return Ok(false);
    }
    let price = context.rows.number(0, 0).unwrap_or_default();
    say(context, Says::Stock, &[line.item, line.supply]).await?;
    let left = stock::tool_rule(found(context, 0, 0), line.quantity);
    let dist_info = stock::dist_info(context, 1 + input.district as usize);
    say(context, Says::TakeStock, &[left, line.item, line.supply]).await?;
    let values = context.bind(Says::NewLine.into());
    push(values, &[order.id, input.district, input.warehouse]);
    push(values, &[number, line.item, line.supply, line.quantity]);
    values.push_double(f64::from(line.quantity) * price * order.factor);
    values.push_text(dist_info.text());
    context.execute().await?;
    Ok(true)
}
