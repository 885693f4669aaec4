//! Runs this program in sysbench's place: the same words in, the same lines out, the same exit codes.
//!
//! `dbdyno-sysbench` and `dbdyno-lua` define the meaning of the words; this module keeps the order in which sysbench
//! handles them. Messages go where sysbench's go, which is standard output for most.

mod benchmark;
mod bundled;
mod configured_benchmark;
mod cpu;
mod record_fields;
mod records;
mod requirements;
mod script;
mod unsupported_builtin;

use crate::arguments::ScriptArguments;
use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::order::TlsWord;
use crate::terminal;
use benchmark::Invocation;
use configured_benchmark::{ConfiguredBenchmark, find};
use dbdyno_lua::{end_if_told, tell_scripts_of_signals};
use dbdyno_sysbench::db::AnswerLimits;
use dbdyno_sysbench::options::{CommandLine, EarlyExit, Environment, OptionMessage, OutputStream};
use dbdyno_sysbench::{DatabaseSettings, Dialect, Engine, IgnoreErrors, Level, Log, options, text};
use dbdyno_wire::{Address, Compression};
use records::SysbenchRecorder;
use std::io::{self, Write};
use std::path::Path;

/// Names the imitated generation if `--dialect` doesn't.
const DIALECT_VARIABLE: &str = "DBDYNO_SYSBENCH_DIALECT";

/// Exit codes of sysbench.
const GOOD: u8 = 0;
const FAILED: u8 = 1;

/// Returns whether the program was called by a link that has sysbench's name.
pub(crate) fn is_name(program: &str) -> bool {
    Path::new(program)
        .file_name()
        .is_some_and(|name| name == "sysbench")
}

/// Runs sysbench's command line, the program's name first. `own_name`: help lists our own options, too.
pub(crate) fn run(words: &[String], own_name: bool) -> u8 {
    conclude(dialect_by_variable().and_then(|dialect| {
        let environment = Environment {
            dialect,
            own_name,
            own_form: false,
        };
        carry_out(&read(words, &environment)?, words, None)
    }))
}

/// Runs a request in our own form.
pub(crate) fn script(arguments: ScriptArguments) -> u8 {
    if let Some(why) = arguments.refuse_requirements() {
        return CliError::request(ErrorCode::RequirementRefused, why).tell() as u8;
    }
    let server = match server(&arguments) {
        Ok(server) => server,
        Err(cli_error) => return cli_error.tell() as u8,
    };
    let words = arguments.words();
    let environment = Environment {
        dialect: Dialect::default(),
        own_name: true,
        own_form: true,
    };
    conclude(read(&words, &environment).and_then(|mut line| {
        line.settings.is_judged = !arguments.require.is_empty();
        let database = &mut line.settings.database;
        *database = DatabaseSettings {
            driver: database.driver.clone(),
            ssl_cipher: database.ssl_cipher.clone(),
            ps_mode: database.ps_mode.clone(),
            ignore: database.ignore.clone(),
            debug: database.debug,
            dry_run: database.dry_run,
            ..server
        };
        carry_out(&line, &words, Some(&arguments))
    }))
}

/// Returns the server in sysbench's terms, with the password read from its file.
fn server(arguments: &ScriptArguments) -> Result<DatabaseSettings, CliError> {
    let target = arguments.server.target()?;
    let access = target.access()?;
    let (endpoint, path_timeout) = (access.endpoint, access.options.path_timeout);
    let (hosts, ports, sockets) = match endpoint.address {
        // A socket takes precedence over the host and the port, which must be present.
        Address::Socket(path) => (vec!["localhost".to_owned()], vec![3306], vec![path]),
        Address::Tcp { host, port } => (vec![host], vec![port], Vec::new()),
    };
    Ok(DatabaseSettings {
        driver: String::new(),
        ps_mode: String::new(),
        debug: false,
        hosts,
        ports,
        localhost_is_socket: false,
        sockets,
        user: endpoint.user,
        password: endpoint.password,
        database: target.database,
        ssl: match target.tls {
            TlsWord::Off => "disabled",
            TlsWord::Preferred => "preferred",
            TlsWord::Required => "required",
            TlsWord::VerifyCa => "verify_ca",
            TlsWord::VerifyIdentity => "verify_identity",
        }
        .to_owned(),
        ssl_key: target.tls_key_file,
        ssl_ca: target.tls_ca_file,
        ssl_cert: target.tls_cert_file,
        tls_minimum: target.tls_minimum,
        path_timeout,
        answers: (arguments.command == "run").then(|| AnswerLimits {
            answer_timeout: arguments.answer_timeout(),
        }),
        ssl_cipher: String::new(),
        compression: target.compression != Compression::Off,
        ignore: IgnoreErrors::All,
        dry_run: false,
    })
}

fn conclude(done: Result<u8, EarlyExit>) -> u8 {
    let exit_code = done.unwrap_or_else(|ending| {
        tell(&ending.said);
        tell_what_was_meant(ending.meant.as_deref());
        ending.exit
    });
    // If output can't be written, its reader has gone.
    let _: io::Result<()> = terminal::stdout().flush();
    end_if_told();
    exit_code
}

fn read(words: &[String], environment: &Environment) -> Result<CommandLine, EarlyExit> {
    options::parse(words.get(1..).unwrap_or_default(), environment)
}

/// Runs the command line; `own_form`: the request in our own form, which is not only what sysbench does.
fn carry_out(
    line: &CommandLine,
    words: &[String],
    own_form: Option<&ScriptArguments>,
) -> Result<u8, EarlyExit> {
    tell(&line.said);
    tell_scripts_of_signals();
    let log = Log::to(line.settings.verbosity, Box::new(terminal::stdout()));
    log.print(Level::Notice, &text::header(line.settings.dialect));
    let engine = &Engine::new(line.settings.clone(), log);
    let done = command(
        Invocation {
            engine,
            line,
            words,
        },
        own_form.is_some(),
    );
    if let Some(arguments) = own_form {
        engine.log.close();
        return done.map(|exit_code| judge(arguments, engine, exit_code));
    }
    done
}

/// Prints whether the requirements hold, and returns the exit code with them.
fn judge(arguments: &ScriptArguments, engine: &Engine, exit_code: u8) -> u8 {
    if arguments.require.is_empty() {
        return exit_code;
    }
    let (lines, hold) = requirements::verdicts(&arguments.require, engine);
    let stream = match arguments.json_lines.as_deref() {
        Some(path) if path == Path::new("-") => OutputStream::Stderr,
        _ => OutputStream::Stdout,
    };
    let text = lines.join("\n") + "\n";
    tell(&[OptionMessage { stream, text }]);
    if hold {
        exit_code
    } else {
        exit_code.max(FAILED)
    }
}

/// Runs the command on the script or builtin of its name.
fn command(call: Invocation<'_>, own_form: bool) -> Result<u8, EarlyExit> {
    let benchmark = find(call)?;
    let Some(command) = call.line.command.as_deref() else {
        return benchmark.without_command().map(|()| GOOD);
    };
    if call.is_from_stdin() && !own_form {
        return Ok(GOOD); // sysbench only loads such a script, for any command
    }
    let mut ready = ConfiguredBenchmark::new(call, benchmark)?;
    match (command, ready.execution_scope(command)?) {
        ("run", None) => {
            let recorder = SysbenchRecorder::start(call.engine, call.line)?;
            let exit_code = ready.run()?;
            let account = call.engine.database.account(call.engine);
            let failure = account.failure.as_ref();
            let exit_code = match failure.filter(|_| account.is_without_server()) {
                Some(failure) => CliError::of_failure(failure).tell() as u8,
                None => exit_code,
            };
            recorder.end(call.engine, exit_code, &account)?;
            Ok(exit_code)
        }
        (_, Some(scope)) => ready.carry_out(command, scope),
        (_, None) => ready.without(command),
    }
}

fn dialect_by_variable() -> Result<Dialect, EarlyExit> {
    match std::env::var(DIALECT_VARIABLE) {
        Ok(name) => Dialect::named(&name).ok_or_else(|| {
            complaint(format!(
                "{DIALECT_VARIABLE}={name}: 1.0 or 1.1 is allowed\n"
            ))
        }),
        Err(_) => Ok(Dialect::default()),
    }
}

/// Builds a complaint about the form of the command line.
fn complaint(text: String) -> EarlyExit {
    EarlyExit {
        said: vec![OptionMessage {
            stream: OutputStream::Stderr,
            text,
        }],
        exit: FAILED,
        meant: None,
    }
}

/// Builds the exit of a program that has already reported what failed.
fn failed() -> EarlyExit {
    EarlyExit {
        said: Vec::new(),
        exit: FAILED,
        meant: None,
    }
}

/// Helps somebody at a terminal; programs that read standard error get what sysbench says.
fn tell_what_was_meant(meant: Option<&str>) {
    let mut stderr = terminal::stderr();
    if let Some(meant) = meant.filter(|_| stderr.is_terminal()) {
        let _: io::Result<()> = writeln!(stderr, "hint: did you mean {meant}?");
    }
}

fn tell(said: &[OptionMessage]) {
    for message in said {
        let text = message.text.as_bytes();
        // The reader has gone, so no more output is written.
        let _: io::Result<()> = match message.stream {
            OutputStream::Stdout => terminal::stdout().write_all(text),
            OutputStream::Stderr => terminal::stderr().write_all(text),
        };
    }
}
