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

/// Whether this is what sysbench prints is checked in `tests/recorded_outputs`.
#[test]
fn help_is_printed_to_the_character() {
    let expected = include_str!("help.txt");
    assert_eq!(help(Dialect::V1_0, false), expected);
    assert!(help(Dialect::V1_0, true).starts_with(expected));
}

#[test]
fn help_of_the_master_branch_has_its_own_options() {
    let text = help(Dialect::V1_1, false);
    assert!(text.contains("\n  --warmup-time=N                 execute events for"));
    assert!(text.contains("\n  --rand-zipfian-exp=N shape parameter (exponent, theta)"));
    assert!(text.contains("\n  --mysql-compression-algorithms=STRING compression algorithms"));
    assert!(!text.contains("pgsql") && !text.contains("--max-time"));
}
