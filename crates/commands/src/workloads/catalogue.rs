//! Lists all workloads and all their options.

use crate::order::SCHEMA_VERSION;
use dbdyno_workload::{FamilyInfo, OptionInfo, families};
use serde_json::{Value, json};
use std::fmt::Write;

/// Lists them for programs.
pub(super) fn to_json() -> Value {
    let families: Vec<Value> = families().map(|family| family_json(&family)).collect();
    json!({"schema_version": SCHEMA_VERSION, "families": families})
}

fn family_json(family: &FamilyInfo) -> Value {
    let options: Vec<Value> = family.options.iter().map(option_json).collect();
    json!({
        "name": family.name,
        "is_workload": family.is_workload,
        "workloads": family.workloads,
        "options": options,
    })
}

fn option_json((info, default): &(OptionInfo, String)) -> Value {
    json!({
        "name": info.name,
        "help": info.help,
        "default": default,
        "is_switch": info.is_switch,
        "shapes_data": info.shapes_data,
    })
}

/// Lists them for people.
pub(super) fn to_text() -> String {
    let mut text = String::new();
    for family in families() {
        // Writing to a string can't fail.
        let _ = match &family.workloads[..] {
            [] => writeln!(text, "{}:DIRECTORY", family.name),
            names => writeln!(text, "{}", names.join("\n")),
        };
        for (info, default) in &family.options {
            let shapes = if info.shapes_data {
                "; shapes the data"
            } else {
                ""
            };
            let shown = if default.is_empty() { "none" } else { default };
            let name = info.name.replace('_', "-");
            let _ = writeln!(
                text,
                "  --{name:<21} {} [default: {shown}{shapes}]",
                info.help
            );
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_and_every_option_is_in_both_lists() {
        let (text, json) = (to_text(), to_json().to_string());
        for family in families() {
            for name in &family.workloads {
                assert!(
                    text.contains(name) && json.contains(name.as_str()),
                    "{name}"
                );
            }
            for (info, _) in &family.options {
                let word = format!("--{}", info.name.replace('_', "-"));
                assert!(text.contains(&word), "{word}");
                assert!(json.contains(info.name), "{}", info.name);
            }
        }
    }
}
