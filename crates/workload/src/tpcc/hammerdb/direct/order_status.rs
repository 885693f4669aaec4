//! Order-Status: 5 statements, 6 by name.

use super::{Says, count_named, found, push, say};
use crate::story::{GivenUp, Talk};
use crate::tpcc::input::Input;
use crate::tpcc::names::LastName;

pub(super) async fn tell(input: &Input, is_fixed: bool, talk: &mut Talk) -> Result<(), GivenUp> {
    let (warehouse, district) = (input.warehouse, input.district);
    let mut customer = input.customer;
    say(talk, Says::Begin, &[]).await?;
    if input.is_by_name {
        let place = [district, warehouse];
        let count = count_named(talk, Says::AskerCount, input.last_name, place).await?;
        let values = talk.say(Says::AskersNamed.into());
        LastName::of(input.last_name).push(values);
        push(values, &place);
        talk.ask().await?;
        if is_fixed {
            // HammerDB goes on with the number that was drawn (Q-HD-8).
            let named = talk.rows.int(row_of(count), 3).unwrap_or_default();
            customer = u32::try_from(named).unwrap_or_default();
        }
    } else {
        say(talk, Says::Asker, &[customer, district, warehouse]).await?;
    }
    say(talk, Says::LatestOrder, &[district, warehouse, customer]).await?;
    let order = found(talk, 0);
    say(talk, Says::OrderLines, &[order, district, warehouse]).await
}

/// The row, from 0, of the customer meant by a name that `count` have.
fn row_of(count: usize) -> usize {
    count.div_ceil(2).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::vectors::vectors;

    #[test]
    fn the_customer_of_a_name_is_in_the_row_of_the_vectors() {
        let Some(file) = vectors("tpcc.json") else {
            return;
        };
        for row in file["customer_by_last_name_row"].as_array().unwrap() {
            let count = row["rows"].as_u64().unwrap() as usize;
            let place = row_of(count) + 1;
            assert_eq!(row["hammerdb_no_procedures_order_status"], place, "{row}");
        }
    }
}
