//! Waves of eight directions under a bell, and what is left of a plane when their phase is forgotten.

use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::DIRECTIONS;
use super::plane::mirrored;
use crate::math::{cos, count, exp, number, sin, single};

/// The wavelets reach so far.
const RADIUS: usize = 4;
/// The width of the bell along the wave, in pixels.
const WIDTH: f64 = 0.8;
/// The frequency of the wave.
const FREQUENCY: f64 = 0.75 * std::f64::consts::PI;
/// The width of the bell along the wave over that across.
const SLANT: f64 = 0.5;

/// Morlet wavelets ψ(u) = g(u) (e^(i ξ·u) - κ), with κ such that Σ ψ = 0.
///
/// Real parts are even and imaginary parts odd, so a plane x is folded first: at each place p and offset u of
/// half a neighbourhood, x(p+u) + x(p-u) and x(p+u) - x(p-u). Then both parts for all
/// directions are two products of matrices.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wavelets {
    /// (rows, columns) of each offset; the first is (0, 0).
    offsets: Vec<(isize, isize)>,
    /// offsets × directions.
    even: Mat<f32>,
    odd: Mat<f32>,
}

/// Memory for folded planes and both parts.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    padded: Vec<f32>,
    sums: Vec<f32>,
    differences: Vec<f32>,
    imaginary: Vec<f32>,
}

impl Wavelets {
    pub(super) fn new() -> Self {
        let reach = RADIUS.cast_signed();
        let square = (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| (y, x)));
        let offsets: Vec<_> = square.filter(|offset| *offset >= (0, 0)).collect();
        let waves: Vec<Vec<(f64, f64)>> =
            (0..DIRECTIONS).map(|direction| wave(direction, &offsets)).collect();
        let part = |of: fn(&(f64, f64)) -> f64| {
            Mat::from_fn(offsets.len(), DIRECTIONS, |offset, direction| {
                single(of(&waves[direction][offset]))
            })
        };
        Self { even: part(|wave| wave.0), odd: part(|wave| wave.1), offsets }
    }

    /// |ψ x| for each direction, of each plane.
    pub(super) fn moduli(
        &self,
        planes: &[&[f32]],
        size: (usize, usize),
        scratch: &mut Scratch,
        out: &mut [f32],
    ) {
        let pixels = size.0 * size.1;
        let folded = pixels * self.offsets.len();
        scratch.sums.resize(folded, 0.0);
        scratch.differences.resize(folded, 0.0);
        scratch.imaginary.resize(pixels * DIRECTIONS, 0.0);
        for (plane, out) in planes.iter().zip(out.chunks_mut(pixels * DIRECTIONS)) {
            pad(plane, size, &mut scratch.padded);
            self.fold(size, scratch);
            product(&scratch.sums, &self.even, pixels, out);
            product(&scratch.differences, &self.odd, pixels, &mut scratch.imaginary);
            for (real, imaginary) in out.iter_mut().zip(&scratch.imaginary) {
                *real = (*real * *real + imaginary * imaginary).sqrt();
            }
        }
    }

    /// One column for each offset, one row for each pixel.
    fn fold(&self, (height, width): (usize, usize), scratch: &mut Scratch) {
        let Scratch { padded, sums, differences, .. } = scratch;
        let stride = width + 2 * RADIUS;
        let columns = sums.chunks_mut(height * width).zip(differences.chunks_mut(height * width));
        for ((sums, differences), (down, right)) in columns.zip(&self.offsets) {
            let rows = sums.chunks_mut(width).zip(differences.chunks_mut(width)).enumerate();
            for (y, (sums, differences)) in rows {
                let at = |down: isize, right: isize| {
                    let row = (y + RADIUS).wrapping_add_signed(down);
                    let start = row * stride + RADIUS.wrapping_add_signed(right);
                    padded.get(start..start + width).unwrap_or(&[])
                };
                let pairs = at(*down, *right).iter().zip(at(-down, -right));
                for ((sum, difference), (a, b)) in sums.iter_mut().zip(differences).zip(pairs) {
                    (*sum, *difference) = (a + b, a - b);
                }
            }
        }
    }
}

fn product(folded: &[f32], filters: &Mat<f32>, pixels: usize, out: &mut [f32]) {
    let folded = MatRef::from_column_major_slice(folded, pixels, filters.nrows());
    let out = MatMut::from_column_major_slice_mut(out, pixels, DIRECTIONS);
    faer::linalg::matmul::matmul(out, Accum::Replace, folded, filters.as_ref(), 1.0, Par::Seq);
}

fn pad(plane: &[f32], (height, width): (usize, usize), padded: &mut Vec<f32>) {
    padded.clear();
    let reach = RADIUS.cast_signed();
    for y in -reach..height.cast_signed() + reach {
        let start = mirrored(y, height) * width;
        let row = plane.get(start..start + width).unwrap_or(&[]);
        padded.extend((-reach..0).map(|x| row.get(mirrored(x, width)).copied().unwrap_or(0.0)));
        padded.extend_from_slice(row);
        let end = width.cast_signed();
        padded.extend(
            (end..end + reach).map(|x| row.get(mirrored(x, width)).copied().unwrap_or(0.0)),
        );
    }
}

/// Both parts at each offset, for pairs of offsets: the one in the middle is its own opposite, and counts half.
fn wave(direction: usize, offsets: &[(isize, isize)]) -> Vec<(f64, f64)> {
    let angle = std::f64::consts::PI * count(direction) / count(DIRECTIONS);
    let (sin_angle, cos_angle) = (sin(angle), cos(angle));
    let parts = |offset: &(isize, isize)| {
        let [y, x] = [offset.0, offset.1].map(|place| number(i64::try_from(place).unwrap_or(0)));
        let (along, across) = (x * cos_angle + y * sin_angle, y * cos_angle - x * sin_angle);
        let bell = exp(-(along * along + SLANT * SLANT * across * across) / (2.0 * WIDTH * WIDTH));
        let phase = FREQUENCY * along;
        let weight = if *offset == (0, 0) { 0.5 } else { 1.0 };
        (bell * weight, bell * weight * cos(phase), bell * sin(phase))
    };
    let parts: Vec<_> = offsets.iter().map(parts).collect();
    let level: f64 =
        parts.iter().map(|part| part.1).sum::<f64>() / parts.iter().map(|part| part.0).sum::<f64>();
    let waves: Vec<_> = parts.iter().map(|part| (part.1 - level * part.0, part.2)).collect();
    // What a wave of the same direction and frequency is amplified by becomes 1.
    let gain: f64 = waves
        .iter()
        .zip(&parts)
        .map(|(wave, part)| {
            let bell = part.0.max(f64::MIN_POSITIVE);
            2.0 * (wave.0 * part.1 / bell + wave.1 * part.2 / bell)
        })
        .sum();
    waves.iter().map(|wave| (wave.0 / gain, wave.1 / gain)).collect()
}
