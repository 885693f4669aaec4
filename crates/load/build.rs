//! Exports the program's functions, since scripts find them by name in the program itself.

fn main() {
    println!("cargo:rustc-link-arg-bins=-rdynamic");
}
