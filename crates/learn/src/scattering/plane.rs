//! Planes of pixels.

/// The place that a place beyond the edge mirrors: ... 1 0 | 0 1 2 ... n-1 | n-1 n-2 ...
pub(super) const fn mirrored(place: isize, length: usize) -> usize {
    let period = 2 * length;
    let place = place.rem_euclid(period.cast_signed()).cast_unsigned();
    if place < length { place } else { period - 1 - place }
}

/// Blurred by 1, 3, 3, 1 in both directions and taken at half the resolution.
pub(super) fn halve(plane: &[f32], (height, width): (usize, usize), out: &mut [f32]) {
    let mut row = vec![0.0; width];
    for (y, out) in out.chunks_mut(width / 2).enumerate() {
        let at = |offset: isize| {
            let place = mirrored((2 * y).cast_signed() + offset, height) * width;
            plane.get(place..place + width).unwrap_or(&[])
        };
        let (a, b, c, d) = (at(-1), at(0), at(1), at(2));
        for ((((sum, a), b), c), d) in row.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *sum = blurred(*a, *b, *c, *d);
        }
        for (x, out) in out.iter_mut().enumerate() {
            let at = |offset: isize| row[mirrored((2 * x).cast_signed() + offset, width)];
            *out = blurred(at(-1), at(0), at(1), at(2));
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
