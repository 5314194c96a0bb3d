//! A record as integers: what it contributes to anything is a function of these.

use crate::Interval;
use crate::math::{count, nearest, single};
use crate::scattering::{DIRECTIONS, PATHS, Room, Scattering, Shape};

/// The squared norm of a record is at most this, 2^30: norms are at most 2^15.
pub(super) const MOST: i64 = 1 << 30;

/// Paths of the same order and scale; each such group has a norm of its own.
const GROUPS: [usize; 4] = [1, DIRECTIONS, DIRECTIONS, DIRECTIONS * DIRECTIONS];

/// From pixels to features: [places][channels × paths], of norm 1 or all 0.
///
/// Each group of paths is divided by its norm in this image, and by the root of its share
/// of the paths: how bright or how sharp an image is does not matter, and no group drowns others.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    scattering: &'a Scattering,
    room: Room<'a>,
    pixels: Interval,
    image: Vec<f32>,
    maps: Vec<f32>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scattering: &'a Scattering, pixels: Interval) -> Self {
        let Shape { height, width, channels } = scattering.shape();
        let image = vec![0.0; height * width * channels];
        let maps = vec![0.0; scattering.features()];
        Self { scattering, room: scattering.room(), pixels, image, maps }
    }

    /// The features of an image.
    pub(super) fn features(&mut self, pixels: impl Iterator<Item = f64>, features: &mut [f32]) {
        for (place, pixel) in self.image.iter_mut().zip(pixels) {
            *place = single(self.pixels.fraction(pixel));
        }
        self.room.transform(&self.image, &mut self.maps);
        let places = self.scattering.places();
        for channel in self.maps.chunks_mut(PATHS * places) {
            normalise(channel, places, self.scattering.shape().channels);
        }
        let width = self.maps.len() / places;
        for (path, map) in self.maps.chunks(places).enumerate() {
            let column = features.iter_mut().skip(path).step_by(width);
            column.zip(map).for_each(|(feature, value)| *feature = *value);
        }
    }
}

fn normalise(channel: &mut [f32], places: usize, channels: usize) {
    let mut rest = channel;
    for paths in GROUPS {
        let (group, others) = rest.split_at_mut((paths * places).min(rest.len()));
        rest = others;
        let square: f64 = group.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        let share = count(paths) / count(PATHS * channels);
        // A group without any contrast is left at 0.
        let factor = single((share / square.max(1e-6)).sqrt());
        group.iter_mut().for_each(|x| *x *= factor);
    }
}

/// Features on a grid of 2^-15, with a norm of at most 1.
///
/// # Guarantee
/// Whatever the features, the squares of the integers sum to at most 2^30: it is checked, in integers,
/// and a record that fails is all 0. None does: features of norm 1 times 2^15 - √d/2 - 1 are moved by
/// at most √d/2 by rounding.
pub(super) fn quantised(features: &[f32], out: &mut [i16]) {
    let scale = 32_767.0 - count(features.len()).sqrt() / 2.0;
    for (steps, x) in out.iter_mut().zip(features) {
        *steps = i16::try_from(nearest(f64::from(*x) * scale)).unwrap_or(i16::MAX);
    }
    if square(out) > MOST {
        out.fill(0);
    }
}

/// The squared norm, exactly.
pub(super) fn square(steps: &[i16]) -> i64 {
    steps.iter().map(|x| i64::from(*x) * i64::from(*x)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_image_its_integers_are_short() {
        let shape = Shape { height: 8, width: 12, channels: 2 };
        let scattering = Scattering::new(shape).unwrap();
        let mut reader = Reader::new(&scattering, Interval::new(-1.0, 3.0).unwrap());
        let mut features = vec![0.0; scattering.features()];
        let mut steps = vec![0; features.len()];
        let hostile = [0.0, f64::NAN, f64::INFINITY, -1e300, 3.0, 1e-310, -0.5];
        for turn in 1..40_usize {
            let pixels = (0..shape.len()).map(|k| hostile[k * k * turn / 7 % hostile.len()]);
            reader.features(pixels, &mut features);
            assert!(features.iter().all(|x| x.is_finite()));
            quantised(&features, &mut steps);
            let found = square(&steps);
            assert!(found <= MOST && found > MOST / 2, "{found}");
        }
        // No image at all: every pixel in the middle.
        reader.features(std::iter::repeat(f64::NAN), &mut features);
        quantised(&features, &mut steps);
        assert!(square(&steps) <= MOST);
        quantised(&vec![f32::MAX; features.len()], &mut steps);
        assert_eq!(square(&steps), 0);
        quantised(&vec![f32::NAN; features.len()], &mut steps);
        assert_eq!(square(&steps), 0);
    }
}
