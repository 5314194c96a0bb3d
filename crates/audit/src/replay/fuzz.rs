//! Nasty tables, and their neighbours.
//!
//! Tables of rows (unit, key, real number, whole number) that break things: NaN, infinities, -0.0,
//! subnormal and extreme numbers, numbers at the bounds of a clamp and just beyond, nothing, one row,
//! the same row many times, units with many rows, units that share rows, keys that look alike. All of
//! it is listed, nothing is drawn: the same tables every time.

use throng_account::Neighbours;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Whose it is.
    pub unit: u64,
    /// What it is counted under.
    pub key: String,
    /// A real number.
    pub real: f64,
    /// A whole number.
    pub whole: i64,
}

/// A table.
pub type Table = Vec<Row>;

/// Which tables and neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fuzz {
    /// The bounds of the clamp: numbers at them and near them are tried.
    pub lower: f64,
    /// The upper one.
    pub upper: f64,
    /// What neighbours are.
    pub under: Neighbours,
    /// Whether a unit may have several rows.
    pub several: bool,
    /// Whether the order of rows means nothing, so that neighbours may be in another.
    pub unordered: bool,
}

impl Fuzz {
    /// Units of one row each in any order.
    #[must_use]
    pub const fn rows(lower: f64, upper: f64, under: Neighbours) -> Self {
        Self { lower, upper, under, several: false, unordered: true }
    }

    /// Units of several rows in any order.
    #[must_use]
    pub const fn units(lower: f64, upper: f64, under: Neighbours) -> Self {
        Self { several: true, ..Self::rows(lower, upper, under) }
    }

    /// All pairs of neighbours.
    #[must_use]
    pub fn pairs(&self) -> Vec<[Table; 2]> {
        let mut pairs = Vec::new();
        for table in self.tables() {
            pairs.extend(self.neighbours(&table).into_iter().map(|other| [table.clone(), other]));
        }
        pairs
    }

    /// Real numbers that break things.
    #[must_use]
    pub fn reals(&self) -> Vec<f64> {
        let (lower, upper) = (self.lower, self.upper);
        let width = upper - lower;
        let near =
            [lower, lower.next_down(), lower.next_up(), upper, upper.next_up(), upper.next_down()];
        let within = [0.25, 0.5, 0.1, 1.0 / 3.0].map(|share| lower + share * width);
        let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 5e-324, f64::MAX];
        let small = [f64::MIN, -f64::MIN_POSITIVE / 2.0, 1.0, 9_007_199_254_740_993.0];
        [&near[..], &within, &strange, &small].concat()
    }

    /// Whole numbers that break things.
    #[must_use]
    pub fn wholes(&self) -> Vec<i64> {
        let (lower, upper) = (whole(self.lower), whole(self.upper));
        let near = [lower, upper, lower.saturating_sub(1), upper.saturating_add(1)];
        [&near[..], &[i64::MIN, i64::MAX, 0, 1, -1, 1 << 62]].concat()
    }

    fn row(&self, unit: u64, place: usize) -> Row {
        let key = KEYS.iter().cycle().nth(place).map_or_else(String::new, ToString::to_string);
        let real = self.reals().into_iter().cycle().nth(place).unwrap_or(0.0);
        let whole = self.wholes().into_iter().cycle().nth(place).unwrap_or(0);
        Row { unit, key, real, whole }
    }

    /// A row of known numbers.
    fn at(&self, unit: u64, group: usize, real: f64) -> Row {
        Row { unit, key: format!("g{group}"), real, whole: whole(real) }
    }

    /// Tables, each nasty in its own way.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let count = self.reals().len().max(KEYS.len());
        let mut all: Vec<Table> = vec![Vec::new()];
        all.extend((0..count).map(|place| vec![self.row(7, place)]));
        all.push((0..count).zip(0..).map(|(place, unit)| self.row(unit, place)).collect());
        let same = |rows: u64, real: f64| (0..rows).map(|unit| self.at(unit, 0, real)).collect();
        let quarter = self.lower + (self.upper - self.lower) / 4.0;
        let tenth = self.lower + (self.upper - self.lower) / 10.0;
        for real in [self.lower, self.upper, quarter, tenth] {
            all.extend([same(2, real), same(3, real), same(33, real)]);
        }
        all.push(same(1024, quarter));
        all.push(same(500, tenth));
        for (first, second) in [(4, 7), (3, 7), (10, 1)] {
            let ends = |unit: u64| if unit < first { self.upper } else { self.lower };
            all.push((0..first + second).map(|unit| self.at(unit, 0, ends(unit))).collect());
        }
        let groups =
            |rows: u64| (0..rows).map(|unit| self.at(unit, group(unit), quarter)).collect();
        all.extend([groups(4), groups(12), groups(60)]);
        if self.several {
            all.extend(self.heavy_tables());
        }
        all
    }

    /// Tables in which units have many rows, and share them.
    fn heavy_tables(&self) -> Vec<Table> {
        let many = |unit: u64, real: f64| (0..12).map(move |g| self.at(unit, g, real));
        let again = |unit: u64, real: f64| (0..12).map(move |_| self.at(unit, 0, real));
        let each = |real: f64| (1..=12).map(move |unit| self.at(unit, group(unit - 1), real));
        let upper = self.upper;
        vec![
            many(0, upper).chain(each(upper)).collect(),
            each(upper).chain(many(0, upper)).collect(),
            many(0, upper).chain(many(1, upper)).collect(),
            many(0, upper).chain(many(1, self.lower)).collect(),
            again(0, upper).chain(again(1, self.lower)).collect(),
            again(0, self.lower).collect(),
            again(0, upper).chain(each(self.lower)).collect(),
        ]
    }

    /// What a unit may look like, if it is new or other than before.
    fn newcomers(&self, unit: u64) -> Vec<Table> {
        let count = self.reals().len().max(KEYS.len());
        let mut all: Vec<Table> = (0..count).map(|place| vec![self.row(unit, place)]).collect();
        for real in [self.lower, self.upper, f64::midpoint(self.lower, self.upper)] {
            all.push(vec![self.at(unit, 0, real)]);
        }
        if self.several {
            for real in [self.lower, self.upper] {
                all.push((0..7).map(|g| self.at(unit, g, real)).collect());
                all.push((0..7).map(|_| self.at(unit, 0, real)).collect());
            }
        }
        all
    }

    /// Neighbours of a table.
    #[must_use]
    pub fn neighbours(&self, table: &[Row]) -> Vec<Table> {
        let without = |unit: u64| table.iter().filter(|row| row.unit != unit).cloned().collect();
        let mut all: Vec<Table> = Vec::new();
        match self.under {
            Neighbours::AddRemove => {
                all.extend(some_units(table).into_iter().map(without));
                for new in self.newcomers(u64::MAX) {
                    all.push([&new[..], table].concat());
                    all.push([table, &new[..]].concat());
                }
            }
            Neighbours::Replace => {
                for unit in some_units(table) {
                    all.extend(self.newcomers(unit).iter().map(|new| replaced(table, unit, new)));
                }
            }
            Neighbours::ZeroOut => {
                for unit in some_units(table) {
                    let nothing = |row: &Row| Row { real: 0.0, whole: 0, ..row.clone() };
                    let zeroed =
                        |row: &Row| if row.unit == unit { nothing(row) } else { row.clone() };
                    all.push(table.iter().map(zeroed).collect());
                }
            }
        }
        if self.unordered {
            let reversed = all.iter().step_by(3).map(|table| table.iter().rev().cloned().collect());
            let reversed: Vec<Table> = reversed.collect();
            all.extend(reversed);
        }
        all
    }
}

/// Keys that look alike, or like something else.
pub const KEYS: [&str; 14] = [
    "g0",
    "",
    "a",
    "A",
    " a",
    "\u{e1}",
    "a\u{301}",
    "\u{df}",
    "ss",
    "\u{1f642}",
    "a\0b",
    "NULL",
    "nan",
    "g1",
];

/// The first, the last, and the one with the most rows.
fn some_units(table: &[Row]) -> Vec<u64> {
    let mut counts = std::collections::BTreeMap::<u64, usize>::new();
    for row in table {
        *counts.entry(row.unit).or_default() += 1;
    }
    let heaviest = counts.iter().max_by_key(|(_, rows)| **rows).map(|(unit, _)| *unit);
    let ends = [table.first(), table.last()].map(|row| row.map(|row| row.unit));
    let mut units: Vec<u64> = ends.into_iter().chain([heaviest]).flatten().collect();
    units.sort_unstable();
    units.dedup();
    units
}

/// The rows of a unit give way to others, in the place of the first.
fn replaced(table: &[Row], unit: u64, new: &[Row]) -> Table {
    let place = table.iter().position(|row| row.unit == unit).unwrap_or(table.len());
    let (before, after) = table.split_at(place);
    let after = after.iter().filter(|row| row.unit != unit);
    before.iter().chain(new).chain(after).cloned().collect()
}

fn group(unit: u64) -> usize {
    usize::try_from(unit % 12).unwrap_or(0)
}

#[expect(clippy::cast_possible_truncation, reason = "saturates, and any number will do")]
const fn whole(x: f64) -> i64 {
    x as i64
}
