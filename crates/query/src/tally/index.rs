//! A table of numbers found by hash.

/// Finds the number of a thing by its hash; the things themselves are kept, and compared, elsewhere.
///
/// Open addressing over words of 32 bits. The table of 2^bits words holds n + 1 of thing n in
/// the low `bits` bits (it is at most 3/4 full, so that fits) and bits of the hash above, so that
/// most mismatches are seen without looking at the things.
#[derive(Debug, Clone)]
pub(super) struct Index {
    words: Vec<u32>,
    bits: u32,
    len: u32,
}

const FEWEST_BITS: u32 = 4;
const MOST_BITS: u32 = 31;

impl Index {
    pub(super) fn new() -> Self {
        Self { words: vec![0; 1 << FEWEST_BITS], bits: FEWEST_BITS, len: 0 }
    }

    /// Numbers are below this.
    pub(super) const MOST: u32 = (1 << MOST_BITS) / 4 * 3;

    #[inline]
    fn position(&self, hash: u64) -> usize {
        usize::try_from(hash >> (64 - self.bits)).unwrap_or(0)
    }

    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "any bits of the hash will do")]
        let low = hash as u32;
        low << self.bits
    }

    /// The number of the thing of this hash for which `is` holds.
    #[inline]
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let low = (1_u32 << self.bits) - 1;
        let tag = self.tag(hash);
        let mut position = self.position(hash);
        loop {
            let word = self.words[position];
            if word == 0 {
                return None;
            }
            if word & !low == tag {
                let number = (word & low) - 1;
                if is(number) {
                    return Some(number);
                }
            }
            position = (position + 1) & low as usize;
        }
    }

    /// Enters a thing that is not there; its number must be below [`Index::MOST`]. `hash_of` tells
    /// the hashes of those entered before.
    pub(super) fn enter(&mut self, hash: u64, number: u32, hash_of: impl Fn(u32) -> u64) {
        debug_assert!(number < Self::MOST);
        // The number, not the count of things, must fit: things may be entered in any order.
        if number.max(self.len) >= (1_u32 << self.bits) / 4 * 3 {
            self.grow(number.max(self.len), hash_of);
        }
        self.place(hash, number);
        self.len += 1;
    }

    fn place(&mut self, hash: u64, number: u32) {
        let mut position = self.position(hash);
        let mask = (1_usize << self.bits) - 1;
        while self.words[position] != 0 {
            position = (position + 1) & mask;
        }
        self.words[position] = (number + 1) | self.tag(hash);
    }

    fn grow(&mut self, number: u32, hash_of: impl Fn(u32) -> u64) {
        let low = (1_u32 << self.bits) - 1;
        while number >= (1_u32 << self.bits) / 4 * 3 && self.bits < MOST_BITS {
            self.bits += 1;
        }
        let old = std::mem::replace(&mut self.words, vec![0; 1 << self.bits]);
        for word in old.into_iter().filter(|word| *word != 0) {
            let number = (word & low) - 1;
            self.place(hash_of(number), number);
        }
    }
}
