//! Draws by the ordinary registers.

use super::{DIGITS, GROUP_BYTES, LANES, place};
use crate::Stream;

/// Streams whose steps are taken together; more have no place in the registers.
const TOGETHER: usize = 4;

const GROUPS_MAX: usize = 16;
const DRAWS_MAX: usize = GROUPS_MAX * DIGITS;

/// Characters that are computed at a time: a group, and before it as many as fill the registers of any processor.
const AT_ONCE: usize = 16;
const BEFORE_GROUP: usize = AT_ONCE - GROUP_BYTES;

/// Bytes of a draw, and those of them that are kept: the last ones.
const DRAW_BYTES: usize = 8;
const KEPT_BYTES: usize = 2;
const LOST_BYTES: usize = DRAW_BYTES - KEPT_BYTES;

/// What is kept of the draws of a stream, the first one last, and places behind it.
type Kept = [u8; LOST_BYTES + KEPT_BYTES * (DRAWS_MAX + AT_ONCE)];

const NONE_KEPT: Kept = [0; LOST_BYTES + KEPT_BYTES * (DRAWS_MAX + AT_ONCE)];

/// Writes the digits of all streams.
#[inline(always)]
pub(super) fn draw<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; LANES],
    rows: &mut [[u8; BYTES]; LANES],
) {
    const {
        assert!(GROUPS < GROUPS_MAX, "no more groups are kept");
        assert!(
            BYTES >= GROUPS * GROUP_BYTES + BEFORE_GROUP,
            "room before groups"
        );
    };
    let mut kept = [NONE_KEPT; TOGETHER];
    let lanes = lanes.as_chunks::<TOGETHER>().0;
    for (lanes, rows) in lanes.iter().zip(rows.as_chunks_mut::<TOGETHER>().0) {
        take_draws(GROUPS * DIGITS, lanes, &mut kept);
        for ((lane, kept), row) in lanes.iter().zip(&kept).zip(rows) {
            if !write_digits::<GROUPS, BYTES>(kept, row) {
                draw_one_by_one::<GROUPS, BYTES>(lane, row);
            }
        }
    }
}

/// Writes them where a rotation needs no copy of its register first, as on AMD's first EPYC and Ryzen.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn draw_with_bmi2<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; LANES],
    rows: &mut [[u8; BYTES]; LANES],
) {
    draw::<GROUPS, BYTES>(lanes, rows);
}

/// Writes the digits as the stream gives them.
#[cold]
pub(super) fn draw_one_by_one<const GROUPS: usize, const BYTES: usize>(
    lane: &Stream,
    row: &mut [u8; BYTES],
) {
    let mut stream = lane.clone();
    for group in 0..GROUPS {
        let [dash, digits @ ..] = place::<GROUPS, BYTES>(row, group);
        *dash = b'-';
        digits.fill_with(|| b'0' + stream.digit());
    }
}

/// Takes all steps. Each draw is stored as a whole, two bytes before the draw that came before it, so that its last two
/// bytes are what stays of it.
#[inline]
fn take_draws(draws: usize, lanes: &[Stream; TOGETHER], kept: &mut [Kept; TOGETHER]) {
    let mut states = lanes.each_ref().map(|lane| lane.state());
    for draw in 0..draws {
        let place = KEPT_BYTES * (DRAWS_MAX - 1 - draw);
        for (state, kept) in states.iter_mut().zip(&mut *kept) {
            let [first, second] = *state;
            let mixed = first ^ second;
            let drawn = first.wrapping_add(second).to_le_bytes();
            kept[place..][..DRAW_BYTES].copy_from_slice(&drawn);
            *state = [
                first.rotate_left(55) ^ mixed ^ (mixed << 14),
                mixed.rotate_left(36),
            ];
        }
    }
}

/// Writes the digits of draws and their dashes. Returns false if the other bits of a draw could change its digit, as
/// ten times these come to less than ten: so it is in one row of forty. What stands before the groups is overwritten.
#[inline(always)]
fn write_digits<const GROUPS: usize, const BYTES: usize>(
    kept: &Kept,
    row: &mut [u8; BYTES],
) -> bool {
    let mut doubts = [0_u16; AT_ONCE];
    let uppers = kept[LOST_BYTES..].as_chunks::<KEPT_BYTES>().0;
    // From the last group to the first: each write overlaps the end of the group before it.
    for group in (0..GROUPS).rev() {
        let uppers = &uppers[DRAWS_MAX - DIGITS * (group + 1)..][..AT_ONCE];
        let place = BYTES - GROUP_BYTES * (GROUPS - group) - BEFORE_GROUP;
        let place = &mut row[place..][..AT_ONCE];
        let mut digits = [0_u8; AT_ONCE];
        for at in 0..AT_ONCE {
            let upper = u16::from_le_bytes(uppers[at]);
            doubts[at] = doubts[at].max(upper.wrapping_mul(10));
            digits[at] = ((u32::from(upper) * 10) >> 16) as u8;
        }
        for at in 0..AT_ONCE {
            place[at] = digits[AT_ONCE - 1 - at] | b'0';
        }
        place[BEFORE_GROUP] = b'-';
    }
    doubts.iter().all(|doubt| *doubt <= u16::MAX - 10)
}
