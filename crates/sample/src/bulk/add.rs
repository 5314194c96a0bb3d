//! Adding noise to many values.

use fearless_simd::{Level, dispatch, prelude::*};

use super::put::{Add, Put};

/// Adds noise to values, each clamped to ±`most` before and after; `most` is at most 2^62 - 1.
///
/// The instructions are the same for all values, as wide as the machine has them.
///
/// # Panics
/// Never: what has no partner stays as it is.
pub fn add_clamped(values: &mut [i64], noise: &[i64], most: i64) {
    let level = Level::new();
    dispatch!(level, simd => add(simd, values, noise, most));
}

#[inline(always)]
fn add<S: Simd>(_: S, values: &mut [i64], noise: &[i64], most: i64) {
    let add = Add { most };
    values.iter_mut().zip(noise).for_each(|(value, noise)| add.put(value, *noise));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_wider_integers() {
        let most = (1_i64 << 62) - 1;
        let ends =
            [0, 1, -1, 5, most - 1, most, most + 1, -most, -most - 1, i64::MAX, i64::MIN + 1];
        let pairs: Vec<(i64, i64)> =
            ends.iter().flat_map(|v| ends.iter().map(move |n| (*v, *n))).collect();
        for most in [most, 1, 1000] {
            let mut values: Vec<i64> = pairs.iter().map(|(v, _)| *v).collect();
            let noise: Vec<i64> = pairs.iter().map(|(_, n)| *n).collect();
            add_clamped(&mut values, &noise, most);
            for ((v, n), found) in pairs.iter().zip(values) {
                let [v, n, most] = [*v, *n, most].map(i128::from);
                let expected = (v.clamp(-most, most) + n).clamp(-most, most);
                assert_eq!(i128::from(found), expected, "{v} {n} {most}");
            }
        }
    }
}
