//! Checks the second pass.

use super::*;

pub(super) fn declared() -> Vec<ScriptOption> {
    let option = |name: &str, description: &str, default: Option<&str>, kind| ScriptOption {
        name: name.to_owned(),
        description: description.to_owned(),
        default: default.map(str::to_owned),
        kind,
        has_validator: name == "str",
    };
    vec![
        option("num", "a number", Some("5"), ArgKind::Double),
        option("flag", "a flag", Some("off"), ArgKind::Flag),
        option("str", "a string", Some("abc"), ArgKind::Text),
        option("lst", "a list", Some("a,b"), ArgKind::List),
        option("nul", "nothing", None, ArgKind::Text),
        option("int", "an int", Some("7"), ArgKind::Int),
        option("siz", "a size", Some("4K"), ArgKind::Size),
        option("da-sh", "dash", Some("x"), ArgKind::Text),
    ]
}

fn second_pass(arguments: &str) -> Result<OptionValues, String> {
    let line = is_taken(arguments);
    let mut validate = |_: &str, value: Option<&str>| value != Some("bad");
    apply_script_options(&line, Some(&declared()), &mut validate)
        .and_then(|(table, _)| table.values())
        .map_err(|ending| spoken(&ending.said))
}

#[test]
fn options_of_the_script_are_read_by_their_types() {
    let values =
        second_pass("d.lua|prepare|--lst=x,y|--lst=,z,|--siz=3q|--num=4K|--str|--da_sh=q|--flag")
            .unwrap();
    let list = Value::List(vec!["z".to_owned()]);
    for (name, value) in [
        ("lst", list),
        ("siz", Value::Size(0)),
        ("num", Value::Double(4.0)),
        ("str", Value::Text(String::new())),
        ("da_sh", Value::Text("q".to_owned())),
        ("flag", Value::Flag(true)),
        ("nul", Value::Text(String::new())),
        ("int", Value::Int(7)),
        ("threads", Value::Int(1)),
        ("thread_stack_size", Value::Size(65536)),
        ("mysql_socket", Value::List(Vec::new())),
        ("rand_pareto_h", Value::Double(0.2)),
        ("mysql_ssl", Value::Flag(false)),
    ] {
        assert_eq!(values.get(name), Some(&value), "{name}");
    }
    assert_eq!(values.get("config_file"), None);
}

#[test]
fn what_nobody_knows_is_refused_as_written() {
    for (arguments, complaint) in [
        ("--foo=1|--bar=2", "invalid option: --foo=1\n"),
        ("--foo-bar=1", "invalid option: --foo-bar=1\n"),
        ("--foo", "invalid option: --foo\n"),
        ("--foo=a,b", "invalid option: --foo=a,b\n"),
        ("--int=x|--foo=1", "invalid option: --foo=1\n"),
        ("--flag=on|--flag=x", "invalid option: --flag=x\n"),
        (
            "--histogram=yes|--histogram",
            "invalid option: --histogram=yes\n",
        ),
        ("--debug=none", "invalid option: --debug=none\n"),
        ("--flag=", "invalid option: --flag=\n"),
        ("--", "invalid option: --\n"),
        ("--=3", "invalid option: --=3\n"),
        ("--fla", "invalid option: --fla\n"),
        ("--str=bad|--str=good", "invalid option: --str=bad\n"),
        ("--str=bad|--foo=1", "invalid option: --foo=1\n"),
        ("--int=5.5", "Invalid value for the 'int' option: '5.5'\n"),
    ] {
        let told = second_pass(&format!("d.lua|prepare|{arguments}")).unwrap_err();
        assert_eq!(told, complaint, "{arguments}");
    }
}

#[test]
fn the_option_that_was_probably_meant_is_known_by_its_name() {
    for (argument, meant) in [
        ("--treads=4", Some("--threads")),
        ("--mysql-sockt=/s", Some("--mysql-socket")),
        ("--mysql_sokcet=/s", Some("--mysql-socket")),
        ("--dash=1", Some("--da-sh")),
        ("--numm=1", Some("--num")),
        ("--wholly-else=1", None),
        ("--flag=x", None),
    ] {
        let line = is_taken(&format!("d.lua|prepare|{argument}"));
        let ending = apply_script_options(&line, Some(&declared()), &mut |_, _| true).unwrap_err();
        assert_eq!(ending.meant.as_deref(), meant, "{argument}");
    }
}

#[test]
fn a_script_without_options_takes_anything_in_1_0_only() {
    let line = is_taken("n.lua|prepare|--foo-bar=1|--Foo=a,b|--x|--x=2");
    let (table, _) = apply_script_options(&line, None, &mut |_, _| true).unwrap();
    let values = table.values().unwrap();
    for (name, text) in [("foo_bar", "1"), ("Foo", "a,b"), ("x", "2")] {
        assert_eq!(values.get(name), Some(&Value::Text(text.to_owned())));
    }
    assert!(apply_script_options(&line, Some(&[]), &mut |_, _| true).is_err());
    let modern = is_taken("--dialect=1.1|n.lua|prepare|--foo-bar=1");
    assert!(apply_script_options(&modern, None, &mut |_, _| true).is_err());
}

#[test]
fn an_option_of_ours_belongs_to_a_script_that_declares_it() {
    let line = is_taken("d.lua|prepare|--workers=8");
    let mut options = declared();
    options[0].name = "workers".to_owned();
    let (table, _) = apply_script_options(&line, Some(&options), &mut |_, _| true).unwrap();
    let values = table.values().unwrap();
    assert_eq!(values.get("workers"), Some(&Value::Double(8.0)));
}
