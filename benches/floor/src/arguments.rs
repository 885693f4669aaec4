//! Reads the few arguments.

use std::io;

/// Where the server is.
pub(crate) enum Address {
    Socket(String),
    Port(u16),
}

/// What to do, and for how long.
pub(crate) struct Arguments {
    pub(crate) address: Address,
    pub(crate) workload: String,
    /// A file of statements, instead of a workload.
    pub(crate) script: Option<String>,
    pub(crate) connections: u32,
    pub(crate) seconds: f64,
    pub(crate) is_blocking: bool,
}

impl Arguments {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> io::Result<Self> {
        let mut arguments = Self {
            address: Address::Port(3306),
            workload: "point_select".to_owned(),
            script: None,
            connections: 1,
            seconds: 3.0,
            is_blocking: false,
        };
        while let Some(name) = words.next() {
            if name == "--blocking" {
                arguments.is_blocking = true;
                continue;
            }
            let value = words.next().ok_or_else(|| wrong(&name))?;
            match name.as_str() {
                "--socket" => arguments.address = Address::Socket(value),
                "--port" => arguments.address = Address::Port(number(&value)?),
                "--workload" => arguments.workload = value,
                "--script" => arguments.script = Some(value),
                "--connections" => arguments.connections = number(&value)?,
                "--seconds" => arguments.seconds = number(&value)?,
                _ => return Err(wrong(&name)),
            }
        }
        if arguments.connections == 0 || (arguments.is_blocking && arguments.connections > 1) {
            return Err(wrong("--connections"));
        }
        Ok(arguments)
    }
}

fn number<T: std::str::FromStr>(text: &str) -> io::Result<T> {
    text.parse().map_err(|_| wrong(text))
}

/// An error that names what was not understood.
pub(crate) fn wrong(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("what is meant by {what}?"),
    )
}
