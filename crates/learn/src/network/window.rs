//! Squares that move over an image: what they cover, and its transpose; the largest and the mean.

use super::float::float;
use super::layer::Window;

impl Window {
    /// For each place and each row of its square: where the covered pixels are in the image, if they
    /// are, and where in the numbers of the square.
    fn spans(&self, mut span: impl FnMut(usize, Span)) {
        let channels = self.from.channels;
        let row = self.from.width * channels;
        for (place, (down, right)) in self.corners().enumerate() {
            // Pixels of the square that lie left and right of the image.
            let before = self.padding.saturating_sub(right);
            let first = (right + before).saturating_sub(self.padding);
            let beyond = (right + self.size).saturating_sub(self.from.width + self.padding);
            let length = self.size.saturating_sub(before + beyond) * channels;
            for line in 0..self.size {
                let Some(y) = (down + line).checked_sub(self.padding) else { continue };
                if y < self.from.height {
                    let image = y * row + first * channels;
                    let square = (line * self.size + before) * channels;
                    span(place, Span { image, square, length });
                }
            }
        }
    }

    /// The upper left pixels, padding counted, place by place.
    fn corners(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let ([height, width], stride) = (self.places, self.stride);
        (0..height).flat_map(move |y| (0..width).map(move |x| (y * stride, x * stride)))
    }

    /// What the square covers, one row for each place; 0 around the image.
    pub(super) fn unfold(&self, image: &[f32], squares: &mut [f32]) {
        if self.padding > 0 {
            squares.fill(0.0);
        }
        let covered = self.covered();
        self.spans(|place, span| {
            let start = place * covered + span.square;
            let from = image.get(span.image..span.image + span.length);
            let onto = squares.get_mut(start..start + span.length);
            if let (Some(from), Some(onto)) = (from, onto) {
                onto.copy_from_slice(from);
            }
        });
    }

    /// The transpose of [`Window::unfold`]: the sum over all squares that cover a pixel.
    pub(super) fn fold(&self, squares: &[f32], image: &mut [f32]) {
        image.fill(0.0);
        let covered = self.covered();
        self.spans(|place, span| {
            let start = place * covered + span.square;
            let onto = image.get_mut(span.image..span.image + span.length);
            let from = squares.get(start..start + span.length);
            if let (Some(from), Some(onto)) = (from, onto) {
                for (onto, from) in onto.iter_mut().zip(from) {
                    *onto += from;
                }
            }
        });
    }

    /// For each pixel of each place: the place, and where the pixel starts in the image.
    fn pixels(&self, mut pixel: impl FnMut(usize, usize)) {
        let channels = self.from.channels;
        for (place, (down, right)) in self.corners().enumerate() {
            for line in 0..self.size {
                for column in 0..self.size {
                    let start = ((down + line) * self.from.width + right + column) * channels;
                    pixel(place, start);
                }
            }
        }
    }

    /// The largest number of each square, channel by channel.
    pub(super) fn most(&self, image: &[f32], out: &mut [f32]) {
        out.fill(f32::NEG_INFINITY);
        self.visit(image, out, |from, onto| {
            *onto = if from > *onto { from } else { *onto };
        });
    }

    /// The mean of each square, channel by channel.
    pub(super) fn mean(&self, image: &[f32], out: &mut [f32]) {
        let share = 1.0 / float(self.size * self.size);
        out.fill(0.0);
        self.visit(image, out, |from, onto| *onto += share * from);
    }

    fn visit(&self, image: &[f32], out: &mut [f32], each: impl Fn(f32, &mut f32)) {
        let channels = self.from.channels;
        self.pixels(|place, start| {
            let from = image.get(start..start + channels);
            let onto = out.get_mut(place * channels..(place + 1) * channels);
            if let (Some(from), Some(onto)) = (from, onto) {
                for (from, onto) in from.iter().zip(onto) {
                    each(*from, onto);
                }
            }
        });
    }

    /// What each pixel gets of the changes of the largest numbers: all, if it is the first that is
    /// the largest. `rest` is consumed.
    pub(super) fn most_back(&self, image: &[f32], out: &[f32], rest: &mut [f32], back: &mut [f32]) {
        let channels = self.from.channels;
        back.fill(0.0);
        self.pixels(|place, start| {
            let at = place * channels..(place + 1) * channels;
            let pixel = start..start + channels;
            let (image, out) = (image.get(pixel.clone()), out.get(at.clone()));
            let (rest, back) = (rest.get_mut(at), back.get_mut(pixel));
            if let (Some(image), Some(out), Some(rest), Some(back)) = (image, out, rest, back) {
                for (((image, out), rest), back) in image.iter().zip(out).zip(rest).zip(back) {
                    let taken = if image == out { *rest } else { 0.0 };
                    *back += taken;
                    *rest -= taken;
                }
            }
        });
    }

    /// What each pixel gets of the changes of the means: its share.
    pub(super) fn mean_back(&self, delta: &[f32], back: &mut [f32]) {
        let channels = self.from.channels;
        let share = 1.0 / float(self.size * self.size);
        back.fill(0.0);
        self.pixels(|place, start| {
            let delta = delta.get(place * channels..(place + 1) * channels);
            let back = back.get_mut(start..start + channels);
            if let (Some(delta), Some(back)) = (delta, back) {
                for (delta, back) in delta.iter().zip(back) {
                    *back += share * delta;
                }
            }
        });
    }
}

/// Part of a row of pixels, in the image and in a square.
struct Span {
    image: usize,
    square: usize,
    length: usize,
}
