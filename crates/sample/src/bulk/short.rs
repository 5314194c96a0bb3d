//! The first 32 bits of a draw: a table that leaves some 2^-21 of it to a second one.
//!
//! # The split
//! Integer weights N_h of 2^10 symbols that add up to 2^63 are split by their leading bits,
//! N_h = 2^32 n_h + m_h with m_h < 2^32, except that the last symbol has n = 0, and that n_0 is
//! lowered (and 2^32 as much added to m_0) until what is missing is a power of two,
//!
//! ```text
//! Σ n_h = 2^31 - 2^k,      Σ m_h = 2^63 - 2^32 Σ n_h = 2^(32 + k),
//! ```
//!
//! with k <= 10 for all laws in use: each of 1023 floors loses less than one, and so does the
//! last symbol. The short table has the weights n_h, and 2^k for the last symbol, which there
//! means *open*; the long one the weights 2^(31-k) m_h, which add up to 2^63. Draw from the short
//! table and, if that is open, from the long one with fresh bits:
//!
//! ```text
//! P(h) = n_h / 2^31 + 2^k / 2^31 · 2^(31-k) m_h / 2^63 = (2^32 n_h + m_h) / 2^63 = N_h / 2^63.
//! ```
//!
//! So the law is that of one table with 2^63 units, but a draw takes 32 bits: ten for the column,
//! 21 for the unit within it, and one is left over for a sign.

use fearless_simd::{prelude::*, u32x8};

use super::alias::{AliasTable, COLUMNS, TOTAL};
use crate::SampleError;

/// The last symbol: the 32 bits do not tell.
pub(super) const OPEN: u16 = 1023;

/// Units of the short table, and of one of its columns.
const SHORT_TOTAL: u64 = TOTAL >> 32;
const COLUMN_UNITS: u64 = 1 << 21;
const ALIAS_MASK: u32 = (1 << 10) - 1;
/// The bits below the unit once the column is shifted out: the sign's and ten empty ones.
const BELOW_UNIT: u32 = (1 << 11) - 1;

/// The columns, each packed as threshold · 2^11 + alias.
#[derive(Debug)]
pub(super) struct ShortTable(Box<Cells>);

/// Where a cache line begins.
#[derive(Debug)]
#[repr(align(64))]
struct Cells([u32; COLUMNS]);

impl ShortTable {
    /// The short and the long table of weights that add up to [`TOTAL`].
    pub(super) fn split(weights: &[u64; COLUMNS]) -> Result<(Self, AliasTable), SampleError> {
        let short = leading(weights).ok_or_else(unsuitable)?;
        let scale = SHORT_TOTAL / short[COLUMNS - 1];
        let mut long = *weights;
        for (left, taken) in long[..COLUMNS - 1].iter_mut().zip(&short) {
            *left -= taken << 32;
        }
        Ok((Self::new(&short), AliasTable::new(&long.map(|weight| weight * scale))))
    }

    /// Weights that add up to 2^31.
    fn new(weights: &[u64; COLUMNS]) -> Self {
        // All multiples of 2^32, hence so are the thresholds, whose leading bits are kept.
        let table = AliasTable::new(&weights.map(|weight| weight << 32));
        let mut cells = Box::new(Cells([0; COLUMNS]));
        for (slot, (threshold, alias)) in cells.0.iter_mut().zip(table.columns()) {
            *slot = pack(threshold >> 32, alias);
        }
        // A column that is full of its own symbol has a threshold of 2^21, which does not fit:
        // it is packed as one that is full of its alias, itself.
        Self(cells)
    }

    /// Brings the whole table into the first-level cache, so that a look-up afterwards takes the
    /// same time wherever it goes.
    #[inline]
    pub(super) fn warm(&self) {
        // 16 cells are a cache line.
        std::hint::black_box(self.0.0.iter().step_by(16).fold(0, |sum, cell| sum ^ cell));
    }

    /// The symbol of a random word: bits 31..22 are the column, 21..1 the unit within it.
    /// Bit 0 is not looked at.
    #[inline]
    pub(super) fn pick(&self, word: u32) -> u16 {
        Self::pick_from(self.cell(word), word)
    }

    /// The cell of a random word's column.
    #[inline(always)]
    pub(super) fn cell(&self, word: u32) -> u32 {
        self.0.0[index(word >> 22)]
    }

    /// The symbol of a random word whose column's cell was looked up.
    #[inline]
    fn pick_from(cell: u32, word: u32) -> u16 {
        let column = word >> 22;
        // unit < threshold, if and only if unit 2^11 + (2^11 - 1) < threshold 2^11 + alias.
        let own = u32::from((word << 10 | BELOW_UNIT) < cell).wrapping_neg();
        symbol((column & own) | (cell & ALIAS_MASK & !own))
    }

    /// The same for eight words at a time.
    #[inline(always)]
    pub(super) fn pick_eight<S: Simd>(simd: S, cells: &[u32; 8], words: &[u32; 8]) -> u32x8<S> {
        let (cells, words) = (u32x8::simd_from(simd, *cells), u32x8::simd_from(simd, *words));
        let own = ((words << 10) | BELOW_UNIT).simd_lt(cells);
        own.select(words >> 22, cells & ALIAS_MASK)
    }
}

/// The n_h, and 2^k last.
fn leading(weights: &[u64; COLUMNS]) -> Option<[u64; COLUMNS]> {
    let mut short = weights.map(|weight| weight >> 32);
    short[COLUMNS - 1] = 0;
    let missing = SHORT_TOTAL.checked_sub(short.iter().sum())?;
    let open = missing.max(1).next_power_of_two();
    // At most 2^9 units; the first rung, which no other outweighs more than twice, has thousands.
    short[0] = short[0].checked_sub(open - missing)?;
    short[COLUMNS - 1] = open;
    Some(short)
}

fn unsuitable() -> SampleError {
    SampleError::Internal { what: "a table of rungs cannot be split".into() }
}

fn pack(threshold: u64, alias: u64) -> u32 {
    let threshold = u32::try_from(threshold % COLUMN_UNITS).unwrap_or(0);
    threshold << 11 | u32::try_from(alias).unwrap_or(ALIAS_MASK)
}

/// A column number (ten bits) as an index the compiler can see is in bounds.
#[inline]
fn index(column: u32) -> usize {
    (column & ALIAS_MASK) as usize
}

/// Ten bits.
#[inline]
fn symbol(bits: u32) -> u16 {
    (bits & ALIAS_MASK) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many units of the 2^31 lead to each symbol, counted from the columns.
    fn units(table: &ShortTable) -> [u64; COLUMNS] {
        let mut units = [0; COLUMNS];
        for (column, cell) in table.0.0.iter().enumerate() {
            let threshold = u64::from(cell >> 11);
            units[column] += threshold;
            units[index(cell & ALIAS_MASK)] += COLUMN_UNITS - threshold;
        }
        units
    }

    /// The claim of the module: N_h / 2^63 = n_h / 2^31 + open / 2^31 · long_h / 2^63.
    fn check(weights: &[u64; COLUMNS]) {
        let (short, long) = ShortTable::split(weights).unwrap();
        let short = units(&short);
        let open = short[COLUMNS - 1];
        assert_eq!(short.iter().sum::<u64>(), SHORT_TOTAL);
        let mut long_units = [0; COLUMNS];
        for (column, (threshold, alias)) in long.columns().enumerate() {
            long_units[column] += u128::from(threshold);
            long_units[usize::try_from(alias).unwrap()] += u128::from((TOTAL >> 10) - threshold);
        }
        for symbol in 0..COLUMNS {
            let first = if symbol == COLUMNS - 1 { 0 } else { u128::from(short[symbol]) };
            // In units of 2^-94.
            let law = (first << 63) + u128::from(open) * long_units[symbol];
            assert_eq!(law, u128::from(weights[symbol]) << 31, "symbol {symbol}");
        }
    }

    /// Weights that fall off like those of rungs, with all kinds of last bits.
    fn falling(ratio: u64, last: u64) -> [u64; COLUMNS] {
        let mut weights = [0; COLUMNS];
        let mut left = TOTAL - last;
        for weight in &mut weights[..COLUMNS - 2] {
            *weight = left / ratio;
            left -= *weight;
        }
        weights[COLUMNS - 2] = left;
        weights[COLUMNS - 1] = last;
        weights
    }

    #[test]
    fn both_tables_together_have_exactly_the_weights() {
        for ratio in [2, 3, 17, 100, 301, 1000] {
            for last in [0, 1, 5000, (1 << 32) - 1, 1 << 32, TOTAL] {
                check(&falling(ratio, last));
            }
        }
    }

    #[test]
    fn the_open_symbol_is_rare() {
        let (short, _) = ShortTable::split(&falling(100, 5000)).unwrap();
        assert!(units(&short)[COLUMNS - 1] <= 1 << 10);
    }

    /// Every word of a column is looked up: bits 31..22 choose it, 21..1 are the unit, and bit
    /// 0, the sign, says nothing.
    #[test]
    fn pick_reads_the_column_and_the_unit() {
        let (table, _) = ShortTable::split(&falling(100, 5000)).unwrap();
        for column in [0, 1, 200, 1022, 1023_u32] {
            let cell = table.0.0[index(column)];
            let mut own = 0;
            for unit in 0..1 << 21 {
                let word = column << 22 | unit << 1;
                let picked = table.pick(word);
                assert_eq!(picked, table.pick(word | 1));
                assert!(picked == symbol(column) || picked == symbol(cell));
                assert_eq!(
                    picked == symbol(column),
                    unit < cell >> 11 || cell & ALIAS_MASK == column
                );
                own += u64::from(picked == symbol(column));
            }
            assert!(own == u64::from(cell >> 11) || own == COLUMN_UNITS);
        }
    }
}
