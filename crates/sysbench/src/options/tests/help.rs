//! Checks what help prints.

use super::script::declared;
use super::*;

#[test]
fn help_of_a_script_lists_its_options_by_name() {
    assert_eq!(
        script_help("d.lua", &declared()),
        "d.lua options:
  --da-sh=STRING   dash [x]
  --flag[=on|off]  a flag [off]
  --int=N          an int [7]
  --lst=[LIST,...] a list [a,b]
  --nul=STRING     nothing
  --num=N          a number [5]
  --siz=SIZE       a size [4K]
  --str=STRING     a string [abc]

"
    );
    assert_eq!(script_help("m.lua", &[]), "m.lua options:\n\n");
}

/// The text of a recorded run, without its command and its exit code.
fn sample(name: &str) -> Option<String> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/sysbench-output/"
    );
    let text = std::fs::read_to_string(format!("{folder}{name}")).ok()?;
    let body = text.split_once('\n').unwrap().1;
    Some(body.split("--- ").next().unwrap().to_owned())
}

#[test]
fn help_is_that_of_sysbench_to_the_character() {
    let Some(expected) = sample("help.txt") else {
        eprintln!("skipped: the recorded outputs are not here");
        return;
    };
    assert_eq!(help(Dialect::V1_0, false), expected);
    assert!(help(Dialect::V1_0, true).starts_with(&expected));
}

#[test]
fn help_of_the_master_branch_has_its_own_options() {
    let text = help(Dialect::V1_1, false);
    assert!(text.contains("\n  --warmup-time=N                 execute events for"));
    assert!(text.contains("\n  --rand-zipfian-exp=N shape parameter (exponent, theta)"));
    assert!(text.contains("\n  --mysql-compression-algorithms=STRING compression algorithms"));
    assert!(!text.contains("pgsql") && !text.contains("--max-time"));
}
