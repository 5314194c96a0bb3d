//! Which recorded outcomes are used for what.

use super::{CHOOSE, EXPLORED, FIT, count};

/// What an outcome is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Fit,
    Choose,
    Certify,
}

/// Which recorded outcomes are used for what, by their place: scattered, so that a drift in a recording
/// does not put one part apart from the others.
pub(super) struct Split {
    fit: u64,
    choose: u64,
}

impl Split {
    pub(super) fn of(runs: usize) -> Self {
        let hundred = count(runs).max(1);
        let share = |percent: u64| (percent * 1000).min(EXPLORED * 100_000 / hundred);
        Self { fit: share(FIT), choose: share(CHOOSE) }
    }

    fn part(&self, place: usize) -> Part {
        let rank = scattered(count(place)) % 100_000;
        if rank < self.fit {
            Part::Fit
        } else if rank < self.fit + self.choose {
            Part::Choose
        } else {
            Part::Certify
        }
    }

    pub(super) fn places(&self, part: Part, len: usize) -> Vec<usize> {
        (0..len).filter(|place| self.part(*place) == part).collect()
    }
}

/// A fixed mixing of bits (splitmix64).
fn scattered(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
