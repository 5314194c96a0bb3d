//! Planes of pixels.

/// The place that a place beyond the edge mirrors: ... 1 0 | 0 1 2 ... n-1 | n-1 n-2 ...
pub(super) const fn mirrored(place: isize, length: usize) -> usize {
    let period = 2 * length;
    let place = place.rem_euclid(period.cast_signed()).cast_unsigned();
    if place < length { place } else { period - 1 - place }
}

/// Blurred by 1, 3, 3, 1 in both directions and taken at half the resolution.
pub(super) fn halve(plane: &[f32], (height, width): (usize, usize), out: &mut [f32]) {
    // One row, with one place more at each end.
    let mut padded = vec![0.0; width + 2];
    for (y, out) in out.chunks_mut(width / 2).enumerate() {
        let at = |offset: isize| {
            let place = mirrored((2 * y).cast_signed() + offset, height) * width;
            plane.get(place..place + width).unwrap_or(&[])
        };
        let (a, b, c, d) = (at(-1), at(0), at(1), at(2));
        let row = padded.iter_mut().skip(1);
        for ((((sum, a), b), c), d) in row.zip(a).zip(b).zip(c).zip(d) {
            *sum = blurred(*a, *b, *c, *d);
        }
        (padded[0], padded[width + 1]) = (padded[1], padded[width]);
        for (out, near) in out.iter_mut().zip(padded.windows(4).step_by(2)) {
            if let [a, b, c, d] = near {
                *out = blurred(*a, *b, *c, *d);
            }
        }
    }
}

fn blurred(a: f32, b: f32, c: f32, d: f32) -> f32 {
    (a + d) * 0.125 + (b + c) * 0.375
}

/// The same in a plane of its own.
pub(super) fn halved(plane: &[f32], size: (usize, usize)) -> Vec<f32> {
    let mut out = vec![0.0; size.0 * size.1 / 4];
    halve(plane, size, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_mirrors() {
        let places: Vec<usize> = (-5..8).map(|place| mirrored(place, 3)).collect();
        assert_eq!(places, [1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
    }

    #[test]
    fn halving_keeps_the_mean_and_is_what_the_weights_say() {
        let plane: Vec<f32> = (0..32_u16).map(|k| f32::from(k * k % 19)).collect();
        let half = halved(&plane, (4, 8));
        let weights = [0.125_f32, 0.375, 0.375, 0.125];
        for y in 0..2 {
            for x in 0..4 {
                let mut sum = 0.0;
                for (i, down) in (-1..3).zip(weights) {
                    for (j, right) in (-1..3).zip(weights) {
                        let (row, column) = (mirrored(2 * y + i, 4), mirrored(2 * x + j, 8));
                        sum += down * right * plane[row * 8 + column];
                    }
                }
                let place = (y * 4 + x).cast_unsigned();
                assert!((half[place] - sum).abs() < 1e-5);
            }
        }
        assert!(halved(&[3.0; 32], (4, 8)).iter().all(|x| (x - 3.0).abs() < 1e-6));
    }
}
