//! Draws decimal digits of sixteen streams in parallel.

use crate::Stream;

/// Streams that are drawn from at a time: they fill the registers of the widest processors.
pub const LANES: usize = 16;

/// Bytes of a group: a dash and eleven digits.
pub const GROUP_BYTES: usize = 12;

/// Digits of a group.
const DIGITS: usize = GROUP_BYTES - 1;

/// Digits of a group that are written behind the dash as its first word, and as its second one.
const FIRST_DIGITS: usize = 3;
const LAST_DIGITS: usize = 8;

/// Turns three digits that a dash stands before, and eight, into ASCII.
const FIRST_CHARACTERS: u32 = u32::from_le_bytes([b'-', b'0', b'0', b'0']);
const LAST_CHARACTERS: u64 = u64::from_le_bytes([b'0'; LAST_DIGITS]);

/// Writes the first digits of each stream into the end of its row, in groups of eleven, in ASCII and with a dash before
/// each group: as many calls of [`Stream::digit`] give the same digits, with `b'0'` added. The four bytes before the
/// groups are overwritten.
///
/// One stream alone waits for each of its steps; several wait together. A processor with registers of 512 bits takes
/// the steps of eight streams at once, one with registers of 256 bits those of four. On others, four streams go through
/// the ordinary registers, and the digits of many draws are computed together. AMD's first EPYC takes 0.19 µs for 165
/// digits this way, 0.25 by registers of 256 bits; a processor with AVX-512 takes 25 ns.
///
/// ```
/// use dbdyno_chance::{LANES, Stream, digit_groups_of_lanes};
///
/// let lanes: [Stream; LANES] = std::array::from_fn(|lane| Stream::from_state([lane as u64 + 1, 2]));
/// let mut rows = [[0; 5 + 2 * 12]; LANES];
/// digit_groups_of_lanes::<2, 29>(&lanes, &mut rows);
/// let mut seventh = lanes[7].clone();
/// for group in rows[7][5..].chunks(12) {
///     assert_eq!(group[0], b'-');
///     assert!(group[1..].iter().all(|digit| *digit == b'0' + seventh.digit()));
/// }
/// ```
pub fn digit_groups_of_lanes<const GROUPS: usize, const BYTES: usize>(
    lanes: &[Stream; LANES],
    rows: &mut [[u8; BYTES]; LANES],
) {
    const {
        assert!(
            BYTES >= GROUPS * GROUP_BYTES,
            "a row has room for its groups"
        )
    };
    #[cfg(target_arch = "x86_64")]
    {
        let has_512_bits = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw");
        if has_512_bits {
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            // SAFETY: the processor supports every feature that the function is compiled for.
            if !unsafe { avx512::draw_by_512_bits::<GROUPS, BYTES>(lanes, rows) } {
                for (lane, row) in lanes.iter().zip(rows) {
                    words::draw_one_by_one::<GROUPS, BYTES>(lane, row);
                }
            }
            return;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            // SAFETY: as above.
            unsafe {
                if *avx2::IS_HALVED {
                    words::draw_by_zen::<GROUPS, BYTES>(lanes, rows);
                } else {
                    avx2::draw::<GROUPS, BYTES>(lanes, rows);
                }
            }
            return;
        }
    }
    words::draw::<GROUPS, BYTES>(lanes, rows);
}

/// Returns the place of a group in a row.
#[inline(always)]
fn place<const GROUPS: usize, const BYTES: usize>(
    row: &mut [u8; BYTES],
    group: usize,
) -> &mut [u8; GROUP_BYTES] {
    let start = BYTES - GROUPS * GROUP_BYTES + group * GROUP_BYTES;
    let place = row[start..].first_chunk_mut();
    place.expect("the row has room for its groups")
}

/// Draws by registers of 512 bits, which a compiler fills from loops over all lanes.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{FIRST_CHARACTERS, FIRST_DIGITS, LANES, LAST_CHARACTERS, LAST_DIGITS, place};
    use crate::Stream;

    /// Draws with the instructions for which the loops are written. Returns false if a digit isn't certain.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    pub(super) fn draw_by_512_bits<const GROUPS: usize, const BYTES: usize>(
        lanes: &[Stream; LANES],
        rows: &mut [[u8; BYTES]; LANES],
    ) -> bool {
        draw::<GROUPS, BYTES>(lanes, rows)
    }

    /// Advances all lanes step by step. Returns false if the upper half of a draw doesn't decide its digit.
    #[inline(always)]
    pub(super) fn draw<const GROUPS: usize, const BYTES: usize>(
        lanes: &[Stream; LANES],
        rows: &mut [[u8; BYTES]; LANES],
    ) -> bool {
        let mut first = std::array::from_fn(|lane| lanes[lane].state()[0]);
        let mut second = std::array::from_fn(|lane| lanes[lane].state()[1]);
        let mut doubts = [0; LANES];
        for group in 0..GROUPS {
            let three = draw_words::<FIRST_DIGITS>(&mut first, &mut second, &mut doubts);
            let eight = draw_words::<LAST_DIGITS>(&mut first, &mut second, &mut doubts);
            for lane in 0..LANES {
                let place = place::<GROUPS, BYTES>(&mut rows[lane], group);
                let (three, eight) = ((three[lane] as u32) << 8, eight[lane]);
                place[..=FIRST_DIGITS].copy_from_slice(&(three | FIRST_CHARACTERS).to_le_bytes());
                place[FIRST_DIGITS + 1..].copy_from_slice(&(eight | LAST_CHARACTERS).to_le_bytes());
            }
        }
        doubts.iter().all(|doubt| doubt >> 32 == 0)
    }

    /// Returns so many digits of each lane, the first one in the lowest byte.
    ///
    /// The upper 32 bits of a draw give its digit, unless ten times their value is so close to the next digit that the
    /// lower bits, or the rounding of a double, could change it. A carry into the 33rd bit marks this doubt. The
    /// operations are chosen so that one instruction of AVX-512 does two of them.
    #[inline(always)]
    fn draw_words<const COUNT: usize>(
        first: &mut [u64; LANES],
        second: &mut [u64; LANES],
        doubts: &mut [u64; LANES],
    ) -> [u64; LANES] {
        const NEAR: u64 = 16;
        let mut words = [0; LANES];
        for place in 0..COUNT {
            for lane in 0..LANES {
                let (one, other) = (first[lane], second[lane]);
                let mixed = one ^ other;
                first[lane] = one.rotate_left(55) ^ mixed ^ (mixed << 14);
                second[lane] = mixed.rotate_left(36);
                let product = (one.wrapping_add(other) >> 32) * 10;
                doubts[lane] |= product ^ (product + NEAR);
                let shifted = match 8 * place {
                    up @ 32.. => product << (up - 32),
                    up => product >> (32 - up),
                };
                words[lane] |= shifted & (0xf << (8 * place));
            }
        }
        words
    }
}

/// Draws by registers of 256 bits. Only 16 bits of each draw are looked at, so that four draws of a stream fit into one
/// word before anything is computed of them.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{
        FIRST_CHARACTERS, FIRST_DIGITS, GROUP_BYTES, LANES, LAST_CHARACTERS, LAST_DIGITS, place,
    };
    use crate::Stream;
    use std::arch::x86_64::{
        __cpuid, __m256i, _mm_cvtsi128_si64, _mm_extract_epi64, _mm256_add_epi64,
        _mm256_blend_epi16, _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_extracti128_si256,
        _mm256_max_epu16, _mm256_movemask_epi8, _mm256_mulhi_epu16, _mm256_mullo_epi16,
        _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi16, _mm256_setzero_si256,
        _mm256_slli_epi16, _mm256_slli_epi64, _mm256_srli_epi64, _mm256_xor_si256,
    };
    use std::sync::LazyLock;

    /// Streams in a register, and registers that are worked on at a time: while one waits for a step, the other goes on.
    const WIDTH: usize = 4;
    const REGISTERS: usize = 2;

    /// Whether the processor works on such a register in two halves, as AMD's first EPYC and Ryzen do: then nothing is
    /// gained over the ordinary registers, which can rotate.
    pub(super) static IS_HALVED: LazyLock<bool> = LazyLock::new(|| {
        const AUTHENTIC_AMD: [u32; 3] = [0x6874_7541, 0x6974_6e65, 0x444d_4163];
        let (vendor, version) = (__cpuid(0), __cpuid(1).eax);
        let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
        let model = (version >> 4 & 0xf) | (version >> 12 & 0xf0);
        [vendor.ebx, vendor.edx, vendor.ecx] == AUTHENTIC_AMD && family == 0x17 && model < 0x30
    });

    /// The two words of the state of some streams.
    #[derive(Clone, Copy)]
    struct States {
        first: __m256i,
        second: __m256i,
    }

    /// Writes the digits of all streams.
    #[target_feature(enable = "avx2")]
    pub(super) fn draw<const GROUPS: usize, const BYTES: usize>(
        lanes: &[Stream; LANES],
        rows: &mut [[u8; BYTES]; LANES],
    ) {
        let lanes = lanes.as_chunks::<{ REGISTERS * WIDTH }>().0;
        for (lanes, rows) in lanes.iter().zip(rows.as_chunks_mut().0) {
            draw_together::<GROUPS, BYTES>(lanes, rows);
        }
    }

    #[target_feature(enable = "avx2")]
    fn draw_together<const GROUPS: usize, const BYTES: usize>(
        lanes: &[Stream; REGISTERS * WIDTH],
        rows: &mut [[u8; BYTES]; REGISTERS * WIDTH],
    ) {
        let mut states: [States; REGISTERS] = std::array::from_fn(|register| {
            let state = |lane: usize| lanes[register * WIDTH + lane].state();
            let word = |word: usize| {
                let of = |lane| state(lane)[word].cast_signed();
                _mm256_set_epi64x(of(3), of(2), of(1), of(0))
            };
            States {
                first: word(0),
                second: word(1),
            }
        });
        for group in 0..GROUPS {
            for register in 0..REGISTERS {
                let before = states[register];
                let mut doubts = _mm256_setzero_si256();
                let state = &mut states[register];
                let three = words(draw_three(state, &mut doubts));
                let eight = words(draw_eight(state, &mut doubts));
                let rows = &mut rows[register * WIDTH..][..WIDTH];
                let places = rows
                    .iter_mut()
                    .map(|row| place::<GROUPS, BYTES>(row, group));
                for (place, (three, eight)) in places.zip(three.into_iter().zip(eight)) {
                    let three = (three as u32) << 8 | FIRST_CHARACTERS;
                    let eight = eight | LAST_CHARACTERS;
                    place[..=FIRST_DIGITS].copy_from_slice(&three.to_le_bytes());
                    place[FIRST_DIGITS + 1..].copy_from_slice(&eight.to_le_bytes());
                }
                if has_doubt(doubts) {
                    let places = rows
                        .iter_mut()
                        .map(|row| place::<GROUPS, BYTES>(row, group));
                    draw_one_by_one(before, places);
                }
            }
        }
    }

    /// Returns whether the other bits of a draw could change a digit: ten times these come to less than ten.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn has_doubt(doubts: __m256i) -> bool {
        let least = _mm256_set1_epi16((u16::MAX - 9).cast_signed());
        let doubtful = _mm256_cmpeq_epi16(_mm256_max_epu16(doubts, least), doubts);
        _mm256_movemask_epi8(doubtful) != 0
    }

    /// Writes a group of each stream anew, from all bits of the draws: of four groups in 150.
    #[cold]
    #[target_feature(enable = "avx2")]
    fn draw_one_by_one<'a>(
        states: States,
        groups: impl Iterator<Item = &'a mut [u8; GROUP_BYTES]>,
    ) {
        let states = words(states.first).into_iter().zip(words(states.second));
        for ((first, second), [_, digits @ ..]) in states.zip(groups) {
            let mut stream = Stream::from_state([first, second]);
            digits.fill_with(|| b'0' + stream.digit());
        }
    }

    /// Advances by one draw, and returns it.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn next(states: &mut States) -> __m256i {
        let States { first, second } = *states;
        let mixed = _mm256_xor_si256(first, second);
        let rotated = _mm256_xor_si256(
            _mm256_slli_epi64::<55>(first),
            _mm256_srli_epi64::<9>(first),
        );
        let mixed_more = _mm256_xor_si256(mixed, _mm256_slli_epi64::<14>(mixed));
        *states = States {
            first: _mm256_xor_si256(rotated, mixed_more),
            second: _mm256_or_si256(
                _mm256_slli_epi64::<36>(mixed),
                _mm256_srli_epi64::<28>(mixed),
            ),
        };
        _mm256_add_epi64(first, second)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn draw_eight(states: &mut States, doubts: &mut __m256i) -> __m256i {
        let draws: [__m256i; LAST_DIGITS] = std::array::from_fn(|_| next(states));
        let even = pack(draws[0], draws[2], draws[4], draws[6]);
        let odd = pack(draws[1], draws[3], draws[5], draws[7]);
        digits(even, odd, doubts)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn draw_three(states: &mut States, doubts: &mut __m256i) -> __m256i {
        let draws: [__m256i; FIRST_DIGITS] = std::array::from_fn(|_| next(states));
        let even = _mm256_blend_epi16::<0b0010_0010>(
            _mm256_srli_epi64::<48>(draws[0]),
            _mm256_srli_epi64::<32>(draws[2]),
        );
        digits(even, _mm256_srli_epi64::<48>(draws[1]), doubts)
    }

    /// Returns the upper 16 bits of four draws, the first ones lowest.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn pack(first: __m256i, second: __m256i, third: __m256i, fourth: __m256i) -> __m256i {
        let two = _mm256_blend_epi16::<0b0010_0010>(
            _mm256_srli_epi64::<48>(first),
            _mm256_srli_epi64::<32>(second),
        );
        let four = _mm256_blend_epi16::<0b1000_1000>(_mm256_srli_epi64::<16>(third), fourth);
        _mm256_blend_epi16::<0b1100_1100>(two, four)
    }

    /// Returns the digits of draws, those of `odd` behind those of `even`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn digits(even: __m256i, odd: __m256i, doubts: &mut __m256i) -> __m256i {
        let ten = _mm256_set1_epi16(10);
        for halves in [even, odd] {
            *doubts = _mm256_max_epu16(*doubts, _mm256_mullo_epi16(halves, ten));
        }
        _mm256_or_si256(
            _mm256_mulhi_epu16(even, ten),
            _mm256_slli_epi16::<8>(_mm256_mulhi_epu16(odd, ten)),
        )
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn words(register: __m256i) -> [u64; WIDTH] {
        let (low, high) = (
            _mm256_castsi256_si128(register),
            _mm256_extracti128_si256::<1>(register),
        );
        [
            _mm_cvtsi128_si64(low),
            _mm_extract_epi64::<1>(low),
            _mm_cvtsi128_si64(high),
            _mm_extract_epi64::<1>(high),
        ]
        .map(i64::cast_unsigned)
    }
}

/// Draws by the ordinary registers.
mod words {
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

    /// Writes them with the instructions that AMD's first EPYC and Ryzen have.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn draw_by_zen<const GROUPS: usize, const BYTES: usize>(
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
        // From the last group on: each writes over the end of the one before it.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: usize = 15;
    const BYTES: usize = 8 + GROUPS * GROUP_BYTES;
    type Rows = [[u8; BYTES]; LANES];
    type Draw = fn(&[Stream; LANES], &mut Rows);

    /// Returns every way that this processor has.
    fn ways() -> Vec<Draw> {
        let mut ways: Vec<Draw> = vec![
            digit_groups_of_lanes::<GROUPS, BYTES>,
            words::draw::<GROUPS, BYTES>,
        ];
        #[cfg(target_arch = "x86_64")]
        ways.push(|lanes, rows| {
            // The loops that become wide instructions, in instructions of any processor.
            if !avx512::draw::<GROUPS, BYTES>(lanes, rows) {
                for (lane, row) in lanes.iter().zip(rows) {
                    words::draw_one_by_one::<GROUPS, BYTES>(lane, row);
                }
            }
        });
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            // SAFETY: the processor has been asked for them.
            ways.push(|lanes, rows| unsafe { avx2::draw::<GROUPS, BYTES>(lanes, rows) });
        }
        ways
    }

    /// Returns rows without what stands before their groups, which may have been overwritten.
    fn groups(mut rows: Rows) -> Rows {
        rows.iter_mut().for_each(|row| row[..8].fill(0));
        rows
    }

    fn one_by_one(lanes: &[Stream; LANES]) -> Rows {
        let mut rows = [[0; BYTES]; LANES];
        for (row, lane) in rows.iter_mut().zip(lanes) {
            let mut stream = lane.clone();
            for [dash, digits @ ..] in row[8..].as_chunks_mut::<GROUP_BYTES>().0 {
                *dash = b'-';
                digits.fill_with(|| b'0' + stream.digit());
            }
        }
        rows
    }

    fn lanes(seed: u64) -> [Stream; LANES] {
        std::array::from_fn(|lane| Stream::from_state([seed, lane as u64 + 1]))
    }

    #[test]
    fn every_lane_has_the_digits_of_its_stream_whatever_the_registers() {
        for seed in 0..200 {
            let lanes = lanes(seed);
            for draw in ways() {
                let mut rows = [[b'#'; BYTES]; LANES];
                draw(&lanes, &mut rows);
                assert!(groups(rows) == one_by_one(&lanes), "{seed}");
            }
        }
    }

    #[test]
    fn a_draw_that_its_upper_bits_do_not_decide_is_decided_by_all_of_it() {
        // Draws right below a tenth and at it: their upper bits are the same, their digits are not.
        let tenth = u64::MAX / 10 + 1;
        for (drawn, digit) in [(tenth - (1 << 14), b'0'), (tenth + (1 << 12), b'1')] {
            let mut lanes = lanes(3);
            lanes[5] = Stream::from_state([drawn, 0]);
            for draw in ways() {
                let mut rows = [[b'#'; BYTES]; LANES];
                draw(&lanes, &mut rows);
                assert_eq!(rows[5][9], digit);
                assert!(groups(rows) == one_by_one(&lanes));
            }
        }
    }
}
