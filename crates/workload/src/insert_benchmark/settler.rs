//! The user that has the server clear its arrears: statistics, dirty pages or compactions, and a time of rest.

use super::ground::Post;
use super::options::Options;
use super::roles::Event;
use super::statement::{Kind, place};
use crate::story::{End, GivenUp, Story, Talk};
use crate::{Draws, Standing, TransactionType};

const SECOND_NS: u64 = 1_000_000_000;

/// The tool's times.
const LEAST_SECONDS: u64 = 60;
const MOST_SECONDS: u64 = 1200;
const ROWS_A_SECOND: u64 = 1_000_000;

/// InnoDB's settings: where each is written, what it is set to meanwhile, and its name.
const INNODB: [(Kind, f64, &str); 3] = [
    (
        Kind::SetDirtyPagesLow,
        0.0,
        "innodb_max_dirty_pages_pct_lwm",
    ),
    (Kind::SetDirtyPages, 1.0, "innodb_max_dirty_pages_pct"),
    (Kind::SetIdleFlush, 100.0, "innodb_idle_flush_pct"),
];

/// Where the step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Begin,
    Wait,
    End,
    Over,
}

/// Settles the server once.
pub(super) struct Settler {
    post: Post,
    stage: Stage,
    /// When the waiting began, and when the server was asked last.
    since_ns: Option<u64>,
    asked_ns: u64,
    /// What is in arrears, as the server says.
    has_arrears: bool,
    /// InnoDB's settings as they were, where the server has them.
    former: Vec<(Kind, f64)>,
}

impl Settler {
    pub(super) fn new(post: Post) -> Self {
        Self {
            post,
            stage: Stage::Begin,
            since_ns: None,
            asked_ns: 0,
            has_arrears: true,
            former: Vec::new(),
        }
    }

    fn options(&self) -> &Options {
        &self.post.ground.options
    }

    fn least_ns(&self) -> u64 {
        let by_rows = LEAST_SECONDS + self.options().nr1 / ROWS_A_SECOND;
        let seconds = match self.options().settle_seconds {
            0 => by_rows.min(MOST_SECONDS),
            seconds => u64::from(seconds),
        };
        seconds * SECOND_NS
    }

    /// Asks each second, until the time is up and nothing is in arrears, or it is too long.
    fn wait(&mut self, now_ns: u64) -> Standing {
        let since_ns = match self.since_ns {
            Some(since_ns) => since_ns,
            None => {
                self.asked_ns = now_ns;
                *self.since_ns.insert(now_ns)
            }
        };
        let waited_ns = now_ns - since_ns;
        let is_over = waited_ns >= self.least_ns() && !self.has_arrears;
        if is_over || waited_ns >= MOST_SECONDS * SECOND_NS {
            self.stage = Stage::End;
            return Standing::Ready;
        }
        if now_ns < self.asked_ns + SECOND_NS {
            return Standing::RestUntil(self.asked_ns + SECOND_NS);
        }
        self.asked_ns = now_ns;
        Standing::Ready
    }

    async fn ask(&self, kind: Kind, talk: &mut Talk) -> Result<(), GivenUp> {
        talk.say(self.post.place(kind));
        talk.ask().await
    }

    async fn set(&self, kind: Kind, value: f64, talk: &mut Talk) -> Result<(), GivenUp> {
        let values = talk.say(self.post.place(kind));
        match kind {
            Kind::SetIdleFlush => values.push_int(value as i64), // takes no other numbers
            _ => values.push_double(value),
        }
        talk.ask().await
    }

    async fn begin(&mut self, talk: &mut Talk) -> Result<(), GivenUp> {
        let tables = self.options().tables();
        for number in 0..tables {
            talk.say(place(Kind::Analyze, number, tables));
            talk.ask().await?;
        }
        if self.options().is_rocksdb() {
            return self.ask(Kind::FlushMemtable, talk).await;
        }
        self.ask(Kind::ShowVariables, talk).await?;
        self.former = (0..talk.rows.len())
            .filter_map(|row| {
                let name = String::from_utf8_lossy(talk.rows.text(row, 0)?).to_ascii_lowercase();
                let (kind, ..) = INNODB.iter().find(|(.., known)| *known == name)?;
                Some((*kind, talk.rows.number(row, 1)?))
            })
            .collect();
        for (kind, value, _) in INNODB {
            if self.former.iter().any(|(known, _)| *known == kind) {
                self.set(kind, value, talk).await?;
            }
        }
        Ok(())
    }

    async fn look(&mut self, talk: &mut Talk) -> Result<(), GivenUp> {
        if self.options().is_rocksdb() {
            self.ask(Kind::PendingCompactions, talk).await?;
            self.has_arrears = talk.rows.int(0, 0).unwrap_or_default() > 0;
            return Ok(());
        }
        self.ask(Kind::ShowDirtyPages, talk).await?;
        let of = |word: &[u8]| {
            let row = (0..talk.rows.len())
                .find(|&row| talk.rows.text(row, 0).is_some_and(|t| t.ends_with(word)));
            row.and_then(|row| talk.rows.number(row, 1)).unwrap_or(0.0)
        };
        self.has_arrears = of(b"dirty") > of(b"total") * 0.01;
        Ok(())
    }

    /// Puts the settings back, the limit before the lower one that must not be above it.
    async fn end(&mut self, talk: &mut Talk) -> Result<(), GivenUp> {
        for (kind, ..) in INNODB.iter().rev() {
            let former = self.former.iter().find(|(known, _)| known == kind);
            if let Some((kind, value)) = former {
                self.set(*kind, *value, talk).await?;
            }
        }
        Ok(())
    }
}

impl Story for Settler {
    const STANDS_BY: bool = true;

    fn stand_by(&mut self, now_ns: u64) -> Standing {
        match self.stage {
            Stage::Begin | Stage::End => Standing::Ready,
            Stage::Over => Standing::Retired,
            Stage::Wait => self.wait(now_ns),
        }
    }

    fn start(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.post.number(Event::Settle)
    }

    fn again(&mut self, _draws: Draws) -> TransactionType {
        self.post.number(Event::Settle)
    }

    async fn tell(&mut self, talk: &mut Talk) -> Result<End, GivenUp> {
        match self.stage {
            Stage::Begin => {
                self.begin(talk).await?;
                self.stage = Stage::Wait;
            }
            Stage::Wait => {
                self.look(talk).await?;
            }
            Stage::End | Stage::Over => {
                self.end(talk).await?;
                self.stage = Stage::Over;
            }
        }
        Ok(End::Done)
    }
}
