//! Judges the requirements on a merged run (`merge --require`), as `run --require` judges those on one process.

use super::MergedRun;
use super::merged_record::{MergedShare, MergedStatus};
use crate::arguments::Requirement;
use crate::run::requirement_checker::{JudgedWindow, write_verdicts};
use crate::run::totals::Totals;
use dbdyno_meter::Histogram;
use std::io;

/// Name of the phase that is not judged. Records name no phase before it begins, so one that ended early is told by it.
const WARM_UP: &str = "warm-up";

/// Writes a line for each requirement, and returns whether all hold.
pub(super) fn judge(
    run: &MergedRun,
    status: &MergedStatus,
    requirements: &[Requirement],
    is_stdout_taken: bool,
) -> io::Result<bool> {
    let lead = &run.shares[0].reader;
    let nothing = Totals::new(lead.shape);
    let unended = unended(&run.shares);
    let judged = JudgedWindow {
        totals: match status.status != "complete" && run.phase == WARM_UP {
            true => &nothing,
            false => &run.window,
        },
        backlog_before: run.backlog_before,
        unended: unended.as_ref().map_err(Clone::clone),
        abandoned: run.shares.iter().map(MergedShare::abandoned).sum(),
        is_open_loop: lead.is_open_loop(),
        has_due_instants: lead.shape.open_loop,
        reason: reason(status),
    };
    write_verdicts(is_stdout_taken, |out| judged.write(out, requirements))
}

fn reason(status: &MergedStatus) -> String {
    match status.status {
        "complete" => "no transaction ended in the window".to_owned(),
        "interrupted" => "the run was interrupted before".to_owned(),
        _ => format!("the run failed before: {}", status.reason),
    }
}

/// Returns how long the events of all shares had been due that had not ended when the run did.
fn unended(shares: &[MergedShare]) -> Result<Histogram, String> {
    let mut all = Histogram::new();
    for share in shares {
        let Some(end) = &share.reader.end else {
            continue; // a lost share has failed the run
        };
        match &end.unended {
            Some(text) => {
                let times = Histogram::decode(text);
                let why =
                    |error| format!("not measured, {}: a histogram: {error}", share.reader.name);
                all.merge(&times.map_err(why)?);
            }
            None if end.unsent + end.in_flight_at_end == 0 => {}
            None => {
                let name = &share.reader.name;
                return Err(format!(
                    "not measured, {name} has no times of events that had not ended"
                ));
            }
        }
    }
    Ok(all)
}
