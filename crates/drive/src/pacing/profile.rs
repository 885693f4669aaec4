//! Changes the rate over time: the requested stretches, and the curve through them.
//!
//! Instants are computed from the curve by counting: the n-th event is due when the area under the rate has
//! reached n (operational time). Constant gaps are steps of one in that measure, Poisson gaps are
//! exponential steps, and a fixed rate is a curve with one level piece.

use crate::DriveError;
use dbdyno_workload::TransactionType;
use std::sync::Arc;

/// Highest rate accepted as intended.
const HIGHEST_PER_S: f64 = 1e7;

/// Describes events of one kind, due at a rate that changes as `profile` says.
#[derive(Debug, Clone, PartialEq)]
pub struct RateStream {
    /// Type of these events; `None`: the workload chooses.
    pub transaction: Option<TransactionType>,
    /// Stretches of the rate, one after the other from second 0. The last one's end rate continues to the end
    /// of the run.
    pub profile: Vec<Stretch>,
}

/// A stretch in which the rate stays, or changes linearly from one value to another. A rate of 0 is a
/// pause.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "arguments", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "arguments", serde(deny_unknown_fields))]
pub struct Stretch {
    /// How long it lasts.
    pub duration_ns: u64,
    /// Events a second at its beginning.
    pub from_per_s: f64,
    /// Events a second at its end.
    pub to_per_s: f64,
}

impl RateStream {
    pub(super) fn check(&self, transaction_types: usize) -> Result<(), DriveError> {
        let wrong = |what: String| Err(DriveError::Request(what));
        if let Some(transaction) = self.transaction
            && usize::from(transaction) >= transaction_types
        {
            return wrong(format!(
                "there is no transaction type {transaction}: the workload has {transaction_types}"
            ));
        }
        for stretch in &self.profile {
            for rate_per_s in [stretch.from_per_s, stretch.to_per_s] {
                if !(0.0..=HIGHEST_PER_S).contains(&rate_per_s) {
                    return wrong(format!(
                        "a rate of {rate_per_s} events per second is not between 0 and 10,000,000"
                    ));
                }
            }
            if stretch.duration_ns == 0 {
                return wrong("a segment of the rate lasts 0 ns".to_owned());
            }
        }
        if self
            .profile
            .iter()
            .all(|stretch| stretch.from_per_s + stretch.to_per_s == 0.0)
        {
            return wrong("the rate is 0 all the time: no event would be due".to_owned());
        }
        Ok(())
    }
}

/// Holds the pieces of a rate over time. The last one has no end. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pieces: Arc<[Piece]>,
}

/// A straight piece of the rate. Times are distances from second 0, exact to the nanosecond for 104 days.
#[derive(Debug, Clone, Copy)]
struct Piece {
    begin_ns: f64,
    end_ns: f64,
    from_per_s: f64,
    to_per_s: f64,
    /// Events due before it.
    count_before: f64,
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    piece: usize,
    /// Distance from second 0; infinite where the curve ends with a rate of 0.
    pub(super) offset_ns: f64,
}

impl Curve {
    pub(super) fn level(rate_per_s: f64) -> Self {
        Self {
            pieces: Arc::from([Piece::endless(rate_per_s, 0.0, 0.0)]),
        }
    }

    pub(super) fn new(profile: &[Stretch]) -> Self {
        let (mut begin_ns, mut count, mut last_per_s) = (0.0, 0.0, 0.0);
        let mut pieces = Vec::with_capacity(profile.len() + 1);
        for stretch in profile {
            let piece = Piece {
                begin_ns,
                end_ns: begin_ns + stretch.duration_ns as f64,
                from_per_s: stretch.from_per_s,
                to_per_s: stretch.to_per_s,
                count_before: count,
            };
            count += piece.events_after(begin_ns);
            begin_ns = piece.end_ns;
            last_per_s = piece.to_per_s;
            pieces.push(piece);
        }
        pieces.push(Piece::endless(last_per_s, begin_ns, count));
        Self {
            pieces: pieces.into(),
        }
    }

    pub(super) fn begin(&self) -> Point {
        Point {
            piece: 0,
            offset_ns: 0.0,
        }
    }

    /// Returns the point at which so many more events are due than at `point`.
    #[inline]
    pub(super) fn advance(&self, point: Point, mut count: f64) -> Point {
        let Point {
            mut piece,
            mut offset_ns,
        } = point;
        while let Some(next) = self.pieces.get(piece + 1) {
            let left = self.pieces[piece].events_after(offset_ns);
            if count < left {
                break;
            }
            count -= left;
            offset_ns = next.begin_ns;
            piece += 1;
        }
        let offset_ns = self.pieces[piece].after(offset_ns, count);
        Point { piece, offset_ns }
    }

    /// Returns the point at which `count` events were due since second 0, not before `from`. It is counted from the
    /// beginning of its piece, so that rounding errors don't add up.
    #[inline]
    pub(super) fn point_of(&self, from: Point, count: f64) -> Point {
        let mut piece = from.piece;
        while self
            .pieces
            .get(piece + 1)
            .is_some_and(|next| next.count_before <= count)
        {
            piece += 1;
        }
        let Piece {
            begin_ns: offset_ns,
            count_before,
            ..
        } = self.pieces[piece];
        self.advance(Point { piece, offset_ns }, count - count_before)
    }
}

impl Piece {
    fn endless(rate_per_s: f64, begin_ns: f64, count_before: f64) -> Self {
        Self {
            begin_ns,
            end_ns: f64::INFINITY,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
            count_before,
        }
    }

    fn is_level(&self) -> bool {
        self.from_per_s == self.to_per_s
    }

    /// Returns the change of the rate in a nanosecond.
    fn slope_per_s(&self) -> f64 {
        (self.to_per_s - self.from_per_s) / (self.end_ns - self.begin_ns)
    }

    fn rate_per_s(&self, offset_ns: f64) -> f64 {
        if self.is_level() {
            return self.from_per_s;
        }
        self.from_per_s + self.slope_per_s() * (offset_ns - self.begin_ns)
    }

    /// Returns the events due between `offset_ns` and its end.
    fn events_after(&self, offset_ns: f64) -> f64 {
        let mean_per_s = f64::midpoint(self.rate_per_s(offset_ns), self.to_per_s);
        mean_per_s * (self.end_ns - offset_ns) / 1e9
    }

    /// Returns where `count` more events are due than at `offset_ns`.
    fn after(&self, offset_ns: f64, count: f64) -> f64 {
        if self.is_level() {
            if self.from_per_s == 0.0 {
                return f64::INFINITY;
            }
            return offset_ns + count * (1e9 / self.from_per_s);
        }
        // count = rate t + slope t² / 2, solved in the form without cancellation.
        let (rate, slope) = (self.rate_per_s(offset_ns) / 1e9, self.slope_per_s() / 1e9);
        let root = (rate * rate + 2.0 * slope * count).max(0.0).sqrt();
        let passed_ns = if count > 0.0 {
            2.0 * count / (rate + root)
        } else {
            0.0
        };
        (offset_ns + passed_ns).min(self.end_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_meter::SECOND_NS;

    fn stretch(seconds: u64, from_per_s: f64, to_per_s: f64) -> Stretch {
        Stretch {
            duration_ns: seconds * SECOND_NS,
            from_per_s,
            to_per_s,
        }
    }

    fn second_of(curve: &Curve, count: f64) -> f64 {
        curve.point_of(curve.begin(), count).offset_ns / 1e9
    }

    #[test]
    fn a_step_begins_where_the_one_before_ends() {
        let curve = Curve::new(&[stretch(30, 500.0, 500.0), stretch(30, 1_000.0, 1_000.0)]);
        assert_eq!(second_of(&curve, 14_999.0), 29.998);
        assert_eq!(second_of(&curve, 15_000.0), 30.0);
        assert_eq!(second_of(&curve, 15_001.0), 30.001);
        assert_eq!(second_of(&curve, 55_000.0), 70.0, "the last rate goes on");
    }

    #[test]
    fn nothing_is_due_in_a_pause_nor_after_a_last_rate_of_zero() {
        let curve = Curve::new(&[
            stretch(2, 10.0, 10.0),
            stretch(5, 0.0, 0.0),
            stretch(1, 10.0, 0.0),
        ]);
        assert_eq!(second_of(&curve, 19.0), 1.9);
        assert_eq!(second_of(&curve, 20.0), 7.0);
        assert!(second_of(&curve, 24.99) < 8.0);
        assert_eq!(second_of(&curve, 26.0), f64::INFINITY);
    }

    #[test]
    fn a_ramp_is_the_inverse_of_its_area() {
        for (from, to) in [(100.0, 2_000.0), (2_000.0, 100.0), (0.0, 50.0), (50.0, 0.0)] {
            let curve = Curve::new(&[stretch(60, from, to)]);
            for second in [0.5, 1.0, 17.0, 59.0] {
                let area = from * second + (to - from) / 60.0 * second * second / 2.0;
                assert!(
                    (second_of(&curve, area) - second).abs() < 1e-9,
                    "{from} {to} {second}"
                );
            }
        }
    }

    #[test]
    fn steps_from_point_to_point_and_counts_from_second_zero_agree() {
        let curve = Curve::new(&[
            stretch(10, 3.0, 700.0),
            stretch(3, 0.0, 0.0),
            stretch(10, 700.0, 1.0),
        ]);
        // Not at whole counts: one of them ends the first stretch, and either side of the pause is correct.
        let mut point = curve.advance(curve.begin(), 0.5);
        for count in 1..7_000 {
            point = curve.advance(point, 1.0);
            let counted = curve.point_of(curve.begin(), f64::from(count) + 0.5);
            assert!(
                (point.offset_ns - counted.offset_ns).abs() < 1_000.0,
                "{count}"
            );
        }
    }

    #[test]
    fn after_a_week_instants_are_still_exact_to_the_nanosecond() {
        let week = 7 * 86_400;
        let curve = Curve::new(&[stretch(week, 0.0, 100_000.0), stretch(week, 1e5, 1e5)]);
        let before = 1e5 * week as f64 / 2.0;
        let ends = week as f64 * 1e9;
        let point = curve.point_of(curve.begin(), before + 12_345.0);
        assert_eq!(point.offset_ns, ends + 123_450_000.0);
        let next = curve.advance(point, 1.0);
        assert_eq!(next.offset_ns - point.offset_ns, 10_000.0);
    }

    #[test]
    fn profiles_without_sense_are_refused() {
        let check = |transaction, profile: &[Stretch]| {
            let profile = profile.to_vec();
            RateStream {
                transaction,
                profile,
            }
            .check(2)
        };
        check(Some(1), &[stretch(1, 0.0, 5.0)]).unwrap();
        let wrong = [
            check(Some(2), &[stretch(1, 5.0, 5.0)]),
            check(None, &[]),
            check(None, &[stretch(9, 0.0, 0.0)]),
            check(None, &[stretch(0, 5.0, 5.0)]),
            check(None, &[stretch(1, -1.0, 5.0)]),
            check(None, &[stretch(1, 5.0, f64::NAN)]),
        ];
        assert!(wrong.iter().all(Result::is_err), "{wrong:?}");
    }
}
