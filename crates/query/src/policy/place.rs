//! Where in the policy something is wrong.

use std::ops::Range;
use std::path::Path;

use crate::QueryError;

/// The text of a policy, with its lines counted.
#[derive(Debug)]
pub(super) struct Source<'a> {
    file: String,
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, path: &Path) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(after.map(|(at, _)| at + 1)).collect();
        Self { file: path.display().to_string(), text, starts }
    }

    /// `throng.toml:12:5`: the line and the character in it, from 1.
    pub(super) fn place(&self, at: usize) -> String {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or("");
        format!("{}:{line}:{}", self.file, before.chars().count() + 1)
    }

    pub(super) fn error(&self, span: &Range<usize>, what: &str, hint: &str) -> QueryError {
        QueryError::invalid(format!("{}: {what}", self.place(span.start)), hint)
    }
}

/// "did you mean income?", or what there is instead.
pub(crate) fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = known
        .clone()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(far, candidate)| {
            let begun = word.len() >= 3 && candidate.starts_with(word);
            begun || *far <= 1 + candidate.chars().count() / 4
        })
        .min();
    match near {
        Some((_, candidate)) => format!("did you mean {candidate}?"),
        None => one_of(known),
    }
}

/// "one of: a, b, c", not too long.
fn one_of<'a>(known: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    let mut names: Vec<_> = known.take(SHOWN + 1).collect();
    if names.is_empty() {
        return String::new();
    }
    if names.len() > SHOWN {
        names.truncate(SHOWN);
        names.push("...");
    }
    format!("one of: {}", names.join(", "))
}

/// How many letters have to be changed, added or removed; words beyond 64 letters are far.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(65).collect(), b.chars().collect());
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (above, y) in row.iter().skip(1).zip(&b) {
            let change = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            left = change.min(above + 1).min(left + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let source = Source::new("a = 1\næøå = 2\n\nb", "p.toml".as_ref());
        assert_eq!(source.place(0), "p.toml:1:1");
        assert_eq!(source.place(6), "p.toml:2:1");
        assert_eq!(source.place(6 + 6), "p.toml:2:4");
        assert_eq!(source.place(18), "p.toml:4:1");
        assert!(source.place(10_000).starts_with("p.toml:4:"));
    }

    #[test]
    fn near_words_are_suggested() {
        let known = ["epsilon", "delta", "rho"];
        assert_eq!(suggestion("epsilom", known.into_iter()), "did you mean epsilon?");
        assert_eq!(suggestion("eps", known.into_iter()), "did you mean epsilon?");
        assert_eq!(suggestion("Delta", known.into_iter()), "did you mean delta?");
        assert_eq!(suggestion("zzz", known.into_iter()), "one of: epsilon, delta, rho");
        assert_eq!(suggestion("x", std::iter::empty()), "");
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance(&"x".repeat(1000), "abc"), usize::MAX);
    }
}
