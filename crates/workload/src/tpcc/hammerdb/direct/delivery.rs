//! Runs Delivery: one transaction of 2 statements and 7 a district.

use super::{Says, cents};
use crate::tpcc::client::{bare, found, push, say};
use crate::tpcc::draws::DISTRICTS;
use crate::tpcc::input::TransactionInput;
use crate::transaction_script::{Aborted, ScriptContext};

pub(super) async fn run(
    input: &TransactionInput,
    is_fixed: bool,
    context: &mut ScriptContext,
) -> Result<(), Aborted> {
    bare(context, Says::Begin).await?;
    for district in 1..=DISTRICTS {
        let is_found = deliver(input, district, context).await?;
        if !is_found && !is_fixed {
            break; // HammerDB stops at the first empty district (Q-HD-8)
        }
    }
    Ok(())
}

/// Delivers the oldest order of a district, if there is one.
async fn deliver(
    input: &TransactionInput,
    district: u32,
    context: &mut ScriptContext,
) -> Result<bool, Aborted> {
    let warehouse = input.warehouse;
    say(context, Says::OldestOrder, &[warehouse, district]).await?;
    if context.rows.is_empty() {
        return Ok(false);
    }
    let order = found(context, 0, 0);
    let place = [order, district, warehouse];
    say(context, Says::DropNewOrder, &[warehouse, district, order]).await?;
    say(context, Says::OrderedBy, &place).await?;
    let customer = found(context, 0, 0);
    let [order, district, warehouse] = place;
    say(
        context,
        Says::SetCarrier,
        &[input.carrier, order, district, warehouse],
    )
    .await?;
    say(context, Says::DateLines, &place).await?;
    say(context, Says::SumLines, &place).await?;
    let total = cents(context.rows.number(0, 0).unwrap_or_default());
    let values = context.bind(Says::Bill.into());
    values.push_double(total);
    push(values, &[customer, district, warehouse]);
    context.execute().await?;
    Ok(true)
}
