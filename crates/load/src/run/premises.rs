//! Whether the tables hold what the workload was asked to work on, before it works on them.

use crate::order::Access;
use crate::trouble::Trouble;
use dbdyno_drive::Load;

/// Asks every premise of the workload. A server that can't be reached or asked is left to the load, which says why.
pub(super) fn check(load: &Load, access: &Access) -> Result<(), Trouble> {
    let premises = load.workload.premises();
    if premises.is_empty() {
        return Ok(());
    }
    let Ok(mut session) = access.connect() else {
        return Ok(());
    };
    for premise in premises {
        match session.query(&premise.sql) {
            Ok(found) if found.rows.is_empty() => {
                return Err(Trouble::request(premise.otherwise).hint(premise.remedy));
            }
            Ok(_) => {}
            Err(_) => return Ok(()),
        }
    }
    session.close();
    Ok(())
}
