//! Reproduces the number generator of LuaJIT, which sysbench-tpcc's loader uses without a seed.
//!
//! A combined Tausworthe generator of four parts (P. L'Ecuyer's construction; lengths, shifts and start as LuaJIT 2.x
//! has them), so that the customers of the orders can be those that the tool deals out, in the same order.

/// Length of a part, and its two shifts.
const PARTS: [(u32, u32, u32); 4] = [(63, 31, 18), (58, 19, 28), (55, 24, 7), (47, 21, 8)];

/// Draws that a fresh state throws away.
const WARM_UP: u32 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LuaRandom {
    parts: [u64; 4],
}

impl LuaRandom {
    /// Creates the state of an interpreter whose program never calls `math.randomseed`.
    pub(crate) fn unseeded() -> Self {
        let mut seed = 0.0_f64;
        let parts = PARTS.map(|(length, _, _)| {
            seed = seed * std::f64::consts::PI + std::f64::consts::E;
            let least = 1 << (64 - length);
            let bits = seed.to_bits();
            if bits < least { bits + least } else { bits }
        });
        let mut random = Self { parts };
        for _ in 0..WARM_UP {
            random.next_u64();
        }
        random
    }

    fn next_u64(&mut self) -> u64 {
        let mut mixed = 0;
        for (part, (length, first, second)) in self.parts.iter_mut().zip(PARTS) {
            let kept = *part & (u64::MAX << (64 - length));
            *part = (((*part << first) ^ *part) >> (length - second)) ^ (kept << second);
            mixed ^= *part;
        }
        mixed
    }

    /// Returns `math.random(low, high)`.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        let fraction = (self.next_u64() & ((1 << 52) - 1)) as f64 / (1_u64 << 52) as f64;
        low + (fraction * f64::from(high - low + 1)) as u32
    }
}
