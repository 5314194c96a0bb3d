//! A plot as pixels. Letters are strokes, so no font is needed on the machine.
#![expect(
    clippy::cast_possible_truncation,
    reason = "places on a page of some thousand pixels; colours are clamped"
)]

use zeno::{Cap, Join, Mask, Stroke, Transform};

use super::figure::Figure;
use super::scene::{Anchor, HEIGHT, Ink, Item, Path, Text, WIDTH, scene};
use super::strokes;
use crate::failure::Failure;

/// Pixels per unit of the page.
const SCALE: u16 = 2;

/// Paints a figure.
pub(crate) fn render(figure: &Figure) -> Result<Vec<u8>, Failure> {
    let mut picture = Picture::new();
    for item in scene(figure) {
        match &item {
            Item::Path(path) => picture.path(path),
            Item::Text(text) => picture.text(text),
        }
    }
    picture.encode()
}

/// Opaque pixels: red, green, blue.
struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn new() -> Self {
        let [width, height] = [WIDTH, HEIGHT].map(pixels);
        let count = usize::try_from(width * height).unwrap_or(0);
        Self { width, height, pixels: vec![[255; 3]; count] }
    }

    fn path(&mut self, path: &Path) {
        if path.data.is_empty() {
            return;
        }
        let scale = f32::from(SCALE);
        let mut mask = Mask::new(path.data.as_str());
        mask.transform(Some(Transform::scale(scale, scale)));
        let opacity = match &path.ink {
            Ink::Fill { opacity } => *opacity,
            Ink::Stroke { width, dashes } => {
                let mut stroke = Stroke::new(*width);
                stroke.cap(Cap::Butt).join(Join::Round).dash(dashes, 0.0);
                mask.style(stroke);
                1.0
            }
        };
        self.ink(&mask, path.colour, opacity);
    }

    /// Writes a label, then its power, smaller and raised.
    fn text(&mut self, text: &Text) {
        let small = text.size * 0.75;
        let power = text.power.as_deref().unwrap_or("").replace('-', "\u{2212}");
        let width = strokes::width(&text.text, text.size);
        let whole = width + strokes::width(&power, small);
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -whole / 2.0,
            Anchor::End => -whole,
        };
        self.write(text, &text.text, start, 0.0, text.size);
        self.write(text, &power, start + width, -text.size * 0.4, small);
    }

    /// Writes letters, `along` and `down` from the label's point.
    fn write(&mut self, at: &Text, letters: &str, along: f64, down: f64, size: f64) {
        let mut along = along;
        for letter in letters.chars() {
            let glyph = strokes::glyph(letter);
            let unit = size / strokes::EM;
            let page = f64::from(SCALE);
            let place = along + strokes::BEARING * unit;
            let (x, y) =
                if at.upright { (at.x + down, at.y - place) } else { (at.x + place, at.y + down) };
            let [s, x, y] = [unit * page, x * page, y * page].map(|value| value as f32);
            let transform = if at.upright {
                Transform::new(0.0, -s, s, 0.0, x, y)
            } else {
                Transform::new(s, 0.0, 0.0, s, x, y)
            };
            let mut mask = Mask::new(glyph.path);
            mask.transform(Some(transform)).style(strokes::pen());
            self.ink(&mask, at.colour, 1.0);
            along += glyph.advance() * unit;
        }
    }

    /// Lays a colour over the pixels a mask covers.
    fn ink<D: zeno::PathData>(&mut self, mask: &Mask<'_, '_, D>, colour: &str, opacity: f32) {
        let (coverage, placed) = mask.render();
        let ink = rgb(colour);
        let rows = coverage.chunks(usize::try_from(placed.width).unwrap_or(0).max(1));
        for (row, y) in rows.zip(placed.top..) {
            for (&part, x) in row.iter().zip(placed.left..) {
                if let (true, Some(pixel)) = (part > 0, self.at(x, y)) {
                    let weight = f32::from(part) / 255.0 * opacity;
                    for (channel, ink) in pixel.iter_mut().zip(ink) {
                        *channel = blend(*channel, ink, weight);
                    }
                }
            }
        }
    }

    fn at(&mut self, x: i32, y: i32) -> Option<&mut [u8; 3]> {
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        let index = (x < self.width && y < self.height).then_some(y * self.width + x)?;
        self.pixels.get_mut(usize::try_from(index).ok()?)
    }

    fn encode(&self) -> Result<Vec<u8>, Failure> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let bug = |error: png::EncodingError| Failure::bug(error.to_string());
        let mut writer = encoder.write_header().map_err(bug)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(bug)?;
        writer.finish().map_err(bug)?;
        Ok(file)
    }
}

#[expect(clippy::cast_sign_loss, reason = "a page has a positive size")]
fn pixels(length: f64) -> u32 {
    (length * f64::from(SCALE)) as u32
}

#[expect(clippy::cast_sign_loss, reason = "between two colours")]
fn blend(under: u8, ink: u8, weight: f32) -> u8 {
    (f32::from(under) * (1.0 - weight) + f32::from(ink) * weight).round() as u8
}

/// The channels of `#rrggbb`; black for anything else.
fn rgb(colour: &str) -> [u8; 3] {
    let channel = |from: usize| {
        colour.get(from..from + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0)
    };
    [channel(1), channel(3), channel(5)]
}
