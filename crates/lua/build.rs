//! Scripts find functions by name in the program itself, so programs that run scripts export theirs.

fn main() {
    println!("cargo:rustc-link-arg=-rdynamic");
}
