//! Cases tried on sysbench 1.0.20, and what it said.

use super::*;

const SYSBENCH: Environment = Environment {
    dialect: Dialect::V1_0,
    own_name: false,
    own_form: false,
};

fn words(line: &str) -> Vec<String> {
    line.split('|').map(str::to_owned).collect()
}

/// Arguments with `|` between them.
fn line(arguments: &str) -> Result<CommandLine, Ending> {
    parse(&words(arguments), &SYSBENCH)
}

fn spoken(said: &[Said]) -> String {
    said.iter().map(|said| said.text.as_str()).collect()
}

#[track_caller]
fn complains(arguments: &str, stream: Stream, text: &str) {
    let ending = line(arguments).unwrap_err();
    let last = ending.said.last().unwrap();
    assert_eq!(
        (last.stream, last.text.as_str()),
        (stream, text),
        "{arguments}"
    );
    assert_eq!(ending.exit, 1);
}

#[track_caller]
fn is_taken(arguments: &str) -> CommandLine {
    line(arguments).unwrap_or_else(|ending| panic!("{arguments}: {}", spoken(&ending.said)))
}

#[test]
fn bad_general_values_are_complained_of_in_sysbench_words() {
    let fatal = |arguments: &str, words: &str| {
        complains(
            &format!("d.lua|prepare|{arguments}"),
            Stream::Stdout,
            &format!("FATAL: {words}\n"),
        );
    };
    fatal("--threads=0", "Invalid value for --threads: 0.\n");
    fatal("--threads=", "Invalid value for --threads: 0.\n");
    fatal("--threads", "Invalid value for --threads: 0.\n");
    fatal("--threads=-1", "Memory allocation failure.\n");
    fatal("--threads=2147483647", "Memory allocation failure.\n");
    fatal(
        "--report-checkpoints=1,x",
        "Invalid value for --report-checkpoints: 'x'",
    );
    fatal(
        "--report-checkpoints=-1",
        "Invalid value for --report-checkpoints: '-1'",
    );
    fatal(
        "--report-checkpoints=5 ,6",
        "Invalid value for --report-checkpoints: '5 '",
    );
    fatal("--percentile=101", "Invalid value for --percentile: 101");
    fatal("--percentile=-1", "Invalid value for --percentile: -1");
    fatal(
        "--histogram|--percentile=0",
        "--histogram cannot be used with --percentile=0",
    );
    fatal("--rand-type=x", "Invalid random numbers distribution: x.");
    fatal(
        "--rand-type=zipfian",
        "Invalid random numbers distribution: zipfian.",
    );
    for size in ["0", "x", "", "-1", "1T", "4G"] {
        fatal(
            &format!("--thread-stack-size={size}"),
            "Invalid value for thread-stack-size: 0.\n",
        );
    }
    fatal(
        "--thread-stack-size=3G",
        "Invalid value for thread-stack-size: -1073741824.\n",
    );
    for grace in ["x", "on", "5x", "1.5", "off%", "offx"] {
        fatal(
            &format!("--forced-shutdown={grace}"),
            &format!("Invalid value for --forced-shutdown: '{grace}'"),
        );
    }
    let points: Vec<String> = (1..=257).map(|point| point.to_string()).collect();
    fatal(
        &format!("--report-checkpoints={}", points.join(",")),
        "Too many checkpoints in --report-checkpoints (up to 256 can be defined)",
    );
    complains(
        "--verbosity=6",
        Stream::Stdout,
        "Invalid value for verbosity: 6\n",
    );
    complains(
        "--verbosity=-1",
        Stream::Stdout,
        "Invalid value for verbosity: 255\n",
    );
}

#[test]
fn whole_numbers_that_are_none_are_complained_of_by_their_underscored_names() {
    for (option, name) in [
        ("threads=1x", "threads"),
        ("events=99999999999", "events"),
        ("report-interval=x", "report_interval"),
        ("max-requests=x", "max_requests"),
        ("rand-spec-iter=x", "rand_spec_iter"),
        ("percentile=95.5", "percentile"),
        ("rand-seed=4294967296", "rand_seed"),
    ] {
        let value = option.split('=').nth(1).unwrap();
        complains(
            &format!("empty.lua|--{option}|run"),
            Stream::Stderr,
            &format!("Invalid value for the '{name}' option: '{value}'\n"),
        );
    }
}

/// Of two bad values the one that sysbench looks at first is complained of, wherever they stand.
#[test]
fn values_are_looked_at_in_the_order_of_sysbench() {
    let order = [
        ("num-threads=x", "'num_threads'"),
        ("threads=0", "--threads: 0"),
        ("max-requests=x", "'max_requests'"),
        ("events=x", "'events'"),
        ("max-time=x", "'max_time'"),
        ("time=x", "'time'"),
        ("forced-shutdown=x", "forced-shutdown"),
        ("thread-stack-size=0", "stack"),
        ("threads=-1", "Memory"),
        ("rand-seed=x", "rand_seed"),
        ("rand-type=x", "distribution"),
        ("rand-spec-iter=x", "spec_iter"),
        ("rand-spec-pct=x", "spec_pct"),
        ("rand-spec-res=x", "spec_res"),
        ("tx-rate=x", "'tx_rate'"),
        ("rate=x", "'rate'"),
        ("report-interval=x", "report_interval"),
        ("report-checkpoints=x", "report-checkpoints"),
        ("verbosity=6", "verbosity: 6"),
        ("percentile=101", "percentile"),
    ];
    for (index, (first, words)) in order.iter().enumerate() {
        for (second, _) in &order[index + 1..] {
            if first.split('=').next() == second.split('=').next() {
                continue;
            }
            let ending = line(&format!("--{second}|--{first}")).unwrap_err();
            let text = spoken(&ending.said);
            assert!(text.contains(words), "{first} before {second}: {text}");
        }
    }
}

#[test]
fn old_names_are_warned_of_and_win() {
    let line = is_taken("d.lua|--num-threads=3|--threads=2|--max-time=5|--time=6|prepare");
    assert_eq!((line.settings.threads, line.settings.time_s), (3, 5));
    assert_eq!(
        spoken(&line.said),
        "WARNING: --num-threads is deprecated, use --threads instead\n\
         WARNING: --max-time is deprecated, use --time instead\n"
    );
    let line = is_taken("d.lua|--max-requests=5|--events=x|--tx-rate=3|prepare");
    assert_eq!((line.settings.events, line.settings.rate), (5, 3));
    let values = line.table.values().unwrap();
    assert_eq!(values.get("events"), Some(&Value::Int(5)));
    assert_eq!(values.get("max_requests"), Some(&Value::Int(5)));
    let values = is_taken("--debug|--verbosity=1").table.values().unwrap();
    assert_eq!(values.get("verbosity"), Some(&Value::Int(5)));
}

#[test]
fn old_names_with_their_defaults_say_nothing() {
    let line = is_taken("d.lua|--num-threads=1|--threads=3|--max-requests=0|--max-time=0");
    assert_eq!((line.settings.threads, line.settings.time_s), (3, 10));
    assert_eq!(line.said, []);
    let ending = super::tests::line("--max-requests=5|--threads=0").unwrap_err();
    assert_eq!(ending.said.len(), 1);
}

#[test]
fn a_run_without_limits_is_warned_of() {
    let text = "WARNING: Both event and time limits are disabled, running an endless test\n";
    assert_eq!(is_taken("--time=0").said, [Said::out(text)]);
    assert_eq!(is_taken("--time=0|--events=-1").said, []);
    assert_eq!(is_taken("--time=-1").said, []);
}

#[test]
fn the_last_value_counts_and_dashes_are_underscores() {
    assert_eq!(is_taken("--threads=x|--threads=2").settings.threads, 2);
    let line = is_taken("--report_interval=3|--rand-seed=-1|--debug=on|--debug=off");
    assert_eq!(line.settings.report_interval_s, 3);
    assert_eq!(line.settings.random.seed.cast_signed(), -1);
    assert!(!line.settings.debug);
    assert_eq!(is_taken("--debug|--verbosity=6").settings.verbosity, 5);
    assert_eq!(is_taken("--verbosity=256").settings.verbosity, 0);
}

#[test]
fn grace_before_a_forced_shutdown_is_seconds_or_a_share_of_the_time() {
    for (time_s, grace, expected_s) in [
        (100, "", Some(5)),
        (1, "", Some(0)),
        (100, "%", Some(0)),
        (100, "5%x", Some(5)),
        (15, "10%", Some(1)),
        (10, "101%", Some(10)),
        (100, "+7", Some(7)),
        (10, "0", Some(0)),
        (10, "OFF", None),
        (0, "5", None),
        (0, "x", None),
        (-1, "5", None),
    ] {
        let line = is_taken(&format!(
            "--time={time_s}|--forced-shutdown={grace}|--events=1"
        ));
        assert_eq!(
            line.settings.forced_shutdown_s, expected_s,
            "{time_s} {grace}"
        );
    }
    assert!(line("--time=-1|--forced-shutdown=x").is_err());
    let bare = is_taken("--time=100|--forced-shutdown");
    assert_eq!(bare.settings.forced_shutdown_s, Some(5));
}

#[test]
fn checkpoints_are_sorted() {
    let line = is_taken("--report-checkpoints=5,,5,1, 2,+3");
    assert_eq!(line.settings.checkpoints_s, [1, 2, 3, 5, 5]);
}

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
            Stream::Stderr,
            "Unrecognized command line argument: run\n",
        );
    }
}

#[test]
fn the_old_test_option_takes_the_place_of_the_name() {
    let named = is_taken("d.lua|prepare|--test=empty.lua");
    assert_eq!(named.name.as_deref(), Some("empty.lua"));
    assert_eq!(named.said[0].stream, Stream::Stderr);
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
    let before = is_taken(&format!("{file}|--mysql-db=a"));
    assert_eq!(before.settings.database.database, "a");
    std::fs::remove_file(&path).unwrap();
    let missing = is_taken("--config-file=nosuch|--threads=2");
    assert_eq!(
        missing.said,
        [Said::err("nosuch: No such file or directory\n")]
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
            Stream::Stderr,
            &format!("Invalid value for the '{name}' option: '{value}'\n"),
        );
    }
}

fn declared() -> Vec<ScriptOption> {
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
        ("--int=5.5", "Invalid value for the 'int' option: '5.5'\n"),
    ] {
        let told = second_pass(&format!("d.lua|prepare|{arguments}")).unwrap_err();
        assert_eq!(told, complaint, "{arguments}");
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
