//! Checks that packets survive compression, however the frames are cut or damaged.

use super::*;
use crate::packet::{begin, finish};

/// Makes text that zlib shortens, with a part that it does not.
fn sample(length: usize) -> Vec<u8> {
    let mut random = 0x9e37_79b9_u32;
    let mut draw = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random as u8
    };
    (0..length)
        .map(|at| {
            if at % 3000 < 1000 {
                draw()
            } else {
                (at / 7) as u8
            }
        })
        .collect()
}

fn packets(lengths: &[usize]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, &length) in lengths.iter().enumerate() {
        let start = begin(&mut out);
        out.extend_from_slice(&sample(length));
        finish(&mut out, start, number as u8);
    }
    out
}

fn packed(mut stream: &[u8]) -> Vec<u8> {
    let mut encoder = FrameEncoder::default();
    while !stream.is_empty() {
        stream = &stream[encoder.pack(stream)..];
    }
    encoder.frames
}

/// Unpacks pieces of `size` bytes into memory of `room` bytes.
fn unpacked(frames: &[u8], size: usize, room: usize) -> Result<Vec<u8>, WireError> {
    let mut decoder = FrameDecoder::default();
    let (mut out, mut memory) = (Vec::new(), vec![0; room]);
    for mut piece in frames.chunks(size) {
        while !piece.is_empty() || decoder.has_more() {
            let (taken, filled) = decoder.unpack(piece, &mut memory)?;
            assert!(filled > 0 || taken == piece.len(), "no progress");
            piece = &piece[taken..];
            out.extend_from_slice(&memory[..filled]);
        }
    }
    Ok(out)
}

#[test]
fn packets_survive_being_packed_and_cut_anywhere() {
    let stream = packets(&[0, 1, 45, 46, 49, 50, 51, 100, 3000, 70_000]);
    let frames = packed(&stream);
    assert!(frames.len() < stream.len());
    for size in [1, 2, 6, 7, 8, 100, 1000, frames.len()] {
        for room in [1, 7, 100, 4096, 1 << 20] {
            let same = unpacked(&frames, size, room).unwrap() == stream;
            assert!(same, "pieces of {size} into {room}");
        }
    }
}

#[test]
fn a_packet_longer_than_a_frame_takes_two() {
    let mut stream = Vec::new();
    let start = begin(&mut stream);
    stream.extend_from_slice(&sample(MAX_PAYLOAD - 1));
    finish(&mut stream, start, 0);
    let frames = packed(&stream);
    assert!(unpacked(&frames, 65536, 65536).unwrap() == stream);
    let first = PacketHeader::of(&frames).unwrap();
    let second = PacketHeader::of(&frames[FRAME_HEADER_BYTES + first.length..]).unwrap();
    assert_eq!((first.sequence, second.sequence), (0, 1));
}

#[test]
fn each_request_begins_with_frame_zero() {
    let mut encoder = FrameEncoder::default();
    let query = packets(&[60]);
    encoder.pack(&query);
    encoder.sequence = 7; // as the server's reply left it
    encoder.pack(&query);
    let first = PacketHeader::of(&encoder.frames).unwrap();
    let second = &encoder.frames[FRAME_HEADER_BYTES + first.length..];
    assert_eq!((encoder.frames[3], second[3]), (0, 0));
    encoder.frames.clear();
    encoder.sequence = 7;
    encoder.is_sequence_continued = true;
    encoder.pack(&query);
    assert_eq!(encoder.frames[3], 7);
}

#[test]
fn short_packets_are_left_as_they_are() {
    let short = packets(&[40]);
    let frames = packed(&short);
    assert_eq!(frames[..FRAME_HEADER_BYTES], [44, 0, 0, 0, 0, 0, 0]);
    assert_eq!(frames[FRAME_HEADER_BYTES..], short);
}

#[test]
fn damaged_frames_are_errors_and_never_a_panic() {
    let stream = packets(&[100, 30, 5000]);
    let whole = packed(&stream);
    let mut random = 7_u64;
    let mut draw = |limit: usize| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) as usize % limit
    };
    let mut refused = 0;
    for _ in 0..3000 {
        let mut frames = whole.clone();
        for _ in 0..=draw(3) {
            let at = draw(frames.len());
            frames[at] = draw(256) as u8;
        }
        frames.truncate(1 + draw(frames.len()));
        let (size, room) = (1 + draw(300), 1 + draw(300));
        refused += usize::from(unpacked(&frames, size, room).is_err());
    }
    assert!(refused > 500, "only {refused} were noticed");
    let mut longer = whole;
    longer[4] = longer[4].wrapping_sub(1);
    assert!(
        unpacked(&longer, 1000, 1000).is_err(),
        "longer than it says"
    );
}
