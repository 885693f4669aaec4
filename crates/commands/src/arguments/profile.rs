//! Parses a rate such as `2000`, `500:30s,1000:30s` or `100..2000:60s,2000`.

use super::parse::nanoseconds;
use dbdyno_drive::Stretch;
use dbdyno_meter::SECOND_NS;

const EXAMPLES: &str =
    "write for example 2000, 500:30s,1000:30s (steps) or 100..2000:60s,500 (a ramp, then 500)";

/// Holds a rate, or several one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RateText {
    /// In order; the end rate of the last one continues.
    pub(crate) stretches: Vec<Stretch>,
    /// The last one was written without a duration.
    pub(crate) goes_on: bool,
}

impl RateText {
    /// Returns the rate, if it is one number.
    pub(crate) fn fixed_per_s(&self) -> Option<f64> {
        match self.stretches[..] {
            [only] if self.goes_on => Some(only.to_per_s),
            _ => None,
        }
    }

    /// Returns how long the stretches with a duration last.
    pub(crate) fn duration_ns(&self) -> u64 {
        let timed = self.stretches.len() - usize::from(self.goes_on);
        let durations = self.stretches[..timed].iter().map(|s| s.duration_ns);
        durations.fold(0, u64::saturating_add)
    }
}

/// Parses a rate as `--rate` takes it.
pub(super) fn rate(text: &str) -> Result<RateText, String> {
    let pieces: Vec<_> = text.split(',').collect();
    let (last, before) = pieces.split_last().ok_or(EXAMPLES)?;
    let mut stretches = Vec::with_capacity(pieces.len());
    for piece in before {
        let stretch = stretch(piece)?;
        stretches.push(stretch.ok_or_else(|| {
            format!("{piece:?} has no duration, and only the last rate may have none; {EXAMPLES}")
        })?);
    }
    let timed = stretch(last)?;
    stretches.push(match timed {
        Some(stretch) => stretch,
        // Its length does not matter: its end rate continues.
        None => level(number(last)?, SECOND_NS),
    });
    Ok(RateText {
        stretches,
        goes_on: timed.is_none(),
    })
}

/// Parses a type and its rate as `--rate-of` takes them.
pub(super) fn rate_of(text: &str) -> Result<(String, RateText), String> {
    let (name, profile) = text.split_once('=').ok_or_else(|| {
        "write the transaction type, = and its rate, for example new_order=500:30s,1000".to_owned()
    })?;
    Ok((name.trim().to_owned(), rate(profile)?))
}

/// Parses a piece; `None` if it has no duration.
fn stretch(piece: &str) -> Result<Option<Stretch>, String> {
    let Some((rates, duration)) = piece.split_once(':') else {
        if piece.contains("..") {
            return Err(format!(
                "{piece:?} has no duration for its ramp; {EXAMPLES}"
            ));
        }
        return Ok(None);
    };
    let duration_ns = nanoseconds(duration).map_err(|why| format!("{piece:?}: {why}"))?;
    if duration_ns == 0 {
        return Err(format!("{piece:?} has a duration of 0; {EXAMPLES}"));
    }
    Ok(Some(match rates.split_once("..") {
        None => level(number(rates)?, duration_ns),
        Some((from, to)) => Stretch {
            duration_ns,
            from_per_s: number(from)?,
            to_per_s: number(to)?,
        },
    }))
}

fn level(rate_per_s: f64, duration_ns: u64) -> Stretch {
    Stretch {
        duration_ns,
        from_per_s: rate_per_s,
        to_per_s: rate_per_s,
    }
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>();
    number
        .ok()
        .filter(|rate| (0.0..=1e7).contains(rate))
        .ok_or_else(|| format!("{text:?} is not a rate from 0 to 10000000; {EXAMPLES}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(text: &str) -> Vec<(u64, f64, f64)> {
        let rate = rate(text).unwrap();
        let stretches = rate.stretches.iter();
        stretches
            .map(|s| (s.duration_ns / SECOND_NS, s.from_per_s, s.to_per_s))
            .collect()
    }

    #[test]
    fn a_number_is_a_fixed_rate() {
        assert_eq!(rate("2000").unwrap().fixed_per_s(), Some(2_000.0));
        assert_eq!(rate("0.5").unwrap().fixed_per_s(), Some(0.5));
        assert_eq!(rate("2000:5s").unwrap().fixed_per_s(), None);
    }

    #[test]
    fn steps_ramps_and_pauses_follow_one_another() {
        let steps = [(30, 500.0, 500.0), (60, 0.0, 0.0)];
        assert_eq!(stretches("500:30s,0:1m"), steps);
        let ramp = [(60, 100.0, 2_000.0), (1, 500.0, 500.0)];
        assert_eq!(stretches("100..2000:60s, 500"), ramp);
        let ramp = rate("100..2000:60s,500").unwrap();
        assert!(ramp.goes_on);
        assert_eq!(
            ramp.duration_ns(),
            60 * SECOND_NS,
            "what goes on has no end"
        );
    }

    #[test]
    fn a_type_has_a_rate_of_its_own() {
        let (name, rate) = rate_of("new_order=10,20")
            .map_or_else(|why| (why, None), |(name, rate)| (name, Some(rate)));
        assert!(
            rate.is_none() && name.contains("\"10\" has no duration"),
            "{name}"
        );
        assert_eq!(rate_of("payment=7").unwrap().1.fixed_per_s(), Some(7.0));
        assert!(rate_of("payment").is_err());
    }

    #[test]
    fn what_is_no_rate_is_told_with_an_example() {
        let wrong = [
            "", "-5", "1e9", "nan", "5:", "5:0s", "5:3x", "1..2", "1..:5s", "5,", "5,6:3s",
        ];
        for text in wrong {
            let why = rate(text).unwrap_err();
            assert!(
                why.contains("for example") || why.contains("allowed"),
                "{text}: {why}"
            );
        }
    }
}
