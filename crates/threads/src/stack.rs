//! Follows the frame pointers of a copied stack.
//!
//! Servers are built with frame pointers, the C library is not. So the first frame is sought: the lowest place of the
//! stack that begins a chain in which each link lies above the one before and each return address follows a call. What
//! only looks like a chain by accident rarely holds for [`LEAST_LINKS`] links.

use crate::machine_code::{CallSite, Code, KnownCode, ProcessCode};
use crate::memory_map::MemoryMap;
use crate::process::WatchedProcess;

/// Bytes of the stack that are copied: deep enough for a statement of InnoDB down from the dispatcher.
pub(crate) const STACK_BYTES: usize = 8192;
/// Links that make a chain.
const LEAST_LINKS: usize = 3;
/// Largest frame, in bytes.
const LARGEST_FRAME: u64 = 64 << 10;
/// Frames that are looked at.
const MOST_FRAMES: usize = 48;
const WORD: usize = 8;

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
    use std::collections::HashMap;

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
    fn what_calls_the_c_library_is_innermost() {
        let (left_over, sleeping) = ((0xa1, CallSite::Direct(0x90)), (0xa2, CallSite::Indirect));
        assert_eq!(most_credible([left_over, sleeping]), Some(0xa2));
        assert_eq!(most_credible([left_over]), Some(0xa1));
        assert_eq!(most_credible([]), None);
    }
}
