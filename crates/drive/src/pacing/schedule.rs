//! Finds the due events of one worker, over all streams.

use super::dues::DueSequence;
use super::profile::{Curve, RateStream};
use super::{Arrivals, Due, Share};
use dbdyno_workload::TransactionType;

/// Holds the due instants of one worker up to the end of the run.
#[derive(Debug)]
pub(crate) struct DueSchedule {
    queues: Vec<Queue>,
    /// The queue whose first event is due first.
    first: usize,
    end_ns: u64,
}

/// Holds the events of one stream that were not started. The backlog is not stored: it is the distance between two
/// readers of the same instants, so it has no bound and costs no memory.
#[derive(Debug)]
struct Queue {
    wanted: Option<TransactionType>,
    /// The first instant not taken yet.
    head: DueSequence,
    /// The first instant not counted as due yet.
    ahead: DueSequence,
    taken: u64,
    passed: u64,
}

impl DueSchedule {
    /// Creates the schedule of a constant rate.
    pub(super) fn fixed(
        rate_per_s: f64,
        arrivals: Arrivals,
        share: Share,
        seed: u64,
        (start_ns, end_ns): (u64, u64),
    ) -> Self {
        let dues = DueSequence::new(Curve::level(rate_per_s), arrivals, 0, share, seed, start_ns);
        Self::new(vec![Queue::new(None, dues)], end_ns)
    }

    /// Creates the schedule of parallel streams.
    pub(super) fn varied(
        streams: &[RateStream],
        arrivals: Arrivals,
        share: Share,
        seed: u64,
        (start_ns, end_ns): (u64, u64),
    ) -> Self {
        let queue = |(stream, number): (&RateStream, u64)| {
            let curve = Curve::new(&stream.profile);
            let dues = DueSequence::new(curve, arrivals, number, share, seed, start_ns);
            Queue::new(stream.transaction, dues)
        };
        Self::new(streams.iter().zip(0..).map(queue).collect(), end_ns)
    }

    fn new(queues: Vec<Queue>, end_ns: u64) -> Self {
        let mut schedule = Self {
            queues,
            first: 0,
            end_ns,
        };
        schedule.find_first();
        schedule
    }

    #[inline]
    pub(super) fn next_due_ns(&self) -> Option<u64> {
        let due_ns = self.queues[self.first].head.due_ns();
        (due_ns < self.end_ns).then_some(due_ns)
    }

    /// Takes the event that has been due for longest.
    #[inline]
    pub(super) fn take(&mut self, now_ns: u64) -> Option<Due> {
        let at_ns = self.next_due_ns().filter(|&due_ns| due_ns <= now_ns)?;
        let queue = &mut self.queues[self.first];
        queue.head.advance();
        queue.taken += 1;
        let wanted = queue.wanted;
        self.find_first();
        Some(Due { at_ns, wanted })
    }

    /// Returns the events due before `now_ns` and not taken.
    pub(super) fn waiting(&mut self, now_ns: u64) -> u64 {
        let now_ns = now_ns.min(self.end_ns);
        self.queues
            .iter_mut()
            .map(|queue| queue.waiting(now_ns))
            .sum()
    }

    /// Finds the first queue: a load has few streams, so a scan is faster than keeping an order.
    #[inline]
    fn find_first(&mut self) {
        let places = 0..self.queues.len();
        self.first = places
            .min_by_key(|&place| self.queues[place].head.due_ns())
            .unwrap_or(0);
    }
}

impl Queue {
    fn new(wanted: Option<TransactionType>, dues: DueSequence) -> Self {
        Self {
            wanted,
            ahead: dues.clone(),
            head: dues,
            taken: 0,
            passed: 0,
        }
    }

    fn waiting(&mut self, now_ns: u64) -> u64 {
        self.pass_due(now_ns);
        self.passed - self.taken
    }

    /// Moves `ahead` to the first event due at `now_ns` or later. Returns how many instants that computed.
    fn pass_due(&mut self, now_ns: u64) -> u64 {
        // Instants of taken events are not computed again: at a high rate that would stall the worker for milliseconds
        // at the end of each second.
        if self.passed < self.taken {
            (self.ahead, self.passed) = (self.head.clone(), self.taken);
        }
        let passed_before = self.passed;
        while self.ahead.due_ns() < now_ns {
            self.ahead.advance();
            self.passed += 1;
        }
        self.passed - passed_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stretch;
    use dbdyno_chance::{RandomKind, RandomSource};
    use dbdyno_meter::SECOND_NS;

    const START_NS: u64 = 77;
    const ALONE: Share = Share {
        worker: 0,
        workers: 1,
        connections: 3,
    };

    fn stretch(seconds: u64, from_per_s: f64, to_per_s: f64) -> Stretch {
        Stretch {
            duration_ns: seconds * SECOND_NS,
            from_per_s,
            to_per_s,
        }
    }

    fn stream(transaction: Option<u8>, profile: &[Stretch]) -> RateStream {
        RateStream {
            transaction,
            profile: profile.to_vec(),
        }
    }

    fn varied(
        streams: &[RateStream],
        arrivals: Arrivals,
        share: Share,
        seconds: u64,
    ) -> DueSchedule {
        let span = (START_NS, START_NS + seconds * SECOND_NS);
        DueSchedule::varied(streams, arrivals, share, 7, span)
    }

    fn all(mut schedule: DueSchedule) -> Vec<Due> {
        std::iter::from_fn(|| schedule.take(u64::MAX)).collect()
    }

    fn counts_by_second(dues: &[Due], seconds: usize) -> Vec<f64> {
        let mut counts = vec![0.0; seconds];
        for due in dues {
            counts[((due.at_ns - START_NS) / SECOND_NS) as usize] += 1.0;
        }
        counts
    }

    /// Computes the instants directly: the gap times the place, or the sum of the drawn gaps.
    fn plain_instants(rate_per_s: f64, arrivals: Arrivals) -> Vec<u64> {
        let kind = RandomKind::Dbdyno;
        let mut draws = RandomSource { kind, seed: 7 }.keyed("arrivals", 0);
        let gap_ns = 1e9 / rate_per_s;
        let mut offset_ns = 0.0;
        let instant = |index| {
            match arrivals {
                Arrivals::Constant => offset_ns = f64::from(index) * gap_ns,
                Arrivals::Poisson => offset_ns -= (1.0 - draws.next_double()).ln() * gap_ns,
            }
            START_NS + offset_ns as u64
        };
        (0..20_000).map(instant).collect()
    }

    #[test]
    fn a_fixed_rate_and_a_stream_of_one_level_stretch_are_the_plain_instants() {
        let span = (START_NS, u64::MAX);
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            for rate_per_s in [0.013, 3.0, 1_234.5, 9_999_999.0] {
                let fixed = DueSchedule::fixed(rate_per_s, arrivals, ALONE, 7, span);
                let level = stream(None, &[stretch(1, rate_per_s, rate_per_s)]);
                let level = DueSchedule::varied(&[level], arrivals, ALONE, 7, span);
                for (mut schedule, slack_ns) in [(fixed, 0), (level, 1)] {
                    for plain_ns in plain_instants(rate_per_s, arrivals) {
                        let at_ns = schedule.take(u64::MAX).unwrap().at_ns;
                        assert!(at_ns.abs_diff(plain_ns) <= slack_ns, "{at_ns} {plain_ns}");
                    }
                }
            }
        }
    }

    #[test]
    fn constant_arrivals_of_a_ramp_fill_each_second_with_its_area() {
        let ramp = stream(None, &[stretch(60, 100.0, 2_000.0)]);
        let dues = all(varied(&[ramp], Arrivals::Constant, ALONE, 80));
        for (second, count) in counts_by_second(&dues, 80).into_iter().enumerate() {
            let middle = 100.0 + (second as f64 + 0.5) * 1_900.0 / 60.0;
            let area = if second < 60 { middle } else { 2_000.0 };
            assert!(
                (count - area).abs() <= 1.0,
                "second {second}: {count} of {area}"
            );
        }
    }

    /// In each second the count is Poisson around the area under the rate: over many seconds the squared
    /// deviations, divided by the area, average 1.
    #[test]
    fn poisson_arrivals_of_a_ramp_scatter_around_its_area_as_they_should() {
        let profile = [stretch(1_000, 20.0, 220.0), stretch(1_000, 0.0, 0.0)];
        let dues = all(varied(
            &[stream(None, &profile)],
            Arrivals::Poisson,
            ALONE,
            2_000,
        ));
        let counts = counts_by_second(&dues, 2_000);
        assert!(counts[1_000..].iter().all(|&count| count == 0.0), "a pause");
        let deviations = counts[..1_000].iter().enumerate().map(|(second, count)| {
            let area = 20.0 + (second as f64 + 0.5) * 0.2;
            ((count - area) / area.sqrt(), count - area)
        });
        let (squares, surplus) = deviations.fold((0.0, 0.0), |(squares, surplus), (z, over)| {
            (squares + z * z, surplus + over)
        });
        let dispersion = squares / 1_000.0;
        assert!(
            (dispersion - 1.0).abs() < 0.22,
            "five standard deviations: {dispersion}"
        );
        assert!(surplus.abs() < 5.0 * 120_000_f64.sqrt(), "{surplus}");
    }

    #[test]
    fn streams_side_by_side_keep_their_types_their_rates_and_the_order_of_time() {
        let streams = [
            stream(Some(1), &[stretch(10, 300.0, 300.0)]),
            stream(None, &[stretch(5, 0.0, 0.0), stretch(5, 100.0, 100.0)]),
        ];
        let mut schedule = varied(&streams, Arrivals::Constant, ALONE, 10);
        assert_eq!(schedule.waiting(START_NS + 6 * SECOND_NS), 1_800 + 100);
        let dues = all(schedule);
        assert!(dues.is_sorted_by_key(|due| due.at_ns));
        let of = |wanted| dues.iter().filter(|due| due.wanted == wanted).count();
        assert_eq!((of(Some(1)), of(None)), (3_000, 500));
    }

    #[test]
    fn the_backlog_of_streams_is_what_is_due_less_what_was_taken() {
        let ramp = [stretch(10, 0.0, 1_000.0)];
        let streams = [stream(Some(0), &ramp), stream(Some(1), &ramp)];
        let mut schedule = varied(&streams, Arrivals::Poisson, ALONE, 10);
        let now_ns = START_NS + 8 * SECOND_NS;
        let waiting = schedule.waiting(now_ns);
        let taken = std::iter::from_fn(|| schedule.take(now_ns))
            .take(1_000)
            .count() as u64;
        assert_eq!(schedule.waiting(now_ns), waiting - taken);
        let due = std::iter::from_fn(|| schedule.take(now_ns)).count() as u64;
        assert_eq!(due, waiting - taken);
        assert_eq!(schedule.waiting(now_ns), 0);
    }

    #[test]
    fn counting_a_backlog_computes_no_instant_of_an_event_that_was_taken() {
        let level = stream(None, &[stretch(10, 5_000.0, 5_000.0)]);
        let mut schedule = varied(&[level], Arrivals::Poisson, ALONE, 10);
        for second in 1..4 {
            let second_ns = START_NS + second * SECOND_NS;
            while schedule.take(second_ns).is_some() {}
            assert_eq!(schedule.queues[0].pass_due(second_ns), 0);
        }
        let waiting = schedule.waiting(START_NS + 4 * SECOND_NS);
        assert!((4_000..6_000).contains(&waiting), "{waiting}");
        assert_eq!(schedule.queues[0].pass_due(START_NS + 4 * SECOND_NS), 0);
    }

    #[test]
    fn the_instants_of_streams_do_not_depend_on_the_number_of_workers() {
        let streams = [
            stream(Some(1), &[stretch(5, 100.0, 500.0)]),
            stream(None, &[stretch(3, 40.0, 0.0), stretch(2, 70.0, 70.0)]),
        ];
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let share = |worker| Share {
                worker,
                workers: 2,
                ..ALONE
            };
            let both = [0, 1].map(|worker| all(varied(&streams, arrivals, share(worker), 8)));
            let mut both = both.concat();
            both.sort_by_key(|due| (due.at_ns, due.wanted));
            let mut alone = all(varied(&streams, arrivals, ALONE, 8));
            alone.sort_by_key(|due| (due.at_ns, due.wanted));
            assert_eq!(both, alone);
        }
    }
}
