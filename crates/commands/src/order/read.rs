//! Reads order files.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::fmt::Display;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;

/// Says where an order comes from: a path, or `-` for standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OrderFile {
    /// Standard input.
    Input,
    /// A file.
    Path(PathBuf),
}

impl FromStr for OrderFile {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "-" => Self::Input,
            path => Self::Path(path.into()),
        })
    }
}

/// Reads an order. A field that the contract doesn't know is an error: a typo must not change a
/// measurement silently.
pub(crate) fn read_order<T: DeserializeOwned>(file: &OrderFile) -> Result<T, CliError> {
    Ok(read_order_text(file)?.0)
}

/// Reads an order, and its text.
pub(crate) fn read_order_text<T: DeserializeOwned>(
    file: &OrderFile,
) -> Result<(T, String), CliError> {
    let name = match file {
        OrderFile::Input => "standard input".to_owned(),
        OrderFile::Path(path) => path.display().to_string(),
    };
    let text = match file {
        OrderFile::Input => read_input(&name)?,
        OrderFile::Path(path) => dbdyno_input::read_text(path).map_err(|error| {
            CliError::request(
                ErrorCode::FileUnreadable,
                format!("the order in {name} can't be read"),
            )
            .because(error)
        })?,
    };
    Ok((parse_order(&text, &name)?, text))
}

/// Reads an order, which commands may follow if it says so: then it does not wait for the end of standard input. Other
/// text after an order is refused: a misplaced brace may have cut it off.
fn read_input(name: &str) -> Result<String, CliError> {
    let mut copied = Copied {
        input: io::stdin().lock(),
        bytes: Vec::new(),
        most_bytes: dbdyno_input::limit().map_err(|error| not_an_order(name, error))?,
    };
    serde_json::Deserializer::from_reader(&mut copied)
        .into_iter::<IgnoredAny>()
        .next()
        .unwrap_or(Ok(IgnoredAny))
        .map_err(|error| not_an_order(name, error))?;
    let is_followed =
        serde_json::from_slice(&copied.bytes).is_ok_and(|order: CommandedOrder| order.is_commanded);
    if !is_followed {
        let rest = io::copy(&mut copied, &mut io::sink());
        rest.map_err(|error| not_an_order(name, error))?;
    }
    String::from_utf8(copied.bytes).map_err(|error| not_an_order(name, error))
}

/// Holds the fields that decide where an order ends.
#[derive(Deserialize)]
struct CommandedOrder {
    #[serde(default)]
    is_commanded: bool,
}

/// Keeps the input read so far, which is no more than requested.
struct Copied<R> {
    input: R,
    bytes: Vec<u8>,
    /// An error beyond it.
    most_bytes: u64,
}

impl<R: Read> Read for Copied<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.bytes.extend_from_slice(&buffer[..count]);
        if self.bytes.len() as u64 > self.most_bytes {
            return Err(dbdyno_input::too_large(self.most_bytes));
        }
        Ok(count)
    }
}

fn parse_order<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, CliError> {
    serde_json::from_str(text).map_err(|error| not_an_order(name, error))
}

fn not_an_order(name: &str, why: impl Display) -> CliError {
    CliError::request(
        ErrorCode::NotAnOrder,
        format!("the order in {name} does not follow the contract"),
    )
    .because(why)
    .hint("see contract/ and its samples")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::{LoadOrder, PopulateOrder};
    use dbdyno_drive::{Arrivals, Pacing, Think, ThinkDistribution};
    use serde_json::{Value, json};
    use std::num::NonZeroU32;

    const LOAD: &str = include_str!("../../../../contract/samples/load-order.json");
    const FIXED_RATE: &str =
        include_str!("../../../../contract/samples/load-order-fixed-rate.json");
    const THINK: &str = include_str!("../../../../contract/samples/load-order-think.json");
    const VARIED_RATE: &str =
        include_str!("../../../../contract/samples/load-order-varied-rate.json");
    const SEARCH: &str = include_str!("../../../../contract/samples/load-order-search.json");
    const POPULATE: &str = include_str!("../../../../contract/samples/populate-order.json");

    fn changed(sample: &str, pointer: &str, value: Value) -> String {
        let mut order: Value = serde_json::from_str(sample).unwrap();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        order.pointer_mut(parent).unwrap()[field] = value;
        order.to_string()
    }

    fn error_of(sample: &str, pointer: &str, value: Value) -> String {
        let order = parse_order::<LoadOrder>(&changed(sample, pointer, value), "test");
        order.unwrap_err().to_string()
    }

    #[test]
    fn the_samples_of_the_contract_are_read() {
        parse_order::<LoadOrder>(LOAD, "test").unwrap();
        let order: LoadOrder = parse_order(FIXED_RATE, "test").unwrap();
        let load = order.load().unwrap();
        assert!(load.pacing.is_open_loop());
        assert_eq!(load.phases[0].seconds, 60);
        let order: PopulateOrder = parse_order(POPULATE, "test").unwrap();
        assert_eq!(order.population().unwrap().rows_total(), 200_000);
    }

    #[test]
    fn a_rest_between_events_is_read_with_its_law() {
        let order: LoadOrder = parse_order(THINK, "test").unwrap();
        let pacing = order.load().unwrap().pacing;
        let think = Think {
            mean_ns: 100_000_000,
            law: ThinkDistribution::Exponential,
        };
        assert_eq!(pacing, Pacing::Closed { think: Some(think) });
        assert!(pacing.has_due_instants() && !pacing.is_open_loop());
    }

    #[test]
    fn streams_are_read_with_their_types_and_stretches() {
        let order: LoadOrder = parse_order(VARIED_RATE, "test").unwrap();
        let Pacing::VariedRate { streams, arrivals } = order.load().unwrap().pacing else {
            panic!("another kind of pacing")
        };
        assert_eq!(arrivals, Arrivals::Poisson);
        let types: Vec<_> = streams.iter().map(|stream| stream.transaction).collect();
        assert_eq!(types, [None, Some(0)]);
        assert_eq!(streams[0].profile.len(), 3);
        assert_eq!(streams[0].profile[2].to_per_s, 2_000.0);
    }

    #[test]
    fn a_search_is_read_and_its_first_rate_is_that_of_the_phases_before_it() {
        let order: LoadOrder = parse_order(SEARCH, "test").unwrap();
        let search = order.search().unwrap().unwrap();
        assert_eq!((search.quantile, search.response_ns), (0.99, 20_000_000));
        assert_eq!((search.settle_s, search.window_s), (5, 20));
        let pacing = Pacing::FixedRate {
            rate_per_s: 100.0,
            arrivals: Arrivals::Poisson,
        };
        assert_eq!(order.load().unwrap().pacing, pacing);
        let order: LoadOrder = parse_order(FIXED_RATE, "test").unwrap();
        assert!(order.search().unwrap().is_none());
    }

    #[test]
    fn a_profile_longer_than_the_run_is_worth_a_remark() {
        let order: LoadOrder = parse_order(VARIED_RATE, "test").unwrap();
        assert_eq!(order.remark(), None);
        let phases = json!([{"name": "window", "duration_ns": 30_000_000_000_u64}]);
        let order: LoadOrder =
            parse_order(&changed(VARIED_RATE, "/phases", phases), "test").unwrap();
        let remark = order.remark().unwrap();
        assert!(
            remark.contains("100 s") && remark.contains("30 s"),
            "{remark}"
        );
    }

    #[test]
    fn an_unknown_transaction_type_is_refused_with_the_nearest() {
        let pointer = "/pacing/streams/1/transaction";
        let order = changed(VARIED_RATE, pointer, json!("pint_select"));
        let order: LoadOrder = parse_order(&order, "test").unwrap();
        let error = order.load().unwrap_err().to_string();
        assert!(error.contains("nearest one is \"point_select\""), "{error}");
    }

    #[test]
    fn an_unknown_field_is_named_wherever_it_stands() {
        for pointer in [
            "/consurrency",
            "/target/pasword_file",
            "/pacing/rate",
            "/errors/retry",
        ] {
            let field = pointer.rsplit_once('/').unwrap().1;
            let error = error_of(LOAD, pointer, json!(1));
            assert!(
                error.contains(&format!("unknown field `{field}`")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_missing_field_is_named() {
        let error = parse_order::<LoadOrder>("{\"schema_version\": 1}", "test").unwrap_err();
        assert!(
            error.to_string().contains("missing field `target`"),
            "{error}"
        );
    }

    #[test]
    fn an_order_of_another_version_is_refused() {
        let order: LoadOrder =
            parse_order(&changed(FIXED_RATE, "/schema_version", json!(2)), "test").unwrap();
        assert!(
            order
                .load()
                .unwrap_err()
                .to_string()
                .contains("schema_version 2")
        );
    }

    #[test]
    fn phases_last_whole_seconds() {
        let phases = json!([{"name": "window", "duration_ns": 1_500_000_000_u64}]);
        let order: LoadOrder =
            parse_order(&changed(FIXED_RATE, "/phases", phases), "test").unwrap();
        assert!(
            order
                .load()
                .unwrap_err()
                .to_string()
                .contains("whole seconds")
        );
    }

    #[test]
    fn the_servers_counts_are_read_every_whole_second_or_rarer() {
        let every = |ns: u64| -> Result<Option<u32>, String> {
            let order = changed(FIXED_RATE, "/counts_every_ns", json!(ns));
            let order: LoadOrder = parse_order(&order, "test").unwrap();
            let every_s = order.counts_every_s().map_err(|error| error.to_string())?;
            Ok(every_s.map(NonZeroU32::get))
        };
        assert_eq!(every(10_000_000_000), Ok(Some(10)));
        assert!(every(1_500_000_000).unwrap_err().contains("whole seconds"));
        assert!(every(0).unwrap_err().contains("every 0 s"));
        let silent: LoadOrder = parse_order(FIXED_RATE, "test").unwrap();
        assert_eq!(silent.counts_every_s().unwrap(), None);
    }

    #[test]
    fn switches_of_a_workload_may_be_true_or_false() {
        let options = json!({"range_selects": false, "skip_trx": true, "tables": 2});
        let order: LoadOrder =
            parse_order(&changed(FIXED_RATE, "/workload/options", options), "test").unwrap();
        let facts = order.load().unwrap().workload.spec().metadata.clone();
        assert!(
            facts
                .options
                .contains(&("tables".to_owned(), "2".to_owned()))
        );
        assert!(
            facts
                .options
                .contains(&("skip_trx".to_owned(), "on".to_owned()))
        );
    }
}
