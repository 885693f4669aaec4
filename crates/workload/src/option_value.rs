//! Reads the values of options: each function takes the text and gives the value, or says what is allowed.

/// Reads a whole number from `low` to `high`.
pub(crate) fn whole(
    text: &str,
    low: u32,
    high: u32,
    allowed: &'static str,
) -> Result<u32, &'static str> {
    text.parse()
        .ok()
        .filter(|value| (low..=high).contains(value))
        .ok_or(allowed)
}

/// Reads on or off.
pub(crate) fn switch(text: &str) -> Result<bool, &'static str> {
    match text {
        "on" | "true" | "1" => Ok(true),
        "off" | "false" | "0" => Ok(false),
        _ => Err("on, off, true, false, 1 or 0"),
    }
}

/// Returns how a switch is written.
pub(crate) fn switch_word(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

/// Reads a number for which `right` holds.
pub(crate) fn real(
    text: &str,
    right: fn(f64) -> bool,
    allowed: &'static str,
) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|value| right(*value))
        .ok_or(allowed)
}

/// Reads text for which `right` holds.
pub(crate) fn words(
    text: &str,
    right: fn(&str) -> bool,
    allowed: &'static str,
) -> Result<String, &'static str> {
    if right(text) {
        Ok(text.to_owned())
    } else {
        Err(allowed)
    }
}

/// Reads how closely the imitated tool is followed.
pub(crate) fn fidelity(text: &str) -> Result<String, &'static str> {
    let right = |text: &str| matches!(text, "tool" | "fixed");
    words(text, right, "tool or fixed")
}

/// Reads a name that needs no quotes in SQL.
pub(crate) fn identifier(text: &str) -> Result<String, &'static str> {
    let right = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    words(text, right, "a word of letters, digits and underscores")
}

/// Reads words of SQL that are put at the end of a statement unchanged.
pub(crate) fn sql_tail(text: &str) -> Result<String, &'static str> {
    words(
        text,
        |text| !text.contains('\0'),
        "text without NUL characters",
    )
}
