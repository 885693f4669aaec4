//! New-Order: 7 statements and 4 a line; one that is rolled back ends with its last item.

use super::Says;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::input::{Input, Line};
use crate::tpcc::saying::{found, push, say};
use crate::tpcc::stock;

pub(super) async fn tell(input: &Input, talk: &mut Talk) -> Result<End, GivenUp> {
    let (warehouse, district) = (input.warehouse, input.district);
    let customer = [warehouse, warehouse, district, input.customer];
    say(talk, Says::OrderCustomer, &customer).await?;
    say(talk, Says::OrderDistrict, &[warehouse, district]).await?;
    let order = found(talk, 0, 0);
    say(talk, Says::RaiseNextOrder, &[warehouse, district]).await?;
    let (count, all_local) = (input.line_count as u32, u32::from(input.is_all_local()));
    let values = [order, district, warehouse, input.customer, count, all_local];
    say(talk, Says::Order, &values).await?;
    say(talk, Says::NewOrder, &[order, district, warehouse]).await?;
    for (number, line) in (1..).zip(input.order_lines()) {
        say(talk, Says::Item, &[line.item]).await?;
        if talk.rows.is_empty() {
            return Ok(End::RolledBack);
        }
        let price = talk.rows.number(0, 0).unwrap_or_default();
        tell_line(input, order, number, line, price, talk).await?;
    }
    Ok(End::Done)
}

async fn tell_line(
    input: &Input,
    order: u32,
    number: u32,
    line: &Line,
    price: f64,
    talk: &mut Talk,
) -> Result<(), GivenUp> {
    say(talk, Says::Stock, &[input.district, line.supply, line.item]).await?;
    let left = stock::standard_rule(found(talk, 0, 0), line.quantity);
    let dist_info = stock::dist_info(talk, 2);
    let is_remote = u32::from(line.supply != input.warehouse);
    let values = [left, line.quantity, is_remote, line.supply, line.item];
    say(talk, Says::TakeStock, &values).await?;
    let values = talk.say(Says::NewLine.into());
    push(values, &[order, input.district, input.warehouse, number]);
    push(values, &[line.item, line.supply, line.quantity]);
    values.push_double(f64::from(line.quantity) * price);
    values.push_text(dist_info.text());
    talk.ask().await
}
