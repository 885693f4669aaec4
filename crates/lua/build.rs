//! Exports every function of the test programs, since scripts find some by name in the program itself.

fn main() {
    println!("cargo:rustc-link-arg=-rdynamic");
}
