//! Keyed hashes of values: where to look in a table, and which of a unit's groups survive.
//!
//! Never an identity: tables compare the values themselves. Privacy does not rest on the quality of
//! the hash either: any rule that looks at one unit alone bounds it. The key, fresh for each
//! query, keeps the choice of groups apart from anything in the data.

/// The secret of one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HashKey([u64; 4]);

impl HashKey {
    /// Four words out of two, by a mixing generator.
    pub(super) fn new(key: [u64; 2]) -> Self {
        let [a, b] = key;
        Self([mixed(a), mixed(b), mixed(a ^ 0x5555), mixed(b ^ 0xAAAA) | 1])
    }

    /// The hash of a word.
    #[inline]
    pub(super) fn word(self, x: u64) -> u64 {
        let [a, _, _, odd] = self.0;
        fold(x ^ a, odd)
    }

    /// The hash that NULL has.
    pub(super) fn null(self) -> u64 {
        mixed(self.0[1])
    }

    /// The hash of a pair in order.
    #[inline]
    pub(super) fn join(self, x: u64, y: u64) -> u64 {
        let [a, b, c, odd] = self.0;
        fold(fold(x ^ a, odd) ^ b ^ y, c | 1)
    }

    /// Where a pair of a word and a small number is to be found: one multiplication.
    #[inline]
    pub(super) fn pair(self, x: u64, y: u32) -> u64 {
        let [_, b, c, odd] = self.0;
        fold(x ^ b ^ u64::from(y).wrapping_mul(c | 1), odd)
    }

    /// The hash of a string view: one multiplication.
    #[inline]
    pub(super) fn view(self, view: u128) -> u64 {
        let [a, b, ..] = self.0;
        fold(low(view) ^ a, low(view >> 64) ^ b)
    }

    /// The hash of bytes.
    pub(super) fn bytes(self, bytes: &[u8]) -> u64 {
        let [a, b, c, odd] = self.0;
        let start = a ^ (bytes.len() as u64).wrapping_mul(odd);
        let mut state = start;
        let mut rest = bytes;
        while rest.len() > 16
            && let Some((block, after)) = rest.split_first_chunk::<16>()
        {
            let (x, y) = halves(block);
            state = fold(state ^ x, y ^ b);
            rest = after;
        }
        // What is left is read from both ends: overlapping, but of known length.
        let (x, y) =
            if let Some(last) = bytes.last_chunk::<16>() { halves(last) } else { ends(bytes) };
        fold(fold(state ^ x, y ^ c), odd)
    }
}

fn halves(block: &[u8; 16]) -> (u64, u64) {
    let whole = u128::from_le_bytes(*block);
    (low(whole), low(whole >> 64))
}

/// All of at most 15 bytes, in two words.
fn ends(bytes: &[u8]) -> (u64, u64) {
    if let (Some(x), Some(y)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return (u64::from_le_bytes(*x), u64::from_le_bytes(*y));
    }
    if let (Some(x), Some(y)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return (u32::from_le_bytes(*x).into(), u32::from_le_bytes(*y).into());
    }
    bytes.iter().fold((0, 0), |(x, y), byte| (x << 8 | u64::from(*byte), y))
}

/// Both halves of the product, folded into one word.
#[inline]
fn fold(x: u64, y: u64) -> u64 {
    let product = u128::from(x) * u128::from(y);
    low(product) ^ low(product >> 64)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked")]
fn low(x: u128) -> u64 {
    x as u64
}

/// A bijection of words without visible structure.
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}
