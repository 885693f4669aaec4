//! Defines the choices of an order, in the words of the contract and of the command line.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use clap::ValueEnum;
use dbdyno_workload::{SQL_SOURCES, source_files};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{BufRead, Read as _};

/// Of the files of a workload in a directory that is sent to another host.
const SOURCES_MOST_BYTES: u64 = 16 << 20;

/// Whether connections are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TlsWord {
    /// Never.
    Off,
    /// Over TCP, if the server offers it.
    Preferred,
    /// Always, whatever certificate the server shows.
    Required,
    /// Always; the certificate is signed by --tls-ca-file.
    VerifyCa,
    /// As verify-ca, and the certificate names the host.
    VerifyIdentity,
}

/// How rows go to the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LoadBy {
    /// The cheapest way that this server takes and that lets connections fill in parallel.
    #[default]
    Auto,
    /// As the values of a prepared INSERT of many rows.
    Prepared,
    /// As INSERT statements of many rows.
    Statements,
    /// By LOAD DATA LOCAL INFILE, without a file on any disk.
    Infile,
}

/// Names a workload and its options, not yet checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkloadChoice {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) options: Map<String, Value>,
}

impl WorkloadChoice {
    /// Creates a choice made on the command line.
    pub(crate) fn new(name: String, options: &[(String, String)]) -> Self {
        let value = |(name, value): &(String, String)| (name.clone(), Value::from(value.as_str()));
        Self {
            name,
            options: options.iter().map(value).collect(),
        }
    }

    /// Takes the files of a directory on another machine from one line.
    pub(crate) fn receive_sources(&mut self, input: &mut impl BufRead) -> Result<(), CliError> {
        let mut line = String::new();
        let read = input.take(SOURCES_MOST_BYTES + 1).read_line(&mut line);
        read.map_err(|error| {
            let what = format!("the files of {} did not arrive", self.name);
            CliError::request(ErrorCode::SourcesNotReceived, what).because(error)
        })?;
        self.options
            .insert(SQL_SOURCES.to_owned(), Value::from(line));
        Ok(())
    }

    /// Returns the files of a directory, on one line; `None` for workloads without one.
    pub(crate) fn sources(&self) -> anyhow::Result<Option<String>> {
        let line = source_files(&self.name, &self.option_texts()?)?;
        match &line {
            Some(line) if line.len() as u64 > SOURCES_MOST_BYTES => {
                let (bytes, most) = (line.len(), SOURCES_MOST_BYTES >> 20);
                let what = format!("the files of {} can't be sent to load hosts", self.name);
                Err(CliError::request(ErrorCode::SourcesTooLarge, what)
                    .because(format!(
                        "they have {bytes} bytes as JSON, at most {most} MiB are allowed"
                    ))
                    .hint("keep data out of the SQL files: [tables] generates rows")
                    .into())
            }
            _ => Ok(line),
        }
    }

    /// Returns the options as the workload reads them.
    pub(crate) fn option_texts(&self) -> Result<Vec<(String, String)>, CliError> {
        let text = |(name, value): (&String, &Value)| match value {
            Value::String(text) => Ok((name.clone(), text.clone())),
            Value::Number(number) => Ok((name.clone(), number.to_string())),
            Value::Bool(on) => Ok((name.clone(), if *on { "on" } else { "off" }.to_owned())),
            other => Err(CliError::request(
                ErrorCode::WrongValue,
                format!(
                    "option {name} of the workload can't be {other}: text, a number, true or false is allowed"
                ),
            )),
        };
        self.options.iter().map(text).collect()
    }
}
