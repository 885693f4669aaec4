//! Shows one workload with the values of its options.

use crate::arguments::WorkloadsArguments;
use crate::order::SCHEMA_VERSION;
use dbdyno_drive::counted;
use dbdyno_workload::{Metadata, RandomSource, families, population, quirk, workload};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Meanings of options are aligned behind values up to this length.
const MOST_ALIGNED: usize = 12;

/// Describes a workload.
pub(super) struct WorkloadListing {
    name: String,
    facts: Metadata,
    transaction_types: Vec<&'static str>,
    role: Option<String>,
    users: Option<u32>,
    tables: u32,
    rows_total: u64,
    conditions: usize,
}

impl WorkloadListing {
    /// Makes the workload and its dataset, which checks everything that can be checked without a server.
    pub(super) fn of(name: &str, arguments: &WorkloadsArguments) -> anyhow::Result<Self> {
        let source = RandomSource {
            kind: arguments.rng,
            seed: arguments.seed,
        };
        let options = &arguments.options.0;
        let made = workload(name, options, source, arguments.concurrency)?;
        let rows = population(name, options, source)?;
        Ok(Self {
            name: made.spec().name.clone(),
            facts: made.spec().metadata.clone(),
            transaction_types: made.spec().transaction_types.clone(),
            role: made.spec().role.clone(),
            users: made.spec().users,
            tables: rows.tables(),
            rows_total: rows.rows_total(),
            conditions: rows.conditions().len(),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns a command line that drives this workload, with a dataset of a common size.
    pub(super) fn example(&self, command: &str) -> String {
        let has = |name: &str| self.facts.options.iter().any(|(known, _)| known == name);
        let size = match (has("warehouses"), has("table_size")) {
            (true, _) => " --warehouses 10",
            (_, true) => " --tables 4 --rows 50000",
            _ => "",
        };
        let server = match command {
            "sample" | "workloads" => "",
            _ => " --socket /run/mysqld/mysqld.sock",
        };
        let rest = match command {
            "run" => " --threads 16 --time 5m",
            "search" => " --threads 64 --slo 'p99<20ms'",
            "verify" => " --after load",
            _ => "",
        };
        format!("dbdyno-load {command} {}{size}{server}{rest}", self.name)
    }

    pub(super) fn to_json(&self) -> Value {
        let option = |(name, value): &(String, String)| (name.clone(), value.as_str().into());
        let options: Map<String, Value> = self.facts.options.iter().map(option).collect();
        json!({
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "imitates": self.facts.imitates,
            "options": options,
            "quirks": self.facts.quirks,
            "transaction_types": self.transaction_types,
            "role": self.role,
            "users": self.users,
            "tables": self.tables,
            "rows_total": self.rows_total,
            "conditions": self.conditions,
        })
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |what: &str, words: &str| {
            // Writing to a string can't fail.
            let _ = writeln!(text, "{what:<18} {words}");
        };
        line("workload", &self.name);
        line("imitates", &self.facts.imitates);
        line("transaction types", &self.transaction_types.join(", "));
        if let Some(role) = &self.role {
            line(
                "another server",
                &format!("with the role {role} (--target {role}=ADDRESS)"),
            );
        }
        line("data", &self.data_words());
        for (index, id) in self.facts.quirks.iter().enumerate() {
            let effect = quirk(id).map_or("", |quirk| quirk.effect);
            let what = if index == 0 { "active quirks" } else { "" };
            line(what, &format!("{id}: {effect}"));
        }
        text + &self.options_text()
    }

    /// Formats facts, then options as they are typed, with their values and meanings.
    fn options_text(&self) -> String {
        let family = families().find(|family| self.name.starts_with(family.name));
        let known = family.map_or_else(Vec::new, |family| family.options);
        let help_of = |name: &str| {
            let option = known.iter().find(|(info, _)| info.name == name);
            option.map(|(info, _)| info.help)
        };
        let all = self.facts.options.iter();
        let (options, facts): (Vec<_>, Vec<_>) = all.partition(|(name, _)| help_of(name).is_some());
        let mut text = String::new();
        for (name, value) in facts {
            text += &format!("{name:<18} {value}\n");
        }
        if !options.is_empty() {
            text += "options\n";
        }
        let width = options.iter().map(|(_, value)| value.len()).max();
        let width = width.unwrap_or(0).min(MOST_ALIGNED);
        for (name, value) in options {
            let (word, help) = (name.replace('_', "-"), help_of(name).unwrap_or_default());
            let row = format!("  --{word:<24} {value:<width$}  {help}");
            text += &format!("{}\n", row.trim_end());
        }
        text
    }

    fn data_words(&self) -> String {
        let (tables, rows) = (
            counted(u64::from(self.tables), "table"),
            counted(self.rows_total, "row"),
        );
        match self.conditions {
            0 => format!("{tables}, {rows}"),
            count => {
                let conditions = counted(count as u64, "condition");
                format!("{tables}, {rows}, {conditions} between them")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Cli;
    use crate::arguments::Command;
    use clap::Parser;

    const WITH_WORKLOAD: [&str; 8] = [
        "run",
        "search",
        "populate",
        "verify",
        "fingerprint",
        "cleanup",
        "sample",
        "workloads",
    ];

    fn list_workload(words: &[&str]) -> anyhow::Result<WorkloadListing> {
        let cli = Cli::try_parse_from([&["dbdyno-load", "workloads"], words].concat()).unwrap();
        let Command::Workloads(arguments) = cli.command else {
            panic!("another command")
        };
        WorkloadListing::of(&arguments.workload.clone().unwrap(), &arguments)
    }

    #[test]
    fn options_that_were_not_given_are_told_with_their_defaults() {
        let listing = list_workload(&["oltp_read_write", "--tables", "4", "--rows=50"]).unwrap();
        let json = listing.to_json();
        assert_eq!(json["name"], "sysbench/oltp_read_write");
        assert_eq!(json["options"]["tables"], "4");
        assert_eq!(json["options"]["range_size"], "100");
        assert_eq!(
            (json["tables"].as_u64(), json["rows_total"].as_u64()),
            (Some(4), Some(200))
        );
        let text = listing.to_text();
        assert!(text.contains("4 tables, 200 rows"));
        let of_rows = text.lines().find(|line| line.contains("--table-size"));
        let words: Vec<_> = of_rows.unwrap().split_whitespace().collect();
        assert_eq!(words[..3], ["--table-size", "50", "Rows"]);
    }

    #[test]
    fn the_example_of_each_command_and_workload_can_be_typed() {
        for name in families().flat_map(|family| family.workloads) {
            let listing = list_workload(&[&name]).unwrap();
            for command in WITH_WORKLOAD {
                let line = listing.example(command).replace('\'', "");
                let parsed = Cli::try_parse_from(line.split(' '));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn what_is_no_option_is_not_told_as_one() {
        let text = list_workload(&["tpcc/tpcc-mysql"]).unwrap().to_text();
        assert!(text.contains("--warehouses"), "{text}");
        assert!(
            text.contains("\ndeck ") && !text.contains("--deck"),
            "{text}"
        );
    }

    #[test]
    fn connections_that_a_workload_needs_are_in_its_description() {
        let users = |words: &[&str]| list_workload(words).unwrap().to_json()["users"].as_u64();
        let deletes = ["insert-benchmark", "--delete-per-insert", "--clients", "2"];
        assert_eq!(users(&deletes), Some(6));
        assert_eq!(users(&["oltp_read_write"]), None);
    }

    #[test]
    fn a_wrong_value_is_refused_as_the_load_itself_would() {
        let error = list_workload(&["oltp_read_write", "--rand-type", "zipf"])
            .err()
            .unwrap();
        assert!(error.to_string().contains("zipfian"), "{error}");
    }
}
