//! Exports the functions that scripts find by name in the program itself.

fn main() {
    println!("cargo:rustc-link-arg=-rdynamic");
}
