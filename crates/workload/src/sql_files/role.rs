//! Sends transactions with a role to the other server of a load.

use super::directory::Directory;
use super::form::in_order;
use crate::WorkloadError;
use crate::option_value::identifier;

/// Returns the one role that transactions of a directory have, if any has one.
pub(super) fn read(directory: &Directory) -> Result<Option<String>, WorkloadError> {
    let mut only: Option<String> = None;
    for (_, form) in in_order(&directory.form.transactions) {
        let Some(role) = &form.role else {
            continue;
        };
        let wrong = |what: String| Err(directory.form_file.wrong_at(role.span(), what));
        let name = role.get_ref();
        if let Err(allowed) = identifier(name) {
            return wrong(format!("role = {name:?}: {allowed} is allowed"));
        }
        match &only {
            Some(other) if other != name => {
                return wrong(format!(
                    "roles {other} and {name}: one role is the most, as a user has two connections, one of them to the \
                     main server (transactions without a role)"
                ));
            }
            _ => only = Some(name.clone()),
        }
    }
    Ok(only)
}
