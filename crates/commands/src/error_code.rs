//! Names each error of the program by a word that stays when its sentence is edited.
//!
//! Tests read these words (`DBDYNO_ERROR_CODES=1` prints them) instead of sentences. An error can't be made without one,
//! and the compiler reports a code that no error has.

use dbdyno_drive::{
    ANSWER_TOO_LARGE, Cause, DriveError, Failure, LOST_CONNECTION_CODES, MALFORMED_PACKET,
};
use dbdyno_null_server::NullServerError;
use dbdyno_wire::WireError;
use dbdyno_workload::WorkloadError;
use std::io;

/// Defines the codes, their words and what each says.
macro_rules! error_codes {
    ($($variant:ident $word:literal $meaning:literal)*) => {
        /// What went wrong, in one word.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ErrorCode {
            $(#[doc = $meaning] $variant,)*
        }

        impl ErrorCode {
            /// Returns the word that is printed.
            pub(crate) const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        /// Each word, and what it says.
        #[cfg(test)]
        const MEANINGS: &[(&str, &str)] = &[$(($word, $meaning),)*];
    };
}

error_codes! {
    AccelerateUnsupported "accelerate-unsupported" "The server has no redo log that `--accelerate` could switch off."
    AgentFailed "agent-failed" "An agent can't serve on this host."
    AnswerTooLarge "answer-too-large" "The server sent more than a limit allows."
    ArgumentNotText "argument-not-text" "An argument is not valid text, so it can't be sent to load hosts."
    Bug "bug" "The program did something that it must not do."
    CertificateWithoutKey "certificate-without-key" "A client certificate was given without its private key, or the key alone."
    ChecksumsUnreadable "checksums-unreadable" "The server did not return the checksums of a table."
    CleanupFailed "cleanup-failed" "The server refused a statement that drops tables or procedures."
    ConditionUnchecked "condition-unchecked" "The server did not answer the query of a condition."
    ConnectionLost "connection-lost" "The server closed a connection that was in use."
    ConnectionsRefused "connections-refused" "The server accepts fewer connections than the load needs."
    CountsContradict "counts-contradict" "Counts in the record of a share contradict each other: it was damaged or altered."
    DiskFull "disk-full" "The server's disk is full."
    EventsNotShareable "events-not-shareable" "A number of events can't be distributed over several processes."
    ExposedAddress "exposed-address" "The null server would accept everybody: its address is no loopback address."
    FileNotWritable "file-not-writable" "An output can't be written."
    FileOfTwoOutputs "file-of-two-outputs" "Two outputs have the same file."
    FileReadAndWritten "file-read-and-written" "A file that is read would be written over."
    FileUnreadable "file-unreadable" "A file can't be read."
    FillingFailed "filling-failed" "A table could not be filled."
    FillingOfOtherOptions "filling-of-other-options" "The unfinished filling was started with other options."
    FillingUnfinished "filling-unfinished" "An earlier filling of the schema did not finish."
    InfileRefused "infile-refused" "The server does not accept `LOAD DATA LOCAL`."
    Interrupted "interrupted" "The user ended the program early."
    LoadFailed "load-failed" "An error of the client stopped the run."
    LoadRefused "load-refused" "The load that was asked for can't be driven."
    LogInFailed "log-in-failed" "The server did not accept the account."
    LogInsUnanswered "log-ins-unanswered" "The server no longer answers log-ins."
    MergedRunFailed "merged-run-failed" "A share of the merged run failed."
    NoAddress "no-address" "The null server was given no address."
    NoAnswer "no-answer" "The server sent no answer in time."
    NoAuthority "no-authority" "The server's certificate can't be verified without an authority."
    NoConditions "no-conditions" "The workload has no conditions to check."
    NoConnection "no-connection" "The server could not be reached, or refused the log-in."
    NoDistantClient "no-distant-client" "No client on another host is connected to the server."
    NoServer "no-server" "No server was named."
    NoSuchQuirk "no-such-quirk" "There is no quirk of this name."
    NoSuchShare "no-such-share" "The number of a share is not among the shares."
    NotAnOrder "not-an-order" "An order does not follow the contract."
    NotARecord "not-a-record" "A file is not the record of a load."
    NotAShare "not-a-share" "A record is complete by itself, so it can't be merged."
    NotBegunTogether "not-begun-together" "The shares did not begin at the same time."
    NothingToContinue "nothing-to-continue" "The schema has no unfinished filling."
    NothingToMeasure "nothing-to-measure" "The run has no time to measure."
    NotListening "not-listening" "The null server can't listen at its address."
    NotOneRun "not-one-run" "The shares belong to different runs."
    OptionsContradict "options-contradict" "Two options can't be used together."
    OptionWithoutWorkload "option-without-workload" "An option of a workload was given without a workload."
    OtherSchemaVersion "other-schema-version" "The order was written for another version of the program."
    PartOfASecond "part-of-a-second" "A duration is not a whole number of seconds."
    PathLost "path-lost" "No host at the other end acknowledged anything: the path to the server was lost."
    PreconditionUnmet "precondition-unmet" "The server lacks what the workload needs."
    PreparedStatementsRefused "prepared-statements-refused" "The server accepts fewer prepared statements than the load needs."
    ProtocolBroken "protocol-broken" "The server did not follow the client protocol."
    ReconnectFailed "reconnect-failed" "The connection was lost, and the server did not accept another in time."
    RecordEmpty "record-empty" "The record of a share is empty."
    RedoLogNotSwitched "redo-log-not-switched" "The server's redo log could not be switched off."
    RedoLogOff "redo-log-off" "The server's redo log is still switched off: a crash loses its data."
    RequirementRefused "requirement-refused" "A requirement can't be checked for this script."
    RoleUnknown "role-unknown" "No transaction of the workload has the role that a server was given."
    RoleWithoutServer "role-without-server" "No server was named for a role of the workload."
    RowsDiffer "rows-differ" "A table does not hold the rows that were sent."
    SchemaNotCreated "schema-not-created" "The schema could not be created."
    ScriptAsWorkload "script-as-workload" "A Lua script was given as a workload."
    SearchNotShareable "search-not-shareable" "A search can't be distributed over several processes."
    SeedTooLarge "seed-too-large" "The seed is larger than the imitated generator accepts."
    ServerError "server-error" "The server answered with an error."
    SettingsUnreadable "settings-unreadable" "The server did not return the settings that decide how rows are loaded."
    ShareNeverBegan "share-never-began" "A share failed before its load began."
    SharesMissing "shares-missing" "Records of some shares are missing."
    ShareTwice "share-twice" "The record of a share was given twice."
    SitesUnreadable "sites-unreadable" "The list of the server's wait sites can't be read."
    SizesUnreadable "sizes-unreadable" "The server did not return the sizes of the tables."
    SourcesNotReceived "sources-not-received" "The files of a directory of SQL did not arrive at the load host."
    SourcesTooLarge "sources-too-large" "The files of a directory of SQL are too large for load hosts."
    SshNotStarted "ssh-not-started" "The SSH client can't be started."
    StartMissed "start-missed" "The connections were open only after the start that was asked for."
    StepLogUnusable "step-log-unusable" "The table that records the progress of a filling can't be used."
    SystemFailed "system-failed" "The operating system refused something."
    TablesExist "tables-exist" "Tables of the workload already exist."
    TablesUnlisted "tables-unlisted" "The server did not list the tables of the schema."
    ThreadsUnwatched "threads-unwatched" "The threads of the server can't be watched."
    TlsFailed "tls-failed" "The encrypted connection could not be set up."
    TooFewConnections "too-few-connections" "There are fewer connections than shares."
    TooFewFiles "too-few-files" "The process may open too few files."
    TooManyStatements "too-many-statements" "A connection would prepare more statements than a server accepts."
    TwoServers "two-servers" "A socket and a host were both named."
    UnknownOption "unknown-option" "The workload has no such option."
    UnknownTransaction "unknown-transaction" "The workload has no such type of transaction."
    UnknownWorkload "unknown-workload" "There is no such workload."
    Unreachable "unreachable" "The server refused or closed the connection."
    WorkloadNotShareable "workload-not-shareable" "The workload can't be distributed over several processes."
    WorkloadPacesItself "workload-paces-itself" "The workload sets its own speed."
    WrongArguments "wrong-arguments" "The command line has an unknown option, or lacks one."
    WrongConnections "wrong-connections" "The workload needs another number of connections."
    WrongFile "wrong-file" "A file of a workload has an error in one of its lines."
    WrongValue "wrong-value" "An option can't have this value."
}

impl ErrorCode {
    /// Returns the code of an error that no place of this program has translated; `None` for one that only a bug makes.
    pub(crate) fn of(error: &anyhow::Error) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<WorkloadError>() {
            return Some(error.into());
        }
        if let Some(error) = error.downcast_ref::<WireError>() {
            return Some(error.into());
        }
        error.is::<io::Error>().then_some(Self::SystemFailed)
    }
}

impl From<&WorkloadError> for ErrorCode {
    fn from(error: &WorkloadError) -> Self {
        match error {
            WorkloadError::UnknownWorkload { .. } => Self::UnknownWorkload,
            WorkloadError::UnknownTransactionType { .. } => Self::UnknownTransaction,
            WorkloadError::UnknownOption { .. } => Self::UnknownOption,
            WorkloadError::InvalidValue { .. } => Self::WrongValue,
            WorkloadError::TooManyStatements { .. } => Self::TooManyStatements,
            WorkloadError::InFile { .. } => Self::WrongFile,
            WorkloadError::Unreadable { .. } => Self::FileUnreadable,
            WorkloadError::SeedTooLarge { .. } => Self::SeedTooLarge,
        }
    }
}

impl From<&WireError> for ErrorCode {
    fn from(error: &WireError) -> Self {
        match error {
            error if error.is_path_lost() => Self::PathLost,
            WireError::Network { .. } => Self::Unreachable,
            WireError::Timeout { .. } => Self::NoAnswer,
            WireError::Cancelled { .. } => Self::Interrupted,
            WireError::Excess { .. } => Self::AnswerTooLarge,
            WireError::Protocol(_) => Self::ProtocolBroken,
            WireError::NotOffered(_) | WireError::Tls { .. } => Self::TlsFailed,
            WireError::Server(_) => Self::ServerError,
            WireError::Authentication { .. } => Self::LogInFailed,
            WireError::Misuse(_) => Self::Bug,
        }
    }
}

impl From<&DriveError> for ErrorCode {
    fn from(error: &DriveError) -> Self {
        match error {
            DriveError::Request(_) => Self::LoadRefused,
            DriveError::Server { source, .. } => source.into(),
            DriveError::PreparedStatements { .. } => Self::PreparedStatementsRefused,
            DriveError::Connections { .. } => Self::ConnectionsRefused,
            DriveError::OpenFiles { .. } => Self::TooFewFiles,
            DriveError::System { .. } => Self::SystemFailed,
            DriveError::StartMissed { .. } => Self::StartMissed,
            DriveError::UnfinishedFilling => Self::FillingUnfinished,
            DriveError::Interrupted => Self::Interrupted,
            DriveError::Bug(_) => Self::Bug,
        }
    }
}

impl From<&Failure> for ErrorCode {
    fn from(failure: &Failure) -> Self {
        match failure.cause {
            Cause::Network => Self::PathLost,
            Cause::NoAnswer => Self::NoAnswer,
            Cause::Server => match failure.code {
                Some(MALFORMED_PACKET) => Self::ProtocolBroken,
                Some(ANSWER_TOO_LARGE) => Self::AnswerTooLarge,
                Some(code) if LOST_CONNECTION_CODES.contains(&code) => Self::ConnectionLost,
                _ => Self::ServerError,
            },
            Cause::Client => Self::LoadFailed,
        }
    }
}

impl From<&NullServerError> for ErrorCode {
    fn from(error: &NullServerError) -> Self {
        match error {
            NullServerError::Nowhere => Self::NoAddress,
            NullServerError::Exposed(_) => Self::ExposedAddress,
            NullServerError::Settings(_) => Self::WrongValue,
            NullServerError::Listen { .. } => Self::NotListening,
            NullServerError::Log { .. } => Self::FileNotWritable,
            NullServerError::System { .. } => Self::SystemFailed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::path::Path;

    /// The page that lists the codes; `DBDYNO_WRITE_REFERENCE=1` writes it.
    const PAGE: &str = "../../docs/reference/load-error-codes.md";

    const HEAD: &str = "# Error codes of dbdyno-load

With `DBDYNO_ERROR_CODES=1` in its environment, `dbdyno-load` prints the code of an error as its last line (`code: no-server`).
A second code says how the conversation with the server ended (`code: checksums-unreadable no-answer`). Sentences may be edited;
a code keeps its meaning.

| code | meaning |
|---|---|
";

    #[test]
    fn the_reference_lists_all_codes() {
        let rows = MEANINGS
            .iter()
            .map(|(word, meaning)| format!("| `{word}` | {meaning} |\n"));
        let page = HEAD.to_owned() + &rows.collect::<String>();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        if std::env::var_os("DBDYNO_WRITE_REFERENCE").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), page);
    }

    #[test]
    fn words_are_single_and_sorted() {
        let words: HashSet<_> = MEANINGS.iter().map(|(word, _)| word).collect();
        assert_eq!(words.len(), MEANINGS.len());
        let letters = |word: &str| word.replace('-', "");
        assert!(MEANINGS.is_sorted_by_key(|(word, _)| letters(word)));
    }
}
