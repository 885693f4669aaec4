//! Prints what is said when a run, or a part of it, is over.

use super::{MainActor, Program};
use crate::db::Encryption;
use crate::figures::{Ledger, Stat};
use crate::text::{self, FinalFigures};
use crate::{Engine, Level};
use dbdyno_drive::{Cause, Outage, counted};
use std::fmt::Write;
use std::sync::Arc;

/// Prints a full report in our own words.
pub(super) fn print_full(engine: &Engine, program: &Arc<dyn Program>, figures: &FinalFigures) {
    let settings = &engine.settings;
    let database = engine.figures.has_driver();
    if let Some(statistics) = program.statistics(figures) {
        engine.log.print(Level::Notice, &statistics);
    }
    let report = text::final_report(figures, settings.percentile, database, settings.dialect);
    engine.log.print(Level::Notice, &report);
    if settings.debug {
        engine.log.print(Level::Debug, &text::users(&figures.users));
    }
}

/// Reports a run whose users have all come to their end.
pub(super) fn report_end(
    engine: &Engine,
    program: &Arc<dyn Program>,
    main: &mut dyn MainActor,
    ledger: &mut Ledger,
    (ended_ns, now_ns): (u64, u64),
) {
    print_histogram(engine, ledger);
    let figures = ledger.full(&engine.figures, ended_ns, now_ns);
    print_cumulative(engine, program, main, &figures, ended_ns);
}

/// Lets the script report, or prints our own report.
fn print_cumulative(
    engine: &Engine,
    program: &Arc<dyn Program>,
    main: &mut dyn MainActor,
    figures: &FinalFigures,
    ended_ns: u64,
) {
    let handled = main.cumulative(&Stat::cumulative(figures, 0));
    // Our lines would break a script's own report for programs that parse it.
    if handled == Ok(false) {
        print_full(engine, program, figures);
        print_extras(engine, ended_ns);
    }
}

/// Reports a run whose users are given up.
pub(super) fn report_by_force(
    engine: &Engine,
    program: &Arc<dyn Program>,
    main: &mut dyn MainActor,
    ledger: &mut Ledger,
    now_ns: u64,
) {
    let fixes_report = engine.settings.fixes.report;
    engine.log.fatal(text::FORCING_SHUTDOWN);
    if fixes_report {
        print_histogram(engine, ledger);
    }
    let mut figures = ledger.full(&engine.figures, now_ns, now_ns);
    figures.add_unfinished(&engine.figures, fixes_report, now_ns);
    print_cumulative(engine, program, main, &figures, now_ns);
}

fn print_histogram(engine: &Engine, ledger: &Ledger) {
    if engine.settings.histogram {
        let buckets = ledger.histogram(&engine.figures);
        // sysbench logs the title only; it prints the rows at any verbosity.
        match engine.log.shows(Level::Notice) {
            true => engine
                .log
                .print(Level::Notice, &text::latency_histogram(&buckets)),
            false => engine.log.answer(&text::histogram(&buckets)),
        }
    }
}

/// Prints what sysbench doesn't report, where it was asked for.
fn print_extras(engine: &Engine, ended_ns: u64) {
    let mut extras = String::new();
    if engine.settings.fixes.backlog
        && let Some(waiting) = engine.control.undone_arrivals(ended_ns)
    {
        let _ = writeln!(extras, "Arrivals left in the queue at the end: {waiting}\n");
    }
    if engine.settings.fixes.codes {
        extras.push_str(&connections(&engine.database.encryption()));
        extras.push_str(&errors_by_number(engine));
        let zero_ns = engine.control.began_ns().unwrap_or(ended_ns);
        extras.push_str(&outages(&engine.database.account(engine).outages, zero_ns));
    }
    engine.log.print(Level::Notice, &extras);
}

/// Says whether others could read along; nothing of a run that connected to no server.
fn connections(known: &Encryption) -> String {
    let how = known.facts.as_ref();
    let how = how.map_or_else(String::new, |facts| {
        format!(" ({}, {})", facts.version, facts.cipher)
    });
    let kinds = [
        (known.encrypted, format!("encrypted{how}")),
        (known.plain, "in plain text".to_owned()),
    ];
    let made = kinds.iter().filter(|(count, _)| *count > 0);
    let made: Vec<String> = made
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    if made.is_empty() {
        return String::new();
    }
    format!("Connections: {}\n\n", made.join(", "))
}

fn errors_by_number(engine: &Engine) -> String {
    let codes = engine.figures.codes();
    if codes.is_empty() {
        return String::new();
    }
    let mut text = String::from("Errors by number:\n");
    for (code, count) in codes.iter() {
        let _ = writeln!(text, "    {:37}{count}", format!("{code}:"));
    }
    text.push('\n');
    text
}

/// Says when connections were lost, or the path to the server was.
fn outages(outages: &[Outage], zero_ns: u64) -> String {
    if outages.is_empty() {
        return String::new();
    }
    let mut text = String::from("Outages:\n");
    for outage in outages {
        let after = |what: &str, ns: Option<u64>| match ns {
            Some(ns) => {
                let seconds = ns.saturating_sub(outage.start_ns) as f64 / 1e9;
                format!("{what} after {seconds:.1} s")
            }
            None => format!("{what} not before the end"),
        };
        let lost = match outage.cause {
            Cause::Network => "network: path lost",
            Cause::NoAnswer => "no answer",
            Cause::Server | Cause::Client => "connections lost",
        };
        let _ = writeln!(
            text,
            "    second {:<30.1}{lost}, {}; {}; {}",
            outage.start_ns.saturating_sub(zero_ns) as f64 / 1e9,
            counted(outage.connections_lost.into(), "connection"),
            after("first answer", outage.first_success_ns),
            after("all open again", outage.restored_ns),
        );
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_wire::TlsInfo;

    #[test]
    fn the_report_says_how_many_connections_were_encrypted_and_how() {
        let known = Encryption {
            encrypted: 8,
            plain: 0,
            facts: Some(TlsInfo {
                version: "TLSv1.3".to_owned(),
                cipher: "TLS_AES_256_GCM_SHA384".to_owned(),
            }),
        };
        let line = "Connections: 8 encrypted (TLSv1.3, TLS_AES_256_GCM_SHA384)";
        assert_eq!(connections(&known), format!("{line}\n\n"));
        let mixed = Encryption { plain: 1, ..known };
        assert_eq!(connections(&mixed), format!("{line}, 1 in plain text\n\n"));
    }

    #[test]
    fn the_report_says_that_connections_were_in_plain_text() {
        let known = Encryption {
            plain: 8,
            ..Encryption::default()
        };
        assert_eq!(connections(&known), "Connections: 8 in plain text\n\n");
    }

    #[test]
    fn a_run_without_connections_says_nothing_of_them() {
        assert_eq!(connections(&Encryption::default()), "");
    }
}
