//! Texts that are nearly SQL or nearly a policy: the properties of the fuzz targets, on texts that are
//! taken apart and put together again.

use proptest::prelude::*;

#[path = "../../../../fuzz/properties/parse_policy.rs"]
mod parse_policy;
#[path = "../../../../fuzz/properties/plan_sql.rs"]
mod plan_sql;

const QUERIES: &[&str] = &[
    "SELECT COUNT ( * ) FROM events",
    "SELECT city , COUNT ( DISTINCT user_id ) , AVG ( age ) FROM events GROUP BY city",
    "SELECT kind , MEDIAN ( age ) FROM events WHERE age / 2 > 3 GROUP BY ROLLUP ( kind ) ORDER BY 2 LIMIT 3",
    "SELECT c . region , SUM ( e . age ) FROM events e JOIN cities c ON e . city = c . city GROUP BY 1",
    "SELECT party , VAR ( age ) FROM ballots GROUP BY party HAVING COUNT ( * ) > 5 ; SELECT 1",
    "WITH t AS ( SELECT user_id , MAX ( age ) AS a FROM events GROUP BY user_id ) SELECT AVG ( a ) FROM t",
    "SELECT COUNT ( * ) FROM events WHERE user_id IN ( SELECT user_id FROM events WHERE age > 3 )",
    "SELECT region FROM cities UNION ALL SELECT 'x' -- public",
    "SELECT CASE WHEN age < 18 THEN 'y' ELSE kind END AS k , SUM ( score ) FILTER ( WHERE age > 1 ) \
     FROM events GROUP BY k",
];

const WORDS: &[&str] = &[
    "",
    "(",
    ")",
    ",",
    ";",
    "*",
    "-",
    "'",
    "\"",
    "--",
    "/*",
    "''",
    "NULL",
    "1e999",
    "-0.0",
    "0x1",
    "ü",
    "🦀",
    "\u{0}",
    "$1",
    "?",
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY 99",
    "LIMIT -1",
    "OFFSET 1",
    "events",
    "events e",
    "user_id",
    "age",
    "city",
    "kind",
    "ballots",
    "cities",
    "nothing",
    "__throng_answer_0",
    "COUNT(*)",
    "SUM(age)",
    "OVER ()",
    "AS",
    "JOIN events USING (user_id)",
    "CROSS JOIN cities",
    "EXISTS (SELECT 1)",
    "random()",
    "now()",
    "CAST(age AS TEXT)",
    "INTERVAL '1 day'",
    "ARRAY[1, 2]",
    "[1]",
    "{'a': 1}",
    "LATERAL",
    "DROP TABLE events",
    "INSERT INTO events VALUES (1)",
    "EXPLAIN",
    "COPY",
    "SET x = 1",
    "information_schema.tables",
];

const POLICIES: &[&str] = &[
    "[budget]\nepsilon = 1\ndelta = 1e-6\n[tables.t]\npath = \"t.csv\"\nunit = \"id\"\nmax_groups = 3\n\
     max_rows = \"auto\"\n[tables.t.columns]\nid = { type = \"integer\" }\n\
     k = { type = \"text\", keys = [\"a\", \"b\"] }\nx = { lower = 0, upper = 9.5 }\n",
    "[budget]\nrho = 0.5\ndelta = 1e-6\nneighbours = \"replace\"\n[query]\nepsilon = 1\n[tables.t]\n\
     path = [\"a.parquet\", \"b.parquet\"]\nunit = { row = true }\n[tables.p]\npath = \"p.csv\"\npublic = true\n",
    "[budget]\nmu = 2\nanalysts = { ann = { mu = 1 } }\n[engine]\nthreads = 2\n[tables.a]\npath = \"a.csv\"\n\
     unit = { column = \"o\", name = \"person\" }\n[tables.b]\npath = \"b.csv\"\n\
     unit = { column = \"a_id\", table = \"a\", key = \"id\" }\n",
];

const PIECES: &[&str] = &[
    "",
    "=",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'''",
    "\n",
    "#",
    ",",
    "0",
    "-1",
    "1e400",
    "inf",
    "nan",
    "true",
    "\"auto\"",
    "epsilon",
    "delta",
    "unit",
    "[tables.t]",
    "[tables.t.columns]",
    "[tables.\"ü\"]",
    "path = \"../x\"",
    "public = true",
    "row = true",
    "lower = 3",
    "upper = -3",
    "keys = [1, \"a\"]",
    "9223372036854775808",
    "2020-01-01",
    "🦀",
    "max_groups = 0",
    "neighbours = \"zero-out\"",
    "[budget]",
];

/// A text of words with some of them replaced.
fn changed(
    texts: &'static [&str],
    apart: &'static str,
    words: &'static [&str],
) -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), 0..3_usize, prop::sample::select(words));
    let changes = prop::collection::vec(change, 0..4);
    (prop::sample::select(texts), changes).prop_map(move |(text, changes)| {
        let mut parts: Vec<&str> = text.split(apart).collect();
        for (place, gone, new) in changes {
            let start = place.index(parts.len());
            let end = (start + gone).min(parts.len());
            parts.splice(start..end, [new]);
        }
        parts.join(apart)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn planning_is_total(text in changed(QUERIES, " ", WORDS)) {
        plan_sql::check(&text);
    }

    #[test]
    fn reading_a_policy_is_total(
        words in changed(POLICIES, " ", PIECES),
        lines in changed(POLICIES, "\n", PIECES),
    ) {
        parse_policy::check(&words);
        parse_policy::check(&lines);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        plan_sql::check(&text);
        parse_policy::check(&text);
    }
}

/// What the others start from is accepted.
#[test]
fn texts_are_accepted() {
    for text in QUERIES {
        plan_sql::check(text);
    }
    for text in POLICIES {
        parse_policy::check(text);
        let path = std::path::Path::new("throng.toml");
        throng_query::policy::Policy::parse(text, path)
            .unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
}
