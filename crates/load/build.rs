//! Exports what scripts and their C modules find by name in the program itself, and nothing else.

fn main() {
    println!("cargo:rerun-if-changed=../lua/exports.list");
    // Read when this runs: env! would keep the folder of another checkout whose target directory was copied here.
    let folder = std::env::var("CARGO_MANIFEST_DIR")
        .expect("cargo tells its build scripts the package's folder");
    println!("cargo:rustc-link-arg-bins=-Wl,--dynamic-list={folder}/../lua/exports.list");
}
