//! What becomes of a sample: it takes a place, or is added to what is there.

/// How a sample is put in its place; the same instructions for all samples and places.
pub(super) trait Put: Copy {
    fn put(self, place: &mut i64, noise: i64);
}

/// It is all there is.
#[derive(Clone, Copy)]
pub(super) struct Fill;

impl Put for Fill {
    #[inline(always)]
    fn put(self, place: &mut i64, noise: i64) {
        *place = noise;
    }
}

/// It is added to a value, clamped to ±`most` before and after; `most` is from 0 to 2^62 - 1.
#[derive(Clone, Copy)]
pub(super) struct Add {
    pub(super) most: i64,
}

impl Put for Add {
    /// v + clamp(n, -most - v, most - v) is clamp(v + n, -most, most), and no part of it overflows:
    /// both ends are within ±2 `most`.
    #[inline(always)]
    fn put(self, place: &mut i64, noise: i64) {
        let Self { most } = self;
        let within = (*place).max(-most).min(most);
        *place = within + noise.max(-most - within).min(most - within);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_wider_integers() {
        let most = (1_i64 << 62) - 1;
        let ends =
            [0, 1, -1, 5, most - 1, most, most + 1, -most, -most - 1, i64::MAX, i64::MIN + 1];
        for most in [most, 1, 1000, 0] {
            for (v, n) in ends.iter().flat_map(|v| ends.iter().map(move |n| (*v, *n))) {
                let mut found = v;
                Add { most }.put(&mut found, n);
                let [v, n, most] = [v, n, most].map(i128::from);
                let expected = (v.clamp(-most, most) + n).clamp(-most, most);
                assert_eq!(i128::from(found), expected, "{v} {n} {most}");
            }
        }
    }
}
