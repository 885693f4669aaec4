//! Samples the threads of a process, tick by tick, and sums each second up.

use crate::ThreadsError;
use crate::blocked_call::{CallMeaning, meaning};
use crate::client_sockets::ClientSockets;
use crate::memory_map::MemoryMap;
use crate::named_waits::{Frame, ProbedSite, class_of};
use crate::open_files::OpenFiles;
use crate::process::{BlockedIn, ScheduledTime, ThreadState, WatchedProcess, WatchedThread};
use crate::stack::{ReturnAddresses, STACK_BYTES, frames};
use crate::symbols::Symbols;
use crate::wait_class::WaitClass;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// Session threads that one tick looks at: with more, each tick draws as many of them.
const SESSIONS_A_TICK: usize = 64;
/// Ticks between two looks at the other threads.
const TICKS_A_SWEEP: u32 = 10;
/// Stacks that are remembered; a server has some hundred different ones.
const MOST_STACKS: usize = 20_000;
/// How often a thread is looked at again that went on while its stack was copied.
const LOOKS: usize = 3;

/// What is watched.
#[derive(Debug, Clone)]
pub struct SamplerOptions {
    /// The server's process.
    pub server: u32,
    /// The load generator's process.
    pub client: u32,
    /// Return addresses learned by provoking waits.
    pub probed: Vec<ProbedSite>,
}

/// One second of the session threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecondRecord {
    /// Session threads at its end.
    pub sessions: usize,
    /// Their processor time.
    pub on_cpu_ns: u64,
    /// Their time on the run queue: ready, and no processor free.
    pub run_queue_ns: u64,
    /// Times that a session thread was looked at.
    pub samples: u64,
    /// Of these: on a processor or the run queue.
    pub running: u64,
    /// Of these: blocked, by class, in the order of [`WaitClass::ALL`].
    pub waits: [u64; WaitClass::ALL.len()],
    /// Threads that serve no session, by name.
    pub background: Vec<GroupSecond>,
}

/// One second of the threads of one name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupSecond {
    /// As the server names them; a number at the end is left out.
    pub name: String,
    /// Threads of that name.
    pub threads: usize,
    /// Their processor time.
    pub on_cpu_ns: u64,
    /// Their time on the run queue.
    pub run_queue_ns: u64,
}

/// A stack that led to a wait, and how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenStack {
    /// How often it was seen.
    pub samples: u64,
    /// What its functions say; `None`: none of them is known.
    pub class: Option<WaitClass>,
    /// What the system call alone says.
    pub class_by_call: WaitClass,
    /// Innermost first.
    pub frames: Vec<SeenFrame>,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFrame {
    /// File name of the program or library.
    pub file: String,
    /// The linker's mark of its build.
    pub build_id: String,
    /// Return address within the file's own numbering.
    pub address: u64,
    /// Name as the linker knows it, where it is known.
    pub function: Option<String>,
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
    clients: ClientSockets,
    threads: BTreeMap<u32, Watched>,
    sessions: Vec<u32>,
    files: OpenFiles,
    namer: StackNamer,
    second: SecondRecord,
    ticks: u32,
    /// Threads that were seen to serve more than one session.
    pooled: usize,
    draws: u64,
}

impl Sampler {
    /// Opens the process.
    ///
    /// # Errors
    ///
    /// It is not there, or its files may not be read.
    pub fn new(options: SamplerOptions) -> Result<Self, ThreadsError> {
        let process = WatchedProcess::open(options.server)?;
        let namer = StackNamer::new(options.server, options.probed.clone());
        Ok(Self {
            process,
            clients: ClientSockets::default(),
            threads: BTreeMap::new(),
            sessions: Vec::new(),
            files: OpenFiles::default(),
            namer,
            second: SecondRecord::default(),
            ticks: 0,
            pooled: 0,
            draws: u64::from(options.server) | 1,
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
        let found = ClientSockets::between(self.options.server, self.options.client)?;
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

    /// Connections of the client that the server has open.
    pub fn connections(&self) -> usize {
        self.clients.len()
    }

    /// Session threads found so far.
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
        if self.ticks.is_multiple_of(TICKS_A_SWEEP) {
            self.sweep()?;
        }
        for id in self.drawn() {
            self.sample(id);
        }
        Ok(())
    }

    /// Ends a second.
    pub fn end_second(&mut self) -> SecondRecord {
        self.files.forget();
        let mut groups: BTreeMap<String, GroupSecond> = BTreeMap::new();
        let mut ended = Vec::new();
        for (&id, watched) in &mut self.threads {
            let Ok(now) = watched.thread.scheduled() else {
                ended.push(id);
                continue;
            };
            let on_cpu_ns = now.on_cpu_ns.saturating_sub(watched.last.on_cpu_ns);
            let run_queue_ns = now.run_queue_ns.saturating_sub(watched.last.run_queue_ns);
            watched.last = now;
            if watched.session.is_some() {
                self.second.on_cpu_ns += on_cpu_ns;
                self.second.run_queue_ns += run_queue_ns;
            } else {
                let name = group_name(&watched.thread.name);
                let group = groups.entry(name.to_owned()).or_default();
                group.threads += 1;
                group.on_cpu_ns += on_cpu_ns;
                group.run_queue_ns += run_queue_ns;
            }
        }
        for id in ended {
            self.remove(id);
        }
        self.second.sessions = self.sessions.len();
        self.second.background = groups
            .into_iter()
            .filter(|(_, group)| group.on_cpu_ns + group.run_queue_ns > 0)
            .map(|(name, group)| GroupSecond { name, ..group })
            .collect();
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
                let last = thread.scheduled().unwrap_or_default();
                let watched = Watched {
                    thread,
                    session: None,
                    last,
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
            let told = meaning(&call, &self.process, &mut self.files, &self.clients);
            if let CallMeaning::ClientRead(inode) = told {
                watched.session = Some(inode);
                self.sessions.push(id);
            }
        }
        Ok(())
    }

    /// The session threads of this tick.
    fn drawn(&mut self) -> Vec<u32> {
        let count = self.sessions.len();
        if count <= SESSIONS_A_TICK {
            return self.sessions.clone();
        }
        (0..SESSIONS_A_TICK)
            .map(|_| {
                // xorshift: which threads are looked at must not follow what they do; it need not be a secret.
                self.draws ^= self.draws << 13;
                self.draws ^= self.draws >> 7;
                self.draws ^= self.draws << 17;
                self.sessions[(self.draws % count as u64) as usize]
            })
            .collect()
    }

    fn sample(&mut self, id: u32) {
        let Some(watched) = self.threads.get_mut(&id) else {
            return;
        };
        let Ok(mut state) = watched.thread.state() else {
            self.remove(id);
            return;
        };
        let mut class = None;
        for _ in 0..LOOKS {
            let ThreadState::Blocked(call) = state else {
                break;
            };
            let default = match meaning(&call, &self.process, &mut self.files, &self.clients) {
                CallMeaning::Class(told) => {
                    class = Some(told);
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

/// `ib_io_rd-3` and `worker12` are one of many of their name.
fn group_name(name: &str) -> &str {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    stem.trim_end_matches(['-', '_', '/', '#'])
}

/// A stack that was looked at before.
#[derive(Debug, Clone, Copy)]
struct KnownStack {
    class: Option<WaitClass>,
    class_by_call: WaitClass,
    samples: u64,
}

/// Names waits by copied stacks.
struct StackNamer {
    pid: u32,
    map: MemoryMap,
    /// Of each file of the map; read when a stack first leads there.
    symbols: HashMap<usize, Symbols>,
    returns: ReturnAddresses,
    probed: Vec<ProbedSite>,
    known: HashMap<Vec<u64>, KnownStack>,
}

impl StackNamer {
    fn new(pid: u32, probed: Vec<ProbedSite>) -> Self {
        let map = MemoryMap::of(pid);
        Self {
            symbols: HashMap::new(),
            pid,
            map,
            returns: ReturnAddresses::default(),
            probed,
            known: HashMap::new(),
        }
    }

    fn read_program(&mut self) {
        if let Some(start) = self.map.largest() {
            self.place(start);
        }
    }

    /// Copies the stack that a call was made on.
    fn copy(&self, call: &BlockedIn, process: &WatchedProcess) -> Vec<u8> {
        let mut bytes = vec![0; STACK_BYTES];
        let count = process.read_memory(call.stack_pointer, &mut bytes);
        bytes.truncate(count.unwrap_or(0));
        bytes
    }

    fn class(
        &mut self,
        stack: &[u8],
        call: &BlockedIn,
        default: WaitClass,
        process: &WatchedProcess,
    ) -> WaitClass {
        let addresses = frames(
            stack,
            call.stack_pointer,
            process,
            &self.map,
            &mut self.returns,
        );
        if let Some(known) = self.known.get_mut(&addresses) {
            known.samples += 1;
            return known.class.unwrap_or(default);
        }
        let class = self.named(&addresses);
        if self.known.len() < MOST_STACKS {
            let stack = KnownStack {
                class,
                class_by_call: default,
                samples: 1,
            };
            self.known.insert(addresses, stack);
        }
        class.unwrap_or(default)
    }

    fn named(&mut self, addresses: &[u64]) -> Option<WaitClass> {
        let places: Vec<_> = addresses
            .iter()
            .filter_map(|&address| self.place(address))
            .collect();
        let frames: Vec<_> = places
            .iter()
            .map(|&(file, address)| Frame {
                build_id: &self.symbols[&file].build_id,
                address,
                function: self.symbols[&file].name(address.saturating_sub(1)),
            })
            .collect();
        class_of(&frames, &self.probed)
    }

    /// The file that an address lies in, and its address there.
    fn place(&mut self, address: u64) -> Option<(usize, u64)> {
        let range = self.map.range(address)?;
        let path = &self.map.files[range.file];
        let symbols = self
            .symbols
            .entry(range.file)
            .or_insert_with(|| Symbols::read(&format!("/proc/{}/root{path}", self.pid)));
        let within = symbols.address_of(address - range.start + range.offset)?;
        Some((range.file, within))
    }

    fn seen(&self, most: usize) -> Vec<SeenStack> {
        let mut stacks: Vec<_> = self.known.iter().collect();
        stacks.sort_unstable_by_key(|(addresses, known)| (Reverse(known.samples), *addresses));
        stacks.truncate(most);
        let frames =
            |addresses: &[u64]| addresses.iter().filter_map(|&at| self.frame(at)).collect();
        stacks
            .into_iter()
            .map(|(addresses, known)| SeenStack {
                samples: known.samples,
                class: known.class,
                class_by_call: known.class_by_call,
                frames: frames(addresses),
            })
            .collect()
    }

    fn frame(&self, address: u64) -> Option<SeenFrame> {
        let range = self.map.range(address)?;
        let symbols = self.symbols.get(&range.file)?;
        let within = symbols.address_of(address - range.start + range.offset)?;
        let path = &self.map.files[range.file];
        Some(SeenFrame {
            file: path.rsplit('/').next().unwrap_or(path).to_owned(),
            build_id: symbols.build_id.clone(),
            address: within,
            function: symbols.name(within.saturating_sub(1)).map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    /// A thread that serves one connection: it answers each byte after a wait.
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
            client: own,
            probed: Vec::new(),
        })
        .unwrap()
    }

    #[test]
    fn a_session_is_found_while_it_waits_and_seen_while_it_computes() {
        let (mut client, server) = UnixStream::pair().unwrap();
        serve(server, || {
            let until = std::time::Instant::now() + Duration::from_millis(400);
            while std::time::Instant::now() < until {}
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
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(10));
            sampler.sample(id);
        }
        let busy = sampler.end_second();
        assert!(busy.running >= 15, "{busy:?}");
        assert!(busy.on_cpu_ns + busy.run_queue_ns > 100_000_000, "{busy:?}");
        client.read_exact(&mut [0]).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        sampler.sample(id);
        let idle = sampler.end_second();
        assert_eq!(idle.waits[WaitClass::Client.index()], 1, "{idle:?}");
        assert_eq!(sampler.pooled(), 0);
    }

    #[test]
    fn threads_of_one_name_are_one_group() {
        assert_eq!(group_name("ib_io_rd-3"), "ib_io_rd");
        assert_eq!(group_name("worker12"), "worker");
        assert_eq!(group_name("mysqld"), "mysqld");
    }
}
