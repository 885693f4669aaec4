//! Scripts find functions by name in the program itself, so it exports them.

fn main() {
    println!("cargo:rustc-link-arg-bins=-rdynamic");
}
