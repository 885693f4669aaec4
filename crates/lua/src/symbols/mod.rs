//! Exports the C functions that scripts and the prelude find in the program, by their names.

#![expect(
    unsafe_code,
    reason = "functions that C code calls by name and with plain pointers"
)]

mod clock;
mod events;
mod histogram;
mod random;
mod seam;
mod sql;

use crate::context::Context;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Holds a function's address, so that the program keeps a function that nothing in it refers to.
struct ExportedSymbol(#[expect(dead_code, reason = "only its being there counts")] *const ());

// SAFETY: an address of code is never read through.
unsafe impl Sync for ExportedSymbol {}

/// Keeps functions that only scripts call.
macro_rules! keep {
    ($($function:ident),* $(,)?) => {
        #[used]
        static KEPT: [$crate::symbols::ExportedSymbol; [$(stringify!($function)),*].len()] =
            [$($crate::symbols::ExportedSymbol($function as *const ())),*];
    };
}
use keep;

/// Runs `work` for the current actor; a panic ends here, since it must not reach C code, and `otherwise` is returned.
#[inline]
fn acting<T>(otherwise: T, work: impl FnOnce(&Context) -> T) -> T {
    match Context::current() {
        Some(context) => catch_unwind(AssertUnwindSafe(|| work(context))).unwrap_or(otherwise),
        None => otherwise,
    }
}
