//! Tests histograms against the crate `hdrhistogram` and against exact times.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Draws times over the whole range, denser at the small end, from a fixed generator.
fn times(count: usize) -> Vec<u64> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count)
        .map(|_| (next() >> (22 + next() % 42)).min(HIGHEST_NS))
        .collect()
}

fn histogram_of(times: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    times.iter().for_each(|&ns| histogram.record(ns));
    histogram
}

#[test]
fn every_slot_begins_where_the_one_before_ends() {
    for slot in 0..SLOTS {
        assert_eq!(slot_of(lower_edge_of(slot)), slot);
        assert_eq!(slot_of(upper_edge_of(slot)), slot);
    }
}

#[test]
fn what_a_record_changes_beside_its_slot_is_one_line_of_the_cache() {
    assert_eq!(size_of::<Histogram>(), 64);
}

/// Counts the pages in memory, as the kernel lists them.
fn resident_pages(histogram: &Histogram) -> usize {
    let first_page = histogram.counts.as_ptr().addr() / page_size();
    let mut entries = vec![0; size_of_val(&*histogram.counts) / page_size() * 8];
    let list = File::open("/proc/self/pagemap").unwrap();
    list.read_exact_at(&mut entries, first_page as u64 * 8)
        .unwrap();
    entries
        .chunks(8)
        .filter(|entry| entry[7] & 0x80 > 0)
        .count()
}

#[test]
fn clearing_gives_the_memory_of_long_times_back_and_no_other() {
    let pages_of = |slots: usize| slots * size_of::<u64>() / page_size();
    let mut histogram = Histogram::new();
    (20_000..1_000_000).for_each(|ns| histogram.record(ns));
    for ms in (17..3_600_000).step_by(7) {
        histogram.record(ms * 1_000_000);
    }
    let all_pages = resident_pages(&histogram);
    histogram.clear();
    let kept_pages = resident_pages(&histogram);
    assert!(
        all_pages >= pages_of(SLOTS - FIRST_LONG_SLOT),
        "{all_pages}"
    );
    // Both ends share a page with something else.
    assert!(kept_pages <= pages_of(FIRST_LONG_SLOT) + 2, "{kept_pages}");
    let short_slots = slot_of(1_000_000) - slot_of(20_000);
    assert!(kept_pages >= pages_of(short_slots), "{kept_pages}");
    let times = times(20_000);
    times.iter().for_each(|&ns| histogram.record(ns));
    assert_eq!(histogram.counts, histogram_of(&times).counts);
}

#[test]
fn no_slot_is_wider_than_a_thousandth_of_its_times() {
    for slot in 1..SLOTS {
        let width = upper_edge_of(slot) - lower_edge_of(slot);
        assert!(width as f64 <= lower_edge_of(slot) as f64 / 1000.0);
    }
}

#[test]
fn quantiles_equal_those_of_the_hdrhistogram_crate() {
    let times = times(20_000);
    let ours = histogram_of(&times);
    let mut theirs = hdrhistogram::Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, 3).unwrap();
    times.iter().for_each(|&ns| theirs.record(ns).unwrap());
    for q in [0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0] {
        assert_eq!(ours.quantile_ns(q), Some(theirs.value_at_quantile(q)));
    }
}

/// The promise is 0.1 %; the slots give one part in 1,024, for any number of times and any distribution. The
/// reported time is never below the exact one.
#[test]
fn any_quantile_of_any_times_is_within_a_thousandth_of_the_exact_one() {
    let quantiles = (0..=1000)
        .map(|part| f64::from(part) / 1000.0)
        .chain([0.9999, 0.99999]);
    let quantiles: Vec<_> = quantiles.collect();
    for count in [1, 2, 3, 10, 997, 20_000] {
        let mut times = times(count);
        let histogram = histogram_of(&times);
        times.sort_unstable();
        for &q in &quantiles {
            let rank = ((q * count as f64).ceil() as usize).max(1);
            let exact = times[rank - 1];
            let quantile_ns = histogram.quantile_ns(q).unwrap();
            let error_ns = quantile_ns.checked_sub(exact).unwrap();
            assert!(error_ns * 1024 <= exact, "{quantile_ns} for {exact} at {q}");
        }
    }
}

#[test]
fn every_time_from_a_microsecond_to_an_hour_is_told_within_a_thousandth() {
    let doublings = (10..42).map(|power| 1_u64 << power);
    let beside = doublings.flat_map(|ns| [ns - 1, ns, ns + 1, ns + ns / 1024, ns + ns / 2 + 1]);
    let mut histogram = Histogram::new();
    for ns in beside.chain(times(50_000)).chain([1_000, HIGHEST_NS]) {
        histogram.clear();
        histogram.record(ns);
        let quantile_ns = histogram.quantile_ns(0.5).unwrap();
        assert!((quantile_ns - ns) * 1024 <= ns, "{quantile_ns} for {ns}");
        assert_eq!(histogram.saturated(), u64::from(ns > HIGHEST_NS));
    }
}

#[test]
fn shortest_longest_and_mean_are_exact() {
    let mut histogram = histogram_of(&[3_000_017, 5_000_001, 7_000_000_000_003]);
    assert_eq!(histogram.min_ns(), Some(3_000_017));
    assert_eq!(histogram.max_ns(), 7_000_000_000_003);
    histogram.merge(&histogram_of(&[2_000_003]));
    assert_eq!(histogram.min_ns(), Some(2_000_003));
    let sum_ns = 3_000_017_u64 + 5_000_001 + 7_000_000_000_003 + 2_000_003;
    assert_eq!(histogram.mean_ns(), Some(sum_ns as f64 / 4.0));
    histogram.merge(&Histogram::new());
    assert_eq!(histogram.min_ns(), Some(2_000_003));
}

#[test]
fn merged_histograms_equal_the_histogram_of_all() {
    let times = times(5_000);
    let mut parts = histogram_of(&times[..1_700]);
    parts.merge(&histogram_of(&times[1_700..]));
    let whole = histogram_of(&times);
    assert_eq!(parts.encode(), whole.encode());
    assert_eq!(parts.mean_ns(), whole.mean_ns());
    assert_eq!(parts.max_ns(), whole.max_ns());
}

#[test]
fn an_encoded_histogram_reads_back_with_all_its_counts() {
    let times = times(3_000);
    let bytes = STANDARD.decode(histogram_of(&times).encode()).unwrap();
    let read: hdrhistogram::Histogram<u64> = hdrhistogram::serialization::Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .unwrap();
    assert_eq!(read.len(), 3_000);
    assert_eq!(read.sigfig(), 3);
    assert_eq!(read.low(), 1);
    assert_eq!(
        read.value_at_quantile(0.95),
        histogram_of(&times).quantile_ns(0.95).unwrap()
    );
}

#[test]
fn times_over_an_hour_are_kept_and_told() {
    let mut histogram = Histogram::new();
    histogram.record(2 * HIGHEST_NS);
    histogram.record(1);
    assert_eq!((histogram.count(), histogram.saturated()), (2, 1));
    assert_eq!(histogram.max_ns(), 2 * HIGHEST_NS);
    assert!(histogram.quantile_ns(1.0).unwrap() >= HIGHEST_NS);
    histogram.merge(&histogram_of(&[HIGHEST_NS, HIGHEST_NS + 1]));
    assert_eq!((histogram.count(), histogram.saturated()), (4, 2));
}

#[test]
fn a_cleared_histogram_equals_a_new_one() {
    let mut histogram = histogram_of(&times(100));
    histogram.clear();
    assert_eq!(histogram.encode(), Histogram::new().encode());
    assert_eq!(histogram.quantile_ns(0.5), None);
    assert_eq!((histogram.min_ns(), histogram.mean_ns()), (None, None));
}
