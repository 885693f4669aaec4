//! Samples the threads of a process, tick by tick, and sums each second up.

use crate::ThreadsError;
use crate::blocked_call::{CallMeaning, meaning};
use crate::client_sockets::{Client, ClientSockets};
use crate::named_waits::ProbedSite;
use crate::open_files::OpenFiles;
use crate::process::{ProcessHandle, ScheduledTime, ThreadState, WatchedProcess, WatchedThread};
use crate::second_record::{BackgroundGroups, SecondRecord};
use crate::stack_namer::{SeenStack, StackNamer};
use crate::wait_class::WaitClass;
use std::collections::BTreeMap;

/// Session threads that one tick looks at: with more, each tick takes the next ones.
const SESSIONS_A_TICK: usize = 64;
/// Ticks between two looks at the other threads.
const TICKS_A_SWEEP: u32 = 10;
/// How often a thread is looked at again that went on while its stack was copied.
const LOOKS: usize = 3;

/// Says what is watched.
#[derive(Debug, Clone)]
pub struct SamplerOptions {
    /// The server's process.
    pub server: u32,
    /// The load generator.
    pub client: Client,
    /// Return addresses learned by provoking waits.
    pub probed: Vec<ProbedSite>,
}

struct Watched {
    thread: WatchedThread,
    /// The socket that it reads commands from; `None`: it serves no session.
    session: Option<u64>,
    last: ScheduledTime,
}

/// Watches one process.
pub struct Sampler {
    options: SamplerOptions,
    process: WatchedProcess,
    /// The load generator's process, if it is on this host.
    client: Option<ProcessHandle>,
    clients: ClientSockets,
    threads: BTreeMap<u32, Watched>,
    sessions: Vec<u32>,
    files: OpenFiles,
    namer: StackNamer,
    second: SecondRecord,
    ticks: u32,
    /// At this tick the process was stopped.
    is_stopped: bool,
    /// Threads that were seen to serve more than one session.
    pooled: usize,
}

impl Sampler {
    /// Opens the process.
    ///
    /// # Errors
    ///
    /// It is not there, or its files may not be read.
    pub fn new(options: SamplerOptions) -> Result<Self, ThreadsError> {
        let process = WatchedProcess::open(options.server)?;
        let client = match options.client {
            Client::Process(pid) => ProcessHandle::open(pid),
            Client::OtherHosts => None,
        };
        let namer = StackNamer::new(options.server, options.probed.clone());
        Ok(Self {
            process,
            client,
            clients: ClientSockets::default(),
            threads: BTreeMap::new(),
            sessions: Vec::new(),
            files: OpenFiles::default(),
            namer,
            second: SecondRecord::default(),
            ticks: 0,
            is_stopped: false,
            pooled: 0,
            options,
        })
    }

    /// Looks for threads that wait for a command of the client's: sessions. Called again and again while the load is
    /// connected and has not begun, it finds all of them. Returns their number.
    ///
    /// # Errors
    ///
    /// The server or the client has ended, or their files may not be read.
    pub fn find_sessions(&mut self) -> Result<usize, ThreadsError> {
        let found = ClientSockets::find(self.options.server, self.options.client)?;
        if found != self.clients {
            self.files.forget();
            self.clients = found;
        }
        self.sweep()?;
        Ok(self.sessions.len())
    }

    /// Threads that were seen to serve several sessions: a thread pool, whose times say nothing of sessions.
    pub fn pooled(&self) -> usize {
        self.pooled
    }

    /// Returns whether the load generator's process has ended; `false` where it is on another host.
    pub fn client_has_ended(&self) -> bool {
        self.client.as_ref().is_some_and(ProcessHandle::has_ended)
    }

    /// Connections of the client that the server has open.
    pub fn connections(&self) -> usize {
        self.clients.len()
    }

    /// Counts session threads found so far.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Reads the names of the program's functions, which takes some 0.1 s for a large server: once the sessions are
    /// found, and before the seconds that matter.
    pub fn read_names(&mut self) {
        self.namer.read_program();
    }

    /// Looks at the session threads once.
    ///
    /// # Errors
    ///
    /// The server has ended.
    pub fn tick(&mut self) -> Result<(), ThreadsError> {
        self.ticks += 1;
        let looks = self.look(self.due());
        self.is_stopped = self.process.is_stopped();
        let before = self.second.waits;
        for (id, state) in looks {
            self.count(id, state);
        }
        self.second.charge_group_to_its_leader(&before);
        if self.ticks.is_multiple_of(TICKS_A_SWEEP)
            || misses_some(self.sessions.len(), self.clients.len(), self.pooled)
        {
            self.sweep()?;
        }
        Ok(())
    }

    /// Ends a second. The first one, which begins before anything is known, holds the whole life of each thread.
    pub fn end_second(&mut self) -> SecondRecord {
        self.files.forget();
        let mut groups = BackgroundGroups::default();
        let mut ended = Vec::new();
        for (&id, watched) in &mut self.threads {
            let Ok(now) = watched.thread.scheduled() else {
                ended.push(id);
                continue;
            };
            let spent = now.since(std::mem::replace(&mut watched.last, now));
            if watched.session.is_some() {
                self.second.on_cpu_ns += spent.on_cpu_ns;
                self.second.run_queue_ns += spent.run_queue_ns;
            } else {
                groups.add(&watched.thread.name, spent);
            }
        }
        for id in ended {
            self.remove(id);
        }
        self.second.sessions = self.sessions.len();
        self.second.background = groups.into_records();
        std::mem::take(&mut self.second)
    }

    /// Stacks of session threads that were asked what they wait for, most frequent first.
    pub fn stacks(&self, most: usize) -> Vec<SeenStack> {
        self.namer.seen(most)
    }

    /// Looks at every thread that serves no session: new ones are taken in, those that wait for the client become
    /// sessions.
    fn sweep(&mut self) -> Result<(), ThreadsError> {
        for id in self.process.thread_ids()? {
            if !self.threads.contains_key(&id)
                && let Some(thread) = self.process.thread(id)?
            {
                let watched = Watched {
                    thread,
                    session: None,
                    last: ScheduledTime::default(), // it has begun since the sweep before: all its time is new
                };
                self.threads.insert(id, watched);
            }
        }
        for (&id, watched) in &mut self.threads {
            if watched.session.is_some() {
                continue;
            }
            let Ok(ThreadState::Blocked(call)) = watched.thread.state() else {
                continue;
            };
            let call_meaning = meaning(&call, &self.process, &mut self.files, &self.clients);
            if let CallMeaning::ClientRead(inode) = call_meaning {
                watched.session = Some(inode);
                self.sessions.push(id);
            }
        }
        Ok(())
    }

    /// Returns the session threads that this tick looks at.
    fn due(&self) -> Vec<u32> {
        let count = self.sessions.len();
        if count <= SESSIONS_A_TICK {
            return self.sessions.clone();
        }
        let first = self.ticks as usize * SESSIONS_A_TICK;
        (first..first + SESSIONS_A_TICK)
            .map(|place| self.sessions[place % count])
            .collect()
    }

    /// Looks at threads as close to one instant as can be, before any of them is asked what it waits for: where the load
    /// generator needs the processor that the sampler has, the server runs out of statements meanwhile, and threads that
    /// are looked at late would be found idle. Threads that have ended are left out.
    fn look(&mut self, ids: Vec<u32>) -> Vec<(u32, ThreadState)> {
        let mut looks = Vec::with_capacity(ids.len());
        for id in ids {
            match self.threads.get(&id).map(|watched| watched.thread.state()) {
                Some(Ok(state)) => looks.push((id, state)),
                Some(Err(_)) => self.remove(id),
                None => {}
            }
        }
        looks
    }

    /// Counts a look at a thread.
    fn count(&mut self, id: u32, mut state: ThreadState) {
        let Some(watched) = self.threads.get_mut(&id) else {
            return;
        };
        if self.is_stopped || (state == ThreadState::Faulting && self.process.is_stopped()) {
            self.second.samples += 1;
            self.second.waits[WaitClass::Stopped.index()] += 1;
            return;
        }
        let mut class = None;
        for _ in 0..LOOKS {
            let ThreadState::Blocked(call) = state else {
                break;
            };
            let default = match meaning(&call, &self.process, &mut self.files, &self.clients) {
                CallMeaning::Class(wait_class) => {
                    class = Some(wait_class);
                    break;
                }
                CallMeaning::ClientRead(inode) => {
                    if watched.session.replace(inode) != Some(inode) {
                        self.pooled += 1;
                    }
                    class = Some(WaitClass::Client);
                    break;
                }
                CallMeaning::AskStack(default) => default,
            };
            class = Some(default);
            let stack = self.namer.copy(&call, &self.process);
            let Ok(later) = watched.thread.state() else {
                break;
            };
            if later == state {
                class = Some(self.namer.class(&stack, &call, default, &self.process));
                break;
            }
            if !matches!(later, ThreadState::Blocked(_)) {
                break; // it was blocked when it was looked at, and stays counted so
            }
            state = later;
        }
        self.second.samples += 1;
        match (state, class) {
            (ThreadState::Running, _) => self.second.running += 1,
            (ThreadState::Faulting, _) => self.second.waits[WaitClass::PageFault.index()] += 1,
            (ThreadState::Blocked(_), class) => {
                self.second.waits[class.unwrap_or(WaitClass::NotNamed).index()] += 1;
            }
        }
    }

    fn remove(&mut self, id: u32) {
        self.threads.remove(&id);
        self.sessions.retain(|&session| session != id);
    }
}

/// Returns whether threads of a few connections are still to be found. A thread that waits for row locks nearly all the
/// time seldom reads from its client, so each tick looks for it. In a thread pool there is nothing to find.
fn misses_some(found: usize, connections: usize, pooled: usize) -> bool {
    found < connections && found * 2 >= connections && pooled == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::time::{ClockId, clock_gettime};
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// Runs a thread that serves one connection: it answers each byte after a wait.
    fn serve(mut socket: UnixStream, wait: impl Fn() + Send + 'static) {
        std::thread::Builder::new()
            .name("session-7".to_owned())
            .spawn(move || {
                let mut byte = [0];
                while socket.read_exact(&mut byte).is_ok() {
                    wait();
                    if socket.write_all(&byte).is_err() {
                        break;
                    }
                }
            })
            .unwrap();
    }

    fn sampler() -> Sampler {
        let own = std::process::id();
        Sampler::new(SamplerOptions {
            server: own,
            client: Client::Process(own),
            probed: Vec::new(),
        })
        .unwrap()
    }

    fn see(sampler: &mut Sampler, id: u32) {
        for (id, state) in sampler.look(vec![id]) {
            sampler.count(id, state);
        }
    }

    #[test]
    fn a_session_is_found_while_it_waits_and_seen_while_it_computes() {
        static COMPUTES: AtomicBool = AtomicBool::new(false);
        static MAY_END: AtomicBool = AtomicBool::new(false);
        let (mut client, server) = UnixStream::pair().unwrap();
        serve(server, || {
            COMPUTES.store(true, Relaxed);
            while !MAY_END.load(Relaxed) {
                std::hint::spin_loop();
            }
        });
        std::thread::sleep(Duration::from_millis(50));
        let mut sampler = sampler();
        assert!(sampler.find_sessions().unwrap() >= 1);
        let id = *sampler
            .sessions
            .iter()
            .find(|id| sampler.threads[id].thread.name == "session-7")
            .unwrap();
        sampler.sessions.retain(|&session| session == id);
        sampler.end_second();
        client.write_all(&[1]).unwrap();
        while !COMPUTES.load(Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(10));
            see(&mut sampler, id);
        }
        let busy = sampler.end_second();
        MAY_END.store(true, Relaxed);
        assert!(busy.running >= 15, "{busy:?}");
        assert!(busy.on_cpu_ns + busy.run_queue_ns > 100_000_000, "{busy:?}");
        client.read_exact(&mut [0]).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        see(&mut sampler, id);
        let idle = sampler.end_second();
        assert_eq!(idle.waits[WaitClass::Client.index()], 1, "{idle:?}");
        assert_eq!(sampler.pooled(), 0);
    }

    #[test]
    fn a_thread_counts_as_it_was_found_although_it_went_on_before_it_was_asked_what_it_waits_for() {
        let (mut client, server) = UnixStream::pair().unwrap();
        let (begin, begun) = channel();
        let (end, ended) = channel::<()>();
        std::thread::Builder::new()
            .name("session-8".to_owned())
            .spawn(move || {
                let mut server = server;
                server.read_exact(&mut [0]).unwrap();
                begin.send(()).unwrap();
                while ended.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                    std::hint::spin_loop();
                }
            })
            .unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let mut sampler = sampler();
        sampler.find_sessions().unwrap();
        let is_it = |id: &&u32| sampler.threads[id].thread.name == "session-8";
        let id = *sampler.sessions.iter().find(is_it).unwrap();
        sampler.end_second();
        let looks = sampler.look(vec![id]);
        client.write_all(&[1]).unwrap();
        begun.recv().unwrap();
        for (id, state) in looks {
            sampler.count(id, state);
        }
        see(&mut sampler, id);
        let second = sampler.end_second();
        drop(end);
        assert_eq!((second.samples, second.running), (2, 1), "{second:?}");
    }

    #[test]
    fn a_thread_that_begins_within_a_second_counts_from_its_beginning() {
        let mut sampler = sampler();
        sampler.find_sessions().unwrap();
        sampler.end_second();
        let (computed, has_computed) = channel();
        let (end, ended) = channel::<()>();
        let late = std::thread::Builder::new()
            .name("late-1".to_owned())
            .spawn(move || {
                while clock_gettime(ClockId::ThreadCPUTime).tv_nsec < 50_000_000 {
                    std::hint::spin_loop();
                }
                computed.send(()).unwrap();
                let _ = ended.recv();
            })
            .unwrap();
        has_computed.recv().unwrap();
        sampler.find_sessions().unwrap();
        let second = sampler.end_second();
        drop(end);
        late.join().unwrap();
        let group = second.background.iter().find(|group| group.name == "late");
        assert!(
            group.is_some_and(|group| group.on_cpu_ns >= 50_000_000),
            "{second:?}"
        );
    }

    #[test]
    fn a_few_missing_sessions_are_looked_for_but_not_those_of_a_pool() {
        assert!(misses_some(15, 16, 0));
        assert!(!misses_some(16, 16, 0));
        assert!(!misses_some(4, 16, 0), "a pool of four threads");
        assert!(!misses_some(15, 16, 2), "threads that serve several");
    }
}
