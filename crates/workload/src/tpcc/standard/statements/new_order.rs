//! Runs New-Order: 7 statements and 4 a line; one that is rolled back ends with its last item.

use super::Says;
use crate::tpcc::client::{found, push, say};
use crate::tpcc::input::{OrderLineInput, TransactionInput};
use crate::tpcc::stock;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

pub(super) async fn run(
    input: &TransactionInput,
    context: &mut ScriptContext,
) -> Result<EventEnd, Aborted> {
    let (warehouse, district) = (input.warehouse, input.district);
    let customer = [warehouse, warehouse, district, input.customer];
    say(context, Says::OrderCustomer, &customer).await?;
    say(context, Says::OrderDistrict, &[warehouse, district]).await?;
    let order = found(context, 0, 0);
    say(context, Says::RaiseNextOrder, &[warehouse, district]).await?;
    let (count, all_local) = (input.line_count as u32, u32::from(input.is_all_local()));
    let values = [order, district, warehouse, input.customer, count, all_local];
    say(context, Says::Order, &values).await?;
    say(context, Says::NewOrder, &[order, district, warehouse]).await?;
    for (number, line) in (1..).zip(input.order_lines()) {
        say(context, Says::Item, &[line.item]).await?;
        if context.rows.is_empty() {
            return Ok(EventEnd::RolledBack);
        }
        let price = context.rows.number(0, 0).unwrap_or_default();
        tell_line(input, order, number, line, price, context).await?;
    }
    Ok(EventEnd::Done)
}

async fn tell_line(
    input: &TransactionInput,
    order: u32,
    number: u32,
    line: &OrderLineInput,
    price: f64,
    context: &mut ScriptContext,
) -> Result<(), Aborted> {
    say(
        context,
        Says::Stock,
        &[input.district, line.supply, line.item],
    )
    .await?;
    let left = stock::standard_rule(found(context, 0, 0), line.quantity);
    let dist_info = stock::dist_info(context, 2);
    let is_remote = u32::from(line.supply != input.warehouse);
    let values = [left, line.quantity, is_remote, line.supply, line.item];
    say(context, Says::TakeStock, &values).await?;
    let values = context.bind(Says::NewLine.into());
    push(values, &[order, input.district, input.warehouse, number]);
    push(values, &[line.item, line.supply, line.quantity]);
    values.push_double(f64::from(line.quantity) * price);
    values.push_text(dist_info.text());
    context.execute().await
}
