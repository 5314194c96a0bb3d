//! Poisson samples: each record is in or out by its own coin.

use throng_mechanism::MechanismError;
use throng_numeric::Rational;
use throng_sample::{Bernoulli, Entropy};

/// How many bytes are fetched at a time.
const BYTES: usize = 1 << 12;

/// Many tosses of one coin, from two bytes each.
///
/// # Why this is right
/// Let U = (w + U')/2^16 be uniform in [0, 1), w its first 16 bits, U' uniform and independent of w. With
/// rate 2^16 = whole + rest, rest in [0, 1): U < rate iff w < whole, or w = whole and U' < rest. So all but
/// one w of 2^16 decide, and that one is followed by an independent coin of chance rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Coins {
    whole: u32,
    rest: Bernoulli,
}

impl Coins {
    /// Coins that show `true` with chance `rate`.
    ///
    /// # Errors
    /// If the rate is not in [0, 1].
    pub(super) fn new(rate: &Rational) -> Result<Self, MechanismError> {
        if rate.is_negative() || *rate > Rational::ONE {
            return Err(MechanismError::Invalid {
                name: "the sampling rate".to_owned(),
                value: rate.to_string(),
                allowed: "in [0, 1]".to_owned(),
            });
        }
        let scaled = rate * &Rational::from(1_u64 << 16);
        let whole = scaled.floor();
        let rest = Bernoulli::new(&(scaled - Rational::from(whole.clone())))?;
        Ok(Self { whole: u32::try_from(whole).unwrap_or(0), rest })
    }

    /// The places, below `count`, of the coins that show `true`, in order.
    pub(super) fn toss(
        &self,
        count: usize,
        places: &mut Vec<usize>,
        entropy: &mut dyn Entropy,
    ) -> Result<(), MechanismError> {
        places.clear();
        if self.whole == 1 << 16 {
            places.extend(0..count);
            return Ok(());
        }
        let mut bytes = [0; BYTES];
        for start in (0..count).step_by(BYTES / 2) {
            let bytes = &mut bytes[..2 * (count - start).min(BYTES / 2)];
            entropy.fill(bytes)?;
            for (place, pair) in (start..).zip(bytes.as_chunks::<2>().0) {
                let word = u32::from(u16::from_le_bytes(*pair));
                if word <= self.whole && (word < self.whole || self.rest.draw(entropy)?) {
                    places.push(place);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_sample::{EntropyError, SeededEntropy};

    fn rate(coins: &str) -> Coins {
        Coins::new(&coins.parse().unwrap()).unwrap()
    }

    #[test]
    fn every_rate_is_kept() {
        let mut entropy = SeededEntropy::new(3);
        let (mut places, count) = (Vec::new(), 200_000_u32);
        for (text, p) in
            [("1/3", 1.0 / 3.0), ("256/60000", 256.0 / 60000.0), ("1/100000", 1e-5), ("0.5", 0.5)]
        {
            let coins = rate(text);
            let mut kept = 0;
            for _ in 0..5 {
                coins.toss(200_000, &mut places, &mut entropy).unwrap();
                assert!(places.is_sorted() && places.iter().all(|place| *place < 200_000));
                kept += u32::try_from(places.len()).unwrap();
            }
            let (mean, n) = (f64::from(kept), f64::from(5 * count));
            assert!(
                (mean - n * p).abs() < 5.0 * (n * p * (1.0 - p)).sqrt() + 1.0,
                "{text}: {kept}"
            );
        }
        rate("1").toss(7, &mut places, &mut entropy).unwrap();
        assert_eq!(places, (0..7).collect::<Vec<_>>());
        rate("0").toss(700, &mut places, &mut entropy).unwrap();
        assert!(places.is_empty());
        assert!(Coins::new(&"1.00001".parse().unwrap()).is_err());
        assert!(Coins::new(&"-1/3".parse().unwrap()).is_err());
    }

    /// Gives the bytes of a script, then zeros.
    struct Script(Vec<u8>);

    impl Entropy for Script {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
            for byte in bytes {
                *byte = if self.0.is_empty() { 0 } else { self.0.remove(0) };
            }
            Ok(())
        }
    }

    #[test]
    fn the_outcome_turns_at_the_binary_expansion_of_the_rate() {
        // 1/3 = 0.0101...: words of 0x5555 leave it open, and so do all further ones.
        for (first, further, expected) in [
            (0x5554_u16, 0xff_u8, true),
            (0x5555, 0x54, true),
            (0x5555, 0x56, false),
            (0x5556, 0, false),
        ] {
            let mut script = first.to_le_bytes().to_vec();
            script.extend([further; 8]);
            let mut places = Vec::new();
            rate("1/3").toss(1, &mut places, &mut Script(script)).unwrap();
            assert_eq!(places == [0], expected, "{first:x} {further:x}");
        }
    }
}
