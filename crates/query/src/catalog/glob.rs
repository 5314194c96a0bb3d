//! Globs of one path component: `*`, `?`, `[a-z]`, `[!a-z]`.

/// Whether a path has signs of a glob in it.
pub(super) fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '['])
}

/// Whether a name matches, in time proportional to the product of the lengths.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let tokens = tokens(pattern);
    let letters: Vec<char> = name.chars().collect();
    // reach[i]: the tokens so far can use up exactly i letters.
    let mut reach = vec![false; letters.len() + 1];
    if let Some(start) = reach.first_mut() {
        *start = true;
    }
    for token in &tokens {
        let mut next = Vec::with_capacity(reach.len());
        let mut any = false;
        for (i, here) in reach.iter().enumerate() {
            any |= here;
            let before = i.checked_sub(1);
            let came = before.and_then(|i| reach.get(i)).copied().unwrap_or(false);
            let letter = before.and_then(|i| letters.get(i));
            next.push(match token {
                Token::Many => any,
                Token::One => came,
                Token::Set { ranges, negated } => {
                    came && letter.is_some_and(|c| in_ranges(ranges, *c) != *negated)
                }
                Token::Letter(wanted) => came && letter == Some(wanted),
            });
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

enum Token {
    Many,
    One,
    Set { ranges: Vec<(char, char)>, negated: bool },
    Letter(char),
}

fn in_ranges(ranges: &[(char, char)], c: char) -> bool {
    ranges.iter().any(|(low, high)| (*low..=*high).contains(&c))
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        tokens.push(match c {
            '*' => Token::Many,
            '?' => Token::One,
            '[' => match set(rest.as_str()) {
                Some((token, after)) => {
                    rest = after.chars();
                    token
                }
                // A bracket that is never closed stands for itself.
                None => Token::Letter('['),
            },
            c => Token::Letter(c),
        });
    }
    tokens
}

/// The inside of `[...]` and what comes after it.
fn set(text: &str) -> Option<(Token, &str)> {
    let negated = text.starts_with(['!', '^']);
    let body = if negated { text.get(1..)? } else { text };
    // A closing bracket that comes first is a member.
    let first = body.chars().next()?;
    let close = first.len_utf8() + body.get(first.len_utf8()..)?.find(']')?;
    let members: Vec<char> = body.get(..close)?.chars().collect();
    let mut ranges = Vec::new();
    let mut at = members.as_slice();
    loop {
        at = match at {
            [low, '-', high, rest @ ..] => {
                ranges.push((*low, *high));
                rest
            }
            [one, rest @ ..] => {
                ranges.push((*one, *one));
                rest
            }
            [] => break,
        };
    }
    Some((Token::Set { ranges, negated }, body.get(close + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.parquet", "a.parquet", true),
            ("*.parquet", ".parquet", true),
            ("*.parquet", "a.csv", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a?c", "aøc", true),
            ("[a-c]1", "b1", true),
            ("[!a-c]1", "b1", false),
            ("[!a-c]1", "d1", true),
            ("[]x]", "]", true),
            ("[x", "[x", true),
            ("[", "[", true),
            ("[]", "[]", true),
            ("**", "anything", true),
            ("a*b*c", "a__b__c", true),
            ("a*b*c", "a__c__b", false),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        assert!(!matches(&"*a".repeat(200), &"a".repeat(150)));
    }
}
