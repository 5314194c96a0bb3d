//! Features of images that are fixed in advance: wavelet scattering.
//!
//! A scattering transform takes an image through a cascade of wavelets and moduli and averages what
//! comes out. Nothing in it is learnt, so nothing in it costs privacy, and a linear
//! model on its features is about as good as a small network: with few parameters that noise can hit.
//!
//! # Reference
//! Bruna, Mallat, *Invariant Scattering Convolution Networks* (2013); Tramèr, Boneh, *Differentially
//! Private Learning Needs Better Features (or Much More Data)* (2021).

mod morlet;
mod plane;

use crate::LearnError;
pub use crate::network::Shape;
use morlet::Wavelets;
use plane::{halve, halved};

/// How many directions the wavelets have.
pub const DIRECTIONS: usize = 8;

/// Features of each place: the average, the moduli at two scales, and the moduli of the finer ones' moduli.
pub const PATHS: usize = 1 + 2 * DIRECTIONS + DIRECTIONS * DIRECTIONS;

/// The scattering transform of images of one shape: two scales, eight directions, two orders.
///
/// With ψ the wavelets of all directions and ↓ a binomial blur that halves the resolution, the paths are
/// ↓↓x; ↓↓|ψ x|; ↓|ψ ↓x|; ↓|ψ ↓|ψ x||. An image of h × w becomes [`PATHS`] maps of h/4 × w/4.
///
/// ```
/// use throng_learn::scattering::{Scattering, Shape};
/// let scattering = Scattering::new(Shape { height: 28, width: 28, channels: 1 })?;
/// assert_eq!(scattering.features(), 81 * 7 * 7);
/// let mut features = vec![0.0; scattering.features()];
/// scattering.room().transform(&[0.5; 784], &mut features);
/// assert!((features[0] - 0.5).abs() < 1e-6); // the average
/// assert!(features[49].abs() < 1e-6); // and no edge anywhere
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scattering {
    shape: Shape,
    wavelets: Wavelets,
}

impl Scattering {
    /// For images of a shape.
    ///
    /// # Errors
    /// If height or width is not a multiple of 4, or there are no pixels or more than 2^24 numbers.
    pub fn new(shape: Shape) -> Result<Self, LearnError> {
        let Shape { height, width, channels } = shape;
        let given = format!("{height} x {width} x {channels}");
        if height % 4 != 0 || width % 4 != 0 {
            return Err(LearnError::invalid(
                "the shape of images",
                given,
                "a multiple of 4 in height and width",
            ));
        }
        if shape.is_empty() || shape.len() > 1 << 24 {
            return Err(LearnError::invalid(
                "the shape of images",
                given,
                "from 16 to 2^24 numbers",
            ));
        }
        Ok(Self { shape, wavelets: Wavelets::new() })
    }

    /// The shape of the images.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// How many features an image has.
    #[must_use]
    pub const fn features(&self) -> usize {
        self.shape.channels * PATHS * self.places()
    }

    /// How many features there are of each path.
    #[must_use]
    pub const fn places(&self) -> usize {
        self.shape.pixels() / 16
    }

    /// Room to transform images in, one after the other.
    #[must_use]
    pub fn room(&self) -> Room<'_> {
        Room {
            scattering: self,
            channel: vec![0.0; self.shape.pixels()],
            planes: vec![0.0; DIRECTIONS * self.shape.pixels()],
            scratch: Default::default(),
        }
    }
}

/// Memory that is used again from image to image.
#[derive(Debug)]
pub struct Room<'a> {
    scattering: &'a Scattering,
    channel: Vec<f32>,
    planes: Vec<f32>,
    scratch: morlet::Scratch,
}

impl Room<'_> {
    /// The features of an image: channel by channel, path by path, row by row.
    ///
    /// The channels of a pixel of the image are side by side; what is missing counts as 0.
    pub fn transform(&mut self, image: &[f32], features: &mut [f32]) {
        let each = PATHS * self.scattering.places();
        let channels = self.scattering.shape.channels;
        let mut plane = std::mem::take(&mut self.channel);
        for (channel, features) in (0..channels).zip(features.chunks_mut(each)) {
            plane.fill(0.0);
            let numbers = image.iter().skip(channel).step_by(channels);
            plane.iter_mut().zip(numbers).for_each(|(pixel, x)| *pixel = *x);
            self.channel(&plane, features);
        }
        self.channel = plane;
    }

    fn channel(&mut self, image: &[f32], features: &mut [f32]) {
        let Shape { height, width, .. } = self.scattering.shape;
        let (full, half) = ((height, width), (height / 2, width / 2));
        let wavelets = &self.scattering.wavelets;
        let mut maps = features.chunks_mut(half.0 * half.1 / 4);
        let mut put = |plane: &[f32]| {
            if let Some(map) = maps.next() {
                halve(plane, half, map);
            }
        };
        let coarse = halved(image, full);
        put(&coarse);
        let moduli = &mut self.planes;
        wavelets.moduli(&[image], full, &mut self.scratch, moduli);
        let fine: Vec<Vec<f32>> =
            moduli.chunks(full.0 * full.1).map(|plane| halved(plane, full)).collect();
        fine.iter().for_each(|plane| put(plane));
        let mut inputs: Vec<&[f32]> = vec![&coarse];
        inputs.extend(fine.iter().map(Vec::as_slice));
        for input in inputs {
            let moduli = &mut moduli[..DIRECTIONS * half.0 * half.1];
            wavelets.moduli(&[input], half, &mut self.scratch, moduli);
            moduli.chunks(half.0 * half.1).for_each(&mut put);
        }
    }
}
