//! A plot as SVG: text stays text.

use std::fmt::Write as _;

use super::figure::Figure;
use super::scene::{Anchor, HEIGHT, Ink, Item, Path, Text, WIDTH, scene};

/// Writes a figure.
pub(crate) fn render(figure: &Figure) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', \
         sans-serif\">\n"
    );
    if let Some(title) = &figure.title {
        let _ = writeln!(svg, "<title>{}</title>", escaped(title));
    }
    for item in scene(figure) {
        let line = match &item {
            Item::Path(path) => path_element(path),
            Item::Text(text) => text_element(text),
        };
        svg.push_str(&line);
        svg.push('\n');
    }
    svg.push_str("</svg>\n");
    svg
}

fn path_element(path: &Path) -> String {
    let Path { class, data, colour, ink } = path;
    let style = match ink {
        Ink::Fill { opacity } => {
            format!("fill=\"{colour}\" fill-opacity=\"{opacity}\" stroke=\"none\"")
        }
        Ink::Stroke { width, dashes } => {
            format!(
                "fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\"{}",
                dash_attribute(dashes)
            )
        }
    };
    format!("<path class=\"{class}\" d=\"{data}\" {style}/>")
}

fn dash_attribute(dashes: &[f32]) -> String {
    if dashes.is_empty() {
        return String::new();
    }
    let list: Vec<String> = dashes.iter().map(ToString::to_string).collect();
    format!(" stroke-dasharray=\"{}\"", list.join(" "))
}

fn text_element(text: &Text) -> String {
    let Text { x, y, size, anchor, colour, upright, .. } = text;
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let turn =
        if *upright { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") } else { String::new() };
    let power = text.power.as_ref().map(|power| {
        let power = escaped(&power.replace('-', "\u{2212}"));
        format!("<tspan dy=\"{:.1}\" font-size=\"{:.1}\">{power}</tspan>", -size * 0.4, size * 0.75)
    });
    format!(
        "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size:.1}\" text-anchor=\"{anchor}\" \
         fill=\"{colour}\"{turn}>{}{}</text>",
        escaped(&text.text),
        power.unwrap_or_default(),
    )
}

/// Text that can stand in XML: marks escaped, control characters gone.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(' '),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    #[test]
    fn marks_are_escaped() {
        assert_eq!(super::escaped("a<b & \"c\"\u{7}\n"), "a&lt;b &amp; &quot;c&quot; ");
    }
}
