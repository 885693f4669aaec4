//! Names waits by the stacks that led to them, and remembers each stack.

use crate::machine_code::KnownCode;
use crate::memory_map::{MemoryMap, REMOVED};
use crate::named_waits::{Frame, ProbedSite, class_of};
use crate::process::{BlockedIn, WatchedProcess};
use crate::stack::{STACK_BYTES, frames};
use crate::symbols::Symbols;
use crate::wait_class::WaitClass;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Stacks that are remembered; a server has some hundred different ones.
const MOST_STACKS: usize = 20_000;

/// A stack that led to a wait by one kind of system call, and how often it was seen.
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

/// A stack that was looked at before.
#[derive(Debug, Clone, Copy)]
struct KnownStack {
    class: Option<WaitClass>,
    samples: u64,
}

/// Names the waits of one process by copied stacks.
pub(crate) struct StackNamer {
    pid: u32,
    map: MemoryMap,
    /// Of each file of the map; read when a stack first leads there.
    symbols: HashMap<usize, Symbols>,
    code: KnownCode,
    probed: Vec<ProbedSite>,
    /// With what the system call alone says. The C library has no frames, so below the same ones it waits in several
    /// calls: `pthread_cond_wait` for its condition, then for the mutex.
    known: HashMap<(Vec<u64>, WaitClass), KnownStack>,
}

impl StackNamer {
    pub(crate) fn new(pid: u32, probed: Vec<ProbedSite>) -> Self {
        let map = MemoryMap::of(pid);
        Self {
            symbols: HashMap::new(),
            pid,
            map,
            code: KnownCode::default(),
            probed,
            known: HashMap::new(),
        }
    }

    pub(crate) fn read_program(&mut self) {
        if let Some(start) = self.map.largest() {
            self.place(start);
        }
    }

    /// Copies the stack that a call was made on.
    pub(crate) fn copy(&self, call: &BlockedIn, process: &WatchedProcess) -> Vec<u8> {
        let mut bytes = vec![0; STACK_BYTES];
        let count = process.read_memory(call.stack_pointer, &mut bytes);
        bytes.truncate(count.unwrap_or(0));
        bytes
    }

    pub(crate) fn class(
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
            &mut self.code,
        );
        let stack = (addresses, default);
        if let Some(known) = self.known.get_mut(&stack) {
            known.samples += 1;
            return known.class.unwrap_or(default);
        }
        let class = self.named(&stack.0);
        if self.known.len() < MOST_STACKS {
            self.known.insert(stack, KnownStack { class, samples: 1 });
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

    /// Returns the file that an address lies in, and its address there.
    fn place(&mut self, address: u64) -> Option<(usize, u64)> {
        let range = self.map.range(address)?;
        let path = &self.map.files[range.file];
        let symbols = self
            .symbols
            .entry(range.file)
            .or_insert_with(|| Symbols::read(&mapped_file(self.pid, path)));
        let within = symbols.address_of(address - range.start + range.offset)?;
        Some((range.file, within))
    }

    pub(crate) fn seen(&self, most: usize) -> Vec<SeenStack> {
        let mut stacks: Vec<_> = self.known.iter().collect();
        stacks.sort_unstable_by_key(|(stack, known)| (Reverse(known.samples), *stack));
        stacks.truncate(most);
        let frames =
            |addresses: &[u64]| addresses.iter().filter_map(|&at| self.frame(at)).collect();
        stacks
            .into_iter()
            .map(|((addresses, class_by_call), known)| SeenStack {
                samples: known.samples,
                class: known.class,
                class_by_call: *class_by_call,
                frames: frames(addresses),
            })
            .collect()
    }

    fn frame(&self, address: u64) -> Option<SeenFrame> {
        let range = self.map.range(address)?;
        let symbols = self.symbols.get(&range.file)?;
        let within = symbols.address_of(address - range.start + range.offset)?;
        let path = &self.map.files[range.file];
        let path = path.strip_suffix(REMOVED).unwrap_or(path);
        Some(SeenFrame {
            file: path.rsplit('/').next().unwrap_or(path).to_owned(),
            build_id: symbols.build_id.clone(),
            address: within,
            function: symbols.name(within.saturating_sub(1)).map(str::to_owned),
        })
    }
}

/// Returns where a file that a process has mapped can be read. Of those that were removed this is the program alone, as
/// long as it runs; an update may have put another build in their place.
fn mapped_file(pid: u32, path: &str) -> String {
    let program = format!("/proc/{pid}/exe");
    let is_program = || fs::read_link(&program).is_ok_and(|file| file == Path::new(path));
    if path.ends_with(REMOVED) && is_program() {
        return program;
    }
    format!("/proc/{pid}/root{path}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::process::Command;

    #[test]
    fn waits_of_several_calls_below_the_same_frames_are_kept_apart() {
        let process = WatchedProcess::open(std::process::id()).unwrap();
        let mut namer = StackNamer::new(process.pid, Vec::new());
        let call = BlockedIn {
            number: libc::SYS_futex,
            arguments: [0; 6],
            stack_pointer: 0,
        };
        for by_call in [WaitClass::Latch, WaitClass::NotNamed, WaitClass::NotNamed] {
            assert_eq!(namer.class(&[], &call, by_call, &process), by_call);
        }
        let seen = namer.seen(10);
        let found: Vec<_> = seen
            .iter()
            .map(|stack| (stack.class_by_call, stack.samples))
            .collect();
        assert_eq!(found, [(WaitClass::NotNamed, 2), (WaitClass::Latch, 1)]);
    }

    /// Starts a copy of `sleep`; another test's child may still hold the copy open for writing.
    fn started(program: &Path) -> std::process::Child {
        loop {
            match Command::new(program).arg("60").spawn() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {}
                child => return child.unwrap(),
            }
        }
    }

    #[test]
    fn a_program_that_was_updated_while_it_runs_is_named_by_what_runs() {
        let folder = std::env::temp_dir().join(format!("threads-update-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let program = folder.canonicalize().unwrap().join("sleep");
        fs::copy("/bin/sleep", &program).unwrap();
        let mut child = started(&program);
        fs::remove_file(&program).unwrap();
        fs::write(&program, "another build").unwrap();
        let path = format!("{}{REMOVED}", program.display());
        let symbols = Symbols::read(&mapped_file(child.id(), &path));
        let removed_library = mapped_file(child.id(), &format!("/lib/libc.so.6{REMOVED}"));
        child.kill().unwrap();
        child.wait().unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(symbols.build_id, Symbols::read("/bin/sleep").build_id);
        assert!(!symbols.build_id.is_empty());
        assert_eq!(Symbols::read(&removed_library).build_id, "");
    }
}
