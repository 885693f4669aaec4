//! Defines the choices of an order, in the words of the contract and of the command line.

use crate::cli_error::CliError;
use clap::ValueEnum;
use dbdyno_drive::{Arrivals, PreparedFull, Protocol};
use dbdyno_wire::{Compression, TlsVersion};
use dbdyno_workload::{RandomKind, RetryValues};
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

/// The oldest version of TLS that is agreed to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
pub(crate) enum TlsVersionWord {
    /// TLS 1.2
    #[default]
    #[value(name = "1.2")]
    #[serde(rename = "1.2")]
    V1_2,
    /// TLS 1.3
    #[value(name = "1.3")]
    #[serde(rename = "1.3")]
    V1_3,
}

impl From<TlsVersionWord> for TlsVersion {
    fn from(word: TlsVersionWord) -> Self {
        match word {
            TlsVersionWord::V1_2 => Self::V1_2,
            TlsVersionWord::V1_3 => Self::V1_3,
        }
    }
}

/// How the bytes of the connections are packed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CompressionWord {
    /// Not at all.
    #[default]
    Off,
    /// By zlib, which every server knows.
    Zlib,
}

impl CompressionWord {
    pub(crate) fn of(compression: Compression) -> Self {
        match compression {
            Compression::Off => Self::Off,
            Compression::Zlib => Self::Zlib,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Zlib => "zlib",
        }
    }
}

impl From<CompressionWord> for Compression {
    fn from(word: CompressionWord) -> Self {
        match word {
            CompressionWord::Off => Self::Off,
            CompressionWord::Zlib => Self::Zlib,
        }
    }
}

/// How statements travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StatementProtocol {
    /// Prepared once a connection, then executed by number.
    #[value(alias = "auto")]
    Prepared,
    /// As text with the values written in.
    #[value(alias = "disable")]
    Text,
}

impl From<StatementProtocol> for Protocol {
    fn from(word: StatementProtocol) -> Self {
        match word {
            StatementProtocol::Prepared => Self::Prepared,
            StatementProtocol::Text => Self::Text,
        }
    }
}

/// Whose random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Generator {
    /// sysbench 1.0.20's, number by number.
    Sysbench,
    /// dbdyno's own.
    Dbdyno,
}

impl From<Generator> for RandomKind {
    fn from(word: Generator) -> Self {
        match word {
            Generator::Sysbench => Self::Sysbench,
            Generator::Dbdyno => Self::Dbdyno,
        }
    }
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

/// Gaps between the due instants of a fixed rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Gaps {
    /// Exponential, as of many independent visitors.
    Poisson,
    /// All the same.
    Constant,
}

impl From<Gaps> for Arrivals {
    fn from(word: Gaps) -> Self {
        match word {
            Gaps::Poisson => Self::Poisson,
            Gaps::Constant => Self::Constant,
        }
    }
}

/// The values of a repeated event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RepeatDraws {
    /// Drawn anew (sysbench).
    #[default]
    New,
    /// Those of the first attempt (tpcc-mysql).
    Same,
}

impl From<RepeatDraws> for RetryValues {
    fn from(word: RepeatDraws) -> Self {
        match word {
            RepeatDraws::New => Self::New,
            RepeatDraws::Same => Self::Same,
        }
    }
}

/// What happens when the server holds as many prepared statements as it may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WhenPreparedFull {
    /// Don't begin.
    #[default]
    Stop,
    /// Send the rest as text, and say so.
    Text,
}

impl From<WhenPreparedFull> for PreparedFull {
    fn from(word: WhenPreparedFull) -> Self {
        match word {
            WhenPreparedFull::Stop => Self::Stop,
            WhenPreparedFull::Text => Self::Text,
        }
    }
}

/// A workload and its options, not yet checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkloadChoice {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) options: Map<String, Value>,
}

impl WorkloadChoice {
    /// A choice made on the command line.
    pub(crate) fn new(name: String, options: &[(String, String)]) -> Self {
        let value = |(name, value): &(String, String)| (name.clone(), Value::from(value.as_str()));
        Self {
            name,
            options: options.iter().map(value).collect(),
        }
    }

    /// The options as the workload reads them.
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
