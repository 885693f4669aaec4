//! This program in sysbench's place: the same words in, the same lines out, the same exit codes.
//!
//! What is meant by the words is `dbdyno-sysbench`'s and `dbdyno-lua`'s affair; here is in which order sysbench goes
//! about them. Messages go where sysbench's go, which is standard output for most.

mod benchmark;
mod records;

use crate::arguments::ScriptArguments;
use crate::order::{CompressionWord, TlsWord};
use crate::trouble::Trouble;
use benchmark::Benchmark;
use dbdyno_sysbench::options::{CommandLine, Ending, Environment, Said, Stream};
use dbdyno_sysbench::{DatabaseSettings, Dialect, Engine, IgnoreErrors, Level, Log, options, text};
use dbdyno_wire::Address;
use records::Recorder;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Says which generation is imitated where `--dialect` doesn't.
const DIALECT_VARIABLE: &str = "DBDYNO_SYSBENCH_DIALECT";

/// Exit codes of sysbench.
const GOOD: u8 = 0;
const FAILED: u8 = 1;

/// Whether the program was called by a link that has sysbench's name.
pub(crate) fn is_name(program: &str) -> bool {
    Path::new(program)
        .file_name()
        .is_some_and(|name| name == "sysbench")
}

/// Carries out sysbench's command line, the program's name first. `own_name`: help tells of our own options, too.
pub(crate) fn run(words: &[String], own_name: bool) -> u8 {
    conclude(dialect_by_variable().and_then(|dialect| {
        let environment = Environment {
            dialect,
            own_name,
            own_form: false,
        };
        carry_out(read(words, &environment)?, words)
    }))
}

/// Carries out a request in our own form.
pub(crate) fn script(arguments: ScriptArguments) -> u8 {
    let server = match server(&arguments) {
        Ok(server) => server,
        Err(trouble) => return trouble.tell() as u8,
    };
    let words = arguments.words();
    let environment = Environment {
        dialect: Dialect::default(),
        own_name: true,
        own_form: true,
    };
    conclude(read(&words, &environment).and_then(|mut line| {
        let database = &mut line.settings.database;
        *database = DatabaseSettings {
            driver: database.driver.clone(),
            ps_mode: database.ps_mode.clone(),
            ignore: database.ignore.clone(),
            debug: database.debug,
            dry_run: database.dry_run,
            ..server
        };
        carry_out(line, &words)
    }))
}

/// The server in sysbench's terms, with the password read from its file.
fn server(arguments: &ScriptArguments) -> Result<DatabaseSettings, Trouble> {
    let target = arguments.server.target()?;
    let endpoint = target.access()?.endpoint;
    let (hosts, ports, sockets) = match endpoint.address {
        Address::Socket(path) => (Vec::new(), Vec::new(), vec![path]),
        Address::Tcp { host, port } => (vec![host], vec![port], Vec::new()),
    };
    Ok(DatabaseSettings {
        driver: String::new(),
        ps_mode: String::new(),
        debug: false,
        hosts,
        ports,
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
        ssl_cipher: String::new(),
        compression: target.compression != CompressionWord::Off,
        ignore: IgnoreErrors::All,
        dry_run: false,
    })
}

fn conclude(done: Result<u8, Ending>) -> u8 {
    let exit_code = done.unwrap_or_else(|ending| {
        tell(&ending.said);
        ending.exit
    });
    // Nobody reads what can't be written any more.
    let _: io::Result<()> = io::stdout().flush();
    exit_code
}

fn read(words: &[String], environment: &Environment) -> Result<CommandLine, Ending> {
    options::parse(words.get(1..).unwrap_or_default(), environment)
}

fn carry_out(line: CommandLine, words: &[String]) -> Result<u8, Ending> {
    tell(&line.said);
    let log = Log::stdout(line.settings.verbosity);
    log.print(Level::Notice, &text::header(line.settings.dialect));
    let engine = Engine::new(line.settings.clone(), log);
    let done = Benchmark::find(&engine, &line, words)
        .and_then(|mut benchmark| command(&engine, &line, &mut benchmark));
    engine.log.close();
    done
}

/// The command on what was found by its name.
fn command(
    engine: &Arc<Engine>,
    line: &CommandLine,
    benchmark: &mut Benchmark,
) -> Result<u8, Ending> {
    let Some(command) = line.command.as_deref() else {
        return benchmark.without_command();
    };
    benchmark.read_options(line)?;
    match command {
        "run" if !benchmark.has_own_command()? => {
            let recorder = Recorder::start(engine, line)?;
            let exit_code = benchmark.run(engine)?;
            recorder.end(engine, exit_code)?;
            Ok(exit_code)
        }
        _ => benchmark.command(engine, command),
    }
}

fn dialect_by_variable() -> Result<Dialect, Ending> {
    match std::env::var(DIALECT_VARIABLE) {
        Ok(name) => Dialect::named(&name).ok_or_else(|| {
            complaint(format!(
                "{DIALECT_VARIABLE}={name}: 1.0 or 1.1 is allowed\n"
            ))
        }),
        Err(_) => Ok(Dialect::default()),
    }
}

/// A complaint about the form of the command line.
fn complaint(text: String) -> Ending {
    Ending {
        said: vec![Said {
            stream: Stream::Stderr,
            text,
        }],
        exit: FAILED,
    }
}

/// The end of a program that has said already what failed.
fn failed() -> Ending {
    Ending {
        said: Vec::new(),
        exit: FAILED,
    }
}

fn tell(said: &[Said]) {
    for message in said {
        let text = message.text.as_bytes();
        // A reader that has gone wants no more of it.
        let _: io::Result<()> = match message.stream {
            Stream::Stdout => io::stdout().write_all(text),
            Stream::Stderr => io::stderr().write_all(text),
        };
    }
}
