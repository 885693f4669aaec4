//! Checks sequences against the recorded ones of sysbench 1.0.20 (and, for zipfian, of its master branch).
#![allow(clippy::unwrap_used, reason = "a test stops at what is missing")]

use dbdyno_chance::{Distribution, LibcRandom, RandomKind, RandomSource, Stream};
use serde_json::Value;
use std::path::Path;

fn vectors(file: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/vectors");
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn cases() -> Vec<Value> {
    let cases = vectors("sysbench_rng.json")["cases"]
        .as_array()
        .unwrap()
        .clone();
    assert!(!cases.is_empty());
    cases
}

fn worker(case: &Value, index: u32) -> Stream {
    let seed = case["seed"].as_u64().unwrap();
    RandomSource {
        kind: RandomKind::Sysbench,
        seed,
    }
    .worker("any", index)
}

fn hex(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn hex_list(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(hex).collect()
}

fn number_list(value: &Value) -> Vec<u64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect()
}

#[test]
fn the_c_library_sequence_and_the_states_made_of_it_agree() {
    for case in cases() {
        let seed = u32::try_from(case["seed"].as_u64().unwrap()).unwrap();
        let first: Vec<u64> = LibcRandom::new(seed).take(4).map(u64::from).collect();
        assert_eq!(first, number_list(&case["libc_random_first_4"]));
        assert_eq!(worker(&case, 0).state().to_vec(), hex_list(&case["state"]));
        assert_eq!(
            worker(&case, 1).state().to_vec(),
            hex_list(&case["second_worker_state_if_started_second"])
        );
        let mut stream = worker(&case, 0);
        let outputs: Vec<u64> = (0..4).map(|_| stream.next_u64()).collect();
        assert_eq!(outputs, hex_list(&case["u64_first_4"]));
    }
}

#[test]
fn two_thousand_draws_of_every_distribution_agree() {
    for case in cases() {
        let mut compared = 0;
        for (name, expected) in case.as_object().unwrap() {
            let Some((distribution, high)) = distribution_named(name) else {
                continue;
            };
            let mut stream = worker(&case, 0);
            let sampler = distribution.sampler(1, high);
            let drawn: Vec<u64> = (0..2000)
                .map(|_| u64::from(sampler.draw(&mut stream)))
                .collect();
            assert_eq!(drawn[..16], number_list(&expected["first_16"]), "{name}");
            assert_eq!(
                drawn.iter().sum::<u64>(),
                expected["sum_first_2000"],
                "{name}"
            );
            compared += 1;
        }
        assert_eq!(compared, 14, "lists of draws in the vectors");
    }
}

/// Reads names such as `uniform_1_1000` and `zipfian_1_1000_exp_0.8`.
fn distribution_named(name: &str) -> Option<(Distribution, u32)> {
    let parts: Vec<&str> = name.split('_').collect();
    match parts[..] {
        [word, "1", high] => Some((word.parse().ok()?, high.parse().ok()?)),
        [word, "1", high, "exp", exponent] => Some((
            format!("{word}:{exponent}").parse().ok()?,
            high.parse().ok()?,
        )),
        _ => None,
    }
}

#[test]
fn single_digits_make_the_recorded_c_and_pad_values() {
    for case in cases() {
        let mut stream = worker(&case, 0);
        for value in [&case["c_value_first"], &case["pad_value_next"]] {
            let expected = value.as_str().unwrap();
            let drawn: String = expected
                .chars()
                .map(|c| match c {
                    '-' => '-',
                    _ => char::from_digit(stream.below(10), 10).unwrap(),
                })
                .collect();
            assert_eq!(drawn, expected);
        }
    }
}

#[test]
fn the_main_thread_and_the_unique_sequence_agree() {
    let streams = vectors("sysbench_streams.json");
    let recorded = &streams["description"]["random_state"]["upstream_main_thread"];
    let source = RandomSource {
        kind: RandomKind::Sysbench,
        seed: 99,
    };
    let unique = source.unique("any");
    let values: Vec<u64> = (0..16)
        .map(|place| u64::from(unique.value(place)))
        .collect();
    assert_eq!(values, number_list(&recorded["unique_first_16"]));

    let mut stream = RandomSource::sysbench_main_thread();
    let sampler = Distribution::Uniform.sampler(1, 1_000_000);
    let draws: Vec<u64> = (0..16)
        .map(|_| u64::from(sampler.draw(&mut stream)))
        .collect();
    assert_eq!(draws, number_list(&recorded["uniform_1_1000000_first_16"]));
}
