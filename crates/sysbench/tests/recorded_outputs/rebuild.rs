//! Reads a recorded output and prints anew each block that our code prints.

use crate::figures;
use dbdyno_sysbench::options::{ArgKind, ScriptOption};
use dbdyno_sysbench::{Settings, text};

/// How a line begins that is not of a block: the logger's, the server's, the scripts'.
const FOREIGN: [&str; 24] = [
    "FATAL: ",
    "DEBUG: Worker thread (#",
    "(last message repeated ",
    "Event limit exceeded, exiting...",
    "Done.",
    "H\t",
    "I\t",
    "  id INTEGER",
    "  k INTEGER",
    "  c CHAR",
    "  pad CHAR",
    "  PRIMARY KEY",
    ") /*!",
    "Creating ",
    "Inserting ",
    "Dropping ",
    "Prewarming ",
    "Prime numbers limit: ",
    "CPU speed:",
    "    events per second: ",
    "1,2,",
    "2,2,",
    "[\n",
    "]\n",
];

/// A recording in our words.
pub struct Rebuilt {
    pub text: String,
    pub blocks: Vec<&'static str>,
}

impl Rebuilt {
    pub fn of(output: &str, settings: &Settings) -> Self {
        let mut rebuilt = Self {
            text: String::new(),
            blocks: Vec::new(),
        };
        let mut rest = output;
        while !rest.is_empty() {
            let length = rebuilt.block(rest, settings).unwrap_or_else(|| {
                let line = &rest[..line_length(rest)];
                assert!(is_foreign(line), "whose is {line:?}?");
                rebuilt.text.push_str(line);
                line.len()
            });
            rest = &rest[length..];
        }
        rebuilt
    }

    /// Prints the block at the beginning, and returns how much of the recording it was.
    fn block(&mut self, rest: &str, settings: &Settings) -> Option<usize> {
        let (kind, length, text) = header(rest, settings)
            .or_else(|| start(rest, settings))
            .or_else(|| constant(rest))
            .or_else(|| interval(rest, settings))
            .or_else(|| checkpoint(rest))
            .or_else(|| histogram(rest))
            .or_else(|| full(rest, settings))
            .or_else(|| users(rest))?;
        self.blocks.push(kind);
        self.text.push_str(&text);
        Some(length)
    }
}

type Block = Option<(&'static str, usize, String)>;

fn line_length(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// Returns the length up to and with these words.
fn up_to(text: &str, words: &str) -> usize {
    text.find(words).unwrap() + words.len()
}

fn is_foreign(line: &str) -> bool {
    let of_json = line.starts_with("  {") || line.starts_with("  }") || line.starts_with("    \"");
    let of_json = of_json || line.starts_with("      \"") || line.starts_with("    }");
    let of_hook = line.contains(" err/s 0.00 reconn/s");
    line == "\n" || of_json || of_hook || FOREIGN.iter().any(|begin| line.starts_with(begin))
}

fn header(rest: &str, settings: &Settings) -> Block {
    rest.starts_with("sysbench ").then(|| {
        (
            "header",
            up_to(rest, "\n\n"),
            text::header(settings.dialect),
        )
    })
}

fn start(rest: &str, settings: &Settings) -> Block {
    rest.starts_with("Running the test with").then(|| {
        let ours = ["Initializing worker", "Prime numbers"].map(|next| rest.find(next));
        let length = ours.into_iter().flatten().min().unwrap();
        ("start", length, text::start(settings))
    })
}

fn constant(rest: &str) -> Block {
    [
        ("workers", text::INITIALIZING_WORKERS),
        ("started", text::THREADS_STARTED),
    ]
    .into_iter()
    .find(|(_, words)| rest.starts_with(words))
    .map(|(kind, words)| (kind, words.len(), words.to_owned()))
}

fn interval(rest: &str, settings: &Settings) -> Block {
    let line = &rest[..line_length(rest)];
    if !line.contains(" thds: ") || line.contains(" err/s 0.00") {
        return None;
    }
    let second = &rest[line.len()..];
    let second = &second[..line_length(second)];
    let second = second.contains("queue length").then_some(second);
    let figures = figures::interval(line, second);
    let text = text::interval(&figures, settings.percentile, line.contains("qps"));
    Some(("interval", line.len() + second.map_or(0, str::len), text))
}

fn checkpoint(rest: &str) -> Block {
    let line = &rest[..line_length(rest)];
    line.ends_with("Checkpoint report:\n").then(|| {
        let figures = text::FinalFigures {
            time_total_ns: figures::time_ns(line),
            ..text::FinalFigures::default()
        };
        ("checkpoint", line.len(), text::checkpoint_heading(&figures))
    })
}

fn histogram(rest: &str) -> Block {
    let title = "Latency histogram (values are in milliseconds)\n";
    let body = rest.strip_prefix(title).unwrap_or(rest);
    let rows = body.strip_prefix("       value  ---")?;
    let rows = &rows[line_length(rows)..];
    let is_row = |line: &&str| line.as_bytes().get(13) == Some(&b'|');
    let lines: Vec<&str> = rows.split_inclusive('\n').take_while(is_row).collect();
    let buckets: Vec<(f64, u64)> = lines.iter().map(|line| figures::bucket(line)).collect();
    let length = rest.len() - rows.len() + lines.concat().len();
    if body.len() == rest.len() {
        return Some(("histogram", length, text::histogram(&buckets)));
    }
    let text = text::latency_histogram(&buckets);
    Some(("latencies", length + " \n".len(), text))
}

fn full(rest: &str, settings: &Settings) -> Block {
    let begins = [
        "SQL statistics:",
        "\nNumber of unfinished",
        "\nGeneral statistics:",
    ];
    if !begins.iter().any(|begin| rest.starts_with(begin)) {
        return None;
    }
    let fairness = up_to(rest, "execution time (avg/stddev):");
    let length = fairness + up_to(&rest[fairness..], "\n\n");
    let block = &rest[..length];
    let database = block.starts_with("SQL");
    let figures = figures::full(block, settings.threads);
    let text = text::final_report(&figures, settings.percentile, database, settings.dialect);
    Some(("full", length, text))
}

fn users(rest: &str) -> Block {
    let title = "DEBUG: Verbose per-thread statistics:\n\n";
    rest.starts_with(title).then(|| {
        let length = title.len() + up_to(&rest[title.len()..], "\n\n");
        let users = figures::users(&rest[title.len()..length]);
        ("users", length, text::users(&users))
    })
}

/// Reads an option out of its line in the help.
pub fn script_option(line: &str) -> Option<ScriptOption> {
    let (option, rest) = line.strip_prefix("  --")?.split_once(' ').unwrap();
    let kinds = [
        ("[=on|off]", ArgKind::Flag),
        ("=N", ArgKind::Double),
        ("=STRING", ArgKind::Text),
    ];
    let (name, kind) = kinds
        .into_iter()
        .find_map(|(end, kind)| Some((option.strip_suffix(end)?, kind)))
        .unwrap();
    let rest = rest.trim_start();
    let (description, default) = match rest.strip_suffix(']').and_then(|r| r.rsplit_once(" [")) {
        Some((description, default)) => (description, Some(default.to_owned())),
        None => (rest, None),
    };
    Some(ScriptOption {
        name: name.to_owned(),
        description: description.to_owned(),
        default,
        kind,
        has_validator: false,
    })
}
