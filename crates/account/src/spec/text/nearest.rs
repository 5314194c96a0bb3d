//! Which known name was meant.

use crate::spec::vocabulary::vocabulary;

/// Longer names than this are nothing that was meant.
const LONGEST: usize = 40;
const MOST: usize = 3;

/// The known names most like this one, the nearest first; none if none is near.
pub(super) fn names(given: &str) -> Vec<&'static str> {
    if given.len() > LONGEST {
        return Vec::new();
    }
    let given = given.to_ascii_lowercase();
    let mut near: Vec<_> = vocabulary()
        .filter_map(|entry| {
            entry.names().filter_map(|name| Some((distance(&given, name)?, name))).min()
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// How far apart two names are, if they are near at all.
fn distance(given: &str, name: &str) -> Option<usize> {
    let edits = edits(given.as_bytes(), name.as_bytes());
    let part =
        given.len() >= 3 && (name.contains(given) || given.contains(name) && name.len() >= 3);
    (edits <= 1 + given.len() / 4 || part).then_some(edits)
}

/// How many letters must be put in, left out or exchanged (Levenshtein's distance).
fn edits(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (b, above) in to.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(a != b)).min(left + 1).min(above + 1);
            next.push(left);
            diagonal = *above;
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits(b"gausian", b"gaussian"), 1);
        assert_eq!(edits(b"kitten", b"sitting"), 3);
        assert_eq!(edits(b"", b"abc"), 3);
        assert_eq!(edits(b"abc", b""), 3);
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(names("gausian").first(), Some(&"gaussian"));
        assert_eq!(names("Laplace").first(), Some(&"laplace"));
        assert!(names("shuffle").contains(&"shuffled"));
        assert!(names("quux").is_empty());
        assert!(names(&"a".repeat(1000)).is_empty());
    }
}
