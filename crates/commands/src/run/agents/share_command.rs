//! Builds the command and the order of each host's share.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::{AgentOrder, LoadOrder};
use anyhow::Context as _;
use dbdyno_workload::portable_name;
use serde_json::{Value, json};
use std::ffi::OsString;

/// Options of this program that its shares do not get, each with a value.
const OWN_OPTIONS: [&str; 7] = [
    "--agents",
    "--agent-program",
    "--json-lines",
    "--parquet",
    "--report-interval",
    "--folder",
    "--require",
];

/// Says how one host drives its share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShareCommand {
    /// Name of the host for people.
    pub(super) host: String,
    /// Its ssh destination.
    pub(super) ssh: String,
    /// Command line for the shell there.
    pub(super) command: String,
    /// First line of its standard input, an order or the files of the workload; empty: none.
    pub(super) order: String,
}

/// Builds the shares from the text of the order file, or from the arguments of this program.
pub(super) fn share_commands(
    order: &LoadOrder,
    text: Option<&str>,
) -> anyhow::Result<Vec<ShareCommand>> {
    let count = order.agents.len();
    let whole: Option<Value> = text.map(serde_json::from_str).transpose()?;
    let arguments = own_arguments(order)?;
    let sources = match &whole {
        Some(_) => None, // an order says where each host has them
        None => order.workload.sources()?,
    };
    let numbered = order.agents.iter().zip(1..);
    let commands = numbered.map(|(agent, number)| match &whole {
        Some(whole) => by_order(whole, agent, number, count),
        None => Ok(by_arguments(
            &arguments,
            sources.as_deref(),
            agent,
            number,
            count,
        )),
    });
    commands.collect()
}

/// Returns the arguments of this program, for the shells of the hosts, with the password file from its environment.
fn own_arguments(order: &LoadOrder) -> Result<Vec<String>, CliError> {
    let no_text = |word: OsString| {
        CliError::request(
            ErrorCode::ArgumentNotText,
            "an argument is not valid text and can't be sent to load hosts",
        )
        .because(word.to_string_lossy())
    };
    let words = std::env::args_os().skip(1).map(OsString::into_string);
    let mut arguments: Vec<String> = words.collect::<Result<_, _>>().map_err(no_text)?;
    if let Some(file) = &order.target.password_file {
        let file = file.clone().into_os_string().into_string();
        with_password_file(&mut arguments, &file.map_err(no_text)?);
    }
    for word in &mut arguments {
        if *word == order.workload.name {
            *word = portable_name(word); // paths are of this machine
        }
    }
    Ok(arguments)
}

/// Adds the password file, unless the arguments name one. It goes after the command, as `--` ends the options.
fn with_password_file(arguments: &mut Vec<String>, file: &str) {
    let option = "--password-file";
    let is_it = |word: &String| word == option || is_with_value(word, option);
    if !arguments.iter().any(is_it) {
        arguments.insert(1, format!("{option}={file}"));
    }
}

fn by_order(
    whole: &Value,
    agent: &AgentOrder,
    number: usize,
    count: usize,
) -> anyhow::Result<ShareCommand> {
    let mut order = whole.clone();
    let fields = order.as_object_mut().context("an order is an object")?;
    fields.remove("agents");
    fields.insert(
        "share".to_owned(),
        json!({"number": number, "count": count}),
    );
    fields.insert("is_commanded".to_owned(), true.into());
    fields.insert("workers".to_owned(), json!(agent.workers));
    order["target"]["password_file"] = json!(agent.password_file);
    for (option, value) in &agent.options {
        order["workload"]["options"][option] = value.clone();
    }
    let words = ["run", "--order", "-"].map(str::to_owned);
    Ok(ShareCommand {
        host: agent.name.clone(),
        ssh: agent.ssh.clone(),
        command: shell_command(&agent.program, &words),
        order: format!("{order}\n"),
    })
}

fn by_arguments(
    arguments: &[String],
    sources: Option<&str>,
    agent: &AgentOrder,
    number: usize,
    count: usize,
) -> ShareCommand {
    let mut words = without_own(arguments);
    let mut own = vec![
        format!("--share={number}/{count}"),
        "--commanded".to_owned(),
        "--json-lines=-".to_owned(),
    ];
    if sources.is_some() {
        own.push("--sources-from-input".to_owned());
    }
    drop(words.splice(1..1, own)); // after the command, as `--` ends the options
    ShareCommand {
        host: agent.name.clone(),
        ssh: agent.ssh.clone(),
        command: shell_command(&agent.program, &words),
        order: sources.map_or_else(String::new, |sources| format!("{sources}\n")),
    }
}

fn without_own(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        if OWN_OPTIONS.contains(&word.as_str()) {
            arguments.next(); // its value
        } else if !OWN_OPTIONS.iter().any(|own| is_with_value(word, own)) {
            kept.push(word.clone());
        }
    }
    kept
}

fn is_with_value(word: &str, option: &str) -> bool {
    word.strip_prefix(option)
        .is_some_and(|rest| rest.starts_with('='))
}

/// Builds one line for a shell, safe for any words.
fn shell_command(program: &str, words: &[String]) -> String {
    let words = words.iter().map(|word| quoted(word));
    let words: Vec<_> = std::iter::once(quoted(program)).chain(words).collect();
    format!("exec {}", words.join(" "))
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = r#"{"name": "c2", "ssh": "bench@c2", "program": "/opt/db dyno/load"}"#;

    #[test]
    fn a_share_gets_the_arguments_of_the_whole_load() {
        let words = "run w --agents c1,c2 --threads 8 --json-lines=- --agents=c3 --require tps>9 --seed=3 --parquet f";
        let words: Vec<_> = words.split(' ').map(str::to_owned).collect();
        let agent: AgentOrder = serde_json::from_str(AGENT).unwrap();
        let share = by_arguments(&words, None, &agent, 2, 3);
        let expected = "exec '/opt/db dyno/load' 'run' '--share=2/3' '--commanded' '--json-lines=-' 'w' \
                        '--threads' '8' '--seed=3'";
        assert_eq!(share.command, expected);
        assert_eq!(
            (share.host.as_str(), share.ssh.as_str()),
            ("c2", "bench@c2")
        );
    }

    #[test]
    fn a_share_gets_the_files_of_a_directory_here_on_its_standard_input() {
        let words: Vec<_> = "run sql:shop --folder=/here/shop --seed 3"
            .split(' ')
            .map(str::to_owned)
            .collect();
        let agent: AgentOrder = serde_json::from_str(AGENT).unwrap();
        let share = by_arguments(&words, Some("{\"buy.sql\":\"…\"}"), &agent, 1, 3);
        let expected = "exec '/opt/db dyno/load' 'run' '--share=1/3' '--commanded' '--json-lines=-' \
                        '--sources-from-input' 'sql:shop' '--seed' '3'";
        assert_eq!(share.command, expected);
        assert_eq!(share.order, "{\"buy.sql\":\"…\"}\n");
    }

    #[test]
    fn a_share_gets_the_password_file_that_the_environment_names() {
        let named = |words: &str| {
            let mut words: Vec<_> = words.split(' ').map(str::to_owned).collect();
            with_password_file(&mut words, "/run/secret");
            words.join(" ")
        };
        assert_eq!(named("run w"), "run --password-file=/run/secret w");
        for own in ["run w --password-file /f", "run w --password-file=/f"] {
            assert_eq!(named(own), own);
        }
    }

    #[test]
    fn a_share_gets_the_order_with_what_is_of_its_host() {
        let mut agent: AgentOrder = serde_json::from_str(AGENT).unwrap();
        agent.password_file = Some("/run/there".to_owned());
        agent
            .options
            .insert("folder".to_owned(), json!("/run/shop"));
        let whole = json!({
            "agents": [1],
            "seed": 7,
            "workers": 9,
            "target": {"password_file": "/here"},
            "workload": {"name": "sql:shop", "options": {"folder": "/here/shop"}},
        });
        let share = by_order(&whole, &agent, 2, 3).unwrap();
        let order: Value = serde_json::from_str(&share.order).unwrap();
        let expected = json!({
            "seed": 7,
            "workers": null,
            "target": {"password_file": "/run/there"},
            "workload": {"name": "sql:shop", "options": {"folder": "/run/shop"}},
            "share": {"number": 2, "count": 3},
            "is_commanded": true,
        });
        assert_eq!(order, expected);
    }

    #[test]
    fn a_shell_takes_any_word_as_it_is() {
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
    }
}
