//! Implements `dbdyno-load quirks`: it lists the quirks of the imitated tools and what each does.

use crate::arguments::QuirksArguments;
use crate::cli_error::{CliError, unwritable};
use crate::error_code::ErrorCode;
use crate::order::SCHEMA_VERSION;
use crate::terminal;
use dbdyno_workload::{Quirk, quirk, quirks};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Column at which the text of a quirk begins.
const INDENT: usize = 9;
/// Widest line, in columns.
const WIDTH: usize = 100;

/// Prints the quirks that were asked for.
pub(crate) fn run(arguments: QuirksArguments) -> anyhow::Result<()> {
    let chosen = chosen(&arguments.ids)?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&to_json(&chosen))?
    } else {
        chosen.iter().map(|quirk| to_text(quirk)).collect()
    };
    terminal::print_listing(&text).map_err(unwritable("the quirks"))?;
    Ok(())
}

/// Returns what each quirk of a list such as `Q-HD-5, Q-HD-11` does: one line for each id.
pub(crate) fn explain(ids: &str) -> Vec<String> {
    let known = ids.split(", ").filter_map(quirk);
    known
        .map(|quirk| format!("{}: {}", quirk.id, quirk.effect))
        .collect()
}

fn chosen(ids: &[String]) -> Result<Vec<&'static Quirk>, CliError> {
    if ids.is_empty() {
        return Ok(quirks().iter().collect());
    }
    let find = |id: &String| {
        quirk(&id.to_uppercase()).ok_or_else(|| {
            CliError::request(ErrorCode::NoSuchQuirk, format!("there is no quirk {id}"))
                .hint("dbdyno-load quirks lists them")
        })
    };
    ids.iter().map(find).collect()
}

fn to_json(chosen: &[&Quirk]) -> Value {
    let rows = chosen.iter().map(|quirk| {
        json!({
            "id": quirk.id,
            "effect": quirk.effect,
            "dialects": quirk.dialects,
            "is_imitated": quirk.is_imitated,
            "when": quirk.when,
            "source": quirk.source,
        })
    });
    json!({"schema_version": SCHEMA_VERSION, "quirks": rows.collect::<Vec<_>>()})
}

fn to_text(quirk: &Quirk) -> String {
    let imitated = match quirk.is_imitated {
        true => format!("imitated: {}", quirk.when),
        false => format!("not imitated: {}", quirk.when),
    };
    let mut text = format!(
        "{:<INDENT$}{} · {imitated}\n",
        quirk.id,
        quirk.dialects.join(", ")
    );
    let source = format!("source: {}", quirk.source);
    for line in wrapped(quirk.effect).iter().chain(&wrapped(&source)) {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{:INDENT$}{line}", "");
    }
    text.push('\n');
    text
}

/// Returns lines of whole words that fit next to the ids.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        if lines
            .last()
            .is_some_and(|line| line.chars().count() + word.chars().count() + 1 + INDENT > WIDTH)
        {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quirk_is_in_the_text_and_in_the_json() {
        let all = chosen(&[]).unwrap();
        let text: String = all.iter().map(|quirk| to_text(quirk)).collect();
        assert_eq!(to_json(&all)["quirks"].as_array().unwrap().len(), all.len());
        for quirk in quirks() {
            assert!(text.contains(&format!("{} ", quirk.id)), "{}", quirk.id);
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn ids_are_explained_in_any_case_and_unknown_ones_refused() {
        let ids = ["q-hd-5".to_owned(), "Q-IB-1".to_owned()];
        let found = chosen(&ids).unwrap();
        assert_eq!((found[0].id, found[1].id), ("Q-HD-5", "Q-IB-1"));
        assert!(chosen(&["Q-XX-1".to_owned()]).is_err());
        assert_eq!(explain("Q-HD-5, Q-HD-11").len(), 2);
    }
}
