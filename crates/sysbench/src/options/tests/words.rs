//! Checks words, and what is taken in addition to sysbench's own options.

use super::*;

#[test]
fn words_are_the_name_and_the_command() {
    let line = is_taken("--threads=2|oltp_read_write|run");
    assert_eq!(line.name.as_deref(), Some("oltp_read_write"));
    assert_eq!(line.command.as_deref(), Some("run"));
    assert_eq!(is_taken("--threads=2").name, None);
    assert_eq!(is_taken("-x|-").command.as_deref(), Some("-"));
    for third in [
        "d.lua|prepare|run",
        "d.lua|prepare|--threads=x|run",
        "--version|a|b|run",
    ] {
        complains(
            third,
            OutputStream::Stderr,
            "Unrecognized command line argument: run\n",
        );
    }
}

#[test]
fn the_old_test_option_takes_the_place_of_the_name() {
    let named = is_taken("d.lua|prepare|--test=empty.lua");
    assert_eq!(named.name.as_deref(), Some("empty.lua"));
    assert_eq!(named.said[0].stream, OutputStream::Stderr);
    let command = is_taken("--test=d.lua|empty.lua");
    assert_eq!(command.command.as_deref(), Some("empty.lua"));
    let empty = is_taken("--test=|d.lua|prepare");
    assert_eq!(empty.name.as_deref(), Some("d.lua"));
    let unnamed = is_taken("none.lua|--test=|run");
    assert_eq!(
        (unnamed.name.as_deref(), unnamed.command),
        (Some("run"), None)
    );
    assert_eq!(is_taken("--test|d.lua").leftovers[0].name, "test");
}

#[test]
fn help_and_version_come_before_bad_values() {
    let ending = line("--threads=x|--version").unwrap_err();
    assert_eq!(ending, answer("sysbench 1.0.20\n".to_owned(), Vec::new()));
    let ending = line("--version|--help|--threads=0").unwrap_err();
    assert!(ending.said[0].text.starts_with("Usage:\n"));
    assert_eq!(ending.exit, 0);
    assert!(line("--help|--help=off").is_ok());
    assert!(line("--version|--version=x").is_ok());
}

#[test]
fn a_password_is_not_shown() {
    let line = is_taken("--mysql-password=secret");
    let values = line.table.values().unwrap();
    assert!(!format!("{line:?} {values:?}").contains("secret"));
    let shown = Value::Text("secret".to_owned());
    assert_eq!(values.get("mysql-password"), Some(&shown));
}

#[test]
fn encryption_is_a_flag_or_a_mode_in_either_dialect() {
    for (arguments, ssl) in [
        ("a", "off"),
        ("--mysql-ssl", "on"),
        ("--mysql-ssl=1", "on"),
        ("--mysql-ssl=off", "off"),
        ("--mysql-ssl=DISABLED", "off"),
        ("--mysql-ssl=VERIFY_CA", "verify_ca"),
    ] {
        let line = is_taken(arguments);
        assert_eq!(line.settings.database.ssl, ssl, "{arguments}");
        let modern = is_taken(&format!("--dialect=1.1|{arguments}"));
        let modern = modern.settings.database.ssl;
        assert_eq!(modern.replace("disabled", "off"), ssl, "1.1 {arguments}");
    }
    assert_eq!(is_taken("--mysql-ssl=x").leftovers.len(), 1);
    let line = is_taken("--mysql-ssl-ca=ca.pem");
    assert_eq!(line.settings.database.ssl_ca, Some("ca.pem".into()));
    let values = line.table.values().unwrap();
    assert!(values.get("mysql_ssl_ca").is_some() && values.get("mysql_ssl_key").is_none());
}

#[test]
fn a_file_with_options_acts_at_its_place() {
    let path = std::env::temp_dir().join(format!("dbdyno-options-{}", std::process::id()));
    std::fs::write(
        &path,
        "mysql-db=q r\nhistogram=off\nfoo=1\nmysql-host=a, b\n",
    )
    .unwrap();
    let file = format!("--config-file={}", path.display());
    let after = is_taken(&format!("--mysql-db=a|{file}"));
    assert_eq!(after.settings.database.database, "q");
    assert_eq!(after.settings.database.hosts, ["a", "b"]);
    // In a file any value switches a flag on.
    assert!(after.settings.histogram);
    assert_eq!(after.table.values().unwrap().untyped, ["foo"]);
    let given = is_taken(&format!("{file}|--foo=2"));
    assert_eq!(given.said, [OptionMessage::out("Unknown argument type: 0")]);
    assert_eq!(given.leftovers[0].name, "foo");
    assert_eq!(is_taken(&format!("{file}|--foo")).leftovers, []);
    let before = is_taken(&format!("{file}|--mysql-db=a"));
    assert_eq!(before.settings.database.database, "a");
    std::fs::remove_file(&path).unwrap();
    let missing = is_taken("--config-file=nosuch|--threads=2");
    assert_eq!(
        missing.said,
        [OptionMessage::err("nosuch: No such file or directory\n")]
    );
}

#[test]
fn the_dialects_have_their_own_options_and_defaults() {
    let modern = is_taken("--dialect=1.1|--warmup-time=3|--thread-init-timeout=5|--max-time=3");
    assert_eq!(modern.settings.warmup_s, 3);
    assert_eq!(modern.settings.init_timeout_s, 5);
    assert_eq!(modern.settings.time_s, 10);
    assert_eq!(modern.settings.random.kind, crate::RandomType::Uniform);
    assert_eq!(modern.leftovers[0].name, "max-time");
    let elsewhere = is_taken("--dialect=1.1|--pgsql-port=5|--luajit-cmd=off");
    assert_eq!(elsewhere.leftovers, []);
    assert_eq!(elsewhere.settings.luajit_command, Some("off".to_owned()));
    let values = elsewhere.table.values().unwrap();
    assert_eq!(values.get("pgsql_port"), Some(&Value::Int(5)));
    assert_eq!(values.get("pgsql_host"), None);
    let old = is_taken("--warmup-time=3");
    assert_eq!(old.settings.warmup_s, 0);
    assert_eq!(old.leftovers[0].name, "warmup-time");
    assert_eq!(old.settings.random.kind, crate::RandomType::Special);
}

#[test]
fn own_options_are_taken_beside_those_of_sysbench() {
    let line = is_taken("--workers=2|--json_lines=-|--fixes=report,codes|--native=off");
    assert_eq!(line.settings.workers, Some(2));
    assert_eq!(line.settings.json_lines, Some("-".into()));
    assert!(line.settings.fixes.report && !line.settings.fixes.prepare_exit);
    assert!(!line.settings.native);
    assert!(line.table.values().unwrap().get("workers").is_none());
    for bad in ["workers=0", "fixes=x", "dialect=2"] {
        let (name, value) = bad.split_once('=').unwrap();
        complains(
            &format!("--{bad}"),
            OutputStream::Stderr,
            &format!("Invalid value for the '{name}' option: '{value}'\n"),
        );
    }
}
