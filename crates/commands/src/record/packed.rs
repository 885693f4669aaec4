//! Encodes the histograms of one second in HdrHistogram's own bytes, once for all outputs.

use dbdyno_meter::{Histogram, HistogramEncoder, Interval, TransactionCounts};

/// HdrHistogram V2, deflated. `None` for a histogram without a value: otherwise most of a record would be
/// empty histograms.
pub(crate) type Packed = Option<Vec<u8>>;

/// Times of one transaction type.
#[derive(Debug)]
pub(crate) struct PackedTransaction {
    pub(crate) response: Packed,
    pub(crate) service: Packed,
    pub(crate) first_attempt: Packed,
}

/// All times of one second, in the order of the workload's types.
#[derive(Debug)]
pub(crate) struct PackedSecond {
    /// Response times of all transaction types together.
    pub(crate) all_responses: Packed,
    pub(crate) transactions: Vec<PackedTransaction>,
    /// Service times by statement type.
    pub(crate) statements: Vec<Packed>,
    pub(crate) lateness: Packed,
}

impl PackedSecond {
    pub(crate) fn of(interval: &Interval, encoder: &mut HistogramEncoder) -> Self {
        let lateness = interval.lateness.as_ref();
        let counts = interval.transactions.iter();
        let transactions: Vec<_> = counts
            .map(|counts| PackedTransaction::of(counts, encoder))
            .collect();
        Self {
            all_responses: match transactions.as_slice() {
                [only] => only.response.clone(),
                _ => pack(&all_responses(interval), encoder),
            },
            transactions,
            statements: interval
                .statements
                .iter()
                .map(|counts| pack(&counts.service, encoder))
                .collect(),
            lateness: lateness.and_then(|times| pack(times, encoder)),
        }
    }
}

impl PackedTransaction {
    fn of(counts: &TransactionCounts, encoder: &mut HistogramEncoder) -> Self {
        Self {
            response: pack(&counts.response, encoder),
            service: pack(&counts.service, encoder),
            first_attempt: pack(&counts.first_attempt, encoder),
        }
    }
}

/// Merges the response times of all transaction types.
pub(crate) fn all_responses(interval: &Interval) -> Histogram {
    let mut all = Histogram::new();
    interval
        .transactions
        .iter()
        .for_each(|counts| all.merge(&counts.response));
    all
}

/// Merges the service times of all transaction types.
pub(crate) fn all_services(interval: &Interval) -> Histogram {
    let mut all = Histogram::new();
    interval
        .transactions
        .iter()
        .for_each(|counts| all.merge(&counts.service));
    all
}

fn pack(histogram: &Histogram, encoder: &mut HistogramEncoder) -> Packed {
    (histogram.count() > 0).then(|| encoder.pack(histogram).to_vec())
}
