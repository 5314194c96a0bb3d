//! Samples from one table: the rung is the magnitude.

use super::energy::Energy;
use super::lanes::LANES;
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
    ) -> Result<(), SampleError> {
        let mut filled = 0;
        while filled < out.len() {
            let wanted = (out.len() - filled).min(bytes.len() / SAMPLE) * SAMPLE;
            entropy.fill(&mut bytes[..wanted])?;
            self.0.warm();
            for lanes in bytes[..wanted].chunks(LANES * SAMPLE) {
                filled += self.fill_lanes(lanes, entropy, &mut out[filled..])?;
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
                places[lane] = signed(rungs[lane].into(), words[lane] & 1);
            }
            return Ok(LANES);
        }
        self.fill_one_by_one(&words[..bytes.len() / SAMPLE], entropy, out)
    }

    /// The same where words are open or fewer than the lanes.
    #[inline(never)]
    fn fill_one_by_one(
        &self,
        words: &[u32],
        entropy: &mut dyn Entropy,
        out: &mut [i64],
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
            out[filled] = signed(magnitude, word & 1);
            filled += 1;
        }
        Ok(filled)
    }
}
