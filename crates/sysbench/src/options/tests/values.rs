//! Checks which values of the general options are taken, complained of and warned of.

use super::*;

#[test]
fn bad_general_values_are_complained_of_in_sysbench_words() {
    let fatal = |arguments: &str, words: &str| {
        complains(
            &format!("d.lua|prepare|{arguments}"),
            OutputStream::Stdout,
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
        OutputStream::Stdout,
        "Invalid value for verbosity: 6\n",
    );
    complains(
        "--verbosity=-1",
        OutputStream::Stdout,
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
            OutputStream::Stderr,
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
    let ending = super::line("--max-requests=5|--threads=0").unwrap_err();
    assert_eq!(ending.said.len(), 1);
}

#[test]
fn a_run_without_limits_is_warned_of() {
    let text = "WARNING: Both event and time limits are disabled, running an endless test\n";
    assert_eq!(is_taken("--time=0").said, [OptionMessage::out(text)]);
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
    let shared = is_taken("--dialect=1.1|--warmup-time=100|--time=100|--forced-shutdown=10%");
    assert_eq!(shared.settings.forced_shutdown_s, Some(20));
}

#[test]
fn checkpoints_are_sorted() {
    let line = is_taken("--report-checkpoints=5,,5,1, 2,+3");
    assert_eq!(line.settings.checkpoints_s, [1, 2, 3, 5, 5]);
}
