//! Defines the five stored procedures, in this project's own words: the statements inside and their order are
//! HammerDB's.

use super::super::options::TpccOptions;
use super::super::statements::filled_in;

const TEXTS: [(&str, &str); 5] = [
    ("NEWORD", include_str!("sql/neword.sql")),
    ("PAYMENT", include_str!("sql/payment.sql")),
    ("OSTAT", include_str!("sql/ostat.sql")),
    ("DELIVERY", include_str!("sql/delivery.sql")),
    ("SLEV", include_str!("sql/slev.sql")),
];

/// Returns what stands where the two fidelities differ, in procedures and in single statements.
pub(super) fn words(is_fixed: bool) -> &'static [(&'static str, &'static str)] {
    if is_fixed { FIXED } else { TOOL }
}

/// As HammerDB does it, with its quirks.
const TOOL: &[(&str, &str)] = &[
    ("{item}", "FLOOR(1 + RAND() * 100000)"),         // Q-HD-9
    ("{for_update}", ""),                             // Q-HD-3
    ("{is_remote}", "TRUE"),                          // Q-HD-12
    ("{place}", "(found + MOD(found, 2)) DIV 2 + 1"), // Q-HD-7
    ("{sign}", "+"),                                  // Q-HD-4
    ("{paid}", ""),                                   // Q-HD-6
    ("{delivered}", ""),                              // Q-HD-6
    ("{oldest}", " LIMIT 1"),                         // Q-HD-5
    ("{is_found}", "TRUE"),                           // Q-HD-5
    ("{length}", "500 - LENGTH(news)"),               // Q-HD-10
    ("{date}", "DATE_FORMAT(NOW(), '%Y%m%d%H%i%S')"), // Q-HD-8
];

/// The same with every quirk repaired. The constant of the items is [`ITEM_C`](super::ITEM_C).
const FIXED: &[(&str, &str)] = &[
    (
        "{item}",
        "1 + MOD((FLOOR(RAND() * 8192) | FLOOR(1 + RAND() * 100000)) + 7911, 100000)",
    ),
    ("{for_update}", " FOR UPDATE"),
    ("{is_remote}", "in_max_w > 1"),
    ("{place}", "(found + 1) DIV 2"),
    ("{sign}", "-"),
    ("{paid}", ", c_ytd_payment = c_ytd_payment + {amount}"),
    ("{delivered}", ", c_delivery_cnt = c_delivery_cnt + 1"),
    ("{oldest}", " ORDER BY no_o_id LIMIT 1 FOR UPDATE"),
    ("{is_found}", "is_missing = 0"),
    ("{length}", "500"),
    ("{date}", "NOW()"),
];

/// Returns statements that create them; none where the load does without.
pub(crate) fn procedures(options: &TpccOptions) -> Vec<String> {
    if options.no_stored_procs {
        return Vec::new();
    }
    let words = words(options.is_fixed());
    let text = |(_, text): &(&str, &str)| {
        let text = filled_in(text.trim_end(), words);
        filled_in(&text, &[("{amount}", "in_amount")])
    };
    TEXTS.iter().map(text).collect()
}

/// Returns statements that take them away, whether they're there or not.
pub(crate) fn drop_procedures() -> Vec<String> {
    let text = |(name, _): &(&str, &str)| format!("DROP PROCEDURE IF EXISTS {name}");
    TEXTS.iter().map(text).collect()
}
