//! Delivery: one transaction of 2 statements and 7 a district.

use super::{Says, cents};
use crate::story::{GivenUp, Talk};
use crate::tpcc::draws::DISTRICTS;
use crate::tpcc::input::Input;
use crate::tpcc::saying::{bare, found, push, say};

pub(super) async fn tell(input: &Input, is_fixed: bool, talk: &mut Talk) -> Result<(), GivenUp> {
    bare(talk, Says::Begin).await?;
    for district in 1..=DISTRICTS {
        let is_found = deliver(input, district, talk).await?;
        if !is_found && !is_fixed {
            break; // HammerDB stops at the first empty district (Q-HD-8)
        }
    }
    Ok(())
}

/// Delivers the oldest order of a district, if there is one.
async fn deliver(input: &Input, district: u32, talk: &mut Talk) -> Result<bool, GivenUp> {
    let warehouse = input.warehouse;
    say(talk, Says::OldestOrder, &[warehouse, district]).await?;
    if talk.rows.is_empty() {
        return Ok(false);
    }
    let order = found(talk, 0, 0);
    let place = [order, district, warehouse];
    say(talk, Says::DropNewOrder, &[warehouse, district, order]).await?;
    say(talk, Says::OrderedBy, &place).await?;
    let customer = found(talk, 0, 0);
    let [order, district, warehouse] = place;
    say(
        talk,
        Says::SetCarrier,
        &[input.carrier, order, district, warehouse],
    )
    .await?;
    say(talk, Says::DateLines, &place).await?;
    say(talk, Says::SumLines, &place).await?;
    let total = cents(talk.rows.number(0, 0).unwrap_or_default());
    let values = talk.say(Says::Bill.into());
    values.push_double(total);
    push(values, &[customer, district, warehouse]);
    talk.ask().await?;
    Ok(true)
}
