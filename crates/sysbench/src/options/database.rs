//! Types the database's options. They are words still: no value of them is wrong before a driver is made.

use super::number;
use super::table::Table;
use crate::{DatabaseSettings, IgnoreErrors};
use dbdyno_wire::{Password, PathTimeout, TlsVersion};
use std::path::PathBuf;

/// Settings of the database.
pub(super) fn settings(table: &Table) -> DatabaseSettings {
    let text = |name| table.text(name).to_owned();
    let path = |name| Some(PathBuf::from(table.text(name))).filter(|p| !p.as_os_str().is_empty());
    DatabaseSettings {
        driver: text("db_driver"),
        ps_mode: text("db_ps_mode"),
        debug: table.flag("db_debug"),
        hosts: table.list("mysql_host").to_vec(),
        ports: table
            .list("mysql_port")
            .iter()
            .map(|port| number::long(port).0 as u16)
            .collect(),
        localhost_is_socket: true,
        sockets: table
            .list("mysql_socket")
            .iter()
            .map(PathBuf::from)
            .collect(),
        user: text("mysql_user"),
        password: Password::new(text("mysql_password")),
        database: text("mysql_db"),
        ssl: ssl(table.text("mysql_ssl")),
        ssl_key: path("mysql_ssl_key"),
        ssl_ca: path("mysql_ssl_ca"),
        ssl_cert: path("mysql_ssl_cert"),
        tls_minimum: TlsVersion::default(),
        path_timeout: PathTimeout::default(),
        answers: None,
        ssl_cipher: text("mysql_ssl_cipher"),
        compression: table.flag("mysql_compression"),
        ignore: ignore_errors(table.list("mysql_ignore_errors")),
        dry_run: table.flag("mysql_dry_run"),
    }
}

/// Reads 1.0's flag (nothing where it is off, a bare option is on) and 1.1's words.
fn ssl(word: &str) -> String {
    match word {
        "" | "off" | "false" | "0" => "off".to_owned(),
        "on" | "true" | "1" => "on".to_owned(),
        mode => mode.to_ascii_lowercase(),
    }
}

fn ignore_errors(list: &[String]) -> IgnoreErrors {
    if list.iter().any(|word| word == "all") {
        return IgnoreErrors::All;
    }
    let codes = list.iter().map(|word| number::long(word).0);
    IgnoreErrors::Codes(codes.filter_map(|code| u16::try_from(code).ok()).collect())
}
