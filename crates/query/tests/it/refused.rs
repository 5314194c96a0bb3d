//! Queries that would leak, each refused for the right reason before any row is read; and texts made
//! from them, which may be anything but a panic.

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use throng_query::QueryError;

use crate::sql::plan;

static CORPUS: LazyLock<String> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/refused.sql");
    std::fs::read_to_string(path).unwrap()
});

/// (reason, query): a line `-- reason: ...`, then the query up to an empty line.
fn corpus() -> Vec<(&'static str, &'static str)> {
    let blocks =
        CORPUS.split("\n\n").map(str::trim).filter(|block| block.starts_with("-- reason: "));
    blocks.map(|block| block["-- reason: ".len()..].split_once('\n').unwrap()).collect()
}

#[test]
fn leaking_queries_are_refused_for_their_reason() {
    let corpus = corpus();
    assert!(corpus.len() >= 100, "{}", corpus.len());
    let mut wrong = Vec::new();
    for (reason, sql) in corpus {
        match plan(sql) {
            Ok(_) => wrong.push(format!("accepted: {sql}")),
            Err(error) if !error.to_string().contains(reason) => {
                wrong.push(format!("{sql}\n  wanted: {reason}\n  found: {error}"));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn refusals_say_what_to_write_instead() {
    for (_, sql) in corpus() {
        if let Err(QueryError::Refused { part, reason, hint }) = plan(sql) {
            assert!(!part.is_empty() && !reason.is_empty() && !hint.is_empty(), "{sql}");
        }
    }
}

const WORDS: &[&str] = &[
    "SELECT",
    "*",
    "FROM",
    "events",
    "users",
    "cities",
    "votes",
    "transfers",
    "WHERE",
    "GROUP BY",
    "HAVING",
    "ORDER BY",
    "LIMIT 1",
    "user_id",
    "city",
    "age",
    "income",
    "COUNT(*)",
    "SUM(age)",
    "AVG(",
    "(",
    ")",
    ",",
    "=",
    "<",
    "AND",
    "OR",
    "NOT",
    "IN",
    "EXISTS",
    "JOIN",
    "LEFT JOIN",
    "ON",
    "USING (city)",
    "UNION ALL",
    "EXCEPT",
    "AS",
    "e",
    "WITH t AS",
    "NULL",
    "1",
    "-1",
    "1e308",
    "'a'",
    "CASE WHEN",
    "THEN",
    "ELSE",
    "END",
    "OVER ()",
    "FILTER (WHERE",
    "DISTINCT",
    "ROLLUP (city)",
    "CAST(",
    "AS INT)",
    ";",
    ".",
    "\"",
    "'",
    "$1",
    "@x",
    "/*",
    "--",
    "INTERVAL",
    "date_trunc(",
];

/// No answer is fine, a wrong one is not: nothing may come from a panic of the planner.
fn survives(text: &str) -> Result<(), TestCaseError> {
    if let Err(error @ QueryError::Engine { .. }) = plan(text) {
        return Err(TestCaseError::fail(format!("{error}: {text}")));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn mutated_queries_never_panic(
        index in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, 0..WORDS.len()), 1..6),
    ) {
        let corpus = corpus();
        let mut words: Vec<&str> = index.get(&corpus).1.split_whitespace().collect();
        for (place, edit, word) in edits {
            let place = place.index(words.len().max(1));
            match edit {
                0 if words.len() > 1 => drop(words.remove(place)),
                1 => words.insert(place, WORDS[word]),
                2 if !words.is_empty() => words[place] = WORDS[word],
                _ if !words.is_empty() => words.swap(0, place),
                _ => {}
            }
        }
        survives(&words.join(" "))?;
    }

    #[test]
    fn random_words_never_panic(words in prop::collection::vec(0..WORDS.len(), 0..40)) {
        let words: Vec<_> = words.into_iter().map(|word| WORDS[word]).collect();
        survives(&format!("SELECT {}", words.join(" ")))?;
    }

    #[test]
    fn random_characters_never_panic(text in "\\PC{0,80}") {
        survives(&text)?;
        survives(&format!("SELECT COUNT(*) FROM events WHERE city = {text}"))?;
    }
}
