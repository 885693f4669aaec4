//! Checks damaged streams drawn from fixed seeds.

use std::path::{Path, PathBuf};

/// Returns the streams of real servers that the fuzzer begins with too.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/seeds")
        .join(target);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

/// Runs a check on each seed, and on so many damaged ones: bytes changed, cut out, doubled, cut off.
fn damage(target: &str, rounds: usize, check: fn(&[u8])) {
    let seeds = seeds(target);
    seeds.iter().for_each(|seed| check(seed));
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 16) as usize % limit.max(1)
    };
    for round in 0..rounds {
        let mut data = seeds[round % seeds.len()].clone();
        // Long ones repeat themselves, and take long.
        data.truncate(3 + draw(data.len().min(2000)));
        for _ in 0..=draw(4) {
            let (at, end) = (draw(data.len()), draw(data.len()));
            match draw(4) {
                0 if at < end && end - at < 64 => drop(data.drain(at..end)),
                1 if at < end && end - at < 64 => {
                    let part = data[at..end].to_vec();
                    data.splice(at..at, part);
                }
                2 => data[at] = [0, 1, 0xfb, 0xfe, 0xff][draw(5)],
                _ => data[at] = draw(256) as u8,
            }
        }
        check(&data);
    }
}

#[test]
fn damaged_replies_mean_the_same_in_any_pieces() {
    damage("reply", 6000, super::reply);
}

#[test]
fn damaged_log_ins_end_in_an_error_or_a_session() {
    damage("login", 3000, super::login);
}

#[test]
fn damaged_frames_unpack_to_the_same_in_any_pieces() {
    damage("compressed", 3000, super::compressed);
}
