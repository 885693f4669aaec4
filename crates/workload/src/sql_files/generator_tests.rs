//! Checks how generators draw, and which settings they refuse.

use super::*;
use crate::sql_files::distributions::generator;
use crate::sql_files::form::GeneratorForm;
use dbdyno_wire::Parameter;

fn read(text: &str) -> Result<Generator, String> {
    let form: GeneratorForm = toml::from_str(text).unwrap();
    generator(&form, |name| (name == "order_id").then_some(0))
}

fn states(texts: &[&str], block: u64) -> GeneratorStates {
    let generators: Arc<[Generator]> = texts.iter().map(|text| read(text).unwrap()).collect();
    GeneratorStates::new(generators, block, 0, |place| {
        Stream::from_state([7, place as u64])
    })
}

fn numbers(text: &str, count: usize) -> Vec<i64> {
    let mut states = states(&[text], 0);
    (0..count).map(|_| number(&mut states, 0)).collect()
}

fn number(states: &mut GeneratorStates, place: usize) -> i64 {
    let mut out = Parameters::new();
    states.draw(place, &mut out);
    match out.iter().next() {
        Some(Parameter::Int(number)) => number,
        other => panic!("{other:?}"),
    }
}

fn share(numbers: &[i64], of: impl Fn(i64) -> bool) -> f64 {
    let count = numbers.iter().filter(|&&number| of(number)).count();
    count as f64 / numbers.len() as f64
}

#[test]
fn every_kind_keeps_within_its_bounds_and_reaches_both() {
    for kind in ["uniform", "zipf", "latest", "hotspot", "moving_hotspot"] {
        let drawn = numbers(&format!("{kind} = [-3, 4]"), 5000);
        let (low, high) = (drawn.iter().min().unwrap(), drawn.iter().max().unwrap());
        assert_eq!((*low, *high), (-3, 4), "{kind}");
    }
}

#[test]
fn zipf_prefers_the_lowest_and_latest_the_highest() {
    // P(1) is 1 / sum of k^-0.99 over 1000 numbers, 0.1294.
    let lowest = share(&numbers("zipf = [1, 1000]", 50_000), |number| number == 1);
    assert!((lowest - 0.1294).abs() < 0.005, "{lowest}");
    let highest = share(&numbers("latest = [1, 1000]", 50_000), |number| {
        number == 1000
    });
    assert!((highest - 0.1294).abs() < 0.005, "{highest}");
}

#[test]
fn scattering_moves_the_hot_numbers_apart_and_loses_none() {
    for count in [1, 2, 3, 10, 97, 1000, 4096] {
        let mapping = NumberMapping::scatter(count);
        let mut numbers: Vec<u32> = (0..count).map(|place| mapping.number(place)).collect();
        if count >= 97 {
            assert!(numbers[0].abs_diff(numbers[1]) > count / 4, "{count}");
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (0..count).collect::<Vec<_>>());
    }
}

#[test]
fn a_hotspot_gets_its_share_and_moves_on_after_its_draws() {
    let hot = "[1, 1000]\nhot_share = 0.1\nhot_draws = 0.9";
    let drawn = numbers(&format!("hotspot = {hot}"), 20_000);
    let in_first = share(&drawn, |number| number <= 100);
    assert!((in_first - 0.9).abs() < 0.01, "{in_first}");
    let drawn = numbers(
        &format!("moving_hotspot = {hot}\nmoves_after = 5000"),
        15_000,
    );
    let second = &drawn[5000..9999];
    assert!(share(second, |number| (101..=200).contains(&number)) > 0.88);
}

#[test]
fn each_user_has_numbers_of_a_sequence_for_itself() {
    let mut third = states(&["sequence = 1\nblock = 3"], 2);
    let given: Vec<_> = (0..5).map(|_| number(&mut third, 0)).collect();
    assert_eq!(
        given,
        [7, 8, 9, 7, 8],
        "a block that is used up begins again"
    );
}

#[test]
fn the_latest_of_a_sequence_are_numbers_that_it_gave() {
    let mut both = states(&["sequence = 100", "latest_of = \"order_id\""], 0);
    assert_eq!(number(&mut both, 1), 100, "before the first");
    let mut newest = 0;
    for given in 100..2100 {
        assert_eq!(number(&mut both, 0), given);
        let latest = number(&mut both, 1);
        assert!((100.max(given - 999)..=given).contains(&latest));
        newest += u32::from(latest == given);
    }
    assert!((200..350).contains(&newest), "{newest}");
}

#[test]
fn text_is_small_letters_of_a_length_between_both() {
    let mut texts = states(&["text = [2, 4]"], 0);
    for _ in 0..100 {
        let mut out = Parameters::new();
        texts.draw(0, &mut out);
        let Some(Parameter::Text(text)) = out.iter().next() else {
            panic!("no text")
        };
        assert!((2..=4).contains(&text.len()) && text.iter().all(u8::is_ascii_lowercase));
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_what_would() {
    for (text, hint) in [
        ("", "one of uniform, zipf,"),
        ("uniform = [1, 2]\nzipf = [1, 2]", "uniform and zipf "),
        (
            "uniform = [1, 2]\nexponent = 1",
            "of uniform, which has none",
        ),
        ("zipf = [1, 2]\nblock = 1", "which has exponent, scatter"),
        ("uniform = [2, 1]", "the lowest and the highest"),
        ("uniform = [0, 4294967295]", "at most 4294967294 apart"),
        ("zipf = [1, 2]\nexponent = -1", "zero or more"),
        ("hotspot = [1, 2]\nhot_draws = 2", "0 to 1"),
        ("latest_of = \"item\"", "\"item\" is not a"),
        ("text = [5, 4]", "the shortest"),
        ("choose = []", "at least one value"),
        ("sequence = 1\nblock = 0", "at least 1"),
    ] {
        let wrong = read(text).unwrap_err();
        assert!(wrong.contains(hint), "{text}: {wrong}");
    }
}
