//! Whole answers under attack: on a worst pair of neighbours, released cells tell no more than was
//! claimed.
//!
//! Each case has a query, a claim and a pair of tables that differ in one unit. The query is answered
//! thousands of times on both, and events that were chosen before (a released cell is at least t, a
//! key is shown) are counted. Exact bounds on their chances must be consistent with all pairs (ε, δ)
//! that the accountant reads off the design, and with the request. A true claim fails with a chance of at
//! most 1e-9 in each case; the randomness is seeded, so it does not.
//!
//! That a false claim fails is tested alongside: the same query with half the noise, judged by the
//! same claim, is refuted (`WITH_POWER` says how surely).
//!
//! One table has many *blocks*, alike but for the names of their keys and units, and one more unit in each of
//! them makes the other table: so a run gives as many answers as there are blocks. What is released
//! of a block depends on its rows and its noise alone; that is checked as well.

mod place;
mod refute;

use throng_account::{Accuracy, PrivacyLoss};
use throng_mechanism::Mechanism;
use throng_query::release::{Cost, NoiseChoice, Request};
use throng_sample::SeededEntropy;

use place::{BLOCKS, Block, Place, Row, Rules};
use refute::{FALSE_ALARM, Samples, WITH_POWER, number};

/// What is asked, of whom, and what is looked at.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    rules: Rules,
    sql: &'static str,
    /// The claim, and a cost of twice the privacy loss.
    costs: fn() -> [Cost; 2],
    /// A block without the unit and with it. Where keys are private, about half of those with so many
    /// units are shown.
    worlds: fn(u64) -> [Block; 2],
    /// Of the two cells of a block.
    statistic: fn([Option<f64>; 2]) -> f64,
    /// The statistic is at least these; for the same number of units.
    events: fn(u64) -> Vec<f64>,
    /// In each world.
    runs: usize,
}

/// In each world: 10,000 answers.
const RUNS: usize = 10_000 / BLOCKS;

const BY_ROW: Rules = Rules { unit: "{ row = true }", limits: "", under: "add-remove" };

const fn by_user(limits: &'static str) -> Rules {
    Rules { unit: "{ column = \"user_id\", name = \"person\" }", limits, under: "add-remove" }
}

const TWO_BY_TWO: Rules = by_user("max_groups = 2\nmax_rows = 2");

/// Laplace noise: (epsilon, delta).
fn approximate(epsilon: &str, delta: &str) -> Cost {
    Cost::Epsilon { epsilon: epsilon.parse().unwrap(), delta: delta.parse().unwrap() }
}

/// Gaussian noise.
fn gdp(mu: &str, delta: &str) -> Cost {
    Cost::Gdp { mu: mu.parse().unwrap(), delta: delta.parse().unwrap() }
}

fn laplace() -> [Cost; 2] {
    ["1", "2"].map(|epsilon| approximate(epsilon, "0"))
}

fn gaussian() -> [Cost; 2] {
    ["1", "2"].map(|mu| gdp(mu, "0"))
}

/// The kind of noise goes with the cost.
fn request(cost: &Cost) -> Request {
    let noise = match cost {
        Cost::Epsilon { .. } | Cost::Error { .. } => NoiseChoice::Laplace,
        Cost::Zcdp { .. } | Cost::Gdp { .. } => NoiseChoice::Gaussian,
    };
    let bounds_share = "0".parse().unwrap();
    Request { cost: cost.clone(), confidence: 0.95, noise, weights: Vec::new(), bounds_share }
}

/// What is claimed: by the accountant for the design, and by the request.
fn claims(place: &Place, cost: &Cost) -> Vec<(f64, f64)> {
    let (spec, under) = (place.design.described(), place.design.neighbours());
    let loss = PrivacyLoss::of_spec(spec, under, Accuracy::default()).unwrap();
    let at = |epsilon: f64| (epsilon, loss.delta(epsilon).unwrap().upper);
    let mut claims: Vec<(f64, f64)> = [0.0, 0.5, 1.0].map(at).to_vec();
    if let Cost::Epsilon { epsilon, delta } = cost {
        claims.push((epsilon.to_f64_up(), delta.to_f64_up()));
    }
    claims
}

impl Case {
    fn places(&self, cost: &Cost, units: u64) -> [Place; 2] {
        let request = request(cost);
        let place = |blocks: &[Block]| Place::new(self.rules, blocks, self.sql, &request);
        let [without, with] = (self.worlds)(units);
        self.check_independence(&place, &without, &with);
        [place(&vec![without; BLOCKS]), place(&vec![with; BLOCKS])]
    }

    /// One more unit in the last block, whose cells are drawn last, changes nothing in those drawn long before: noise
    /// is drawn some cells at a time, so the last ones may share random words that are read another way.
    fn check_independence(&self, place: &dyn Fn(&[Block]) -> Place, without: &Block, with: &Block) {
        let mut blocks = vec![without.clone(); BLOCKS];
        let before = place(&blocks);
        blocks[BLOCKS - 1].clone_from(with);
        let after = place(&blocks);
        assert_eq!(before.design.described(), after.design.described());
        let [before, after] = [before, after].map(|place| place.answer(&mut SeededEntropy::new(7)));
        assert_eq!(before[..BLOCKS / 2], after[..BLOCKS / 2], "{}", self.name);
    }

    /// Both worlds at a cost, and what is claimed of them. The pair of neighbours may depend on the
    /// mechanism that is attacked: where keys are private, it is one at the threshold.
    fn attack(&self, cost: &Cost, seed: u64) -> (Samples, Vec<f64>, Vec<(f64, f64)>) {
        let [place, _] = self.places(cost, 2);
        let units = place.threshold().map_or(2, floor);
        let places = self.places(cost, units);
        let mut entropy = SeededEntropy::new(seed);
        let worlds = places.each_ref().map(|place| {
            let runs = (0..self.runs).flat_map(|_| place.answer(&mut entropy));
            runs.map(self.statistic).collect()
        });
        (Samples { worlds }, (self.events)(units), claims(&places[0], cost))
    }

    fn check(&self) {
        let [cost, double] = (self.costs)();
        let (samples, events, claims) = self.attack(&cost, seed(self.name));
        println!("{}: {:.4} above {claims:?}", self.name, samples.above(&events, &claims));
        let found = samples.refute(&events, &claims, FALSE_ALARM);
        assert!(found.is_none(), "{}: {found:?}", self.name);

        let (samples, events, _) = self.attack(&double, seed(self.name) + 1);
        println!("{}: {:.4} at half the noise", self.name, samples.above(&events, &claims));
        let found = samples.refute(&events, &claims, WITH_POWER);
        assert!(found.is_some(), "{}: half the noise is not noticed", self.name);
    }
}

/// Each case has randomness of its own.
fn seed(name: &str) -> u64 {
    name.bytes().fold(0, |seed, byte| 131 * (seed % (1 << 48)) + u64::from(byte))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few units")]
fn floor(threshold: f64) -> u64 {
    threshold.floor() as u64
}

/// The cell of the first key.
fn first([a, _]: [Option<f64>; 2]) -> f64 {
    a.unwrap()
}

/// The sum of both cells.
fn both([a, b]: [Option<f64>; 2]) -> f64 {
    a.unwrap() + b.unwrap()
}

/// The cell of the first key, or less than anything if it is not shown.
fn if_shown([a, _]: [Option<f64>; 2]) -> f64 {
    a.unwrap_or(f64::NEG_INFINITY)
}

/// Rows of a block: user, key, x.
fn rows(count: u64, row: impl Fn(u64) -> Row) -> Block {
    (0..count).map(row).collect()
}

/// Without some more, and with.
fn more(block: Block, more: &[Row]) -> [Block; 2] {
    let longer = [block.as_slice(), more].concat();
    [block, longer]
}

fn key(i: u64) -> usize {
    usize::from(!i.is_multiple_of(2))
}

/// Ten rows, and one more at the end of the range.
fn a_row_more(_: u64) -> [Block; 2] {
    more(rows(10, |i| (i, 0, 50)), &[(99, 0, 100)])
}

/// Ten rows, and a user with two rows in each of two groups, near the end of the range.
fn a_user_more(_: u64) -> [Block; 2] {
    more(rows(10, |i| (i, key(i), 50)), &rows(4, |i| (99, key(i), 99 + i / 2)))
}

const COUNT: &str = "SELECT kind, COUNT(*) FROM events GROUP BY kind";

/// Of private keys.
const CITIES: &str = "SELECT city, COUNT(*) FROM events GROUP BY city";

/// 10 rows against 11. Counts are rounded: at least 11 means 10.5, where the difference of chances
/// is largest, and at least 12 means 11.5, from where on the ratio is.
#[test]
fn counts_of_rows() {
    let case = Case {
        name: "rows, Laplace",
        rules: BY_ROW,
        sql: COUNT,
        costs: laplace,
        worlds: a_row_more,
        statistic: first,
        events: |_| vec![11.0, 12.0],
        runs: RUNS,
    };
    case.check();
    Case { name: "rows, Gaussian", costs: gaussian, ..case }.check();
    let rules = Rules { under: "zero-out", ..BY_ROW };
    Case { name: "rows zeroed out, Gaussian", rules, costs: gaussian, ..case }.check();
}

/// A row moves from one group to the other: 6 and 5 become 5 and 6.
#[test]
fn counts_of_replaced_rows() {
    let case = Case {
        name: "rows replaced, Gaussian",
        rules: Rules { under: "replace", ..BY_ROW },
        sql: COUNT,
        costs: gaussian,
        worlds: |_| {
            let rest = rows(10, |i| (i, key(i), 50));
            [0, 1].map(|key| [rest.as_slice(), &[(99, key, 50)]].concat())
        },
        statistic: |[a, b]| a.unwrap() - b.unwrap(),
        events: |_| vec![0.0, 1.0],
        runs: RUNS,
    };
    case.check();
    // 6 or more and 5 or fewer at once: each tells half of it.
    let statistic = |[a, b]: [Option<f64>; 2]| (a.unwrap() - 6.0).min(5.0 - b.unwrap());
    Case { name: "rows replaced, Laplace", costs: laplace, statistic, ..case }.check();
}

/// Two rows in each of two groups: 10 against 14. By Laplace noise, in one group alone.
#[test]
fn counts_by_user() {
    let case = Case {
        name: "users, Gaussian",
        rules: TWO_BY_TWO,
        sql: COUNT,
        costs: gaussian,
        worlds: a_user_more,
        statistic: both,
        events: |_| vec![12.0, 14.0],
        runs: RUNS,
    };
    case.check();
    let case = Case {
        name: "users, Laplace",
        rules: by_user("max_groups = 1\nmax_rows = 4"),
        costs: laplace,
        worlds: |_| more(rows(10, |i| (i, 0, 50)), &rows(4, |_| (99, 0, 50))),
        statistic: first,
        ..case
    };
    case.check();
}

/// 500 against 600, where the ratio of chances is largest from 600 on; by user, 500 against 898.
#[test]
fn sums() {
    let case = Case {
        name: "sum of rows, Laplace",
        rules: BY_ROW,
        sql: "SELECT kind, SUM(x) FROM events GROUP BY kind",
        costs: laplace,
        worlds: a_row_more,
        statistic: first,
        events: |_| vec![550.0, 600.0],
        runs: RUNS,
    };
    case.check();
    let case = Case {
        name: "sum of users, Gaussian",
        rules: TWO_BY_TWO,
        costs: gaussian,
        worlds: a_user_more,
        statistic: both,
        events: |_| vec![699.0, 898.0],
        ..case
    };
    case.check();
}

/// 40 rows in the middle of the range, and one at its end: the mean moves by 50/41. Two thirds of the
/// cost are for the sum, the rest for a count that tells nothing here.
#[test]
fn means() {
    let case = Case {
        name: "mean, Gaussian",
        rules: BY_ROW,
        sql: "SELECT kind, AVG(x) FROM events GROUP BY kind",
        costs: gaussian,
        worlds: |_| more(rows(40, |i| (i, 0, 50)), &[(99, 0, 100)]),
        statistic: first,
        events: |_| vec![50.6, 51.2],
        // The interval of a mean takes longer than the rest.
        runs: RUNS / 4,
    };
    case.check();
}

/// The median of 90, and of 90 and 100, in 0 to 100: what is above 90 was unlikely, and what is below
/// becomes less likely by a factor of e^epsilon relative to that.
#[test]
fn medians() {
    let case = Case {
        name: "median of rows, pure",
        rules: BY_ROW,
        sql: "SELECT kind, MEDIAN(x) FROM events GROUP BY kind",
        // Half of the cost is for the ends of the interval, which are not looked at.
        costs: || ["1", "4"].map(|epsilon| approximate(epsilon, "0")),
        worlds: |_| more(vec![(1, 0, 90)], &[(2, 0, 100)]),
        statistic: first,
        events: |_| vec![90.0, 91.0],
        runs: RUNS,
    };
    case.check();
    let case = Case {
        name: "median of users, zCDP",
        rules: by_user("max_groups = 1\nmax_rows = 2"),
        // A selection of range 1 costs 1/8.
        costs: || {
            let delta = || "0".parse().unwrap();
            ["1/8", "1"].map(|rho| Cost::Zcdp { rho: rho.parse().unwrap(), delta: delta() })
        },
        worlds: |_| more(vec![(1, 0, 90); 2], &[(2, 0, 100); 2]),
        ..case
    };
    case.check();
}

/// One value against five; in two groups, one against three in each.
#[test]
fn counts_of_values() {
    let case = Case {
        name: "values, Laplace",
        rules: by_user("max_groups = 1\nmax_rows = 4"),
        sql: "SELECT kind, COUNT(DISTINCT x) FROM events GROUP BY kind",
        costs: laplace,
        worlds: |_| more(vec![(1, 0, 50)], &rows(4, |i| (2, 0, i))),
        statistic: first,
        events: |_| vec![3.0, 6.0],
        runs: RUNS,
    };
    case.check();
    let case = Case {
        name: "values, Gaussian",
        rules: TWO_BY_TWO,
        costs: gaussian,
        worlds: a_user_more,
        statistic: both,
        events: |_| vec![4.0, 6.0],
        ..case
    };
    case.check();
}

/// A key just below the threshold and just above it: whether it is shown, and with which count.
#[test]
fn counts_at_the_threshold() {
    let case = Case {
        name: "private keys of rows, Gaussian",
        rules: BY_ROW,
        sql: CITIES,
        costs: || ["1", "2"].map(|mu| gdp(mu, "1/100")),
        worlds: |units| more(rows(units, |i| (i, 0, 50)), &[(99, 0, 50)]),
        statistic: if_shown,
        events: |units| [0, units + 1, units + 2].map(number).to_vec(),
        runs: RUNS,
    };
    case.check();
    // Three tenths of the cost are for the key and the rest for the count, so both are looked at.
    let case = Case {
        name: "private keys of users, Laplace",
        rules: by_user("max_groups = 1\nmax_rows = 4"),
        costs: || ["1", "2"].map(|epsilon| approximate(epsilon, "1/100")),
        worlds: |units| [units - 1, units].map(|units| rows(4 * units, |i| (i / 4, 0, 50))),
        events: |units| [0, 4 * units - 2, 4 * units].map(number).to_vec(),
        ..case
    };
    case.check();
}

/// Keys that one unit alone has are shown with a chance of at most delta, however many they are: at
/// twice the delta, this is refuted for the worst number of them.
#[test]
fn keys_of_one_unit() {
    let laplace = ["1/10", "1/5"].map(|delta| approximate("1", delta));
    let gaussian = ["1/10", "1/5"].map(|delta| gdp("1", delta));
    let (one, two) = (vec![(1, 0, 50)], vec![(1, 0, 50), (1, 1, 50)]);
    for (name, rules, costs, blocks) in [
        ("keys of a user, Laplace", TWO_BY_TWO, &laplace, vec![&one, &two]),
        ("keys of a user, Gaussian", TWO_BY_TWO, &gaussian, vec![&one, &two]),
        ("key of a row, Gaussian", BY_ROW, &gaussian, vec![&one]),
    ] {
        let shown = |cost: &Cost, block: &Block| -> Vec<f64> {
            let place = Place::new(rules, &vec![block.clone(); BLOCKS], CITIES, &request(cost));
            let mut entropy = SeededEntropy::new(seed(name));
            let any = |[a, b]: [Option<f64>; 2]| f64::from(u8::from(a.or(b).is_some()));
            (0..RUNS).flat_map(|_| place.answer(&mut entropy)).map(any).collect()
        };
        let chance = |cost: &Cost, alarm: f64| {
            let lower = |block| refute::lower(&shown(cost, block), 1.0, true, alarm / 2.0);
            blocks.iter().map(|block| lower(block)).fold(0.0, f64::max)
        };
        let (claimed, double) = (chance(&costs[0], FALSE_ALARM), chance(&costs[1], WITH_POWER));
        println!("{name}: at least {claimed:.4}, claimed 0.1; {double:.4} at twice the delta");
        assert!(claimed <= 0.1 && double > 0.1, "{name}: {claimed} {double}");
    }
}
