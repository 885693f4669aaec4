//! Compressed frames, whole and in pieces.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dbdyno_wire::fuzz::compressed(data));
