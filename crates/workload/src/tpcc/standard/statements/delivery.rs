//! Runs Delivery: one transaction of 12 statements and 6 for each district that has an order.

use super::Says;
use crate::tpcc::client::{found, push, say};
use crate::tpcc::draws::DISTRICTS;
use crate::tpcc::input::TransactionInput;
use crate::transaction_script::{Aborted, EventEnd, ScriptContext};

pub(super) async fn run(
    input: &TransactionInput,
    context: &mut ScriptContext,
) -> Result<EventEnd, Aborted> {
    let warehouse = input.warehouse;
    for district in 1..=DISTRICTS {
        say(context, Says::OldestOrder, &[warehouse, district]).await?;
        if !context.rows.is_empty() {
            let order = found(context, 0, 0);
            deliver([warehouse, district, order], input.carrier, context).await?;
        }
    }
    Ok(EventEnd::Done)
}

/// Delivers one order.
async fn deliver(
    place: [u32; 3],
    carrier: u32,
    context: &mut ScriptContext,
) -> Result<(), Aborted> {
    let [warehouse, district, order] = place;
    say(context, Says::DropNewOrder, &place).await?;
    say(context, Says::OrderedBy, &place).await?;
    let customer = found(context, 0, 0);
    say(
        context,
        Says::SetCarrier,
        &[carrier, warehouse, district, order],
    )
    .await?;
    say(context, Says::DateLines, &place).await?;
    say(context, Says::SumLines, &place).await?;
    let total = context.rows.number(0, 0).unwrap_or_default();
    let values = context.bind(Says::Bill.into());
    values.push_double(total);
    push(values, &[warehouse, district, customer]);
    context.execute().await
}
