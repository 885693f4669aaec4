//! The server's side of a log-in and of what follows.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dbdyno_wire::fuzz::login(data));
