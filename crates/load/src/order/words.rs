//! Defines the choices of an order, in the words of the contract and of the command line.

use crate::cli_error::CliError;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    /// The cheapest for this server of the ways that it takes and that let connections fill side by side.
    #[default]
    Auto,
    /// As the values of a prepared INSERT of many rows.
    Prepared,
    /// As INSERT statements of many rows.
    Statements,
    /// As the file of a LOAD DATA LOCAL INFILE, which is never on any disk.
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

    /// Returns the options as the workload reads them.
    pub(crate) fn option_texts(&self) -> Result<Vec<(String, String)>, CliError> {
        let text = |(name, value): (&String, &Value)| match value {
            Value::String(text) => Ok((name.clone(), text.clone())),
            Value::Number(number) => Ok((name.clone(), number.to_string())),
            Value::Bool(on) => Ok((name.clone(), if *on { "on" } else { "off" }.to_owned())),
            other => Err(CliError::request(format!(
                "option {name} of the workload can't be {other}: text, a number, true or false is allowed"
            ))),
        };
        self.options.iter().map(text).collect()
    }
}
