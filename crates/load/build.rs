//! Exports what scripts and their C modules find by name in the program itself, and nothing else.

fn main() {
    println!("cargo:rerun-if-changed=../lua/exports.list");
    // Read while building: a path compiled in would be that of the checkout that a copied target directory came from.
    let folder = std::env::var("CARGO_MANIFEST_DIR")
        .expect("cargo tells its build scripts the package's folder");
    println!("cargo:rustc-link-arg-bins=-Wl,--dynamic-list={folder}/../lua/exports.list");
}
