//! Delivery: one transaction of 12 statements and 6 for each district that has an order.

use super::Says;
use crate::story::{End, GivenUp, Talk};
use crate::tpcc::draws::DISTRICTS;
use crate::tpcc::input::Input;
use crate::tpcc::saying::{found, push, say};

pub(super) async fn tell(input: &Input, talk: &mut Talk) -> Result<End, GivenUp> {
    let warehouse = input.warehouse;
    for district in 1..=DISTRICTS {
        say(talk, Says::OldestOrder, &[warehouse, district]).await?;
        if !talk.rows.is_empty() {
            let order = found(talk, 0, 0);
            deliver([warehouse, district, order], input.carrier, talk).await?;
        }
    }
    Ok(End::Done)
}

/// Delivers one order.
async fn deliver(place: [u32; 3], carrier: u32, talk: &mut Talk) -> Result<(), GivenUp> {
    let [warehouse, district, order] = place;
    say(talk, Says::DropNewOrder, &place).await?;
    say(talk, Says::OrderedBy, &place).await?;
    let customer = found(talk, 0, 0);
    say(
        talk,
        Says::SetCarrier,
        &[carrier, warehouse, district, order],
    )
    .await?;
    say(talk, Says::DateLines, &place).await?;
    say(talk, Says::SumLines, &place).await?;
    let total = talk.rows.number(0, 0).unwrap_or_default();
    let values = talk.say(Says::Bill.into());
    values.push_double(total);
    push(values, &[warehouse, district, customer]);
    talk.ask().await
}
