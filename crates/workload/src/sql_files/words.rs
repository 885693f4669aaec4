//! Keeps names as long as the program runs, for the seams that hand out such.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// All names ever asked for: making a workload again takes no more memory.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Keeps the text for good.
pub(super) fn forever(text: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(text) {
        return known;
    }
    let kept: &'static str = String::from(text).leak();
    names.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::forever;

    #[test]
    fn a_name_asked_for_again_is_the_same_piece_of_memory() {
        let first = forever("order.read_item");
        assert_eq!(first, "order.read_item");
        let again = String::from("order.") + "read_item";
        assert!(std::ptr::eq(first, forever(&again)));
    }
}
