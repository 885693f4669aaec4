//! Holds the values of a terminal's statements by name, and binds them.

use super::input::{TransactionInput, UNUSED_ITEM};
use super::names::LastName;
use super::rules::{AmountForm, Rules};
use super::stock::DistInfo;
use crate::event_time::EventTime;
use dbdyno_wire::Parameters;
use std::fmt;
use std::io::Write;

macro_rules! places {
    ($($place:ident $name:literal)+) => {
        /// Says what a value of a statement is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Place { $($place),+ }

        impl Place {
            /// Finds it by the name that it has in `statements.sql`.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$place),)+
                    _ => None,
                }
            }
        }
    };
}

places! {
    Warehouse "warehouse"
    District "district"
    Customer "customer"
    BuyerWarehouse "buyer_warehouse"
    BuyerDistrict "buyer_district"
    Order "order"
    NextOrder "next_order"
    OldestOrder "oldest_order"
    LineCount "line_count"
    IsLocal "is_local"
    LineNumber "line_number"
    Item "item"
    Supply "supply"
    Quantity "quantity"
    IsRemote "is_remote"
    Stock "stock"
    Carrier "carrier"
    IsByName "is_by_name"
    Threshold "threshold" // the last whole number
    Amount "amount"
    LineAmount "line_amount"
    Balance "balance"
    Paid "paid"
    Total "total"
    LastName "last_name"
    DistInfo "dist_info"
    PackedLines "packed_lines"
    Data "data"
    DataRest "data_rest"
    History "history"
    Now "now"
}

const WHOLE_NUMBERS: usize = Place::Threshold as usize + 1;

/// A value written into a text.
enum Word<'a> {
    Number(fmt::Arguments<'a>),
    Text(&'a [u8]),
}

/// The values of a transaction under way.
#[derive(Debug, Default)]
pub(crate) struct Values {
    whole: [i64; WHOLE_NUMBERS],
    amount: u32,
    last_name: u32,
    pub(crate) line_amount: f64,
    pub(crate) balance: f64,
    pub(crate) paid: f64,
    pub(crate) total: f64,
    pub(crate) dist_info: DistInfo,
    /// The lines of an order, as a procedure takes them.
    packed_lines: Vec<u8>,
    /// What c_data becomes, up to the date where the server puts one in ...
    pub(crate) data: Vec<u8>,
    /// ... and after it.
    pub(crate) data_rest: Vec<u8>,
    /// Names of warehouse and district.
    pub(crate) history: Vec<u8>,
    /// The time of the event as a client sends it.
    now: Vec<u8>,
}

impl Values {
    /// Begins a transaction.
    pub(crate) fn start(&mut self, input: &TransactionInput) {
        self.amount = input.amount;
        self.last_name = input.last_name;
        let is_local = input.is_all_local() && !input.is_called_remote;
        for (place, value) in [
            (Place::Warehouse, input.warehouse),
            (Place::District, input.district),
            (Place::Customer, input.customer),
            (Place::BuyerWarehouse, input.customer_warehouse),
            (Place::BuyerDistrict, input.customer_district),
            (Place::LineCount, input.line_count as u32),
            (Place::IsLocal, u32::from(is_local)),
            (Place::Carrier, input.carrier),
            (Place::IsByName, u32::from(input.is_by_name)),
            (Place::Threshold, input.threshold),
        ] {
            self.set(place, value);
        }
    }

    pub(crate) fn set_now(&mut self, time: EventTime) {
        self.now.clear();
        time.put(&mut self.now);
    }

    /// Packs the lines of an order: six digits of the item, eight of the supplying warehouse, two of the quantity.
    pub(crate) fn pack_lines(&mut self, input: &TransactionInput) {
        self.packed_lines.clear();
        for line in input.order_lines() {
            let (item, supply, quantity) = (line.item, line.supply, line.quantity);
            put(
                &mut self.packed_lines,
                format_args!("{item:06}{supply:08}{quantity:02}"),
            );
        }
    }

    /// Begins an order's line.
    pub(crate) fn start_line(&mut self, input: &TransactionInput, place: usize, rules: &Rules) {
        let line = input.lines[place];
        let is_unused = line.item == UNUSED_ITEM;
        self.set(Place::LineNumber, place as i64 + 1);
        self.set(Place::Item, line.item);
        if let Some(item) = rules.unused_item.filter(|_| is_unused) {
            self.set(Place::Item, item);
        }
        self.set(Place::Supply, line.supply);
        self.set(Place::Quantity, line.quantity);
        self.set(Place::IsRemote, line.supply != input.warehouse);
    }

    /// Sets a whole number.
    pub(crate) fn set(&mut self, place: Place, value: impl Into<i64>) {
        self.whole[place as usize] = value.into();
    }

    pub(crate) fn whole(&self, place: Place) -> i64 {
        self.whole[place as usize]
    }

    /// Adds a value to those of a statement. Most are whole numbers.
    #[inline]
    pub(crate) fn push(&self, place: Place, rules: &Rules, to: &mut Parameters) {
        match self.whole.get(place as usize) {
            Some(number) => to.push_int(*number),
            None => self.push_other(place, rules, to),
        }
    }

    fn push_other(&self, place: Place, rules: &Rules, to: &mut Parameters) {
        match place {
            Place::Amount => match rules.amount {
                AmountForm::Whole => to.push_int(self.amount.into()),
                AmountForm::Hundredths => to.push_double(f64::from(self.amount) / 100.0),
                AmountForm::Float => to.push_double((rules.round)(self.amount.into())),
            },
            Place::LineAmount => to.push_double(self.line_amount),
            Place::Balance => to.push_double(self.balance),
            Place::Paid => to.push_double(self.paid),
            Place::Total => to.push_double(self.total),
            Place::LastName => LastName::of(self.last_name).push(to),
            Place::DistInfo => to.push_text(self.dist_info.text()),
            Place::PackedLines => to.push_text(&self.packed_lines),
            Place::Data => to.push_text(&self.data),
            Place::DataRest => to.push_text(&self.data_rest),
            Place::History => to.push_text(&self.history),
            Place::Now => to.push_text(&self.now),
            _ => {} // a whole number
        }
    }

    /// Writes a statement with its values in it: `%f` of C for numbers with a fraction, but for those of order lines.
    pub(crate) fn write(
        &self,
        template: &str,
        places: &[Place],
        rules: &Rules,
        text: &mut Vec<u8>,
    ) {
        let mut pieces = template.split('?');
        text.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
        let decimals = rules.line_decimals;
        for (place, piece) in places.iter().zip(pieces) {
            let word = match place {
                Place::LineAmount => Word::Number(format_args!("{:.decimals$}", self.line_amount)),
                Place::Balance => Word::Number(format_args!("{:.6}", self.balance)),
                Place::Paid => Word::Number(format_args!("{:.6}", self.paid)),
                Place::Total => Word::Number(format_args!("{:.6}", self.total)),
                Place::DistInfo => Word::Text(self.dist_info.text()),
                Place::Data => Word::Text(&self.data),
                whole => Word::Number(format_args!("{}", self.whole[*whole as usize])),
            };
            match word {
                Word::Number(number) => put(text, number),
                Word::Text(bytes) => put_quoted(bytes, text),
            }
            text.extend_from_slice(piece.as_bytes());
        }
    }
}

fn put_quoted(bytes: &[u8], text: &mut Vec<u8>) {
    text.push(b'\'');
    for &byte in bytes {
        if matches!(byte, b'\'' | b'\\') {
            text.push(byte);
        }
        text.push(byte);
    }
    text.push(b'\'');
}

/// Appends what is formatted; that can't fail.
pub(crate) fn put(text: &mut Vec<u8>, arguments: fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}
