//! Reads which calls and jumps stand in the code of a process.

use crate::memory_map::MemoryMap;
use crate::process::WatchedProcess;
use std::collections::HashMap;

/// Largest function, in bytes of code.
const LARGEST_FUNCTION: u64 = 256 << 10;
/// Bytes at the start of a function that are searched for jumps out of it.
const SEARCHED_FOR_JUMPS: usize = 1024;

/// Describes what stands before a return address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSite {
    /// No call: the address returns from nothing.
    None,
    /// A call of a function that begins at this address.
    Direct(u64),
    /// A call through a register or memory, or of a stub that leads to another library.
    Indirect,
}

/// Holds what was found in a process's code, which does not change while the process runs.
#[derive(Debug, Default)]
pub(crate) struct KnownCode {
    /// Of each address that was asked for.
    sites: HashMap<u64, CallSite>,
    /// Function -> where it jumps to outside of itself.
    jumps: HashMap<u64, Vec<u64>>,
}

/// Tells calls and jumps of code.
pub(crate) trait Code {
    /// Returns which call an address follows.
    fn site(&mut self, address: u64) -> CallSite;

    /// Returns where a function jumps to outside of itself: a function that takes its place, or its own rarely used part.
    fn jumps(&mut self, function: u64) -> &[u64];

    /// Returns whether an address may lie in the function that was called; what was called indirectly may be any.
    fn is_within(&mut self, address: u64, called: CallSite) -> bool {
        let holds = |start: u64| (start..start + LARGEST_FUNCTION).contains(&address);
        match called {
            CallSite::Direct(target) => {
                holds(target) || self.jumps(target).iter().any(|&start| holds(start))
            }
            CallSite::Indirect => true,
            CallSite::None => false,
        }
    }
}

/// Reads the code of a process that runs.
pub(crate) struct ProcessCode<'a> {
    pub(crate) process: &'a WatchedProcess,
    pub(crate) map: &'a MemoryMap,
    pub(crate) known: &'a mut KnownCode,
}

impl Code for ProcessCode<'_> {
    fn site(&mut self, address: u64) -> CallSite {
        if self.map.range(address).is_none() {
            return CallSite::None;
        }
        let process = self.process;
        *self.known.sites.entry(address).or_insert_with(|| {
            let code = |at: u64| {
                let mut bytes = [0; 8];
                let read = process.read_memory(at, &mut bytes);
                read.is_ok_and(|count| count == 8).then_some(bytes)
            };
            let Some(before) = code(address.saturating_sub(8)) else {
                return CallSite::None;
            };
            match call_before(&before, address) {
                CallSite::Direct(target) if code(target).is_none_or(|code| is_stub(&code)) => {
                    CallSite::Indirect
                }
                site => site,
            }
        })
    }

    fn jumps(&mut self, function: u64) -> &[u64] {
        let process = self.process;
        self.known.jumps.entry(function).or_insert_with(|| {
            let mut code = vec![0; SEARCHED_FOR_JUMPS];
            let count = process.read_memory(function, &mut code).unwrap_or(0);
            jumps_out(&code[..count], function)
        })
    }
}

/// Returns where x86-64 code jumps to outside of itself by a distance of 32 bits: `E9`, or `0F 8x` under a condition.
/// Instructions are not told apart: that other bytes look like a jump just to where a thread waits is unlikely.
fn jumps_out(code: &[u8], start: u64) -> Vec<u64> {
    let target = |at: usize| {
        let distance = i32::from_le_bytes(code.get(at..at + 4)?.try_into().ok()?);
        Some((start + at as u64 + 4).wrapping_add_signed(i64::from(distance)))
    };
    let own = start..start + code.len() as u64;
    (0..code.len())
        .filter_map(|at| match code[at..] {
            [0xe9, ..] => target(at + 1),
            [0x0f, 0x80..=0x8f, ..] => target(at + 2),
            _ => None,
        })
        .filter(|target| !own.contains(target))
        .collect()
}

/// Returns the call that eight bytes of x86-64 code end in. On other processors every address may return.
fn call_before(code: &[u8; 8], address: u64) -> CallSite {
    if cfg!(not(target_arch = "x86_64")) {
        return CallSite::Indirect;
    }
    // `E8` with 32 bits: direct. `FF /2` with a register, or memory with 0, 1, 4 or 5 bytes more: indirect.
    if code[3] == 0xe8 {
        let distance = i32::from_le_bytes([code[4], code[5], code[6], code[7]]);
        return CallSite::Direct(address.wrapping_add_signed(i64::from(distance)));
    }
    let is_indirect = |at: usize| code[at] == 0xff && (code[at + 1] >> 3) & 7 == 2;
    if [1, 2, 4, 5, 6].into_iter().any(is_indirect) {
        CallSite::Indirect
    } else {
        CallSite::None
    }
}

/// Returns whether code jumps on at once to an address that the linker fills in: `jmp *x(%rip)`, with or without
/// `endbr64`.
fn is_stub(code: &[u8; 8]) -> bool {
    let jumps = |at: usize| {
        code[at..].starts_with(&[0xff, 0x25]) || code[at..].starts_with(&[0xf2, 0xff, 0x25])
    };
    jumps(0) || (code.starts_with(&[0xf3, 0x0f, 0x1e, 0xfa]) && jumps(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn calls_are_known_by_their_bytes() {
        let before = |code| call_before(&code, 0x1000);
        assert_eq!(
            before([0, 0, 0, 0xe8, 0x10, 0, 0, 0]),
            CallSite::Direct(0x1010)
        );
        assert_eq!(
            before([0, 0, 0, 0xe8, 0xf0, 0xff, 0xff, 0xff]),
            CallSite::Direct(0xff0)
        );
        assert_eq!(before([0, 0, 0, 0, 0, 0, 0xff, 0xd0]), CallSite::Indirect); // call *%rax
        assert_eq!(
            before([0, 0, 0, 0, 0, 0xff, 0x50, 0x08]),
            CallSite::Indirect
        ); // call *8(%rax)
        assert_eq!(before([0, 0, 0xff, 0x15, 1, 2, 3, 4]), CallSite::Indirect); // call *x(%rip)
        assert_eq!(before([0x90; 8]), CallSite::None);
        assert!(is_stub(&[0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0, 0]));
        assert!(!is_stub(&[0x55, 0x48, 0x89, 0xe5, 0, 0, 0, 0]));
    }

    #[test]
    fn jumps_out_of_a_function_are_found() {
        // ret; jmp +0x1000; jne +0x2000; and within it: jmp -5.
        let bytes = [
            0xc3, 0xe9, 0, 0x10, 0, 0, 0x0f, 0x85, 0, 0x20, 0, 0, 0xe9, 0xfb, 0xff, 0xff, 0xff,
        ];
        assert_eq!(jumps_out(&bytes, 0x40_0000), [0x40_1006, 0x40_200c]);
    }
}
