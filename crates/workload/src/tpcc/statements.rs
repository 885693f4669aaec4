//! Reads a dialect's statements from its `statements.sql`.
//!
//! A statement there has a heading, `-- KIND TYPE PROPERTIES`, and a text in which `:name` is a value that the
//! terminal knows by that name ([`Place`]). What the dialects call differently, or order differently, is so the same to
//! the [transactions](super::transactions).

use super::options::TpccOptions;
use super::values::Place;
use crate::{Class, StatementTemplate, StatementType};

macro_rules! statement_kinds {
    ($($kind:ident)+) => {
        /// Says what a statement is for. A dialect has those that its transactions need.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum StatementKind { $($kind),+ }

        impl StatementKind {
            const ALL: &[Self] = &[$(Self::$kind),+];

            fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($kind) => Some(Self::$kind),)+
                    _ => None,
                }
            }
        }
    };
}

statement_kinds! {
    Begin BeginReadOnly Commit Rollback
    OrderCustomer OrderDistrict RaiseDistrict InsertOrder InsertNewOrder Item Stock SetStock InsertLine
    PayWarehouse PaymentWarehouse PayDistrict PaymentDistrict CountPayers Payers Payer PayerData SetPayer
    SetPayerAndData InsertHistory
    CountBuyers Buyers Buyer LastOrder OrderLines
    OldestNewOrder DeleteNewOrder DeliveredCustomer SetCarrier DateLines SumLines BookDelivery
    StockDistrict RecentItems CountLow
    CallNewOrder CallPayment CallOrderStatus CallDelivery CallStockLevel
    OldestUndelivered OldOrder PurgeLines PurgeOrder PurgeHistory
}

/// One statement.
#[derive(Debug)]
pub(crate) struct Statement {
    kind: StatementKind,
    /// Transaction and statement, such as `payment.update_district`: the name of its type.
    name: &'static str,
    /// Whether the terminal reads its rows.
    keeps_rows: bool,
    text_only: bool,
    /// Whether the terminal writes the text itself, because its numbers have a special form.
    pub(crate) is_written: bool,
    class: Class,
    /// With `?` for each value, and `#` for the number of the table set.
    text: String,
    /// The values, in order.
    pub(crate) places: Vec<Place>,
}

/// The statements of a dialect, in the order of preparing.
#[derive(Debug)]
pub(crate) struct StatementTable {
    pub(crate) statements: Vec<Statement>,
    first_of_kind: Vec<Option<u16>>,
    /// Whether any has the time of the event as a value.
    pub(crate) has_time: bool,
    /// Whether each district has a separate statement that reads stock.
    pub(crate) has_stock_by_district: bool,
}

impl StatementTable {
    /// Reads a dialect's file, after it has put `words` in the place of what stands in braces. A text with
    /// `{district}` gives ten statements, one a district.
    ///
    /// # Panics
    /// The file, which is a part of the program, names a kind or a value that there isn't. A test reads them all.
    pub(crate) fn read(sql: &'static str, words: &[(&str, &str)]) -> Self {
        let mut statements = Vec::new();
        for block in sql.split("\n\n").skip(1) {
            let (heading, text) = block.split_once('\n').unwrap_or((block, ""));
            let text = filled_in(&text.trim_end().replace('\n', " "), words);
            if !text.contains("{district}") {
                statements.push(Statement::read(heading, &text));
                continue;
            }
            for district in 1..=10 {
                let text = text.replace("{district}", &format!("{district:02}"));
                statements.push(Statement::read(heading, &text));
            }
        }
        let first = |kind: &StatementKind| {
            let place = statements.iter().position(|one| one.kind == *kind)?;
            u16::try_from(place).ok()
        };
        let of_stock = statements
            .iter()
            .filter(|one| one.kind == StatementKind::Stock);
        let has_stock_by_district = of_stock.count() > 1;
        let first_of_kind = StatementKind::ALL.iter().map(first).collect();
        Self {
            has_time: statements
                .iter()
                .any(|one| one.places.contains(&Place::Now)),
            statements,
            first_of_kind,
            has_stock_by_district,
        }
    }

    /// Returns the place of a kind of statement, if the dialect has it.
    pub(crate) fn place(&self, kind: StatementKind) -> Option<u16> {
        self.first_of_kind[kind as usize]
    }

    /// Returns the names of types: statements of the same name are of one type.
    pub(crate) fn type_names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for statement in &self.statements {
            if !names.contains(&statement.name) {
                names.push(statement.name);
            }
        }
        names
    }

    /// Returns the templates of all table sets, one set after the other.
    pub(crate) fn templates(&self, options: &TpccOptions) -> Vec<StatementTemplate> {
        let names = self.type_names();
        let template = |statement: &Statement, suffix: &str| {
            let place = names.iter().position(|name| *name == statement.name);
            let statement_type = place.unwrap_or_default() as StatementType;
            StatementTemplate {
                keeps_rows: statement.keeps_rows,
                is_written: statement.is_written,
                text_only: statement.text_only,
                ..StatementTemplate::new(
                    statement.text.replace('#', suffix),
                    statement_type,
                    statement.class,
                )
            }
        };
        (0..options.tables)
            .flat_map(|set| {
                let suffix = options.table_suffix(set);
                let of_set = self.statements.iter();
                of_set.map(|one| template(one, &suffix)).collect::<Vec<_>>()
            })
            .collect()
    }
}

impl Statement {
    fn read(heading: &'static str, text: &str) -> Self {
        let mut words = heading.split(' ').skip(1);
        let (kind, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let Some(kind) = StatementKind::named(kind) else {
            panic!("statements.sql: {kind:?} is no kind of statement");
        };
        let properties: Vec<&str> = words.collect();
        let has = |property| properties.contains(&property);
        let (text, places) = cut_values(text);
        Self {
            kind,
            name,
            keeps_rows: has("kept"),
            text_only: has("text"),
            is_written: has("written"),
            class: match name {
                "begin" => Class::Begin,
                "commit" => Class::Commit,
                _ if has("ends") => Class::Commit,
                _ => Class::Work,
            },
            text,
            places,
        }
    }
}

/// Puts `?` in the place of each `:name`.
fn cut_values(text: &str) -> (String, Vec<Place>) {
    let mut pieces = text.split(':');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    let mut places = Vec::new();
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_lowercase() && c != '_');
        let (name, rest) = piece.split_at(end.unwrap_or(piece.len()));
        let Some(place) = Place::named(name) else {
            panic!("statements.sql: {name:?} is no value");
        };
        places.push(place);
        plain.push('?');
        plain.push_str(rest);
    }
    (plain, places)
}

/// Puts values in the place of words in braces.
pub(crate) fn filled_in(text: &str, words: &[(&str, &str)]) -> String {
    let fill = |text: String, (word, value): &(&str, &str)| text.replace(word, value);
    words.iter().fold(text.to_owned(), fill)
}
