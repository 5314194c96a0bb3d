//! Every row of `vectors/account.csv`: values of an independent program, to many digits.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may fail")]

use std::collections::HashMap;
use std::time::Instant;

use throng_account::{
    AccountError, Accuracy, Bracket, Direction, Neighbours, PrivacyLoss, Target, Template,
    calibrate,
};
use throng_numeric::Rational;

/// One line of the table.
#[derive(Debug, Clone)]
struct Row {
    expression: String,
    neighbours: String,
    kind: String,
    argument: String,
    value: Rational,
    digits: i32,
}

fn vectors(name: &str) -> String {
    let path = format!("{}/../../vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The cells of a line; a cell with commas is quoted.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    cells
}

fn rows() -> Vec<Row> {
    let table = vectors("account.csv");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let mut lines = lines.map(cells);
    let head = lines.next().unwrap();
    let names = ["expression", "neighbours", "kind", "argument", "value", "digits", "method"];
    assert_eq!(head, names);
    lines
        .map(|line| {
            let [expression, neighbours, kind, argument, value, digits, _] = &line[..] else {
                panic!("{} cells: {line:?}", line.len());
            };
            let expression = match expression.strip_prefix('@') {
                Some(file) => vectors(file),
                None => expression.clone(),
            };
            Row {
                expression,
                neighbours: neighbours.clone(),
                kind: kind.clone(),
                argument: argument.clone(),
                value: value.parse().unwrap(),
                digits: digits.parse().unwrap(),
            }
        })
        .collect()
}

impl Row {
    /// The relation, and the direction if the row is about one.
    ///
    /// In the table `remove` has the world with the unit in the numerator of the loss, as
    /// [`Direction::Remove`] has. But for counts the table gives the *second* rate to the world
    /// with the unit, while here the first is that of P, the numerator of `Remove`: there the
    /// two names are exchanged.
    fn question(&self) -> (Neighbours, Option<Direction>) {
        let second_is_with = ["poisson(", "infinitely_divisible("]
            .iter()
            .any(|name| self.expression.starts_with(name));
        let turned = |direction: Direction| match second_is_with {
            true => direction.reversed(),
            false => direction,
        };
        match self.neighbours.as_str() {
            "remove" => (Neighbours::AddRemove, Some(turned(Direction::Remove))),
            "add" => (Neighbours::AddRemove, Some(turned(Direction::Add))),
            relation => (relation.parse().unwrap(), None),
        }
    }

    /// What is found. The argument is a decimal: if it is no floating-point number, its two
    /// neighbours are asked, for all four functions fall (and those of an order are asked at
    /// whole numbers only).
    fn answer(&self, loss: &PrivacyLoss) -> Result<Bracket, AccountError> {
        let exact: Rational = self.argument.parse().unwrap();
        let before = self.answer_at(loss, exact.to_f64_down())?;
        let after = self.answer_at(loss, exact.to_f64_up())?;
        Ok(Bracket { lower: after.lower, upper: before.upper })
    }

    fn answer_at(&self, loss: &PrivacyLoss, x: f64) -> Result<Bracket, AccountError> {
        match (self.kind.as_str(), self.question().1) {
            ("epsilon", None) => loss.epsilon(x),
            ("epsilon", Some(direction)) => loss.epsilon_in(direction, x),
            ("delta", None) => loss.delta(x),
            ("delta", Some(direction)) => loss.delta_in(direction, x),
            ("tradeoff", None) => loss.miss_rate(x),
            ("tradeoff", Some(direction)) => loss.miss_rate_in(direction, x),
            ("renyi", None) => loss.renyi(x),
            ("renyi", Some(direction)) => loss.renyi_in(direction, x),
            (kind, _) => panic!("unknown kind {kind}"),
        }
    }

    /// How wide the bracket may be, relative to the value.
    fn width(&self) -> f64 {
        let counts = self.expression.starts_with("poisson(");
        match self.kind.as_str() {
            // Curves are tabulated at a thousand slopes: where a curve has a kink, the table cuts
            // its corner.
            "tradeoff" if counts || self.expression.starts_with("laplace(") => 5e-3,
            // Counts are cut off far in their tail, which decides moments of high order; the
            // upper end is the larger of both directions.
            "renyi" if counts => 50.0,
            _ => 1e-4,
        }
    }

    /// The value's last digit, with the value: between these two lies the truth.
    fn truth(&self) -> [Rational; 2] {
        let slack: Rational = format!("1e-{}", self.digits).parse().unwrap();
        let slack = &self.value * &slack;
        [&self.value - &slack, &self.value + &slack]
    }

    fn check(&self, found: Bracket) -> Result<(), String> {
        let [low, high] = self.truth();
        let exact = |x: f64| Rational::from_f64(x).unwrap();
        let name = self.expression.chars().take(60).collect::<String>();
        let about = format!("{name} {} {} at {}", self.neighbours, self.kind, self.argument);
        let value = self.value.to_f64_nearest();
        if exact(found.lower) > high || exact(found.upper) < low {
            return Err(format!("{about}: {found} misses {value}"));
        }
        if found.width() > self.width() * value {
            let width = found.width() / value;
            return Err(format!("{about}: {found} is {width:e} wide, relatively"));
        }
        Ok(())
    }
}

/// Checks the rows that `chosen` picks; losses are shared among rows of one mechanism.
fn check(chosen: impl Fn(&Row) -> bool) -> usize {
    let mut losses: HashMap<(String, Neighbours), PrivacyLoss> = HashMap::new();
    let mut failures = Vec::new();
    let rows: Vec<Row> = rows().into_iter().filter(|row| chosen(row)).collect();
    for row in &rows {
        let start = Instant::now();
        let key = (row.expression.clone(), row.question().0);
        let loss = losses.entry(key).or_insert_with(|| {
            let spec = row.expression.trim().parse().unwrap();
            PrivacyLoss::of_spec(&spec, row.question().0, Accuracy::default()).unwrap()
        });
        let found = row.answer(loss).map_err(|error| error.to_string());
        if let Err(failure) = found.and_then(|found| row.check(found)) {
            failures.push(failure);
        }
        let took = start.elapsed().as_secs_f64();
        if took > 0.5 {
            println!(
                "{took:.2} s: {} {}",
                &row.expression[..row.expression.len().min(60)],
                row.kind
            );
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    rows.len()
}

/// A sampled Gaussian repeated a few thousand times at most.
fn few_sampled(row: &Row) -> bool {
    let count: Option<u64> = row.expression.split(" * ").next().and_then(|n| n.parse().ok());
    count.is_some_and(|n| n < 10_000) && row.expression.contains("sampled(gaussian")
}

#[test]
fn values_of_the_table_lie_in_narrow_brackets() {
    let checked = check(|row| row.kind != "calibration" && !few_sampled(row));
    assert!(checked >= 120, "only {checked} rows");
}

#[test]
fn values_of_few_sampled_gaussians_lie_in_narrow_brackets() {
    let checked = check(|row| row.kind != "calibration" && few_sampled(row));
    assert!(checked >= 9, "only {checked} rows");
}

#[test]
fn calibrated_values_are_those_of_the_table() {
    let rows = rows().into_iter().filter(|row| row.kind == "calibration");
    let mut checked = 0;
    for row in rows {
        let template = Template::parse(&row.expression).unwrap();
        let (epsilon, delta) = row.argument.split_once(' ').unwrap();
        let target =
            Target::Epsilon { epsilon: epsilon.parse().unwrap(), delta: delta.parse().unwrap() };
        let found = calibrate(&template, &target, row.question().0, Accuracy::default()).unwrap();
        // More noise is safer: not below the value, and hardly above.
        let [low, high] = row.truth();
        assert!(found.value >= low, "{}: {} is too little", row.expression, found.text);
        let slack: Rational = "1.000001".parse().unwrap();
        assert!(found.value <= &high * &slack, "{}: {} is too much", row.expression, found.text);
        checked += 1;
    }
    assert_eq!(checked, 4);
}

#[test]
fn every_kind_and_relation_of_the_table_is_known() {
    for row in rows() {
        assert!(["epsilon", "delta", "tradeoff", "renyi", "calibration"].contains(&&*row.kind));
        assert!((10..=30).contains(&row.digits), "{row:?}");
    }
}
