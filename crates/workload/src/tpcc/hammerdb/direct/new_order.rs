//! New-Order: 7 statements and 4 a line; one that is rolled back ends with its last item.

use super::super::super::stock;
use super::Says;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::input::{Input, Line};
use crate::tpcc::saying::{bare, found, push, say};

/// What the lines need to know of their order.
struct Order {
    id: u32,
    /// (1 + taxes) x (1 - discount)
    factor: f64,
}

pub(super) async fn tell(input: &Input, talk: &mut Talk) -> Result<End, GivenUp> {
    let (warehouse, district) = (input.warehouse, input.district);
    let customer = [warehouse, warehouse, district, input.customer];
    say(talk, Says::OrderCustomer, &customer).await?;
    let number = |talk: &Talk, column| talk.rows.number(0, column).unwrap_or_default();
    let (discount, warehouse_tax) = (number(talk, 0), number(talk, 3));
    bare(talk, Says::Begin).await?;
    say(talk, Says::OrderDistrict, &[district, warehouse]).await?;
    let district_tax = number(talk, 1);
    let order = Order {
        id: found(talk, 0, 0),
        factor: (1.0 + warehouse_tax + district_tax) * (1.0 - discount),
    };
    say(talk, Says::RaiseNextOrder, &[district, warehouse]).await?;
    for (number, line) in (1..).zip(input.order_lines()) {
        if !tell_line(input, &order, number, line, talk).await? {
            bare(talk, Says::Rollback).await?;
            return Ok(End::RolledBack);
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
    say(talk, Says::Order, &values).await?;
    say(talk, Says::NewOrder, &[order.id, district, warehouse]).await?;
    bare(talk, Says::Commit).await?;
    Ok(End::Done)
}

/// False if there is no such item.
async fn tell_line(
    input: &Input,
    order: &Order,
    number: u32,
    line: &Line,
    talk: &mut Talk,
) -> Result<bool, GivenUp> {
    say(talk, Says::Item, &[line.item]).await?;
    if talk.rows.is_empty() {
        return Ok(false);
    }
    let price = talk.rows.number(0, 0).unwrap_or_default();
    say(talk, Says::Stock, &[line.item, line.supply]).await?;
    let left = stock::tool_rule(found(talk, 0, 0), line.quantity);
    let dist_info = stock::dist_info(talk, 1 + input.district as usize);
    say(talk, Says::TakeStock, &[left, line.item, line.supply]).await?;
    let values = talk.say(Says::NewLine.into());
    push(values, &[order.id, input.district, input.warehouse]);
    push(values, &[number, line.item, line.supply, line.quantity]);
    values.push_double(f64::from(line.quantity) * price * order.factor);
    values.push_text(dist_info.text());
    talk.ask().await?;
    Ok(true)
}
