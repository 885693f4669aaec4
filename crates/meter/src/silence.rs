//! Records stretches without any reply, so that a stall of the server is seen even if the percentiles hide it.
//!
//! A worker knows only when its own connections were silent. The server was silent when all workers
//! were, so their silences are kept and intersected at the end of the run. Of such a stretch only the time counts in which
//! a request of any worker was out or due: a pause between events is planned.

/// Shorter gaps are ordinary; longer ones are at most a hundred a second for each worker.
const SHORTEST_SILENCE_NS: u64 = 10_000_000;

/// A stretch without a reply, on the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// The reply before it, or the start of the run.
    pub start_ns: u64,
    /// Since when a request was out or due; `end_ns` if none was.
    pub asked_ns: u64,
    /// The reply that ended it, or the end of the run.
    pub end_ns: u64,
}

impl Silence {
    /// Returns how long it was.
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.end_ns - self.start_ns
    }

    /// Returns for how much of it a request was out or due.
    #[must_use]
    pub fn waited_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.asked_ns)
    }
}

/// Holds what one worker heard: when the last reply came, and the silences before it.
#[derive(Debug)]
pub struct SilenceLog {
    last_reply_ns: u64,
    silences: Vec<Silence>,
}

impl SilenceLog {
    /// Creates a log that begins at the start of the run.
    #[must_use]
    pub fn new(start_ns: u64) -> Self {
        Self {
            last_reply_ns: start_ns,
            silences: Vec::with_capacity(1024),
        }
    }

    /// Notes a reply. `asked` returns since when a request was out or due, given the last reply before.
    #[inline]
    pub fn record_reply(&mut self, now_ns: u64, asked: impl FnOnce(u64) -> u64) {
        if now_ns > self.last_reply_ns + SHORTEST_SILENCE_NS {
            let asked_ns = asked(self.last_reply_ns);
            self.silences.push(Silence {
                start_ns: self.last_reply_ns,
                asked_ns: asked_ns.clamp(self.last_reply_ns, now_ns),
                end_ns: now_ns,
            });
        }
        self.last_reply_ns = self.last_reply_ns.max(now_ns);
    }

    /// Returns when the last reply came; before the first, the start of the run.
    #[must_use]
    pub fn last_reply_ns(&self) -> u64 {
        self.last_reply_ns
    }

    /// Returns the silences up to the end of the run, the one still lasting included, with a request out or due since
    /// `asked_ns`. Replies may have come later, to events that were under way then; how long those took is no silence of
    /// the run.
    #[must_use]
    pub fn finish(mut self, end_ns: u64, asked_ns: u64) -> Vec<Silence> {
        self.record_reply(end_ns, |_| asked_ns);
        self.silences.retain_mut(|silence| {
            silence.end_ns = silence.end_ns.min(end_ns);
            silence.asked_ns = silence.asked_ns.min(end_ns);
            silence.end_ns > silence.start_ns + SHORTEST_SILENCE_NS
        });
        self.silences
    }
}

/// Returns the longest stretch in which every worker was silent and a request of any was out or due, at a resolution of
/// 10 ms; 0 when there is none.
///
/// ```
/// use dbdyno_meter::{Silence, longest_common_silence_ns};
///
/// let one = vec![Silence { start_ns: 0, asked_ns: 35, end_ns: 50 }];
/// let other = vec![Silence { start_ns: 30, asked_ns: 60, end_ns: 90 }];
/// assert_eq!(longest_common_silence_ns(vec![one, other]), 15);
/// ```
#[must_use]
pub fn longest_common_silence_ns(workers: Vec<Vec<Silence>>) -> u64 {
    let common = common_silences(workers);
    common.iter().map(Silence::waited_ns).max().unwrap_or(0)
}

/// Returns the stretches in which every worker was silent, in order.
#[must_use]
pub fn common_silences(workers: Vec<Vec<Silence>>) -> Vec<Silence> {
    let common = workers
        .into_iter()
        .reduce(|left, right| common_parts(&left, &right));
    common.unwrap_or_default()
}

/// Intersects both lists, which are in order of time and free of overlaps within themselves.
fn common_parts(left: &[Silence], right: &[Silence]) -> Vec<Silence> {
    let (mut l, mut r, mut common) = (0, 0, Vec::new());
    while l < left.len() && r < right.len() {
        let start_ns = left[l].start_ns.max(right[r].start_ns);
        let end_ns = left[l].end_ns.min(right[r].end_ns);
        if start_ns < end_ns {
            let asked_ns = left[l].asked_ns.min(right[r].asked_ns);
            common.push(Silence {
                start_ns,
                asked_ns: asked_ns.clamp(start_ns, end_ns),
                end_ns,
            });
        }
        if left[l].end_ns < right[r].end_ns {
            l += 1;
        } else {
            r += 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn log_of(replies_ms: &[u64], end_ms: u64) -> Vec<Silence> {
        let mut log = SilenceLog::new(0);
        for &ms in replies_ms {
            log.record_reply(ms * MS, |last_reply_ns| last_reply_ns);
        }
        log.finish(end_ms * MS, 0)
    }

    #[test]
    fn the_longest_gap_of_a_lone_worker_is_the_silence() {
        let log = log_of(&[5, 400, 420, 1000], 1010);
        assert_eq!(longest_common_silence_ns(vec![log]), 580 * MS);
    }

    #[test]
    fn a_silence_that_lasts_to_the_end_counts() {
        let log = log_of(&[5], 905);
        assert_eq!(longest_common_silence_ns(vec![log]), 900 * MS);
    }

    #[test]
    fn replies_after_the_end_add_nothing_to_a_silence() {
        let log = log_of(&[100, 130, 3_000, 6_000], 170);
        let expected = [(0, 100), (100, 130), (130, 170)].map(|(start_ms, end_ms)| Silence {
            start_ns: start_ms * MS,
            asked_ns: start_ms * MS,
            end_ns: end_ms * MS,
        });
        assert_eq!(log, expected);
        assert_eq!(log_of(&[5, 9, 3_000], 15), []);
    }

    #[test]
    fn a_reply_at_any_worker_breaks_the_silence() {
        let one = log_of(&[1000], 2000);
        let other = log_of(&[300, 1700], 2000);
        assert_eq!(longest_common_silence_ns(vec![one, other]), 700 * MS);
    }

    /// An event each second, of 30 ms but for one of 400 ms: nobody caused the pauses between them.
    #[test]
    fn a_pause_in_which_no_request_is_out_or_due_is_no_silence() {
        let mut log = SilenceLog::new(0);
        for (due_ms, took_ms) in [(1_000, 30), (2_000, 400), (3_000, 30)] {
            log.record_reply((due_ms + took_ms) * MS, |_| due_ms * MS);
        }
        let silences = log.finish(3_900 * MS, 3_900 * MS);
        assert_eq!(longest_common_silence_ns(vec![silences]), 400 * MS);
    }

    /// The other worker had nothing to ask for: the server was silent to the first.
    #[test]
    fn one_worker_that_waits_is_enough_for_a_silence_of_all() {
        let of = |start_ns, asked_ns, end_ns| {
            vec![Silence {
                start_ns,
                asked_ns,
                end_ns,
            }]
        };
        let (waits, rests) = (of(0, 20, 90), of(10, 100, 100));
        assert_eq!(longest_common_silence_ns(vec![waits, rests.clone()]), 70);
        assert_eq!(longest_common_silence_ns(vec![rests.clone(), rests]), 0);
    }

    /// Each silence may meet several of the other worker's, whichever began first.
    #[test]
    fn every_part_that_two_workers_share_is_found() {
        let of = |spans: &[(u64, u64)]| {
            let silences = spans.iter().map(|&(start_ns, end_ns)| Silence {
                start_ns,
                asked_ns: start_ns,
                end_ns,
            });
            silences.collect::<Vec<_>>()
        };
        let (one, other) = (of(&[(0, 100), (150, 160)]), of(&[(50, 60), (70, 200)]));
        let shared = of(&[(50, 60), (70, 100), (150, 160)]);
        assert_eq!(common_silences(vec![one.clone(), other.clone()]), shared);
        assert_eq!(common_silences(vec![other, one]), shared);
    }

    #[test]
    fn a_reply_that_is_noted_late_makes_no_silence_longer() {
        let log = log_of(&[5, 400, 300, 420], 425);
        let expected = [(5, 400), (400, 420)].map(|(start_ms, end_ms)| Silence {
            start_ns: start_ms * MS,
            asked_ns: start_ms * MS,
            end_ns: end_ms * MS,
        });
        assert_eq!(log, expected);
    }

    #[test]
    fn ordinary_gaps_are_no_silence() {
        let log = log_of(&(0..100).map(|ms| ms * 9).collect::<Vec<_>>(), 895);
        assert_eq!(longest_common_silence_ns(vec![log]), 0);
    }
}
