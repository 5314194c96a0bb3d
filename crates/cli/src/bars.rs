//! Horizontal bars for a table.

use crate::terminal;

/// The longest bar, in characters.
const LONGEST: i64 = 30;

/// Bars on one scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bars {
    largest: i64,
    ascii: bool,
}

impl Bars {
    /// The largest number gets the longest bar.
    pub(crate) fn up_to(largest: i64) -> Self {
        Self { largest: largest.max(1), ascii: !terminal::speaks_utf8() }
    }

    /// A bar; none for what is not above 0.
    pub(crate) fn draw(&self, number: i64) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let number = i128::from(number.clamp(0, self.largest));
        let eighths = number * i128::from(8 * LONGEST) / i128::from(self.largest);
        let part = |eighths: i128| usize::try_from(eighths).unwrap_or(0);
        if self.ascii {
            return "#".repeat(part((eighths + 4) / 8));
        }
        let rest = EIGHTHS.get(part(eighths % 8)).copied().unwrap_or_default();
        format!("{}{rest}", "█".repeat(part(eighths / 8)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion() {
        let bars = Bars { largest: 240, ascii: false };
        assert_eq!(bars.draw(240).chars().count(), 30);
        assert_eq!(bars.draw(1), "▏");
        assert_eq!(bars.draw(12), "█▌");
        assert_eq!(bars.draw(0), "");
        assert_eq!(bars.draw(i64::MIN), "");
        assert_eq!(bars.draw(i64::MAX).chars().count(), 30);
        let bars = Bars { largest: i64::MAX, ascii: true };
        assert_eq!(bars.draw(i64::MAX), "#".repeat(30));
    }
}
