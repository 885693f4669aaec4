//! Runs small scripts in separate processes, as the program does.

use dbdyno_lua::{Command, Function, Launch, MainState};
use dbdyno_sysbench::options::{EarlyExit, Environment, OutputStream, apply_script_options, parse};
use dbdyno_sysbench::run::{Program, parallel_command, run};
use dbdyno_sysbench::{Dialect, Engine, Log};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const ARGUMENTS: &str = "DBDYNO_LUA_ARGUMENTS";
const MARK: &str = "--- child\n";

/// Holds the output of a script.
#[derive(Debug)]
pub struct Outcome {
    pub stdout: String,
    pub exit: Option<i32>,
}

/// Runs a script, called `t.lua`, with options and a command, in a separate process: this program again, where the
/// test `child` does the work. No server is needed.
pub fn outcome(script: &str, arguments: &str) -> Outcome {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("dbdyno-lua-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("t.lua"), script).unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture"])
        .current_dir(&folder)
        .env(ARGUMENTS, format!("t.lua --mysql-dry-run {arguments}"))
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    Outcome {
        stdout: stdout.split_once(MARK).unwrap().1.to_owned(),
        exit: output.status.code(),
    }
}

/// Plays the child's part; does nothing if there is no script to run.
pub fn play_the_child() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else {
        return;
    };
    let arguments: Vec<_> = arguments.split_whitespace().map(str::to_owned).collect();
    print!("\n{MARK}");
    let exit = carry_out(&arguments).unwrap_or_else(|ending| {
        for said in &ending.said {
            match said.stream {
                OutputStream::Stdout => print!("{}", said.text),
                OutputStream::Stderr => eprint!("{}", said.text),
            }
        }
        ending.exit
    });
    std::process::exit(exit.into());
}

fn carry_out(arguments: &[String]) -> Result<u8, EarlyExit> {
    let environment = Environment {
        dialect: Dialect::V1_0,
        own_name: false,
        own_form: false,
    };
    let line = parse(arguments, &environment)?;
    let engine = Engine::new(line.settings.clone(), Log::stdout(line.settings.verbosity));
    let failed = |_| EarlyExit {
        said: Vec::new(),
        meant: None,
        exit: 1,
    };
    let launch = Launch {
        name: line.name.clone(),
        command: line.command.clone(),
        arguments: arguments.to_vec(),
    };
    let mut main = MainState::load(&engine, launch).map_err(failed)?;
    let Some(command) = &line.command else {
        return Ok(0);
    };
    let declared = main.declared_options().map_err(failed)?;
    let mut validate = |name: &str, value: Option<&str>| main.validate(name, value);
    let (table, _) = apply_script_options(&line, declared.as_deref(), &mut validate)?;
    main.set_options(table.values()?).map_err(failed)?;
    let exit = obey(&engine, &mut main, command).map_err(failed)?;
    engine.log.close();
    Ok(exit)
}

fn obey(
    engine: &Arc<Engine>,
    main: &mut MainState,
    command: &str,
) -> Result<u8, dbdyno_sysbench::run::Failed> {
    let program = Arc::new(main.program());
    match (main.command()?, command) {
        (Command::Parallel, _) if engine.settings.threads > 1 => {
            parallel_command(engine, move |engine, actor| program.command(engine, actor))?;
        }
        (Command::Custom | Command::Parallel, _) => main.call_command()?,
        (Command::Known, "prepare") => main.call(Function::Prepare)?,
        (Command::Known, "cleanup") => main.call(Function::Cleanup)?,
        (Command::Known, _) => {
            let program: Arc<dyn Program> = program;
            return Ok(run(engine, &program, main));
        }
    }
    Ok(0)
}
