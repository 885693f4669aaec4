//! Order-Status: 5 statements, 6 by name.

use super::{Says, count_named};
use crate::story::{GivenUp, Talk};
use crate::tpcc::input::Input;
use crate::tpcc::names::{LastName, middle_row};
use crate::tpcc::saying::{bare, found, push, say};

pub(super) async fn tell(input: &Input, is_fixed: bool, talk: &mut Talk) -> Result<(), GivenUp> {
    let (warehouse, district) = (input.warehouse, input.district);
    let mut customer = input.customer;
    bare(talk, Says::Begin).await?;
    if input.is_by_name {
        let place = [district, warehouse];
        let count = count_named(talk, Says::AskerCount, input.last_name, place).await?;
        let values = talk.say(Says::AskersNamed.into());
        LastName::of(input.last_name).push(values);
        push(values, &place);
        talk.ask().await?;
        if is_fixed {
            // HammerDB goes on with the number that was drawn (Q-HD-8).
            let named = talk.rows.int(middle_row(count), 3).unwrap_or_default();
            customer = u32::try_from(named).unwrap_or_default();
        }
    } else {
        say(talk, Says::Asker, &[customer, district, warehouse]).await?;
    }
    say(talk, Says::LatestOrder, &[district, warehouse, customer]).await?;
    let order = found(talk, 0, 0);
    say(talk, Says::OrderLines, &[order, district, warehouse]).await
}
