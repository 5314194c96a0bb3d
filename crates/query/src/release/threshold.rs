//! Which private keys are shown.
//!
//! # The rule
//! Each unit spreads a score of norm at most S = 2^20 over the groups it keeps: ⌊S/√g⌋ on each of
//! g. The noisy sum of scores of a key decides: it is shown, with *all* its measures, if that is at least
//! T. Keys without a score are never shown.
//!
//! # Guarantee
//! The composition of the noise on the scores, of the noise on each measure, and of a leak of
//! total variation at most λ, where λ bounds the chance that any key is shown that one unit alone
//! has.
//!
//! *Proof, for a unit that is added or removed.* Fix the hash key and what survives of all other
//! units: neither depends on the unit. Its keys are *shared*, that is, another unit's score is on them
//! too, or its *own*. A shared key is a candidate in both worlds, and so are all keys that the unit
//! does not keep. Consider the mechanism that releases the noisy scores and all noisy measures of those
//! candidates: scores move by a vector of norm at most S, and each measure by one of norm at most its
//! reach, so it is at least as private as the composition of the leaves (which are the pairs for
//! those norms, whichever the cells are). What is shown of them is post-processing. The own keys
//! are candidates in the world with the unit only. Their noise is independent of all other noise,
//! so given their set the release is the product of the shared part and of the own part, and the
//! own part shows nothing in one world and something with a chance of at most
//! max_g (1 - (1 - P(⌊S/√g⌋ + Z >= T))^g) <= λ in the other: for a unit that keeps g groups each own
//! key has that score, there are at most g of them, and their noise is independent. That is a leak of λ:
//! two laws within λ in total variation. The measures of an own key are drawn only if it is
//! shown, so they are part of that event. The order in which cells are visited is that of the keys,
//! and which candidates exist is not otherwise visible. []
//!
//! *For a unit that is replaced.* Keys with another unit's score are shared; scores move by at most √2
//! S (no score is negative) and measures by twice their reach. Own keys of the first world are no
//! candidates in the second unless the new unit keeps them too; then they are candidates in both, and
//! count as shared. Of those in one world only there are at most g in each, so either world shows
//! something impossible in the other with a chance of at most λ: two laws within λ in total variation. []
//!
//! A unit that is zeroed out is removed. With Laplace noise the same scores have L1 norm at most
//! √groups S, as g⌊S/√g⌋ <= √g S; the rest of the proof is the same.
//!
//! If each row is a unit, a unit has one group and its count is its score: then the noisy number of
//! rows itself decides ([`Threshold::lowest`] with one group and a score of one row), and no noise is
//! paid twice.
//!
//! # Reference
//! Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin, *Differentially Private Set Union* (2020), for
//! weighted scores; Korolova, Kenthapadi, Mishra, Ntoulas (2009) for the argument about own keys.

use throng_mechanism::{MechanismError, NoiseLaw};
use throng_numeric::{Enclosure, Natural, Rational};

/// S, the norm of a unit's scores.
pub(super) const SCORE: i64 = 1 << 20;

/// Up to here each number of groups is looked at by itself.
const FEW: u64 = 128;

/// From which score on a key is shown, and the chance that one of a unit's own keys is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Threshold {
    pub(super) at_least: i64,
}

impl Threshold {
    /// The lowest threshold, up to a thousandth of it, that leaks at most `leak`.
    ///
    /// # Guarantee
    /// Certified: an upper bound of the chance was computed for the threshold returned and is
    /// at most `leak`.
    pub(super) fn lowest(
        law: &NoiseLaw,
        groups: u64,
        leak: &Rational,
        score: impl Fn(u64) -> i64,
    ) -> Result<Self, MechanismError> {
        let blocks = blocks(groups);
        let most = leak.to_f64_down();
        let fits = |at_least: i64| -> Result<bool, MechanismError> {
            for (first, last) in &blocks {
                if any_of(law, at_least, score(*first), *last)? > most {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let mut high = score(1).saturating_add(1);
        while !fits(high)? {
            high = high.checked_mul(2).filter(|high| *high < 1 << 62).ok_or_else(no_threshold)?;
        }
        let mut low = high / 2;
        while high - low > high / 1024 && high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle)? { high = middle } else { low = middle }
        }
        Ok(Self { at_least: high })
    }
}

fn no_threshold() -> MechanismError {
    MechanismError::Refused {
        what: "no threshold hides keys that one unit alone has".into(),
        hint: "ask for a larger delta, or list the keys".into(),
    }
}

/// Numbers of groups with nearly the same score: (first, last) of each.
fn blocks(groups: u64) -> Vec<(u64, u64)> {
    let mut blocks: Vec<_> = (1..=groups.min(FEW)).map(|g| (g, g)).collect();
    let mut first = FEW + 1;
    while first <= groups {
        let last = first.saturating_add(first / 8).min(groups);
        blocks.push((first, last));
        first = last.saturating_add(1);
        if last == u64::MAX {
            break;
        }
    }
    blocks
}

/// 1 - (1 - P(score + Z >= T))^g from above: a smaller g has at most the chance of a larger one at the
/// same score, and a lower score no larger one.
fn any_of(law: &NoiseLaw, at_least: i64, score: i64, g: u64) -> Result<f64, MechanismError> {
    let gap = i128::from(at_least) - i128::from(score);
    if gap < 1 {
        return Ok(1.0);
    }
    // The law is symmetric: P(Z >= t) is half of P(|Z| >= t).
    let both = law.beyond(&Natural::from(gap.unsigned_abs()))?;
    let one = Enclosure::point(0.5)? * both;
    if one.upper() >= 1.0 {
        return Ok(1.0);
    }
    let any = -(Enclosure::of_rational(&Rational::from(g)) * (-one).ln_1p()?).expm1();
    Ok(any.upper().clamp(0.0, 1.0))
}

/// What a unit with g groups puts on each: ⌊S/√g⌋, or a little more.
///
/// floor(√x) of the integer x = ⌊S²/g⌋ is ⌊S/√g⌋ exactly, as √ is monotone and integers are their
/// own floors.
pub(super) fn score_of(g: u64) -> i64 {
    let square = SCORE.unsigned_abs().saturating_mul(SCORE.unsigned_abs()) / g.max(1);
    i64::try_from(square.isqrt()).unwrap_or(SCORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact leak by summing the law itself, for a coarse law.
    #[test]
    fn the_leak_is_certified() {
        let law = NoiseLaw::gaussian(Rational::from(3 * SCORE)).unwrap();
        let leak: Rational = "1e-7".parse().unwrap();
        let found = Threshold::lowest(&law, 64, &leak, score_of).unwrap();
        for g in 1..=64 {
            assert!(any_of(&law, found.at_least, score_of(g), g).unwrap() <= 1e-7);
        }
        let lower = found.at_least - found.at_least / 512;
        let worst = (1..=64).map(|g| any_of(&law, lower, score_of(g), g).unwrap());
        assert!(worst.fold(0.0, f64::max) > 1e-7);
    }

    #[test]
    fn scores_have_norm_at_most_one() {
        for g in 1..5000_u64 {
            let score = i128::from(score_of(g));
            assert!(score * score * i128::from(g) <= i128::from(SCORE).pow(2));
        }
    }

    #[test]
    fn blocks_cover_all_numbers() {
        for groups in [1, 2, 127, 128, 129, 1000, 1 << 40, u64::MAX] {
            let blocks = blocks(groups);
            assert_eq!(blocks[0].0, 1);
            assert!(blocks.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
            assert_eq!(blocks.last().unwrap().1, groups);
        }
    }
}
