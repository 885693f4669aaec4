//! Parses a requirement on a run, such as `p99<20ms` or `errors<0.1%`.

use dbdyno_meter::Histogram;
use dbdyno_workload::nearest;
use std::str::FromStr;

const EXAMPLES: &str = "write for example p99<20ms, errors<0.1% or tps>=1000";

/// Holds a requirement on a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Requirement {
    /// As the user wrote it, without blanks.
    pub(crate) text: String,
    pub(crate) metric: RequirementMetric,
    pub(crate) comparison: Comparison,
    /// In nanoseconds, percent, events a second or events, as the metric is.
    pub(crate) limit: f64,
    pub(crate) unit: Unit,
}

/// A value in the metric's own unit, with a note on it, or why there is none.
pub(crate) type RequirementValue = Result<(f64, &'static str), String>;

/// Says what a requirement is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RequirementMetric {
    Transactions,
    Statements,
    Quantile(f64),
    Longest,
    /// Share of the transactions that met an error, repeated ones included.
    Errors,
    /// Share of the transactions that were given up.
    Failed,
    Reconnects,
}

/// Says how the value is compared with the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Unit in which limit and value are printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    /// Returns how many of the metric's own units it has.
    pub(crate) size: f64,
}

const METRICS: [(&str, RequirementMetric); 10] = [
    ("tps", RequirementMetric::Transactions),
    ("qps", RequirementMetric::Statements),
    ("p50", RequirementMetric::Quantile(0.5)),
    ("p95", RequirementMetric::Quantile(0.95)),
    ("p99", RequirementMetric::Quantile(0.99)),
    ("p999", RequirementMetric::Quantile(0.999)),
    ("max", RequirementMetric::Longest),
    ("errors", RequirementMetric::Errors),
    ("failed", RequirementMetric::Failed),
    ("reconnects", RequirementMetric::Reconnects),
];

/// Longer operators come before their prefixes.
const COMPARISONS: [(&str, Comparison); 4] = [
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

const TIMES: [Unit; 4] = [
    unit("ns", 1.0),
    unit("us", 1e3),
    unit("ms", 1e6),
    unit("s", 1e9),
];
const SHARES: [Unit; 1] = [unit("%", 1.0)];
const NUMBERS: [Unit; 1] = [unit("", 1.0)];

const fn unit(name: &'static str, size: f64) -> Unit {
    Unit { name, size }
}

impl RequirementMetric {
    fn units(self) -> (&'static [Unit], &'static str) {
        match self {
            Self::Quantile(_) | Self::Longest => (&TIMES, "ns, us, ms or s, such as 20ms"),
            Self::Errors | Self::Failed => (&SHARES, "%, such as 0.1%"),
            Self::Transactions | Self::Statements | Self::Reconnects => {
                (&NUMBERS, "no unit, such as 1000")
            }
        }
    }
}

impl Requirement {
    /// Returns whether a value in the metric's own unit meets it.
    pub(crate) fn holds(&self, value: f64) -> bool {
        match self.comparison {
            Comparison::Less => value < self.limit,
            Comparison::LessOrEqual => value <= self.limit,
            Comparison::Greater => value > self.limit,
            Comparison::GreaterOrEqual => value >= self.limit,
        }
    }

    /// Returns whether a value meets it, and the line that says so. What was not measured does not.
    pub(crate) fn verdict(&self, value: &RequirementValue) -> (bool, String) {
        let holds = matches!(value, Ok((value, _)) if self.holds(*value));
        let word = if holds { "PASS" } else { "FAIL" };
        let found = match value {
            Ok((value, note)) => self.value_text(*value) + note,
            Err(why) => why.clone(),
        };
        (holds, format!("{word} {}: {found}", self.text))
    }

    /// Formats the value in the unit of the limit, to three decimals or digits, and to more until it compares with the
    /// limit as the exact value does.
    fn value_text(&self, value: f64) -> String {
        let value_in_unit = value / self.unit.size;
        let magnitude = value_in_unit.log10().floor().max(-9.0); // of 0 it has no bound
        let decimals = (2.0 - magnitude).max(3.0) as usize;
        let is_honest = |text: &String| {
            let printed = text.parse().unwrap_or(value_in_unit) * self.unit.size;
            self.holds(printed) == self.holds(value)
        };
        let text = |decimals| format!("{value_in_unit:.decimals$}");
        let number = (decimals..16).map(text).find(is_honest);
        let number = number.unwrap_or_else(|| text(decimals));
        let number = number.trim_end_matches('0').trim_end_matches('.');
        format!("{number} {}", self.unit.name).trim_end().to_owned()
    }
}

impl FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text: String = text.split_whitespace().collect();
        let operator_at = text.find(['<', '>']).unwrap_or(text.len());
        let (name, rest) = text.split_at(operator_at);
        let metric = metric(name)?;
        let (comparison, value) = COMPARISONS
            .iter()
            .find_map(|(word, comparison)| Some((*comparison, rest.strip_prefix(word)?)))
            .ok_or_else(|| format!("{name} must be followed by <, <=, > or >=: {EXAMPLES}"))?;
        let (limit, unit) = limit(name, metric, value)?;
        Ok(Self {
            metric,
            comparison,
            limit,
            unit,
            text,
        })
    }
}

/// Returns a quantile of the times of completed events, in ns. Events that had not ended count with the time that they
/// had waited, unless that lowers the value: a server that stops would show good times only.
pub(crate) fn quantile_value(
    completed: &Histogram,
    unended: &Histogram,
    q: f64,
) -> Option<(f64, &'static str)> {
    let mut all = completed.clone();
    all.merge(unended);
    // The upper edge of a histogram's slot may lie above the longest time.
    let value = |times: &Histogram| times.quantile_ns(q).map(|ns| ns.min(times.max_ns()));
    let (completed_ns, all_ns) = (value(completed)?, value(&all)?);
    Some(match all_ns > completed_ns {
        true => (all_ns as f64, ", events that had not ended included"),
        false => (completed_ns as f64, ""),
    })
}

fn metric(name: &str) -> Result<RequirementMetric, String> {
    let known = METRICS.iter().find(|(known, _)| *known == name);
    known.map(|(_, metric)| *metric).ok_or_else(|| {
        let names = METRICS.map(|(name, _)| name);
        format!(
            "{name:?} is not a metric; {} is the nearest of {}: {EXAMPLES}",
            nearest(name, names),
            names.join(", ")
        )
    })
}

/// Parses the limit in the metric's own unit, and the unit that it was written in.
fn limit(name: &str, metric: RequirementMetric, value: &str) -> Result<(f64, Unit), String> {
    let (units, wanted) = metric.units();
    let unit_at = value.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = value.split_at(unit_at.unwrap_or(value.len()));
    let number: f64 = number
        .parse()
        .map_err(|_| format!("{value:?} is not a limit: {EXAMPLES}"))?;
    let unit = match unit {
        "µs" => "us",
        unit => unit,
    };
    let unit = units
        .iter()
        .find(|known| known.name == unit)
        .ok_or_else(|| {
            if unit.is_empty() {
                format!("{name} needs a unit after {value}: {wanted}")
            } else {
                format!("the unit {unit:?} does not fit {name}, which takes {wanted}")
            }
        })?;
    Ok((number * unit.size, *unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_is_a_metric_an_operator_and_a_limit_with_its_unit() {
        use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
        for (text, metric, comparison, limit) in [
            ("p99<20ms", RequirementMetric::Quantile(0.99), Less, 20e6),
            (
                "p999 <= 1.5 s",
                RequirementMetric::Quantile(0.999),
                LessOrEqual,
                1.5e9,
            ),
            ("max<300µs", RequirementMetric::Longest, Less, 300e3),
            ("p50>10ns", RequirementMetric::Quantile(0.5), Greater, 10.0),
            ("errors<0.1%", RequirementMetric::Errors, Less, 0.1),
            ("failed<=0%", RequirementMetric::Failed, LessOrEqual, 0.0),
            (
                "tps>=1000",
                RequirementMetric::Transactions,
                GreaterOrEqual,
                1e3,
            ),
            (
                "reconnects<=0",
                RequirementMetric::Reconnects,
                LessOrEqual,
                0.0,
            ),
        ] {
            let parsed = text.parse::<Requirement>().unwrap();
            assert_eq!(
                (parsed.metric, parsed.comparison),
                (metric, comparison),
                "{text}"
            );
            assert!((parsed.limit - limit).abs() <= limit * 1e-12, "{text}");
        }
        assert_eq!(
            " p99 < 20 ms ".parse::<Requirement>().unwrap().text,
            "p99<20ms"
        );
    }

    #[test]
    fn a_wrong_metric_has_the_nearest_and_a_wrong_unit_the_right_ones() {
        for (wrong, words) in [
            ("p9<20ms", "p95"),
            ("erors<1%", "errors"),
            ("p99<20", "p99 needs a unit after 20: ns, us, ms or s"),
            ("errors<0.1", "0.1%"),
            ("tps>1000ms", "no unit"),
            ("p99=20ms", "p99<20ms"),
            ("p99", "<="),
            ("p99<", "p99<20ms"),
            ("p99<-1ms", "p99<20ms"),
            ("p99<1.2.3ms", "p99<20ms"),
            ("", "tps"),
        ] {
            let error = wrong.parse::<Requirement>().unwrap_err();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }
}
