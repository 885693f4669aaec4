//! Provides histograms for scripts.

use super::{acting, keep};
use dbdyno_meter::{LogHistogram, LogScale};
use dbdyno_sysbench::text::histogram;

keep!(
    sb_histogram_new,
    sb_histogram_update,
    sb_histogram_print,
    sb_histogram_delete
);

/// Creates a histogram for the script, which frees it with `sb_histogram_delete`.
#[unsafe(no_mangle)]
extern "C" fn sb_histogram_new(size: u64, low: f64, high: f64) -> *mut LogHistogram {
    let size = usize::try_from(size)
        .unwrap_or(usize::MAX)
        .clamp(2, 1 << 24);
    Box::into_raw(Box::new(LogHistogram::new(LogScale::new(size, low, high))))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sb_histogram_update(histogram: *mut LogHistogram, value: f64) {
    // SAFETY: the script's handle is null or from `sb_histogram_new`.
    if let Some(histogram) = unsafe { histogram.as_mut() } {
        histogram.record(value);
    }
}

/// Prints it at any verbosity, as all that scripts print.
#[unsafe(no_mangle)]
unsafe extern "C" fn sb_histogram_print(histogram_of_script: *const LogHistogram) {
    // SAFETY: as above.
    let Some(counted) = (unsafe { histogram_of_script.as_ref() }) else {
        return;
    };
    acting((), |context| {
        let scale = counted.scale();
        let counts = counted.counts().iter().enumerate();
        let rows: Vec<_> = counts
            .map(|(point, count)| (scale.value_at(point), *count))
            .collect();
        context.engine.log.answer(&histogram(&rows));
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sb_histogram_delete(histogram: *mut LogHistogram) {
    if !histogram.is_null() {
        // SAFETY: as above, and freed once, by the finalizer of its only handle.
        drop(unsafe { Box::from_raw(histogram) });
    }
}
