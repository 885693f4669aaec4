//! Computes the instants of reports.

use crate::Settings;
use dbdyno_meter::SECOND_NS;

/// Knows when reports are due.
pub(super) struct Dues {
    from_ns: u64,
    interval_ns: u64,
    next_interval_ns: Option<u64>,
    checkpoints_ns: std::vec::IntoIter<u64>,
    next_checkpoint_ns: Option<u64>,
}

impl Dues {
    pub(super) fn new(settings: &Settings, from_ns: u64) -> Self {
        let interval_ns = u64::from(settings.report_interval_s) * SECOND_NS;
        let after = |seconds: &u32| from_ns.saturating_add(u64::from(*seconds) * SECOND_NS);
        // Like sysbench, which skips what is already past: second 0, and a second listed twice.
        let mut checkpoints_s = settings.checkpoints_s.clone();
        checkpoints_s.retain(|second| *second > 0);
        checkpoints_s.dedup();
        let checkpoints_ns: Vec<u64> = checkpoints_s.iter().map(after).collect();
        let mut checkpoints_ns = checkpoints_ns.into_iter();
        Self {
            from_ns,
            interval_ns,
            next_interval_ns: (interval_ns > 0).then(|| from_ns.saturating_add(interval_ns)),
            next_checkpoint_ns: checkpoints_ns.next(),
            checkpoints_ns,
        }
    }

    /// Returns when the next report of either kind is due.
    pub(super) fn next_ns(&self) -> Option<u64> {
        let both = [self.next_interval_ns, self.next_checkpoint_ns];
        both.into_iter().flatten().min()
    }

    /// Returns whether a checkpoint is due then, which is taken off the list.
    pub(super) fn takes_checkpoint(&mut self, due_ns: u64) -> bool {
        let is_due = self.next_checkpoint_ns == Some(due_ns);
        if is_due {
            self.next_checkpoint_ns = self.checkpoints_ns.next();
        }
        is_due
    }

    /// Returns whether an intermediate report is due then. Those that are past already are left out; the next report
    /// covers them, too.
    pub(super) fn takes_interval(&mut self, due_ns: u64, now_ns: u64) -> bool {
        let is_due = self.next_interval_ns == Some(due_ns);
        if is_due {
            let past = now_ns.max(due_ns) - self.from_ns;
            let next = (past / self.interval_ns + 1) * self.interval_ns;
            self.next_interval_ns = Some(self.from_ns + next);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::stand::settings;

    #[test]
    fn reports_come_on_their_grid_and_late_ones_leave_out_what_is_past() {
        let settings = Settings {
            report_interval_s: 2,
            checkpoints_s: vec![3, 4],
            ..settings(1)
        };
        let at = |seconds: u64| 500 + seconds * SECOND_NS;
        let mut dues = Dues::new(&settings, 500);
        let mut seen = Vec::new();
        // The report that is due at 6 s is written at 10.5 s.
        for now_ns in [
            at(2),
            at(3) + 7,
            at(4),
            at(10) + SECOND_NS / 2,
            at(12),
            at(14) - 1,
        ] {
            let due_ns = dues.next_ns().unwrap();
            let second = (due_ns - 500) / SECOND_NS;
            let (checkpoint, now_ns) = (dues.takes_checkpoint(due_ns), now_ns.max(due_ns));
            seen.push((second, checkpoint, dues.takes_interval(due_ns, now_ns)));
        }
        let expected = [
            (2, false, true),
            (3, true, false),
            (4, true, true),
            (6, false, true),
            (12, false, true),
            (14, false, true),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_checkpoint_comes_once_and_none_at_the_start() {
        let settings = Settings {
            checkpoints_s: vec![0, 0, 2, 2, 3],
            ..settings(1)
        };
        let mut dues = Dues::new(&settings, 500);
        for second in [2, 3] {
            let due_ns = dues.next_ns().unwrap();
            assert_eq!(due_ns, 500 + second * SECOND_NS);
            assert!(dues.takes_checkpoint(due_ns));
        }
        assert_eq!(dues.next_ns(), None);
    }

    #[test]
    fn nothing_is_due_where_nothing_was_asked_for() {
        assert_eq!(Dues::new(&settings(1), 0).next_ns(), None);
    }
}
