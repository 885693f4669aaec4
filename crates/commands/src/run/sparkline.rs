//! Draws a series of seconds as one line of bars.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws bars from 0 to the highest value, at most `columns` of them. If a bar stands for several seconds it
/// shows their `join`. Returns nothing for an empty series.
pub(super) fn sparkline(values: &[f64], columns: usize, join: fn(&[f64]) -> f64) -> String {
    let per_bar = values.len().div_ceil(columns.max(1)).max(1);
    let joined: Vec<_> = values.chunks(per_bar).map(join).collect();
    let highest = joined.iter().copied().fold(0.0, f64::max);
    joined.iter().map(|&value| bar(value, highest)).collect()
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn bar(value: f64, highest: f64) -> char {
    if highest <= 0.0 {
        return BARS[0];
    }
    let step = (value / highest * (BARS.len() - 1) as f64).round();
    BARS[step as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_reach_from_zero_to_the_highest() {
        assert_eq!(sparkline(&[0.0, 50.0, 100.0], 10, mean), "▁▅█");
        assert_eq!(sparkline(&[0.0, 0.0], 10, mean), "▁▁");
        assert_eq!(sparkline(&[], 10, mean), "");
    }

    #[test]
    fn a_long_series_is_joined_and_its_peaks_stay_when_asked() {
        let mut values = vec![1.0; 120];
        values[60] = 8.0;
        let shown = sparkline(&values, 60, highest);
        assert_eq!(shown.chars().count(), 60);
        assert_eq!(shown.chars().filter(|&bar| bar == '█').count(), 1);
    }
}
