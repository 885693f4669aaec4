//! Follows the frame pointers of a copied stack.
//!
//! Servers are built with frame pointers, the C library is not. So the first frame is sought: the lowest place of the
//! stack that begins a chain in which each link lies above the one before and each return address follows a call. What
//! only looks like a chain by accident rarely holds for [`LEAST_LINKS`] links.

use crate::memory_map::MemoryMap;
use crate::process::WatchedProcess;
use std::collections::HashMap;

/// Bytes of the stack that are copied: deep enough for a statement of InnoDB down from the dispatcher.
pub(crate) const STACK_BYTES: usize = 8192;
/// Links that make a chain.
const LEAST_LINKS: usize = 3;
/// Largest frame, in bytes.
const LARGEST_FRAME: u64 = 64 << 10;
/// Largest function, in bytes of code.
const LARGEST_FUNCTION: u64 = 256 << 10;
/// Bytes at the start of a function that are searched for jumps out of it.
const SEARCHED_FOR_JUMPS: usize = 1024;
/// Frames that are looked at.
const MOST_FRAMES: usize = 48;
const WORD: usize = 8;

/// Describes what stands before a return address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallSite {
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
trait Code {
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
struct ProcessCode<'a> {
    process: &'a WatchedProcess,
    map: &'a MemoryMap,
    known: &'a mut KnownCode,
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

/// Returns return addresses, innermost first; empty if no chain begins in the copy.
pub(crate) fn frames(
    stack: &[u8],
    stack_pointer: u64,
    process: &WatchedProcess,
    map: &MemoryMap,
    known: &mut KnownCode,
) -> Vec<u64> {
    let copy = StackCopy {
        bytes: stack,
        start: stack_pointer,
    };
    let mut code = ProcessCode {
        process,
        map,
        known,
    };
    let Some((first, mut chain)) = copy.first_chain(&mut code) else {
        return Vec::new();
    };
    // The call out of the innermost function with a frame pointer: its address stands below that function's frame.
    let outer = code.site(chain[0]);
    let candidates = (0..first)
        .step_by(WORD)
        .filter_map(|at| copy.word(at))
        .filter(|&word| is_own_code(map, word))
        .filter_map(|word| {
            let site = code.site(word);
            let is_frame = site != CallSite::None && code.is_within(word, outer);
            is_frame.then_some((word, site))
        });
    let below = most_credible(candidates);
    chain.extend(below);
    chain.rotate_right(usize::from(below.is_some()));
    chain
}

/// Returns the lowest address that follows a call into another library, as the innermost one does: a function of the
/// program that was called directly would have a frame of its own, so such an address was left by an earlier call. If
/// there is none, the lowest one.
fn most_credible(candidates: impl IntoIterator<Item = (u64, CallSite)>) -> Option<u64> {
    let mut lowest = None;
    for (address, site) in candidates {
        if site == CallSite::Indirect {
            return Some(address);
        }
        lowest.get_or_insert(address);
    }
    lowest
}

/// Returns whether an address lies in code that is built with frame pointers: the program or its plug-ins, not the C
/// library.
fn is_own_code(map: &MemoryMap, address: u64) -> bool {
    map.range(address).is_some_and(|range| {
        let path = &map.files[range.file];
        let name = path.rsplit('/').next().unwrap_or(path);
        ![
            "libc.",
            "libc-",
            "libpthread",
            "libstdc++",
            "ld-",
            "libm.",
            "libgcc",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    })
}

struct StackCopy<'a> {
    bytes: &'a [u8],
    start: u64,
}

impl StackCopy<'_> {
    fn word(&self, at: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..at + WORD)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }

    /// Returns where the lowest chain begins, in bytes from the stack pointer, and its return addresses. What earlier
    /// calls left on the stack may link into the chain, too, as below a plug-in without frame pointers: there an address
    /// did not call what holds the one before.
    fn first_chain(&self, code: &mut impl Code) -> Option<(usize, Vec<u64>)> {
        (0..self.bytes.len()).step_by(WORD).find_map(|at| {
            let chain = self.chain(at, code);
            let mut links = chain.windows(2);
            let is_chain = chain.len() >= LEAST_LINKS
                && links.all(|link| {
                    let outer = code.site(link[1]);
                    code.is_within(link[0], outer)
                });
            is_chain.then_some((at, chain))
        })
    }

    /// Follows the chain of return addresses that begins at a place.
    fn chain(&self, mut at: usize, code: &mut impl Code) -> Vec<u64> {
        let mut addresses = Vec::new();
        while addresses.len() < MOST_FRAMES {
            let (Some(link), Some(address)) = (self.word(at), self.word(at + WORD)) else {
                break;
            };
            let place = self.start + at as u64;
            let rises = link > place && link - place <= LARGEST_FRAME && link.is_multiple_of(8);
            if !rises || code.site(address) == CallSite::None {
                break;
            }
            addresses.push(address);
            at = (link - self.start) as usize;
        }
        addresses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn a_chain_is_found_above_what_the_c_library_left() {
        // Two words of rubbish, then frames at 0x1010, 0x1030, 0x1040 and 0x1050; the last link leads out of the copy.
        let words = [
            0x77, 0x1030, 0x1030, 0xa1, 0x5, 0x6, 0x1040, 0xa2, 0x1050, 0xa3, 0x9000, 0xa4,
        ];
        let bytes = stack(&words);
        let copy = StackCopy {
            bytes: &bytes,
            start: 0x1000,
        };
        let (at, chain) = copy.first_chain(&mut code(&[], &[])).unwrap();
        assert_eq!((at, chain), (0x10, vec![0xa1, 0xa2, 0xa3, 0xa4]));
    }

    /// Code with calls at 0xa0 to 0xaf, and with given ones.
    struct GivenCode {
        sites: HashMap<u64, CallSite>,
        jumps: Vec<u64>,
    }

    fn code(sites: &[(u64, CallSite)], jumps: &[u64]) -> GivenCode {
        GivenCode {
            sites: sites.iter().copied().collect(),
            jumps: jumps.to_vec(),
        }
    }

    impl Code for GivenCode {
        fn site(&mut self, address: u64) -> CallSite {
            let otherwise = if (0xa0..0xb0).contains(&address) {
                CallSite::Indirect
            } else {
                CallSite::None
            };
            self.sites.get(&address).copied().unwrap_or(otherwise)
        }

        fn jumps(&mut self, _function: u64) -> &[u64] {
            &self.jumps
        }
    }

    #[test]
    fn what_an_earlier_call_left_is_no_frame() {
        // At 0x1000 an old link to the frame at 0x1020, with an address far from what 0xa2 called.
        let bytes = stack(&[0x1020, 0x9_00a9, 0x1020, 0xa1, 0x1030, 0xa2, 0x1040, 0xa3]);
        let copy = StackCopy {
            bytes: &bytes,
            start: 0x1000,
        };
        let sites = [
            (0x9_00a9, CallSite::Indirect),
            (0xa2, CallSite::Direct(0x90)),
        ];
        assert_eq!(copy.first_chain(&mut code(&sites, &[])).unwrap().0, 0x10);
        // Unless what it called jumps there, as a function does whose last act is to call another.
        assert_eq!(
            copy.first_chain(&mut code(&sites, &[0x9_0000])).unwrap().0,
            0
        );
    }

    /// Two frames of an earlier call, the outer one linked to the frame of a function that called something else.
    #[test]
    fn what_several_earlier_calls_left_is_no_frame_either() {
        let bytes = stack(&[
            0x1010, 0xa4, 0x1020, 0xa5, 0x1030, 0xa6, 0x1040, 0xa7, 0x1050, 0xa8,
        ]);
        let copy = StackCopy {
            bytes: &bytes,
            start: 0x1000,
        };
        let sites = [(0xa6, CallSite::Direct(0x9_0000))];
        assert_eq!(
            copy.first_chain(&mut code(&sites, &[])).unwrap(),
            (0x20, vec![0xa6, 0xa7, 0xa8])
        );
        // Nothing is named by them if too few frames are left.
        let sites = [(0xa7, CallSite::Direct(0x9_0000))];
        assert!(copy.first_chain(&mut code(&sites, &[])).is_none());
    }

    #[test]
    fn links_that_fall_or_lead_nowhere_are_no_chain() {
        let bytes = stack(&[0x0ff0, 0xa1, 0x1018, 0x55, 0x1028, 0xa3]);
        let copy = StackCopy {
            bytes: &bytes,
            start: 0x1000,
        };
        assert!(copy.first_chain(&mut code(&[], &[])).is_none());
    }

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
    fn what_calls_the_c_library_is_innermost() {
        let (left_over, sleeping) = ((0xa1, CallSite::Direct(0x90)), (0xa2, CallSite::Indirect));
        assert_eq!(most_credible([left_over, sleeping]), Some(0xa2));
        assert_eq!(most_credible([left_over]), Some(0xa1));
        assert_eq!(most_credible([]), None);
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
