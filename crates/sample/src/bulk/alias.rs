//! An alias table with integer weights: exact, one look-up, no loop.
//!
//! 2^10 symbols with integer weights that add up to 2^63 are spread over 2^10 columns of
//! 2^53 units each, so that every column holds at most two symbols: its own in the lower part,
//! its *alias* above a threshold. A uniform unit among the 2^63 (ten bits for the column, 53
//! within it) then has symbol i with probability weight_i / 2^63, exactly.

/// Symbols and columns.
pub(super) const COLUMNS: usize = 1 << 10;
/// The last symbol: what the table itself does not decide.
pub(super) const RESIDUAL: u64 = 1023;
/// The sum of all weights.
pub(super) const TOTAL: u64 = 1 << 63;

const COLUMN_UNITS: u64 = 1 << 53;
const ALIAS_BITS: u32 = 10;
const ALIAS_MASK: u64 = (1 << ALIAS_BITS) - 1;

/// The columns, each packed as threshold · 2^10 + alias.
#[derive(Debug)]
pub(super) struct AliasTable(Box<[u64; COLUMNS]>);

impl AliasTable {
    /// Spreads the weights (Vose). They must add up to [`TOTAL`].
    pub(super) fn new(weights: &[u64; COLUMNS]) -> Self {
        debug_assert_eq!(weights.iter().sum::<u64>(), TOTAL);
        let mut cells = Box::new([0; COLUMNS]);
        let mut left = *weights;
        let (mut light, mut heavy): (Vec<usize>, Vec<usize>) =
            (0..COLUMNS).partition(|symbol| left[*symbol] < COLUMN_UNITS);
        // Each round fills the column of one light symbol with units of a heavy one. What
        // remains spread over the remaining columns is always a full column each, so when
        // the light ones run out, every heavy one has exactly a column's worth left.
        while let Some(large) = heavy.last().copied() {
            let Some(small) = light.pop() else { break };
            cells[small] = pack(left[small], large);
            left[large] -= COLUMN_UNITS - left[small];
            if left[large] < COLUMN_UNITS {
                heavy.pop();
                light.push(large);
            }
        }
        for full in heavy.into_iter().chain(light) {
            debug_assert_eq!(left[full], COLUMN_UNITS);
            cells[full] = pack(COLUMN_UNITS, full);
        }
        Self(cells)
    }

    /// Every column's threshold, in units, and alias.
    pub(super) fn columns(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|cell| (cell >> ALIAS_BITS, cell & ALIAS_MASK))
    }

    /// The symbol of a random word: bits 63..54 are the column, 53..1 the unit within it.
    /// Bit 0 is not looked at.
    #[inline]
    pub(super) fn pick(&self, word: u64) -> u64 {
        let column = word >> 54;
        let cell = self.0[index(column)];
        let unit = (word >> 1) & (COLUMN_UNITS - 1);
        // A choice by mask, not by branch: a mispredicted branch would show in the time.
        let own = u64::from(unit < cell >> ALIAS_BITS).wrapping_neg();
        (column & own) | (cell & ALIAS_MASK & !own)
    }
}

fn pack(threshold: u64, alias: usize) -> u64 {
    threshold << ALIAS_BITS | u64::try_from(alias).unwrap_or(RESIDUAL)
}

/// A column number (ten bits) as an index the compiler can see is in bounds.
#[inline]
fn index(column: u64) -> usize {
    (column & ALIAS_MASK) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many units of the 2^63 lead to each symbol, counted from the columns.
    fn units(table: &AliasTable) -> [u64; COLUMNS] {
        let mut units = [0; COLUMNS];
        for (column, (threshold, alias)) in table.columns().enumerate() {
            units[column] += threshold;
            units[index(alias)] += COLUMN_UNITS - threshold;
        }
        units
    }

    fn check(weights: &[u64; COLUMNS]) {
        assert_eq!(units(&AliasTable::new(weights)), *weights);
    }

    #[test]
    fn every_symbol_has_exactly_its_weight() {
        check(&[COLUMN_UNITS; COLUMNS]);
        let mut one = [0; COLUMNS];
        one[17] = TOTAL;
        check(&one);
        let mut geometric = [0; COLUMNS];
        let mut left = TOTAL;
        for weight in &mut geometric[..1023] {
            *weight = left / 3;
            left -= *weight;
        }
        geometric[1023] = left;
        check(&geometric);
    }

    proptest::proptest! {
        #[test]
        fn random_weights_are_kept(cuts in proptest::collection::vec(0..=TOTAL, COLUMNS - 1)) {
            let mut cuts = cuts;
            cuts.push(TOTAL);
            cuts.sort_unstable();
            let mut weights = [0; COLUMNS];
            let mut before = 0;
            for (weight, cut) in weights.iter_mut().zip(cuts) {
                *weight = cut - before;
                before = cut;
            }
            check(&weights);
        }
    }

    #[test]
    fn pick_reads_the_column_and_the_unit() {
        let mut weights = [0; COLUMNS];
        weights[5] = 1;
        weights[6] = TOTAL - 1;
        let table = AliasTable::new(&weights);
        let column_5 = 5_u64 << 54;
        assert_eq!(table.pick(column_5), 5);
        assert_eq!(table.pick(column_5 | 1), 5, "the sign bit is not part of the unit");
        assert_eq!(table.pick(column_5 | 2), 6);
        assert_eq!(table.pick(column_5 | (COLUMN_UNITS - 1) << 1), 6);
    }
}
