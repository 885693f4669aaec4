//! Lists which of the tools' quirks are active.

use super::dialect::Dialect;
use super::options::{Strings, TpccOptions};

/// Identifiers of the active quirks, in rising order; [`crate::quirk`] says what each does.
pub(crate) fn active(options: &TpccOptions) -> Vec<String> {
    let mut quirks: Vec<String> = match options.dialect {
        _ if options.is_fixed() => Vec::new(),
        Dialect::Standard => Vec::new(),
        Dialect::SysbenchTpcc => numbered("Q-ST-", &[1, 2, 3, 5, 6, 7, 8]),
        // 1, 2 and 9 are of the tool's own figures and locks
        Dialect::TpccMysql => numbered("Q-TM-", &[3, 4, 5, 6, 7, 8, 10]),
        Dialect::Hammerdb if options.no_stored_procs => {
            numbered("Q-HD-", &[1, 2, 3, 4, 6, 8, 9, 10, 11])
        }
        Dialect::Hammerdb => numbered("Q-HD-", &[1, 2, 3, 4, 5, 6, 7, 9, 10, 11]),
    };
    if options.dialect == Dialect::Hammerdb && options.warehouses == 1 && !options.is_fixed() {
        quirks.push("Q-HD-12".to_owned());
    }
    if options.strings == Strings::Repeated {
        quirks.push("Q-ST-4".to_owned());
        quirks.sort();
    }
    quirks
}

fn numbered(prefix: &str, numbers: &[u32]) -> Vec<String> {
    let named = |number: &u32| format!("{prefix}{number}");
    numbers.iter().map(named).collect()
}
