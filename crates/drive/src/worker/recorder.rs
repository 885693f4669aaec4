//! Records what a worker does, and sends the record of each second to the collector.

use crate::grid::Grid;
use crate::observe::Level;
use crate::outage::OutageLog;
use dbdyno_meter::{Interval, IntervalShape, QueueClock, SECOND_NS, SilenceLog, clock};
use dbdyno_wire::Reply;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// Messages of a worker to the collecting thread.
#[derive(Debug)]
pub(crate) enum IntervalMessage {
    /// A filled interval.
    Interval(usize, Box<Interval>),
    /// A message for the user.
    Message(Level, String),
    /// No interval of this worker follows.
    Last(usize),
}

/// State of the worker at the end of an interval.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gauges {
    pub(crate) connections_live: u32,
    pub(crate) backlog: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
}

/// Counts of events over the whole run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EventCounts {
    pub(crate) started: u64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
}

/// Holds the open interval, and the state that outlives it.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) page: Box<Interval>,
    pub(crate) totals: EventCounts,
    pub(crate) silences: SilenceLog,
    pub(crate) outages: OutageLog,
    /// Bytes, sent and received, of closed connections that are not counted in an interval yet.
    pub(crate) stray_bytes: (u64, u64),
    /// When the open interval ends, on the grid. The hot path compares each reply's time with it.
    pub(crate) boundary_ns: u64,
    pub(crate) worker: usize,
    shape: IntervalShape,
    grid: Arc<Grid>,
    second: u32,
    wake_ups: u64,
    served: u64,
    queue: QueueClock,
    busy_ns: u64,
    awake_since_ns: u64,
    awake_by_ns: u64,
    gap_max_ns: u64,
    cpu_at_ns: u64,
    pages: Sender<IntervalMessage>,
    blank: Receiver<Box<Interval>>,
    closed: bool,
}

impl Recorder {
    pub(crate) fn new(
        worker: usize,
        shape: IntervalShape,
        grid: Arc<Grid>,
        pages: Sender<IntervalMessage>,
        blank: Receiver<Box<Interval>>,
    ) -> Self {
        Self {
            page: Box::new(Interval::new(shape)),
            totals: EventCounts::default(),
            silences: SilenceLog::new(grid.start_ns),
            outages: OutageLog::default(),
            wake_ups: 0,
            served: 0,
            queue: QueueClock::of_this_thread(),
            stray_bytes: (0, 0),
            boundary_ns: grid.begin_ns(grid.first_second + 1),
            worker,
            shape,
            second: grid.first_second,
            busy_ns: 0,
            awake_since_ns: grid.start_ns,
            awake_by_ns: u64::MAX,
            gap_max_ns: 0,
            cpu_at_ns: clock::thread_cpu_ns(),
            grid,
            pages,
            blank,
            closed: false,
        }
    }

    /// Notes that the worker begins to wait, at most so long.
    #[inline]
    pub(crate) fn rest(&mut self, now_ns: u64, nap_ns: u64) {
        let turn_ns = now_ns.saturating_sub(self.awake_since_ns);
        self.busy_ns += turn_ns;
        self.gap_max_ns = self.gap_max_ns.max(turn_ns);
        self.awake_by_ns = now_ns + nap_ns;
    }

    /// Notes that the worker has work again, on so many connections.
    #[inline]
    pub(crate) fn wake(&mut self, now_ns: u64, ready: usize) {
        self.gap_max_ns = self.gap_max_ns.max(now_ns.saturating_sub(self.awake_by_ns));
        self.awake_since_ns = now_ns;
        self.wake_ups += 1;
        self.served += ready as u64;
    }

    /// Classifies a statement that was answered without an error: a result set is a read, otherwise changed
    /// rows are a write, otherwise it is other (sysbench, quirk Q-SB-6).
    #[inline]
    pub(crate) fn classify(&mut self, reply: &Reply) {
        let tally = &mut self.page.tally;
        match reply {
            Reply::Rows(rows) => {
                tally.reads += 1;
                tally.rows += rows.rows;
            }
            Reply::Ok(ok) if ok.affected_rows > 0 => tally.writes += 1,
            Reply::Ok(_) => tally.others += 1,
            Reply::Error(_) => {}
        }
    }

    /// Hands the interval over at its end on the grid. Returns whether it was the last.
    pub(crate) fn turn(&mut self, gauges: Gauges, now_ns: u64) -> bool {
        self.hand_over(gauges, SECOND_NS, now_ns);
        self.second += 1;
        self.boundary_ns = self.grid.begin_ns(self.second + 1);
        self.second == self.grid.end_second()
    }

    /// Hands over the part of the open second, when the run ends early.
    pub(crate) fn cut(&mut self, gauges: Gauges, now_ns: u64) {
        let lasted_ns = now_ns.saturating_sub(self.grid.begin_ns(self.second));
        if lasted_ns > 0 {
            self.hand_over(gauges, lasted_ns.min(SECOND_NS), now_ns);
        }
    }

    /// Closes the recorder: what it records afterwards is in no interval.
    pub(crate) fn close(&mut self) {
        self.boundary_ns = u64::MAX;
        if !self.closed {
            self.closed = true;
            self.send(IntervalMessage::Last(self.worker));
        }
    }

    pub(crate) fn remark(&self, level: Level, text: String) {
        self.send(IntervalMessage::Message(level, text));
    }

    fn hand_over(&mut self, gauges: Gauges, duration_ns: u64, now_ns: u64) {
        self.rest(now_ns, 0);
        self.awake_since_ns = now_ns;
        let mut page = self.take_page();
        page.second = self.second;
        page.monotonic_ns = self.grid.begin_ns(self.second);
        page.duration_ns = duration_ns;
        page.connections_live = gauges.connections_live;
        page.backlog = gauges.backlog;
        page.tally.bytes_sent = gauges.bytes_sent;
        page.tally.bytes_received = gauges.bytes_received;
        self.fill_load(&mut page);
        self.send(IntervalMessage::Interval(self.worker, page));
    }

    /// Takes what was recorded and leaves a blank interval.
    ///
    /// After a pause of the client or the server several seconds end at once. Nothing was recorded in those after the
    /// first, so they need no histograms, which are megabytes. A worker allocates some only if the collecting thread is
    /// more than a second late; what comes back too many is dropped, so that one late second does not cost memory for the
    /// rest of the run.
    fn take_page(&mut self) -> Box<Interval> {
        if self.page.is_blank() {
            return Box::new(Interval::idle());
        }
        let blank = self.blank.try_iter().last();
        let blank = blank.unwrap_or_else(|| Box::new(Interval::new(self.shape)));
        std::mem::replace(&mut self.page, blank)
    }

    fn fill_load(&mut self, page: &mut Interval) {
        let cpu_ns = clock::thread_cpu_ns();
        let load = &mut page.workers[0];
        load.cpu_ns = cpu_ns - std::mem::replace(&mut self.cpu_at_ns, cpu_ns);
        load.wake_ups = std::mem::take(&mut self.wake_ups);
        load.served = std::mem::take(&mut self.served);
        load.cpu_wait_ns = self.queue.take_ns();
        // Time beyond this second belongs to the next ones, which are handed over together with it.
        load.busy_ns = self.busy_ns.min(page.duration_ns);
        self.busy_ns -= load.busy_ns;
        load.gap_max_ns = self.gap_max_ns.min(page.duration_ns);
        self.gap_max_ns -= load.gap_max_ns;
    }

    fn send(&self, page: IntervalMessage) {
        // The collecting thread outlives the workers; if it panicked, no receiver is left.
        let _ = self.pages.send(page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Phase;
    use std::sync::mpsc;

    /// Creates a recorder, where its messages arrive, and where blank intervals come from: at first there is none.
    fn recorder_of_seconds(
        seconds: u32,
    ) -> (Recorder, Receiver<IntervalMessage>, Sender<Box<Interval>>) {
        let shape = IntervalShape {
            transaction_types: 1,
            statement_types: 1,
            open_loop: false,
        };
        let window = Phase {
            name: "window".to_owned(),
            seconds,
        };
        let grid = Arc::new(Grid::new(SECOND_NS, 0, &[window]));
        let (pages, filled) = mpsc::channel();
        let (blanks, blank) = mpsc::channel();
        let recorder = Recorder::new(0, shape, grid, pages, blank);
        (recorder, filled, blanks)
    }

    /// Returns of each interval sent so far whether it has histograms.
    fn histograms_of(filled: &Receiver<IntervalMessage>) -> Vec<bool> {
        let sent = filled.try_iter().filter_map(|message| match message {
            IntervalMessage::Interval(_, page) => Some(page.has_histograms()),
            _ => None,
        });
        sent.collect()
    }

    /// Such a turn was 230 % of the second in which it ended.
    #[test]
    fn a_turn_of_two_seconds_and_a_half_keeps_no_second_busier_than_it_is_long() {
        let (mut recorder, filled, _blanks) = recorder_of_seconds(3);
        let now_ns = recorder.grid.start_ns + 5 * SECOND_NS / 2;
        recorder.turn(Gauges::default(), now_ns);
        recorder.turn(Gauges::default(), now_ns);
        recorder.rest(now_ns, SECOND_NS);
        recorder.wake(now_ns + SECOND_NS / 4, 1);
        recorder.turn(Gauges::default(), now_ns + SECOND_NS / 2);
        let busy_ns: Vec<u64> = filled
            .try_iter()
            .filter_map(|message| match message {
                IntervalMessage::Interval(_, page) => Some(page.workers[0].busy_ns),
                _ => None,
            })
            .collect();
        assert_eq!(busy_ns, [SECOND_NS, SECOND_NS, 3 * SECOND_NS / 4]);
    }

    /// A pause of eight seconds kept 16 MiB for the rest of the run.
    #[test]
    fn seconds_without_any_event_need_no_histograms() {
        let (mut recorder, filled, _blanks) = recorder_of_seconds(9);
        recorder.page.transactions[0].complete(5, 5, 1);
        let now_ns = recorder.boundary_ns + 7 * SECOND_NS;
        (0..8).for_each(|_| {
            recorder.turn(Gauges::default(), now_ns);
        });
        let sent = histograms_of(&filled);
        assert_eq!(
            sent,
            [true, false, false, false, false, false, false, false]
        );
        assert!(recorder.page.has_histograms());
        recorder.page.transactions[0].complete(5, 5, 1);
        recorder.turn(Gauges::default(), now_ns);
        assert_eq!(histograms_of(&filled), [true], "the page stayed in use");
    }

    #[test]
    fn intervals_that_come_back_too_many_are_dropped() {
        let (mut recorder, filled, blanks) = recorder_of_seconds(9);
        for _ in 0..3 {
            recorder.page.transactions[0].complete(5, 5, 1);
            recorder.turn(Gauges::default(), recorder.boundary_ns);
        }
        let sent = filled.try_iter().filter_map(|message| match message {
            IntervalMessage::Interval(_, page) => Some(page),
            _ => None,
        });
        for mut page in sent {
            page.clear();
            page.second = 99;
            blanks.send(page).unwrap();
        }
        recorder.page.transactions[0].complete(5, 5, 1);
        recorder.turn(Gauges::default(), recorder.boundary_ns);
        assert_eq!(recorder.page.second, 99, "one that came back is used");
        assert!(recorder.blank.try_recv().is_err(), "the others are kept");
    }
}
