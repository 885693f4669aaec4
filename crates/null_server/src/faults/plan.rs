//! Holds all faults of a server.

use super::{DelayDistribution, FaultError, Frequency, Stall, TimeWindow, TimedFault};
use std::str::FromStr;

/// Describes what goes wrong and when. The default is a server that never fails.
///
/// Delays, errors and drops befall the statements of a load; what clients say to set themselves up
/// (`SET`, `SHOW`, `SELECT @@…`, preparing, pings) is spared. Stalls and freezes hold back everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FaultPlan {
    /// Silences that come again and again.
    pub stalls: Vec<TimedFault<Stall>>,
    /// Silences that come once.
    pub freezes: Vec<TimeWindow>,
    /// How long each statement takes; the first one that holds at the instant counts.
    pub delays: Vec<TimedFault<DelayDistribution>>,
    /// Errors instead of results.
    pub errors: Vec<TimedFault<ErrorRule>>,
    /// Which statements the errors befall.
    pub errors_on: ErrorPlace,
    /// Connections closed instead of an answer.
    pub drops: Vec<TimedFault<DropRule>>,
    /// Times when nobody is let in.
    pub refusals: Vec<Refusal>,
    /// Statements a second that the server can do, one after the other; `None` for any number.
    pub capacity_per_s: Option<f64>,
    /// Prepared statements that the server keeps at most, over all connections.
    pub max_prepared: Option<u32>,
}

/// One error code and how often it comes: `1213:3%` or `1213:every=100`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRule {
    /// The code.
    pub code: u16,
    /// How often.
    pub frequency: Frequency,
}

impl FromStr for ErrorRule {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        const EXPECTED: &str = "write an error code and its frequency, such as 1213:3%";
        let given = || FaultError::new(text, EXPECTED);
        let (code, frequency) = text.split_once(':').ok_or_else(given)?;
        let code = code.trim().parse().ok().filter(|&code| code > 0);
        Ok(Self {
            code: code.ok_or_else(given)?,
            frequency: frequency.parse()?,
        })
    }
}

/// Says how often a connection is closed instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DropRule(pub Frequency);

impl FromStr for DropRule {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        text.parse().map(Self)
    }
}

/// Describes which statements errors befall.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ErrorPlace {
    /// Every statement of a load.
    #[default]
    Any,
    /// Those of a kind, as logs and statistics name it, such as `commit` or `point_select`.
    Kind(String),
    /// Those whose text begins so, in any case.
    Text(String),
}

impl FromStr for ErrorPlace {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let is_kind = |kind: &str| crate::kinds().any(|known| known == kind);
        match text.trim() {
            "" => Err(FaultError::new(
                text,
                "write any, a kind of statement such as commit, or the beginning of its text",
            )),
            "any" => Ok(Self::Any),
            kind if is_kind(kind) => Ok(Self::Kind(kind.to_owned())),
            beginning => Ok(Self::Text(beginning.to_owned())),
        }
    }
}

/// A time when nobody is let in: `40s+10s`, `reset@40s+10s` or `closed@40s+10s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// What who knocks gets.
    pub kind: RefusalKind,
    /// When.
    pub window: TimeWindow,
}

/// Describes what a client that connects gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// Error 1040, too many connections.
    Error,
    /// The connection is torn down at once.
    Reset,
    /// Nothing: nobody listens.
    Closed,
}

impl FromStr for Refusal {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        const EXPECTED: &str = "write 40s+10s for error 1040, or begin with another way: reset@40s+10s, closed@40s+10s";
        let (kind, window) = text.split_once('@').unwrap_or(("error", text));
        let kind = match kind {
            "error" | "1040" => RefusalKind::Error,
            "reset" => RefusalKind::Reset,
            "closed" => RefusalKind::Closed,
            _ => return Err(FaultError::new(text, EXPECTED)),
        };
        Ok(Self {
            kind,
            window: window.parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_rule_needs_a_code_and_a_frequency() {
        let rule: TimedFault<ErrorRule> = "1213:every=100@10s+5s".parse().unwrap();
        assert_eq!(rule.fault.code, 1213);
        assert_eq!(rule.fault.frequency, Frequency::Every(100));
        assert!(rule.window.is_some());
        for given in ["1213", "deadlock:3%", "0:3%", "70000:3%"] {
            let error = given.parse::<ErrorRule>().unwrap_err();
            assert!(error.to_string().contains("1213:3%"), "{given}");
        }
    }

    #[test]
    fn the_place_of_errors_is_a_kind_or_a_text() {
        assert_eq!("any".parse(), Ok(ErrorPlace::Any));
        assert_eq!("commit".parse(), Ok(ErrorPlace::Kind("commit".to_owned())));
        let text = "UPDATE sbtest1".to_owned();
        assert_eq!("UPDATE sbtest1".parse(), Ok(ErrorPlace::Text(text)));
        assert!(" ".parse::<ErrorPlace>().is_err());
    }

    #[test]
    fn a_refusal_says_how_or_means_an_error() {
        let kind = |text: &str| text.parse::<Refusal>().map(|refusal| refusal.kind);
        assert_eq!(kind("1s+1s"), Ok(RefusalKind::Error));
        assert_eq!(kind("closed@1s+1s"), Ok(RefusalKind::Closed));
        assert!(kind("rst@1s+1s").is_err());
    }
}
