//! Defines what a dialect does differently from the others, as data.

use super::input::TransactionInput;
use super::names::middle_row;
use super::stock::tool_rule;

/// Says how a payment's amount travels.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AmountForm {
    Whole,
    /// Drawn in hundredths, sent as a number with a fraction.
    Hundredths,
    /// A number with a fraction, as the dialect rounds money.
    Float,
}

/// Holds what stands between and around the names in h_data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HistoryForm {
    /// Names are padded to this width, on the left.
    pub(crate) width: usize,
    pub(crate) between: &'static str,
    pub(crate) after: &'static str,
    /// Nothing comes after names that are shorter than this together.
    pub(crate) after_from: usize,
}

/// Columns of the customer who pays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PayerColumns {
    pub(crate) credit: usize,
    /// The balance; the sum of all payments follows it, where that is read.
    pub(crate) balance: usize,
}

/// A payment to be noted in c_data.
pub(crate) struct PaymentNote<'a> {
    pub(crate) customer: i64,
    pub(crate) input: &'a TransactionInput,
    /// The second of the event.
    pub(crate) second: u64,
    pub(crate) history: &'a [u8],
    /// What c_data was.
    pub(crate) old: &'a [u8],
}

/// Longest c_data.
pub(crate) const DATA_LENGTH: usize = 500;

/// A dialect's ways in the transactions.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    /// New-Order reads the customer before it begins.
    pub(crate) begins_after_customer: bool,
    /// New-Order writes the order when its lines are in.
    pub(crate) inserts_order_last: bool,
    /// The number in the place of an item that doesn't exist, where it is not the drawn one.
    pub(crate) unused_item: Option<i32>,
    /// What is left in stock, of how many and after how many were ordered.
    pub(crate) stock: fn(u32, u32) -> u32,
    /// A row of stock holds the texts of all districts, not of one.
    pub(crate) has_all_districts: bool,
    /// Amount of a line, of quantity times price, 1 + taxes, and 1 - discount.
    pub(crate) line_amount: fn(f64, f64, f64) -> f64,
    /// Places after the point of that amount where it is written into a text.
    pub(crate) line_decimals: usize,
    pub(crate) amount: AmountForm,
    /// How sums of money are rounded.
    pub(crate) round: fn(f64) -> f64,
    /// Column of the name of a warehouse or district.
    pub(crate) name_column: usize,
    pub(crate) history: HistoryForm,
    /// Which of so many namesakes pays, from 0.
    pub(crate) payer_row: fn(usize) -> usize,
    /// The rows of namesakes hold what is needed of the customer who pays.
    pub(crate) namesakes_pay: bool,
    pub(crate) payer_columns: PayerColumns,
    /// What a payment does to the balance: added with its sign.
    pub(crate) payment_sign: f64,
    /// Writes what c_data becomes, and what comes after the date.
    pub(crate) note: fn(&PaymentNote<'_>, &mut Vec<u8>, &mut Vec<u8>),
    /// Which of so many namesakes asks for an order, from 0.
    pub(crate) buyer_row: fn(usize) -> usize,
    /// Column of the customer's number among the namesakes who ask; `None`: the drawn number is used.
    pub(crate) buyer_column: Option<usize>,
    /// Order-Status reads the lines of the order that has the district's number.
    pub(crate) reads_lines_of_district_number: bool,
    /// Delivery ends at the first district without a new order.
    pub(crate) stops_at_empty_district: bool,
    /// Each district's delivery is a separate transaction.
    pub(crate) commits_each_district: bool,
}

impl Rules {
    /// The rules of most dialects.
    pub(crate) const COMMON: Self = Self {
        begins_after_customer: false,
        inserts_order_last: false,
        unused_item: None,
        stock: tool_rule,
        has_all_districts: false,
        line_amount: |amount, taxed, discounted| amount * (taxed * discounted),
        line_decimals: 0,
        amount: AmountForm::Whole,
        round: |amount| amount,
        name_column: 5,
        history: HistoryForm {
            width: 0,
            between: "    ",
            after: "",
            after_from: 0,
        },
        payer_row: middle_row,
        namesakes_pay: false,
        payer_columns: PayerColumns {
            credit: 9,
            balance: 12,
        },
        payment_sign: -1.0,
        note: |note, data, _| data.extend_from_slice(note.old),
        buyer_row: middle_row,
        buyer_column: Some(3),
        reads_lines_of_district_number: false,
        stops_at_empty_district: false,
        commits_each_district: false,
    };
}
