//! Exports what scripts and their C modules find by name in the program itself, and nothing else.

fn main() {
    println!("cargo:rerun-if-changed=../lua/exports.list");
    println!(
        "cargo:rustc-link-arg-bins=-Wl,--dynamic-list={}/../lua/exports.list",
        env!("CARGO_MANIFEST_DIR")
    );
}
