//! Runs small scripts in a process of their own, as the program does.

use dbdyno_lua::{Command, Function, Launch, MainState};
use dbdyno_sysbench::run::{Program, parallel_command, run};
use dbdyno_sysbench::{
    DatabaseSettings, Dialect, Engine, Fixes, IgnoreErrors, Log, Random, RandomType, Settings,
};
use std::sync::Arc;

/// What a script is run with.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    pub script: &'a str,
    pub command: &'a str,
    pub threads: u32,
    pub events: u64,
    pub time_s: u32,
    pub second_generation: bool,
}

impl<'a> Case<'a> {
    /// One event of one user.
    pub fn new(script: &'a str) -> Self {
        Self {
            script,
            command: "run",
            threads: 1,
            events: 1,
            time_s: 0,
            second_generation: false,
        }
    }

    pub fn threads(mut self, threads: u32, events: u64) -> Self {
        (self.threads, self.events) = (threads, events);
        self
    }
}

/// What came out.
#[derive(Debug)]
pub struct Outcome {
    pub stdout: String,
    pub exit: Option<i32>,
}

const MARK: &str = "--- child";

/// Runs a script as a child of the test: this program again, where the test `child` does the work.
pub fn outcome(case: &Case<'_>) -> Outcome {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("dbdyno-lua-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("t.lua"), case.script).unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture"])
        .current_dir(&folder)
        .env("DBDYNO_LUA_COMMAND", case.command)
        .env("DBDYNO_LUA_THREADS", case.threads.to_string())
        .env("DBDYNO_LUA_EVENTS", case.events.to_string())
        .env("DBDYNO_LUA_TIME", case.time_s.to_string())
        .env("DBDYNO_LUA_SECOND", case.second_generation.to_string())
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let (_, stdout) = stdout.split_once(&format!("{MARK}\n")).unwrap();
    Outcome {
        stdout: stdout.to_owned(),
        exit: output.status.code(),
    }
}

/// The child's part: does nothing where there is no case.
pub fn play_the_child() {
    let Ok(command) = std::env::var("DBDYNO_LUA_COMMAND") else {
        return;
    };
    let number = |name: &str| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let mut settings = settings();
    settings.threads = number("DBDYNO_LUA_THREADS") as u32;
    settings.events = number("DBDYNO_LUA_EVENTS");
    settings.time_s = number("DBDYNO_LUA_TIME") as u32;
    if std::env::var("DBDYNO_LUA_SECOND").unwrap() == "true" {
        settings.dialect = Dialect::V1_1;
    }
    let engine = Engine::new(settings, Log::stdout(3));
    println!("\n{MARK}");
    let exit = carry_out(&engine, &command);
    engine.log.close();
    std::process::exit(exit.into());
}

fn carry_out(engine: &Arc<Engine>, command: &str) -> u8 {
    let launch = Launch {
        name: Some("t.lua".to_owned()),
        command: Some(command.to_owned()),
        arguments: vec!["sysbench".to_owned(), "t.lua".to_owned()],
    };
    let Ok(mut main) = MainState::load(engine, launch) else {
        return 1;
    };
    if main.declared_options().is_err() || main.set_options(Default::default()).is_err() {
        return 1;
    }
    let program = Arc::new(main.program());
    let function = match command {
        "prepare" => Some(Function::Prepare),
        "cleanup" => Some(Function::Cleanup),
        _ => None,
    };
    match (main.command(), function) {
        (Err(_), _) => 1,
        (Ok(Command::Custom), _) => u8::from(main.call_command().is_err()),
        (Ok(Command::Parallel), _) => {
            let part = move |engine: &Arc<Engine>, actor| program.command(engine, actor);
            u8::from(parallel_command(engine, part).is_err())
        }
        (Ok(Command::Known), Some(function)) => u8::from(main.call(function).is_err()),
        (Ok(Command::Known), None) => {
            let program: Arc<dyn Program> = program;
            run(engine, &program, &mut main)
        }
    }
}

fn settings() -> Settings {
    Settings {
        dialect: Dialect::V1_0,
        threads: 1,
        events: 1,
        time_s: 0,
        warmup_s: 0,
        forced_shutdown_s: None,
        init_timeout_s: 30,
        rate: 0,
        report_interval_s: 0,
        checkpoints_s: Vec::new(),
        debug: false,
        validate: false,
        verbosity: 3,
        percentile: 95,
        histogram: false,
        random: Random {
            kind: RandomType::Special,
            seed: 1,
            pareto_h: 0.2,
            zipfian_exponent: 0.8,
            iterations: 12,
            special_percent: 1,
            special_share: 75,
        },
        database: DatabaseSettings {
            driver: "mysql".to_owned(),
            ps_mode: "auto".to_owned(),
            debug: false,
            hosts: vec!["localhost".to_owned()],
            ports: vec![3306],
            sockets: Vec::new(),
            user: "sbtest".to_owned(),
            password: Default::default(),
            database: "sbtest".to_owned(),
            ssl: "off".to_owned(),
            ssl_key: None,
            ssl_ca: None,
            ssl_cert: None,
            ssl_cipher: String::new(),
            compression: false,
            ignore: IgnoreErrors::Codes(vec![1213, 1020, 1205]),
            dry_run: true,
        },
        workers: None,
        fixes: Fixes::SYSBENCH,
        json_lines: None,
        native: false,
    }
}
