//! Runs loads with requirements (`--require`) against a null server: lines and exit codes.

#![allow(clippy::unwrap_used)]

use dbdyno_null_server::{FaultPlan, NullServer, Settings};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Starts a null server at its own socket in the temporary folder; each statement takes 2 ms.
fn server(name: &str, errors: &str) -> (NullServer, PathBuf) {
    let file = format!("dbdyno-{}-{name}", std::process::id());
    let socket = std::env::temp_dir().join(file);
    let settings = Settings {
        socket: Some(socket.clone()),
        faults: FaultPlan {
            delays: vec!["constant:2ms".parse().unwrap()],
            errors: vec![errors.parse().unwrap()],
            ..FaultPlan::default()
        },
        ..Settings::default()
    };
    (NullServer::start(settings).unwrap(), socket)
}

fn run(socket: &Path, arguments: &[&str]) -> Output {
    run_for("1s", socket, arguments)
}

fn run_for(time: &str, socket: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
        .args(["run", "sysbench/oltp_point_select", "--warm-up", "0s"])
        .args(["--time", time, "--threads", "4", "--user", "any"])
        .arg("--socket")
        .arg(socket)
        .args(arguments)
        .env_remove("DBDYNO_PASSWORD_FILE")
        .env("DBDYNO_ERROR_CODES", "1")
        .output()
        .unwrap()
}

/// Returns the verdict and the requirement of each line that is a judgement.
fn verdicts(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    let verdicts = lines.map(|(verdict, _)| verdict);
    let is_verdict = |verdict: &&str| verdict.starts_with("PASS ") || verdict.starts_with("FAIL ");
    verdicts.filter(is_verdict).map(str::to_owned).collect()
}

#[test]
fn a_run_passes_what_it_holds_and_fails_with_1_what_it_does_not() {
    let (server, socket) = server("require", "1213:20%");
    let held = ["--require", "p50<10s", "--require", "failed <= 0%"];
    let output = run(&socket, &held);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        verdicts(&output.stdout),
        ["PASS p50<10s", "PASS failed<=0%"]
    );

    let missed = [
        "--require",
        "p50<1ms",
        "--require",
        "errors<1%",
        "--require",
        "tps>1",
    ];
    let output = run(&socket, &missed);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let expected = ["FAIL p50<1ms", "FAIL errors<1%", "PASS tps>1"];
    assert_eq!(verdicts(&output.stdout), expected);

    let output = run(&socket, &["--json-lines", "-", "--require", "tps<1"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(verdicts(&output.stderr), ["FAIL tps<1"]);
    assert!(
        output
            .stdout
            .split(|&byte| byte == b'\n')
            .all(|line| matches!(line.first(), None | Some(b'{')))
    );
    server.stop().unwrap();
}

/// The server answers for a second of three: those times are good.
#[test]
fn a_server_that_stops_meets_no_requirement() {
    let file = format!("dbdyno-{}-require-frozen", std::process::id());
    let socket = std::env::temp_dir().join(file);
    let settings = Settings {
        socket: Some(socket.clone()),
        faults: FaultPlan {
            freezes: vec!["1s+60s".parse().unwrap()],
            ..FaultPlan::default()
        },
        ..Settings::default()
    };
    let all = [
        "p99<20ms",
        "p999<20ms",
        "max<20ms",
        "errors<0.1%",
        "failed<=0%",
    ];
    // In a closed loop only four events wait, too few for a quantile.
    for (pacing, missed) in [
        (&["--rate", "500"][..], &all[..]),
        (&[], &["max<20ms", "failed<=0%"]),
    ] {
        let server = NullServer::start(settings.clone()).unwrap();
        let mut arguments = vec!["--drain", "0s"];
        arguments.extend(pacing);
        arguments.extend(all.iter().flat_map(|required| ["--require", required]));
        let output = run_for("3s", &socket, &arguments);
        server.stop().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let verdict = |required: &&str| match missed.contains(required) {
            true => format!("FAIL {required}"),
            false => format!("PASS {required}"),
        };
        let expected: Vec<_> = all.iter().map(verdict).collect();
        assert_eq!(verdicts(&output.stdout), expected);
    }
}

#[test]
fn a_run_that_an_error_ends_keeps_its_exit_code_and_fails_what_it_did_not_measure() {
    let (server, socket) = server("require-failed", "1064:every=1");
    let output = run(&socket, &["--require", "p99<20ms"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(verdicts(&output.stdout), ["FAIL p99<20ms"]);
    server.stop().unwrap();
}

#[test]
fn a_sysbench_script_is_judged_too() {
    let (server, socket) = server("require-script", "1213:20%");
    let script = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
            .args([
                "script",
                "oltp_point_select",
                "--threads",
                "4",
                "--time",
                "1s",
            ])
            .args(["--user", "any", "--socket"])
            .arg(&socket)
            .args(arguments)
            .env_remove("DBDYNO_PASSWORD_FILE")
            .output()
            .unwrap()
    };
    let output = script(&["--require", "p50<10s", "--require", "tps>1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(verdicts(&output.stdout), ["PASS p50<10s", "PASS tps>1"]);

    let output = script(&[
        "--json-lines",
        "-",
        "--require",
        "p50<1ms",
        "--require",
        "errors<1%",
    ]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(verdicts(&output.stderr), ["FAIL p50<1ms", "FAIL errors<1%"]);

    // A run of a second after a warm-up of one: rates leave the warm-up out.
    let warm = [
        "--dialect",
        "1.1",
        "--option=--warmup-time=1",
        "--rate",
        "200",
    ];
    let rates = ["--require", "tps>150", "--require", "qps<300"];
    let output = script(&[&warm[..], &rates[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");

    for wrong in [
        &["--require", "failed<1%"][..],
        &["prepare", "--require", "tps>1"],
    ] {
        assert_eq!(script(wrong).status.code(), Some(2), "{wrong:?}");
    }
    server.stop().unwrap();
}

#[test]
fn a_script_that_exits_before_it_is_judged_fails() {
    let (server, socket) = server("require-exits", "1213:20%");
    let path = std::env::temp_dir().join(format!("dbdyno-{}-exits.lua", std::process::id()));
    for (value, required, exit_code) in [
        ("0", &["--require", "tps>1"][..], 1),
        ("true", &["--require", "tps>1"], 1),
        ("7", &["--require", "tps>1"], 7),
        ("0", &[], 0),
    ] {
        std::fs::write(&path, format!("function event() os.exit({value}) end")).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_dbdyno-load"))
            .arg("script")
            .arg(&path)
            .args(["--time", "1s", "--user", "any", "--socket"])
            .arg(&socket)
            .args(required)
            .env_remove("DBDYNO_PASSWORD_FILE")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(exit_code), "{output:?}");
    }
    std::fs::remove_file(path).unwrap();
    server.stop().unwrap();
}

#[test]
fn a_wrong_requirement_is_a_wrong_request_with_the_nearest_metric() {
    let output = run(Path::new("/nowhere"), &["--require", "erors<1%"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.ends_with("\ncode: wrong-value\n"), "{told}");
    assert!(told.contains(" errors "), "{told}");

    let with_order = ["run", "--order", "-", "--require", "tps>1"];
    let program = env!("CARGO_BIN_EXE_dbdyno-load");
    let output = Command::new(program).args(with_order).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
