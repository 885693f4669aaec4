//! Prints the lines above every run: what is driven, how, and against which server.

use crate::order::LoadOrder;
use crate::statement_protocol::protocol_word;
use crate::terminal;
use dbdyno_drive::{Level, Load, Start, counted};
use dbdyno_workload::{Metadata, option_table};
use std::io::{self, Write};

/// Options that every figure depends on.
const ALWAYS_SHOWN: [&str; 3] = ["tables", "table_size", "rand_type"];

/// Formats three lines, and one more for the server of a role.
pub(super) fn heading(
    out: &mut impl Write,
    order: &LoadOrder,
    load: &Load,
    start: &Start,
) -> io::Result<()> {
    let session = &start.session;
    let facts = &load.workload.spec().metadata;
    let statements = match protocol_word(load) {
        "prepared" => "prepared statements",
        "prepared-and-text" => "prepared statements and text",
        "procedures" => "stored procedures",
        _ => "statements as text",
    };
    writeln!(
        out,
        "{} as {} · {} over {} ({}) · {}",
        load.workload.spec().name,
        facts.imitates,
        connections(load),
        order.target.route(),
        session.tls_version.as_deref().unwrap_or("not encrypted"),
        counted(u64::from(load.workers), "worker"),
    )?;
    writeln!(
        out,
        "server {} · {} · {statements}",
        session.server_version, session.isolation
    )?;
    if let (Some(role), Some(session)) = (load.workload.spec().role.as_deref(), &start.role_session)
    {
        writeln!(
            out,
            "{role} {} · {}",
            session.server_version, session.isolation
        )?;
    }
    let quirks = match &facts.quirks[..] {
        [] => String::new(),
        active => format!(" · quirks {} (dbdyno-load quirks)", active.join(" ")),
    };
    writeln!(
        out,
        "{} · seed {}{quirks}",
        telling_options(facts).join(" "),
        load.seed,
    )
}

fn connections(load: &Load) -> String {
    let (own, all, share) = (load.connections(), load.concurrency, load.share);
    if !share.is_part() {
        return counted(u64::from(all), "connection");
    }
    let (number, count) = (share.index + 1, share.count);
    let all = counted(u64::from(all), "connection");
    format!("share {number} of {count}: {own} of {all}")
}

/// Prints a remark, next to the results.
pub(super) fn remark(level: Level, text: &str) -> io::Result<()> {
    let level = match level {
        Level::Info => "note",
        Level::Warning => "warning",
    };
    writeln!(terminal::stderr(), "{level}: {text}")
}

/// Lists tables and distribution, and non-default options; records hold all of them.
fn telling_options(facts: &Metadata) -> Vec<String> {
    let is_default = |name: &str, value: &str| {
        option_table().any(|(info, default)| info.name == name && default == value)
    };
    facts
        .options
        .iter()
        .filter(|(name, value)| ALWAYS_SHOWN.contains(&name.as_str()) || !is_default(name, value))
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}
