//! Queries made by dice.

/// Deterministic dice (splitmix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(n.max(1)).unwrap()).unwrap()
    }

    /// Whether something of so many percent happens.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(super) fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// Conditions on one row.
const CONDITIONS: &[&str] = &[
    "t.age > 18",
    "t.income < 1000",
    "t.income <> t.income",
    "t.income = t.income",
    "1 / (t.age - 33) > 0",
    "CAST(t.note AS INT) = 12",
    "CAST(t.note AS DOUBLE) > 1",
    "t.city LIKE 'a%'",
    "t.city IN ('a', 'b', 'ü')",
    "t.kind = 'ü'",
    "t.ok",
    "t.ok IS NOT TRUE",
    "t.age BETWEEN 0 AND 50",
    "t.note IS NOT NULL",
    "exp(t.income) > 5",
    "t.age + 9223372036854775807 > 0",
    "t.age * t.age > 100",
    "t.age % 3 = 0",
    "CAST(t.income AS INT) > 3",
    "sqrt(t.income) > 2",
    "t.day > TIMESTAMP '2020-01-01T00:00:00'",
    "length(t.note) < 4",
    "t.age < t.income",
    "coalesce(t.age, 5) = 5",
];

/// Numbers whose range is known.
const NUMBERS: &[&str] = &[
    "t.age",
    "t.income",
    "t.income",
    "t.income",
    "t.age + 1",
    "t.age * 2 - 5",
    "-t.age",
    "t.income / 1000",
    "1",
    "CASE WHEN t.ok THEN 1 ELSE 0 END",
    "CASE WHEN t.ok THEN t.income END",
    "LEAST(GREATEST(CAST(t.note AS BIGINT), -10), 10)",
    "LEAST(GREATEST(CAST(t.note AS DOUBLE), -2.5), 7)",
    "LEAST(GREATEST(1 / (t.age - 33), 0), 50)",
    "LEAST(GREATEST(1 / (t.income - 3), 0), 50)",
    "LEAST(GREATEST(exp(t.income), 0), 50)",
    "LEAST(GREATEST(ln(t.income), -5), 5)",
    "LEAST(GREATEST(sqrt(t.income - 50), 0), 9)",
    "LEAST(GREATEST(t.age * t.age * 1000000000, 0), 1000)",
    "LEAST(GREATEST(t.income * t.income, -3), 3)",
    "LEAST(GREATEST(t.age % 7, -6), 6)",
    "LEAST(GREATEST(length(t.note), 0), 30)",
    "abs(t.age)",
    "coalesce(t.age, 60)",
];

/// What rows are grouped by.
const KEYS: &[&str] = &[
    "t.city",
    "t.city",
    "t.kind",
    "t.kind",
    "t.ok",
    "t.note",
    "t.age",
    "t.income",
    "t.day",
    "t.age > 40",
    "t.age / 10",
    "t.age % 7",
    "floor(t.income / 1000)",
    "lower(t.city)",
    "t.city || t.note",
    "t.city IS NULL",
    "coalesce(t.city, 'none')",
    "CAST(t.note AS INT)",
    "date_trunc('month', t.day)",
    "date_part('year', t.day)",
    "CASE WHEN t.age < 18 THEN 'young' WHEN t.age < 65 THEN 'middle' ELSE 'old' END",
    "CASE WHEN t.ok THEN t.city ELSE t.kind END",
    "1 / (t.age - 33)",
];

/// The columns that every source has.
const COLUMNS: &str = "user_id, city, kind, age, income, note, ok, day";

/// The number of kinds of sources.
pub(super) const SOURCES: usize = 17;

/// The source that needs limits which are numbers.
pub(super) const JOINED: usize = 15;

/// Whether each row is a unit.
const fn by_row(source: usize) -> bool {
    matches!(source, 12 | 13 | 16)
}

/// Two statements now and then: the text, and the kinds of its sources.
pub(super) fn batch(dice: &mut Dice) -> (String, Vec<usize>) {
    // Units of rows and of columns differ in their neighbours here.
    let (first, source) = query(dice, None);
    if !dice.chance(8) || by_row(source) {
        return (first, vec![source]);
    }
    let (second, other) = query(dice, Some(source));
    (format!("{first}; {second}"), vec![source, other])
}

fn query(dice: &mut Dice, like: Option<usize>) -> (String, usize) {
    let kind = like.unwrap_or_else(|| dice.below(SOURCES));
    let source = source(kind, dice);
    let keys: Vec<&str> = match dice.below(10) {
        0..=2 => Vec::new(),
        3..=6 => vec![dice.pick(KEYS)],
        _ => two(dice),
    };
    let mut columns: Vec<String> = keys.iter().map(ToString::to_string).collect();
    for _ in 0..=dice.below(3) {
        columns.push(aggregate(kind, dice));
    }
    let mut sql = format!("SELECT {} FROM {source}", columns.join(", "));
    if dice.chance(45) {
        sql.push_str(&format!(" WHERE {}", condition(dice)));
    }
    sql.push_str(&grouping(&keys, dice));
    if dice.chance(10) {
        sql.push_str(" HAVING COUNT(*) > 1");
    }
    if dice.chance(10) {
        sql.push_str(" ORDER BY 1 LIMIT 3");
    }
    (sql, kind)
}

fn two(dice: &mut Dice) -> Vec<&'static str> {
    let first = dice.pick(KEYS);
    loop {
        let second = dice.pick(KEYS);
        if second != first {
            return vec![first, second];
        }
    }
}

fn grouping(keys: &[&str], dice: &mut Dice) -> String {
    match keys {
        [] => String::new(),
        [a] if dice.chance(10) => format!(" GROUP BY ROLLUP ({a})"),
        [a, b] if dice.chance(30) => match dice.below(3) {
            0 => format!(" GROUP BY ROLLUP ({a}, {b})"),
            1 => format!(" GROUP BY CUBE ({a}, {b})"),
            _ => format!(" GROUP BY GROUPING SETS (({a}, {b}), ({b}), ())"),
        },
        keys => format!(" GROUP BY {}", keys.join(", ")),
    }
}

fn condition(dice: &mut Dice) -> String {
    let first = dice.pick(CONDITIONS);
    match dice.below(6) {
        0 => format!("{first} AND {}", dice.pick(CONDITIONS)),
        1 => format!("({first} OR {})", dice.pick(CONDITIONS)),
        2 => format!("NOT ({first})"),
        _ => first.to_string(),
    }
}

fn aggregate(kind: usize, dice: &mut Dice) -> String {
    let number = match kind {
        0..=2 if dice.chance(40) => "t.score",
        _ => dice.pick(NUMBERS),
    };
    let aggregate = match dice.below(16) {
        0..=2 => "COUNT(*)".into(),
        3 => format!("COUNT({})", dice.pick(KEYS)),
        4 if !by_row(kind) => "COUNT(DISTINCT t.user_id)".into(),
        4 | 5 => format!("COUNT(DISTINCT {})", dice.pick(KEYS)),
        6..=8 => format!("SUM({number})"),
        9 | 10 => format!("AVG({number})"),
        11 | 15 => format!("{}({number})", dice.pick(&["VAR", "VAR_POP", "STDDEV", "STDDEV_POP"])),
        12 => format!("MEDIAN({number})"),
        13 => format!("{}({number})", dice.pick(&["MIN", "MAX"])),
        14 => format!("APPROX_PERCENTILE_CONT({number}, 0.9)"),
        _ => format!("SUM({number})"),
    };
    match aggregate.contains("PERCENTILE") || !dice.chance(15) {
        true => aggregate,
        false => format!("{aggregate} FILTER (WHERE {})", condition(dice)),
    }
}

/// Something with the columns of a table, called t.
fn source(kind: usize, dice: &mut Dice) -> String {
    let side = dice.pick(&["JOIN", "JOIN", "LEFT JOIN"]);
    let table = dice.pick(&["events", "visits"]);
    let also = dice.pick(&["", " AND e.city = v.city", " AND v.age > 0"]);
    match kind {
        0 => "events t".into(),
        1 => "visits t".into(),
        2 => format!("(SELECT * FROM events t WHERE {}) t", condition(dice)),
        3 => format!("(SELECT {COLUMNS} FROM events UNION ALL SELECT {COLUMNS} FROM visits) t"),
        4 => format!(
            "(SELECT e.user_id, e.city, v.kind, v.age, e.income, v.note, e.ok, v.day FROM events e \
             {side} visits v ON e.user_id = v.user_id{also}) t"
        ),
        5 => format!(
            "(SELECT e.user_id, c.region AS city, e.kind, e.age, e.income, e.note, e.ok, e.day \
             FROM {table} e {side} cities c ON e.city = c.city) t"
        ),
        6 => format!(
            "(SELECT user_id, city, MIN(kind) AS kind, MAX(age) AS age, AVG(income) AS income, \
             MAX(note) AS note, COUNT(*) > 1 AS ok, MIN(day) AS day FROM {table} \
             GROUP BY user_id, city) t"
        ),
        7 => format!("(SELECT DISTINCT {COLUMNS} FROM {table}) t"),
        8 => format!(
            "(SELECT {COLUMNS} FROM events WHERE user_id {} (SELECT t.user_id FROM visits t \
             WHERE {})) t",
            dice.pick(&["IN", "NOT IN"]),
            condition(dice)
        ),
        9 => format!(
            "(SELECT * FROM {table} e WHERE {} (SELECT 1 FROM visits v WHERE v.user_id = e.user_id \
             AND v.age > e.age)) t",
            dice.pick(&["EXISTS", "NOT EXISTS"])
        ),
        10 => format!(
            "(SELECT e.user_id, e.city, e.kind, LEAST(GREATEST(s.total, 0), 500) AS age, s.mean AS \
             income, e.note, s.n > 2 AS ok, e.day FROM {table} e {side} (SELECT user_id, SUM(age) \
             AS total, AVG(income) AS mean, COUNT(*) AS n FROM events GROUP BY user_id) s \
             ON s.user_id = e.user_id) t"
        ),
        11 => format!(
            "(SELECT {COLUMNS} FROM {table} {} SELECT {COLUMNS} FROM visits) t",
            dice.pick(&["EXCEPT", "INTERSECT"])
        ),
        12 => "ballots t".into(),
        13 => format!(
            "(SELECT b.city, b.kind, b.age, b.income, b.note, b.ok, b.day, c.region FROM ballots b \
             {side} (SELECT city, MIN(region) AS region FROM cities GROUP BY city) c \
             ON b.city = c.city) t"
        ),
        14 => format!(
            "(SELECT e.user_id, f.city, e.kind, f.age, e.income, f.note, e.ok, f.day \
             FROM {table} e JOIN {table} f ON e.user_id = f.user_id) t"
        ),
        JOINED => format!(
            "(SELECT e.user_id, v.city, e.kind, v.age, e.income, v.note, e.ok, v.day \
             FROM {table} e JOIN {} v ON e.city = v.city{also}) t",
            dice.pick(&["events", "visits"])
        ),
        _ => "(SELECT b.city, b.kind, b.age, b.income, b.note, b.ok, b.day, c.region \
              FROM ballots b JOIN cities c ON b.city = c.city) t"
            .into(),
    }
}
