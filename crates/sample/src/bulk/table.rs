//! Samples from one table: the rung is the magnitude.

use super::energy::Energy;
use super::lanes::LANES;
use super::put::Put;
use super::room::SLICE;
use super::rungs::{BothSigns, Rungs};
use super::short::OPEN;
use super::{saturated, signed};
use crate::words::Words;
use crate::{Entropy, SampleError};

/// Bytes of a sample.
const SAMPLE: usize = 4;

/// The engine for scales that fit one table.
#[derive(Debug)]
pub(super) struct Table(Rungs);

impl Table {
    pub(super) fn new(energy: &Energy) -> Result<Self, SampleError> {
        Ok(Self(Rungs::new(energy.clone(), BothSigns::InTheWeights)?))
    }

    /// One word, one sample; an open one that comes to nothing leaves its place to the next.
    pub(super) fn fill(
        &self,
        bytes: &mut [u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        put: impl Put,
    ) -> Result<(), SampleError> {
        let mut filled = 0;
        while filled < out.len() {
            let wanted = (out.len() - filled).min(bytes.len() / SAMPLE) * SAMPLE;
            entropy.fill(&mut bytes[..wanted])?;
            for slice in bytes[..wanted].chunks(SLICE) {
                self.0.warm();
                for lanes in slice.chunks(LANES * SAMPLE) {
                    filled += self.fill_lanes(lanes, entropy, &mut out[filled..], put)?;
                }
            }
        }
        Ok(())
    }

    /// How many samples the words in `bytes` gave.
    #[inline]
    fn fill_lanes(
        &self,
        bytes: &[u8],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        put: impl Put,
    ) -> Result<usize, SampleError> {
        let (mut words, mut rungs) = ([0; LANES], [0; LANES]);
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        for (rung, word) in rungs.iter_mut().zip(&words) {
            *rung = self.0.pick(*word);
        }
        let open = rungs.iter().fold(false, |open, rung| open | (*rung == OPEN));
        if let (Some(places), LANES, false) =
            (out.first_chunk_mut::<LANES>(), bytes.len() / SAMPLE, open)
        {
            for lane in 0..LANES {
                put.put(&mut places[lane], signed(rungs[lane].into(), words[lane] & 1));
            }
            return Ok(LANES);
        }
        self.fill_one_by_one(&words[..bytes.len() / SAMPLE], entropy, out, put)
    }

    /// The same where words are open or fewer than the lanes.
    #[inline(never)]
    fn fill_one_by_one(
        &self,
        words: &[u32],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
        put: impl Put,
    ) -> Result<usize, SampleError> {
        let mut filled = 0;
        for word in words {
            let magnitude = match self.0.pick(*word) {
                OPEN => match self.0.pick_open(&mut Words::new(entropy))? {
                    Some(rung) => saturated(&rung),
                    None => continue,
                },
                rung => rung.into(),
            };
            put.put(&mut out[filled], signed(magnitude, word & 1));
            filled += 1;
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::put::Fill;
    use crate::script::Script;

    fn table() -> Table {
        Table::new(&Energy::quadratic(&100.into()).unwrap()).unwrap()
    }

    /// A word that the short table leaves open, with a sign.
    fn open(table: &Table, negative: u32) -> u32 {
        let open = (0..=u32::MAX).rev().step_by(2).find(|word| table.0.pick(*word) == OPEN);
        open.unwrap() & !1 | negative
    }

    /// The words of a batch, those an open one draws, and one more.
    fn script(batch: &[u32], drawn: &[u64], next: u32) -> Script {
        let mut words: Vec<u64> = batch
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[a, b]| u64::from(*b) << 32 | u64::from(*a))
            .collect();
        // Sixteen are fetched for it; what it does not read is thrown away.
        words.extend(drawn.iter().copied().chain([u64::MAX; 16]).take(16));
        words.push(next.into());
        Script::new(&words)
    }

    /// Columns 10, 11, ... at their bottom: each its own rung; every other one negative.
    fn batch() -> ([u32; LANES], [i64; LANES]) {
        let (mut words, mut values) = ([0; LANES], [0; LANES]);
        for (rung, (word, value)) in (10_u32..).zip(words.iter_mut().zip(&mut values)) {
            let negative = rung & 1;
            (*word, *value) = (rung << 22 | negative, signed(rung.into(), negative));
        }
        (words, values)
    }

    fn fill(table: &Table, script: &mut Script) -> [i64; LANES] {
        let mut out = [i64::MIN; LANES];
        table.fill(&mut [0; 256], script, &mut out, Fill).unwrap();
        out
    }

    #[test]
    fn words_are_samples_in_order() {
        let (words, values) = batch();
        let mut script = script(&words, &[], 0);
        assert_eq!(fill(&table(), &mut script), values);
        assert_eq!(script.used(), LANES * SAMPLE);
    }

    /// The rung comes from the words that follow the batch, the sign from the open word, and the
    /// others keep their places.
    #[test]
    fn an_open_word_keeps_its_place_and_its_sign() {
        let table = table();
        for negative in [0, 1] {
            let (mut words, mut values) = batch();
            (words[7], values[7]) = (open(&table, negative), signed(3, negative));
            let mut script = script(&words, &[3 << 54], 0);
            assert_eq!(fill(&table, &mut script), values);
        }
    }

    /// The others move up, and the last place goes to a fresh word.
    #[test]
    fn an_open_word_that_comes_to_nothing_leaves_its_place() {
        let table = table();
        let (mut words, mut values) = batch();
        words[7] = open(&table, 1);
        values.copy_within(8.., 7);
        values[LANES - 1] = 30;
        let nothing = table.0.script_of_the_residual(4000);
        let mut script = script(&words, &nothing, 30 << 22);
        assert_eq!(fill(&table, &mut script), values);
        assert_eq!(script.used(), LANES * SAMPLE + 128 + SAMPLE);
    }
}
