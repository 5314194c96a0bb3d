//! Bars as SVG: text stays text.

use std::fmt::Write as _;

use super::{Bar, BarOptions, Panel, shortened};
use crate::answer::digits;

const WIDTH: f64 = 720.0;
const RIGHT: f64 = 86.0;
const ROW: f64 = 22.0;
const HEAD: f64 = 34.0;
const FOOT: f64 = 34.0;
/// The width of a letter at 12 units, about.
const LETTER: f64 = 6.9;
/// The longest label, in letters.
const LONGEST: usize = 32;

/// Colours by class, for light and dark pages.
const STYLE: &str = "\
.page{fill:#ffffff}.ink{fill:#222222}.grey{fill:#666666}.bar{fill:#0072b2;fill-opacity:.75}\
.whisker{stroke:#222222;stroke-width:1.4;fill:none}.grid{stroke:#e3e3e3;stroke-width:1}\
.axis{stroke:#777777;stroke-width:1}\
@media (prefers-color-scheme:dark){.page{fill:#16181c}.ink{fill:#e8e8e8}.grey{fill:#a0a0a0}\
.bar{fill:#56b4e9}.whisker{stroke:#f2f2f2}.grid{stroke:#33363c}.axis{stroke:#8a8a8a}}";

/// The whole picture; `rows` is how many rows the answer has.
pub(super) fn picture(panels: &[Panel], options: &BarOptions, rows: usize) -> String {
    let top = if options.title.is_some() { 44.0 } else { 12.0 };
    let left = margin(panels);
    let mut body = String::new();
    let mut y = top;
    for panel in panels {
        drawn(&mut body, panel, left, y);
        y += height(panel);
    }
    if let Some(note) = left_out(panels, rows) {
        text(&mut body, left, y + 8.0, ("start", "grey", 12.0), &note);
        y += 20.0;
    }
    let height = y + 8.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"title desc\" \
         font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
    );
    let title = options.title.clone().unwrap_or_else(|| named(panels));
    let _ = writeln!(svg, "<title id=\"title\">{}</title>", escaped(&title));
    let _ = writeln!(svg, "<desc id=\"desc\">{}</desc>", escaped(&described(panels, options)));
    let _ = writeln!(svg, "<style>{STYLE}</style>");
    let _ = writeln!(svg, "<rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\"/>");
    if let Some(title) = &options.title {
        text(&mut svg, WIDTH / 2.0, 28.0, ("middle", "ink", 15.0), &shortened(title, 84));
    }
    svg.push_str(&body);
    svg.push_str("</svg>\n");
    svg
}

fn named(panels: &[Panel]) -> String {
    panels.iter().map(|panel| panel.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn described(panels: &[Panel], options: &BarOptions) -> String {
    let bars = panels.first().map_or(0, |panel| panel.bars.len());
    let what = options.confidence.as_ref().map_or_else(String::new, |what| format!(" ({what})"));
    format!("Horizontal bars of {} for {bars} rows; lines show intervals{what}.", named(panels))
}

fn left_out(panels: &[Panel], rows: usize) -> Option<String> {
    let shown = panels.first()?.bars.len();
    let more = rows.checked_sub(shown).filter(|more| *more > 0)?;
    Some(format!("… and {more} more rows"))
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(0.0, f64::from)
}

/// The room for labels.
fn margin(panels: &[Panel]) -> f64 {
    let labels = panels.iter().flat_map(|panel| &panel.bars).map(|bar| bar.label.chars().count());
    14.0 + LETTER * count(labels.max().unwrap_or(0).clamp(3, LONGEST)) + 8.0
}

fn height(panel: &Panel) -> f64 {
    HEAD + ROW * count(panel.bars.len()) + FOOT
}

fn drawn(svg: &mut String, panel: &Panel, left: f64, top: f64) {
    let bottom = top + HEAD + ROW * count(panel.bars.len());
    let x = |value: f64| left + (WIDTH - left - RIGHT) * panel.place(value);
    text(svg, left, top + 20.0, ("start", "ink", 13.0), &shortened(&panel.name, 72));
    for tick in panel.ticks() {
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{:.2},{:.2} V{bottom:.2}\"/>",
            x(tick),
            top + HEAD - 4.0
        );
        let number = digits::plain(tick).replace('-', "\u{2212}");
        text(svg, x(tick), bottom + 16.0, ("middle", "grey", 12.0), &number);
    }
    for (index, bar) in panel.bars.iter().enumerate() {
        row(svg, bar, left, top + HEAD + ROW * count(index), &x);
    }
    let (zero, from) = (x(0.0), top + HEAD - 4.0);
    let _ = writeln!(svg, "<path class=\"axis\" d=\"M{zero:.2},{from:.2} V{bottom:.2}\"/>");
}

/// A label, a bar, its whiskers and its number.
fn row(svg: &mut String, bar: &Bar, left: f64, top: f64, x: &dyn Fn(f64) -> f64) {
    let middle = top + ROW / 2.0;
    let _ = writeln!(svg, "<g><title>{}</title>", escaped(&told(bar)));
    text(svg, left - 8.0, middle + 4.2, ("end", "ink", 12.0), &shortened(&bar.label, LONGEST));
    if let Some(value) = bar.value {
        let (from, to) = (x(value.min(0.0)), x(value.max(0.0)));
        let _ = writeln!(
            svg,
            "<rect class=\"bar\" x=\"{from:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\"/>",
            top + 3.0,
            to - from,
            ROW - 6.0
        );
    }
    if let (Some(low), Some(high)) = bar.ends {
        let (low, high) = (x(low), x(high));
        let _ = writeln!(
            svg,
            "<path class=\"whisker\" d=\"M{low:.2},{middle:.2} H{high:.2} \
             M{low:.2},{:.2} v8 M{high:.2},{:.2} v8\"/>",
            middle - 4.0,
            middle - 4.0
        );
    }
    let number = if bar.text.is_empty() { "NULL" } else { &bar.text };
    let number = shortened(&number.replace('-', "\u{2212}"), 12);
    text(svg, WIDTH - 10.0, middle + 4.2, ("end", "ink", 12.0), &number);
    svg.push_str("</g>\n");
}

/// What a bar says, for those who do not see it.
fn told(bar: &Bar) -> String {
    let value = if bar.text.is_empty() { "no value" } else { &bar.text };
    match bar.ends {
        (Some(low), Some(high)) => {
            format!("{}: {value} ({} … {})", bar.label, digits::plain(low), digits::plain(high))
        }
        (None, _) | (_, None) => format!("{}: {value}", bar.label),
    }
}

fn text(svg: &mut String, x: f64, y: f64, (anchor, class, size): (&str, &str, f64), words: &str) {
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" \
         text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

/// Text that can stand in XML: marks escaped, what XML cannot hold or what is not seen written out.
fn escaped(words: &str) -> String {
    let mut safe = String::with_capacity(words.len());
    for c in crate::answer::text::safe(words).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c => safe.push(c),
        }
    }
    safe
}
