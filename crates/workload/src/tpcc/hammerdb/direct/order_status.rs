//! Runs Order-Status: 5 statements, 6 by name.

use super::{Says, count_named};
use crate::tpcc::client::{bare, found, push, say};
use crate::tpcc::input::TransactionInput;
use crate::tpcc::names::{LastName, middle_row};
use crate::transaction_script::{Aborted, ScriptContext};

pub(super) async fn run(
    input: &TransactionInput,
    is_fixed: bool,
    context: &mut ScriptContext,
) -> Result<(), Aborted> {
    let (warehouse, district) = (input.warehouse, input.district);
    let mut customer = input.customer;
    bare(context, Says::Begin).await?;
    if input.is_by_name {
        let place = [district, warehouse];
        let count = count_named(context, Says::AskerCount, input.last_name, place).await?;
        let values = context.bind(Says::AskersNamed.into());
        LastName::of(input.last_name).push(values);
        push(values, &place);
        context.execute().await?;
        if is_fixed {
            // HammerDB goes on with the number that was drawn (Q-HD-8).
            let named = context.rows.int(middle_row(count), 3).unwrap_or_default();
            customer = u32::try_from(named).unwrap_or_default();
        }
    } else {
        say(context, Says::Asker, &[customer, district, warehouse]).await?;
    }
    say(context, Says::LatestOrder, &[district, warehouse, customer]).await?;
    let order = found(context, 0, 0);
    say(context, Says::OrderLines, &[order, district, warehouse]).await
}
