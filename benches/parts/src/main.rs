//! Measures parts of the load generator by themselves, where a whole run would drown them in its noise.
//!
//! ```text
//! dbdyno-bench-parts rows sysbench|dbdyno   CPU time to make one row for populate
//! dbdyno-bench-parts record                 CPU time to time a statement and write it down
//! dbdyno-bench-parts event                  CPU time of what lies around an event in sysbench's form
//! dbdyno-bench-parts quantiles              largest error of a told quantile against the exact one
//! ```
//!
//! Each prints one number.

mod event;
mod quantiles;
mod record;
mod rows;

use dbdyno_chance::RandomKind;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let figure = match words.as_slice() {
        ["rows", whose] => whose.parse().map_err(|_| ()).and_then(rows_ns),
        ["record"] => Ok(record::cost_ns()),
        ["event"] => event::cost_ns(),
        ["quantiles"] => Ok(quantiles::largest_error()),
        _ => Err(()),
    };
    match figure {
        Ok(figure) => match writeln!(io::stdout(), "{figure:.6}") {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(3),
        },
        Err(()) => {
            eprintln!("error: rows sysbench|dbdyno, record, event or quantiles is wanted");
            ExitCode::from(2)
        }
    }
}

fn rows_ns(kind: RandomKind) -> Result<f64, ()> {
    rows::cost_ns(kind).map_err(|error| eprintln!("error: {error}"))
}
