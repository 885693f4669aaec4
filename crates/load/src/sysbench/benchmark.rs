//! What a command line names: a builtin, or a script.

use super::{FAILED, GOOD, complaint, failed, tell};
use dbdyno_lua::{Command, Function, Launch, MainState};
use dbdyno_sysbench::cpu::Cpu;
use dbdyno_sysbench::native::{Builtin, Native};
use dbdyno_sysbench::options::{
    ArgKind, CommandLine, Ending, OptionValues, ScriptOption, Table, Value, apply_script_options,
    script_help,
};
use dbdyno_sysbench::run::{self, Failed, Program};
use dbdyno_sysbench::{Engine, Level};
use std::sync::Arc;

/// Builtins of sysbench that don't drive a database. Their names are known, so that no script is looked for.
const ELSEWHERE: [&str; 4] = ["fileio", "memory", "threads", "mutex"];

/// What was found by its name.
pub(super) struct Benchmark {
    /// As complaints have it.
    name: String,
    kind: Kind,
    options: Vec<ScriptOption>,
    /// What the command line says of the options, until it is read.
    table: Option<Table>,
}

enum Kind {
    Script(Box<MainState>),
    Cpu(Cpu),
    /// A script of sysbench's that is built in; once its options are read it can act.
    Native(Builtin, Option<Box<Native>>),
    /// A builtin that is not built in here.
    Elsewhere,
}

impl Benchmark {
    /// A builtin, a file or a module.
    pub(super) fn find(
        engine: &Arc<Engine>,
        line: &CommandLine,
        arguments: &[String],
    ) -> Result<Self, Ending> {
        let name = line.name.clone().unwrap_or_default();
        let (kind, options) = match name.as_str() {
            "cpu" => (Kind::Cpu(Cpu { max_prime: 10_000 }), vec![max_prime()]),
            name if ELSEWHERE.contains(&name) => (Kind::Elsewhere, Vec::new()),
            name if engine.settings.native && native(engine, name).is_some() => {
                let builtin = native(engine, name).ok_or_else(failed)?;
                let options = builtin.options().unwrap_or_default();
                (Kind::Native(builtin, None), options)
            }
            _ => {
                let launch = Launch {
                    name: line.name.clone(),
                    command: line.command.clone(),
                    arguments: arguments.to_vec(),
                };
                let state = MainState::load(engine, launch).map_err(|Failed| failed())?;
                (Kind::Script(Box::new(state)), Vec::new())
            }
        };
        Ok(Self {
            name,
            kind,
            options,
            table: None,
        })
    }

    /// A script was loaded, which is all; a builtin has to be told what to do.
    pub(super) fn without_command(&self) -> Result<u8, Ending> {
        if let Kind::Script(_) = self.kind {
            return Ok(GOOD);
        }
        let name = &self.name;
        Err(complaint(format!(
            "The '{name}' test requires a command argument. See 'sysbench {name} help'\n"
        )))
    }

    /// The second pass over the command line, now that the options are known.
    pub(super) fn read_options(&mut self, line: &CommandLine) -> Result<(), Ending> {
        let (table, said) = match &self.kind {
            Kind::Script(state) => {
                let declared = state.declared_options().map_err(|Failed| failed())?;
                let mut validate = |name: &str, value: Option<&str>| state.validate(name, value);
                let read = apply_script_options(line, declared.as_deref(), &mut validate)?;
                self.options = declared.unwrap_or_default();
                read
            }
            Kind::Native(builtin, _) => {
                apply_script_options(line, builtin.options().as_deref(), &mut |_, _| true)?
            }
            Kind::Cpu(_) => apply_script_options(line, Some(&self.options), &mut |_, _| true)?,
            Kind::Elsewhere => return Ok(()),
        };
        tell(&said);
        self.table = Some(table);
        Ok(())
    }

    /// Reads the values, which sysbench does where somebody begins to act.
    fn take_options(&mut self, engine: &Arc<Engine>) -> Result<(), Ending> {
        let Some(table) = self.table.take() else {
            return Ok(());
        };
        let values = table.values()?;
        match &mut self.kind {
            Kind::Script(state) => state.set_options(values).map_err(|Failed| failed()),
            Kind::Cpu(cpu) => {
                cpu.max_prime = number(&values, "cpu_max_prime");
                Ok(())
            }
            Kind::Native(builtin, native) => match builtin.with(&values, engine) {
                Some(made) => {
                    *native = Some(Box::new(made));
                    Ok(())
                }
                None => Err(complaint(
                    "these values are for the script itself: give --native=off\n".to_owned(),
                )),
            },
            Kind::Elsewhere => Ok(()),
        }
    }

    /// Whether the script has a command of its own by this name, which hides ours.
    pub(super) fn has_own_command(&self) -> Result<bool, Ending> {
        match &self.kind {
            Kind::Script(state) => {
                let command = state.command().map_err(|Failed| failed())?;
                Ok(command != Command::Known)
            }
            Kind::Native(..) | Kind::Cpu(_) | Kind::Elsewhere => Ok(false),
        }
    }

    /// The command `run`.
    pub(super) fn run(&mut self, engine: &Arc<Engine>) -> Result<u8, Ending> {
        self.take_options(engine)?;
        Ok(match &mut self.kind {
            Kind::Script(state) => {
                let program: Arc<dyn Program> = Arc::new(state.program());
                run::run(engine, &program, &mut **state)
            }
            Kind::Native(_, native) => match native {
                Some(native) => {
                    let program: Arc<dyn Program> = Arc::new((**native).clone());
                    run::run(engine, &program, &mut **native)
                }
                None => FAILED,
            },
            Kind::Cpu(cpu) => {
                let program: Arc<dyn Program> = Arc::new(*cpu);
                run::run(engine, &program, cpu)
            }
            Kind::Elsewhere => {
                let name = &self.name;
                engine.log.fatal(&format!(
                    "the builtin '{name}' is not part of this program, which drives databases"
                ));
                FAILED
            }
        })
    }

    /// Any other command.
    pub(super) fn command(&mut self, engine: &Arc<Engine>, command: &str) -> Result<u8, Ending> {
        let kind = match &self.kind {
            Kind::Script(state) => state.command().map_err(|Failed| failed())?,
            Kind::Native(..) | Kind::Cpu(_) | Kind::Elsewhere => Command::Known,
        };
        if let Kind::Native(..) = self.kind
            && command != "help"
        {
            return self.native_command(engine, command);
        }
        if kind == Command::Known {
            return self.known(engine, command);
        }
        self.take_options(engine)?;
        let Kind::Script(state) = &self.kind else {
            return self.known(engine, command);
        };
        let done = if kind == Command::Parallel && engine.settings.threads > 1 {
            let program = state.program();
            let part = move |engine: &_, actor| program.command(engine, actor);
            let done = run::parallel_command(engine, part);
            // sysbench forgets what became of it.
            done.or_else(|Failed| match engine.settings.fixes.prepare_exit {
                true => Err(Failed),
                false => Ok(()),
            })
        } else {
            state.call_command()
        };
        Ok(if done.is_ok() { GOOD } else { FAILED })
    }

    /// A command of a builtin script.
    fn native_command(&mut self, engine: &Arc<Engine>, command: &str) -> Result<u8, Ending> {
        self.take_options(engine)?;
        let Kind::Native(_, Some(native)) = &self.kind else {
            return self.known(engine, command);
        };
        if !native.has_command(command, engine.settings.dialect) {
            return Err(complaint(format!("Unknown command: {command}\n")));
        }
        let done = if native.is_parallel(command) && engine.settings.threads > 1 {
            let (native, name) = (native.clone(), command.to_owned());
            let part = move |engine: &_, actor| native.command(engine, actor, &name);
            let done = run::parallel_command(engine, part);
            done.or_else(|Failed| match engine.settings.fixes.prepare_exit {
                true => Err(Failed),
                false => Ok(()),
            })
        } else {
            native.command(engine, engine.main_actor(), command)
        };
        Ok(if done.is_ok() { GOOD } else { FAILED })
    }

    /// The name without folders and suffix.
    fn title(&self) -> &str {
        let file = self.name.rsplit('/').next().unwrap_or(&self.name);
        file.strip_suffix(".lua").unwrap_or(file)
    }

    /// One of the commands that all know and not all have.
    fn known(&mut self, engine: &Arc<Engine>, command: &str) -> Result<u8, Ending> {
        let function = match command {
            "help" => Function::Help,
            "prepare" => Function::Prepare,
            "cleanup" => Function::Cleanup,
            _ => return Err(complaint(format!("Unknown command: {command}\n"))),
        };
        let has_it = matches!(&self.kind, Kind::Script(state) if state.has(function));
        if !has_it && function == Function::Help && !self.options.is_empty() {
            let help = script_help(self.title(), &self.options);
            engine.log.print(Level::Notice, &help);
            return Ok(GOOD);
        }
        if let (Kind::Script(_), true) = (&self.kind, has_it) {
            self.take_options(engine)?;
        }
        match &self.kind {
            Kind::Script(state) if has_it => {
                let done = state.call(function);
                Ok(if done.is_ok() { GOOD } else { FAILED })
            }
            _ => {
                let name = &self.name;
                Err(complaint(format!(
                    "'{name}' test does not implement the '{command}' command.\n"
                )))
            }
        }
    }
}

/// The builtin of this name, unless a file of that name is nearer.
fn native(engine: &Engine, name: &str) -> Option<Builtin> {
    let file = format!("{name}.lua");
    let is_file = std::path::Path::new(name).is_file() || std::path::Path::new(&file).is_file();
    Builtin::named(name, engine.settings.dialect).filter(|_| !is_file)
}

fn max_prime() -> ScriptOption {
    ScriptOption {
        name: "cpu-max-prime".to_owned(),
        description: "upper limit for primes generator".to_owned(),
        default: Some("10000".to_owned()),
        kind: ArgKind::Int,
        has_validator: false,
    }
}

fn number(values: &OptionValues, name: &str) -> u64 {
    match values.get(name) {
        Some(Value::Int(number)) => u64::try_from(*number).unwrap_or(0),
        _ => 0,
    }
}
