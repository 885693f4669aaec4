//! Finds the known word nearest to a mistyped one.

/// Returns the word of `known` that takes the fewest changes (insert, delete, replace, swap neighbours) to get to from
/// `word`; the first of several. Empty if nothing is known.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> &'a str {
    known
        .into_iter()
        .min_by_key(|candidate| changes(word, candidate))
        .unwrap_or("")
}

/// Returns the nearest word if it takes at most one change in three letters, so that the other was probably meant.
#[must_use]
pub fn probably_meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = nearest(word, known);
    (changes(word, near) <= word.len().max(1).div_ceil(3)).then_some(near)
}

/// Returns the optimal string alignment distance, over bytes: the words are ASCII.
fn changes(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(a != b);
            let mut best = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::{changes, nearest, probably_meant};

    #[test]
    fn a_slip_of_the_finger_is_one_change() {
        for (from, to) in [
            ("tables", "tabels"),
            ("tables", "table"),
            ("tables", "ttables"),
            ("tables", "tablez"),
        ] {
            assert_eq!(changes(from, to), 1, "{from} {to}");
        }
        assert_eq!(changes("", "abc"), 3);
        assert_eq!(changes("same", "same"), 0);
    }

    #[test]
    fn the_nearest_word_wins() {
        let known = ["tables", "table_size", "range_size"];
        assert_eq!(nearest("table_sise", known), "table_size");
        assert_eq!(nearest("anything", []), "");
    }

    #[test]
    fn a_word_that_is_far_from_all_has_no_meaning() {
        let known = ["run", "search", "populate"];
        assert_eq!(probably_meant("rnu", known), Some("run"));
        assert_eq!(probably_meant("popluate", known), Some("populate"));
        assert_eq!(probably_meant("oltp_read_write", known), None);
        assert_eq!(probably_meant("cpu", known), None);
        assert_eq!(probably_meant("", []), Some(""));
    }
}
