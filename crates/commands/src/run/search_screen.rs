//! Prints a search as text: one line per probe as it happens, the result at the end.

use super::figures::{grouped, seconds_text};
use super::heading::{heading, remark};
use super::output::{Output, Second};
use crate::order::LoadOrder;
use crate::terminal;
use dbdyno_drive::{Level, Load, Probe, RunOutcome, Search, SearchResult, Start, Status};
use std::io::{self, Write};

/// Writes to standard output; remarks go to standard error.
pub(super) struct SearchScreen<'a> {
    started: bool,
    order: &'a LoadOrder,
    load: &'a Load,
    search: Search,
}

impl<'a> SearchScreen<'a> {
    pub(super) fn new(order: &'a LoadOrder, load: &'a Load, search: Search) -> Self {
        Self {
            started: false,
            order,
            load,
            search,
        }
    }

    fn objective(&self) -> String {
        let bound = seconds_text(self.search.response_ns);
        format!("{} < {bound}", self.quantile())
    }

    fn quantile(&self) -> String {
        format!("p{}", (self.search.quantile * 1e8).round() / 1e6)
    }

    fn head(&self, out: &mut impl Write, start: &Start) -> io::Result<()> {
        heading(out, self.order, self.load, start)?;
        writeln!(
            out,
            "searching the highest rate with {} · probes of {} + {} s · times run from the instant an event was due",
            self.objective(),
            self.search.settle_s,
            self.search.window_s
        )?;
        writeln!(
            out,
            "\n  probe    events/s   completed  {:>8} ms   backlog  client busy",
            self.quantile()
        )
    }

    fn answer(&self, out: &mut impl Write, answer: &SearchResult) -> io::Result<()> {
        let objective = self.objective();
        writeln!(out)?;
        match answer.highest_held_per_s {
            Some(rate) => writeln!(out, "highest rate with {objective}: {rate:.1} events/s")?,
            None if answer.probes == 0 => writeln!(out, "no rate was tried")?,
            None => writeln!(out, "no rate was found that meets {objective}")?,
        }
        if let Some(rate) = answer.lowest_broken_per_s {
            writeln!(out, "at {rate:.1} events/s: {}", answer.reason)?;
        }
        if !answer.complete {
            writeln!(
                out,
                "the search was cut short: {}",
                self.what_is_missing(answer)
            )?;
        }
        if answer.client_bound {
            writeln!(
                out,
                "the load generator was the limit, not the server, whose own limit was not found: try more workers, \
                 reserved processors, or another machine"
            )?;
        }
        Ok(())
    }

    fn what_is_missing(&self, answer: &SearchResult) -> &'static str {
        match (answer.highest_held_per_s, answer.lowest_broken_per_s) {
            (Some(_), Some(_)) => "the answer may be too low, or may not hold a second time",
            (Some(_), None) => "a higher rate may hold as well",
            (None, _) => "a lower rate may hold",
        }
    }

    fn account(&self, out: &mut impl Write, outcome: &RunOutcome) -> io::Result<()> {
        let ended = match &outcome.status {
            Status::Complete => "",
            Status::Interrupted => ", interrupted",
            Status::Failed(_) => ", ended by an error",
        };
        writeln!(
            out,
            "whole search{ended}: scheduled {} = completed {} + failed {} + unsent {}",
            grouped(outcome.scheduled),
            grouped(outcome.completed),
            grouped(outcome.failed),
            grouped(outcome.unsent),
        )
    }
}

impl Output for SearchScreen<'_> {
    fn started(&mut self, start: &Start) -> io::Result<()> {
        self.started = true;
        self.head(&mut terminal::stdout(), start)
    }

    fn second(&mut self, _second: &mut Second<'_>) -> io::Result<()> {
        Ok(())
    }

    fn probe(&mut self, probe: &Probe) -> io::Result<()> {
        line(&mut terminal::stdout(), probe)
    }

    fn message(&mut self, level: Level, text: &str) -> io::Result<()> {
        remark(level, text)
    }

    fn finish(&mut self, outcome: &RunOutcome) -> io::Result<()> {
        let (true, Some(answer)) = (self.started, &outcome.search) else {
            return Ok(()); // the error explains why
        };
        let mut out = terminal::stdout();
        self.answer(&mut out, answer)?;
        self.account(&mut out, outcome)
    }
}

fn line(out: &mut impl Write, probe: &Probe) -> io::Result<()> {
    let quantile = probe
        .quantile_ns
        .map_or_else(|| "-".to_owned(), |ns| format!("{:.3}", ns as f64 / 1e6));
    let verdict = if probe.held { "held" } else { &probe.reason };
    writeln!(
        out,
        "{:>7} {:>11.1} {:>11.1} {quantile:>12} {:>9} {:>10.0} %  {verdict}",
        probe.number,
        probe.rate_per_s,
        probe.completed_per_s,
        probe.backlog_last,
        probe.client_busy * 100.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &str = include_str!("../../../../contract/samples/load-order-search.json");

    fn shown(write: impl FnOnce(&SearchScreen<'_>, &mut Vec<u8>) -> io::Result<()>) -> String {
        let order: LoadOrder = serde_json::from_str(ORDER).unwrap();
        let load = order.load().unwrap();
        let search = order.search().unwrap().unwrap();
        let mut out = Vec::new();
        write(&SearchScreen::new(&order, &load, search), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn answer(held: Option<f64>, complete: bool) -> SearchResult {
        SearchResult {
            highest_held_per_s: held,
            lowest_broken_per_s: Some(4_950.0),
            reason: "p99 23.1 ms".to_owned(),
            client_bound: false,
            complete,
            probes: 9,
        }
    }

    #[test]
    fn the_answer_names_the_rate_and_what_broke_at_the_next() {
        let text = shown(|screen, out| screen.answer(out, &answer(Some(4_800.0), true)));
        assert_eq!(
            text,
            "\nhighest rate with p99 < 20 ms: 4800.0 events/s\nat 4950.0 events/s: p99 23.1 ms\n"
        );
    }

    #[test]
    fn an_answer_that_is_none_or_not_final_says_so() {
        let text = shown(|screen, out| screen.answer(out, &answer(None, true)));
        assert!(
            text.contains("no rate was found that meets p99 < 20 ms"),
            "{text}"
        );
        let text = shown(|screen, out| screen.answer(out, &answer(Some(10.0), false)));
        assert!(text.contains("cut short"), "{text}");
    }

    #[test]
    fn a_limit_that_is_the_clients_is_marked() {
        let answer = SearchResult {
            client_bound: true,
            ..answer(Some(4_800.0), true)
        };
        let text = shown(|screen, out| screen.answer(out, &answer));
        assert!(
            text.contains("the load generator was the limit, not the server"),
            "{text}"
        );
    }

    #[test]
    fn a_probe_is_one_line() {
        let mut out = Vec::new();
        let probe = Probe {
            number: 3,
            first_second: 40,
            seconds: 20,
            rate_per_s: 400.0,
            completed_per_s: 398.7,
            quantile_ns: Some(21_400_000),
            backlog_first: 0,
            backlog_last: 3,
            client_busy: 0.123,
            client_late_ns: 1,
            client_bound: false,
            held: false,
            reason: "p99 21.4 ms".to_owned(),
        };
        line(&mut out, &probe).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.ends_with("         3         12 %  p99 21.4 ms\n"),
            "{text}"
        );
    }
}
