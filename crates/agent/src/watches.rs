//! Reads files at given instants and keeps their content until the lab takes it: a lost connection loses no second.

use crate::answer::Answer;
use crate::clocks::monotonic_ns;
use crate::frame::MAX_BODY_BYTES;
use crate::refusal::Refusal;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Most bytes of one file.
const FILE_BYTES: u64 = 1 << 18;
/// Bytes kept while nobody takes them; then the oldest samples are dropped.
const KEPT_BYTES: usize = 64 << 20;
/// Samples in one reply.
const LOOKS_AT_ONCE: usize = 600;

/// Holds the watches of a session.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    open: Mutex<(u64, HashMap<u64, Arc<Watch>>)>,
}

#[derive(Debug, Default)]
struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    looks: VecDeque<Look>,
    kept_bytes: usize,
    /// Samples dropped because nobody took them.
    dropped: u64,
    is_over: bool,
}

/// Holds the content of the files at one instant.
#[derive(Debug)]
struct Look {
    index: u64,
    asked_ns: u64,
    done_ns: u64,
    /// Content, or the kernel's error.
    files: Vec<Result<Vec<u8>, i32>>,
}

impl Look {
    fn bytes(&self) -> usize {
        self.files.iter().flatten().map(Vec::len).sum()
    }

    fn header(&self) -> Value {
        let sizes = self.files.iter().map(|file| match file {
            Ok(bytes) => bytes.len() as i64,
            Err(errno) => -i64::from(*errno),
        });
        json!({
            "index": self.index,
            "asked_ns": self.asked_ns,
            "done_ns": self.done_ns,
            "bytes": sizes.collect::<Vec<_>>(),
        })
    }
}

impl Watches {
    /// Starts sampling: at `start_ns`, and every `interval_ns` after it.
    pub(crate) fn begin(
        &self,
        paths: Vec<PathBuf>,
        start_ns: u64,
        interval_ns: u64,
        count: Option<u64>,
    ) -> Result<u64, Refusal> {
        if interval_ns == 0 {
            return Err(Refusal::new(
                "unknown-request",
                "",
                "looks need an interval",
            ));
        }
        let watch = Arc::new(Watch::default());
        let looking = Arc::clone(&watch);
        let looks = move || looking.look(&paths, start_ns, interval_ns, count.unwrap_or(u64::MAX));
        thread::Builder::new()
            .spawn(looks)
            .map_err(|error| Refusal::new("busy", "", error.to_string()))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.0 += 1;
        let handle = open.0;
        open.1.insert(handle, watch);
        Ok(handle)
    }

    /// Returns samples from an index on; waits for the first.
    pub(crate) fn take(
        &self,
        handle: u64,
        from: u64,
        timeout: Duration,
    ) -> Result<Answer, Refusal> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = open.1.get(&handle).cloned();
        drop(open);
        let watch = watch.ok_or_else(|| Refusal::no_handle("watch", handle))?;
        Ok(watch.take(from, timeout))
    }

    /// Returns samples from an index on if there are any.
    pub(crate) fn take_at_once(&self, handle: u64, from: u64) -> Option<Answer> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = open.1.get(&handle).cloned();
        drop(open);
        let watch = watch?;
        let newest = watch.state().looks.back().map(|look| look.index);
        newest
            .is_some_and(|index| index >= from)
            .then(|| watch.take(from, Duration::ZERO))
    }

    /// Ends a watch.
    pub(crate) fn stop(&self, handle: u64) -> Result<(), Refusal> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = open.1.remove(&handle);
        drop(open);
        let watch = watch.ok_or_else(|| Refusal::no_handle("watch", handle))?;
        watch.state().is_over = true;
        watch.changed.notify_all();
        Ok(())
    }
}

impl Watch {
    fn look(&self, paths: &[PathBuf], start_ns: u64, interval_ns: u64, count: u64) {
        let mut files: Vec<_> = paths.iter().map(WatchedFile::new).collect();
        for index in 0..count {
            let due_ns = start_ns.saturating_add(index.saturating_mul(interval_ns));
            if !self.sleep_until(due_ns) {
                return;
            }
            let asked_ns = monotonic_ns(); // after the sleep: this host may have stood still meanwhile
            if asked_ns > due_ns.saturating_add(interval_ns) {
                continue; // late by a whole interval: this sample is skipped so that it does not crowd the next
            }
            let files = files.iter_mut().map(WatchedFile::read).collect();
            self.keep(Look {
                index,
                asked_ns,
                done_ns: monotonic_ns(),
                files,
            });
        }
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Sleeps until `due_ns`; returns whether the watch goes on.
    fn sleep_until(&self, due_ns: u64) -> bool {
        let mut state = self.state();
        while !state.is_over {
            let left_ns = due_ns.saturating_sub(monotonic_ns());
            if left_ns == 0 {
                return true;
            }
            let waited = self
                .changed
                .wait_timeout(state, Duration::from_nanos(left_ns));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    fn keep(&self, look: Look) {
        let mut state = self.state();
        state.kept_bytes += look.bytes();
        state.looks.push_back(look);
        while state.kept_bytes > KEPT_BYTES {
            let oldest = state.looks.pop_front();
            state.kept_bytes -= oldest.map_or(0, |look| look.bytes());
            state.dropped += 1;
        }
        drop(state);
        self.changed.notify_all();
    }

    fn take(&self, from: u64, timeout: Duration) -> Answer {
        let deadline = Instant::now() + timeout;
        let mut state = self.state();
        while state.looks.front().is_some_and(|look| look.index < from) {
            let taken = state.looks.pop_front();
            state.kept_bytes -= taken.map_or(0, |look| look.bytes());
        }
        while state.looks.is_empty() && !state.is_over {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let (mut looks, mut body) = (Vec::new(), Vec::new());
        for look in state.looks.iter().take(LOOKS_AT_ONCE) {
            if body.len() + look.bytes() > MAX_BODY_BYTES {
                break;
            }
            looks.push(look.header());
            look.files
                .iter()
                .flatten()
                .for_each(|file| body.extend(file));
        }
        let is_over = state.is_over && looks.len() == state.looks.len();
        Answer {
            value: json!({"looks": looks, "dropped": state.dropped, "is_over": is_over}),
            body,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is read again and again.
///
/// Those of the kernel stay open and are read from their start, which has it write them anew: that takes a third less
/// processor time than opening them each time. Others may be replaced, so their path is opened anew.
#[derive(Debug)]
struct WatchedFile<'a> {
    path: &'a Path,
    is_kernel_s: bool,
    open: Option<File>,
    /// A buffer that has grown needs two calls where an empty one begins with 32 bytes: 0.8 of the processor time.
    buffer: Vec<u8>,
}

impl<'a> WatchedFile<'a> {
    fn new(path: &'a PathBuf) -> Self {
        Self {
            path,
            is_kernel_s: path.starts_with("/proc") || path.starts_with("/sys"),
            open: None,
            buffer: Vec::new(),
        }
    }

    /// Returns the content, or the kernel's error.
    fn read(&mut self) -> Result<Vec<u8>, i32> {
        let kept = self.open.take();
        // What was open may be gone, as the files of a process that has ended are: the path says what is there now.
        let file = match kept {
            Some(file) if self.fill(&file).is_ok() => Ok(file),
            _ => File::open(self.path).and_then(|file| self.fill(&file).map(|()| file)),
        };
        let file = file.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
        self.open = self.is_kernel_s.then_some(file);
        Ok(self.buffer.clone())
    }

    fn fill(&mut self, mut file: &File) -> io::Result<()> {
        self.buffer.clear();
        file.seek(SeekFrom::Start(0))?;
        file.take(FILE_BYTES).read_to_end(&mut self.buffer)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long enough that no busy machine delays a look by half of it.
    const INTERVAL_NS: u64 = 20_000_000_000;
    const WAIT: Duration = Duration::from_secs(10);

    fn taken(watches: &Watches, watch: u64, from: u64) -> Vec<(u64, u64)> {
        let answer = watches.take(watch, from, WAIT).unwrap();
        let looks = answer.value["looks"].as_array().unwrap();
        let numbers = looks.iter().map(|look| {
            assert!(look["done_ns"].as_u64() >= look["asked_ns"].as_u64());
            assert_eq!(look["bytes"][1], -libc::ENOENT);
            let number = |key: &str| look[key].as_u64().unwrap();
            (number("index"), number("asked_ns"))
        });
        numbers.collect()
    }

    fn begin(watches: &Watches, start_ns: u64, count: u64) -> u64 {
        let paths = vec![PathBuf::from("/proc/uptime"), PathBuf::from("/nowhere")];
        let watch = watches.begin(paths, start_ns, INTERVAL_NS, Some(count));
        watch.unwrap()
    }

    #[test]
    fn a_look_is_taken_at_its_instant_and_kept_until_a_later_one_is_asked_for() {
        let watches = Watches::default();
        let start_ns = monotonic_ns() + 20_000_000;
        let watch = begin(&watches, start_ns, 1);
        let looks = taken(&watches, watch, 0);
        assert!(matches!(looks[..], [(0, asked_ns)] if asked_ns >= start_ns));
        assert_eq!(taken(&watches, watch, 0), looks);
        assert_eq!(taken(&watches, watch, 1), []);
        watches.stop(watch).unwrap();
        assert_eq!(watches.stop(watch).unwrap_err().code, "no-handle");
    }

    #[test]
    fn a_file_of_the_kernel_is_written_anew_each_time_and_another_is_found_by_its_path() {
        let uptime = PathBuf::from("/proc/uptime");
        let mut watched = WatchedFile::new(&uptime);
        let first = watched.read().unwrap();
        thread::sleep(Duration::from_millis(25)); // it has hundredths of a second
        assert!(watched.open.is_some());
        assert_ne!(watched.read().unwrap(), first);

        let path = std::env::temp_dir().join(format!("watched-{}", std::process::id()));
        let mut watched = WatchedFile::new(&path);
        assert_eq!(watched.read().unwrap_err(), libc::ENOENT);
        for content in ["first", "2"] {
            let unfinished = path.with_extension("unfinished");
            std::fs::write(&unfinished, content).unwrap();
            std::fs::rename(&unfinished, &path).unwrap();
            assert_eq!(watched.read().unwrap(), content.as_bytes());
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn files_of_a_process_that_has_ended_are_told_as_missing() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let path = PathBuf::from(format!("/proc/{}/stat", child.id()));
        let mut watched = WatchedFile::new(&path);
        assert!(watched.read().is_ok());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(watched.read().unwrap_err(), libc::ENOENT);
    }

    #[test]
    fn looks_are_taken_at_once_only_if_there_are_some() {
        let watches = Watches::default();
        let paths = vec![PathBuf::from("/proc/uptime")];
        let watch = watches.begin(paths, 0, 1, Some(0)).unwrap();
        assert!(watches.take_at_once(watch, 0).is_none());
        assert!(watches.take_at_once(watch + 1, 0).is_none());
        let open = watches.open.lock().unwrap().1[&watch].clone();
        open.keep(Look {
            index: 3,
            asked_ns: 1,
            done_ns: 2,
            files: vec![Ok(b"x".to_vec())],
        });
        assert!(watches.take_at_once(watch, 4).is_none());
        assert_eq!(watches.take_at_once(watch, 3).unwrap().body, b"x");
    }

    #[test]
    fn a_look_that_is_late_by_a_whole_interval_is_skipped() {
        let watches = Watches::default();
        let start_ns = monotonic_ns().saturating_sub(5 * INTERVAL_NS / 2);
        let watch = begin(&watches, start_ns, 3);
        let indexes = taken(&watches, watch, 0).into_iter().map(|look| look.0);
        assert_eq!(indexes.collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_nobody_takes_is_kept_up_to_a_bound() {
        let watch = Watch::default();
        let size = FILE_BYTES as usize;
        let count = KEPT_BYTES / size + 10;
        for index in 0..count as u64 {
            watch.keep(Look {
                index,
                asked_ns: index,
                done_ns: index,
                files: vec![Ok(vec![0; size])],
            });
        }
        let answer = watch.take(0, Duration::ZERO);
        assert_eq!(answer.value["dropped"], 10);
        assert_eq!(answer.value["looks"][0]["index"], 10);
    }
}
