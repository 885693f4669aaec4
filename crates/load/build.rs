//! Exports what scripts and their C modules find by name in the program itself, and nothing else where the linker takes
//! a list; has it keep functions of equal code once, which saves a thirtieth of the program, where it can.

use std::path::Path;
use std::process::Command;

const EXPORT_ALL: &str = "-Wl,--export-dynamic";
const FOLD_EQUAL_FUNCTIONS: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo:rerun-if-changed=../lua/exports.list");
    // Read when this runs: env! would keep the folder of another checkout whose target directory was copied here.
    let folder = variable("CARGO_MANIFEST_DIR");
    let listed = format!("-Wl,--dynamic-list={folder}/../lua/exports.list");
    // The linker of releases takes no such list. (Its version scripts do not hide a program's symbols either.)
    let exports = match accepts(&listed) {
        true => listed.as_str(),
        false => EXPORT_ALL,
    };
    println!("cargo:rustc-link-arg-bins={exports}");
    if variable("PROFILE") == "release" && accepts(FOLD_EQUAL_FUNCTIONS) {
        println!("cargo:rustc-link-arg-bins={FOLD_EQUAL_FUNCTIONS}");
    }
}

/// Returns whether the linker takes an option.
fn accepts(option: &str) -> bool {
    let folder = variable("OUT_DIR");
    let source = Path::new(&folder).join("empty.rs");
    std::fs::write(&source, "fn main() {}").expect("cargo's output folder is writable");
    let mut compiler = Command::new(variable("RUSTC"));
    compiler
        .arg(&source)
        .args(["--target", &variable("TARGET")]);
    compiler.args(["--out-dir", &folder, "-C", &format!("link-arg={option}")]);
    // The user's own flags may choose another linker.
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    compiler.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        compiler.args(["-C", &format!("linker={linker}")]);
    }
    compiler
        .output()
        .is_ok_and(|output| output.status.success())
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo gives build scripts {name}"))
}
