//! Writes the events table of the benchmarks: `workload ROWS FILE.parquet`.
//!
//! Rows per user follow Zipf(1.5) on 1..=200; a user has 1 to 8 home cities, and nine picks of ten
//! are among 50 common cities, the rest among 5,000 rare ones. The same rows come out every time.

use std::error::Error;
use std::fs::File;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;

/// Sample data, not noise: any generator that repeats itself will do (xorshift64*).
struct Dice(u64);

impl Dice {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Cumulative weights 1/k^s, for draws by bisection.
struct Zipf(Vec<f64>);

impl Zipf {
    #[expect(clippy::disallowed_methods, reason = "sample data")]
    fn new(n: u32, s: f64) -> Self {
        let mut sum = 0.0;
        Self(
            (1..=n)
                .map(|k| {
                    sum += f64::from(k).powf(-s);
                    sum
                })
                .collect(),
        )
    }

    fn draw(&self, dice: &mut Dice) -> u64 {
        let at = dice.unit() * self.0.last().copied().unwrap_or(1.0);
        self.0.partition_point(|c| *c < at) as u64
    }
}

#[derive(Default)]
struct Columns {
    user: Vec<i64>,
    city: Vec<String>,
    age: Vec<i64>,
    income: Vec<f64>,
    ts: Vec<i64>,
}

impl Columns {
    fn batch(self) -> Result<RecordBatch, Box<dyn Error>> {
        let columns: [(&str, ArrayRef); 5] = [
            ("user_id", Arc::new(Int64Array::from(self.user))),
            ("city", Arc::new(StringArray::from(self.city))),
            ("age", Arc::new(Int64Array::from(self.age))),
            ("income", Arc::new(Float64Array::from(self.income))),
            ("ts", Arc::new(Int64Array::from(self.ts))),
        ];
        Ok(RecordBatch::try_from_iter(columns)?)
    }
}

struct World {
    dice: Dice,
    rows: Zipf,
    common: Zipf,
    rare: Zipf,
}

impl World {
    fn city(&mut self) -> String {
        if self.dice.below(10) < 9 {
            format!("city_{:02}", self.common.draw(&mut self.dice))
        } else {
            format!("rare_{:04}", self.rare.draw(&mut self.dice))
        }
    }

    #[expect(clippy::disallowed_methods, clippy::cast_possible_truncation, reason = "sample data")]
    fn user(&mut self, user: i64, into: &mut Columns) {
        let rows = self.rows.draw(&mut self.dice) + 1;
        let homes: Vec<String> = (0..=self.dice.below(8)).map(|_| self.city()).collect();
        let age = 18 + i64::try_from(self.dice.below(63)).unwrap_or(0);
        let wealth = 20_000.0 + 60_000.0 * -(1.0 - self.dice.unit()).ln();
        for _ in 0..rows {
            let home = self.dice.below(homes.len() as u64) as usize;
            into.user.push(user);
            into.city.push(homes[home].clone());
            into.age.push(age);
            into.income.push((wealth * (0.8 + 0.4 * self.dice.unit())).round());
            into.ts.push(i64::try_from(self.dice.below(31_536_000)).unwrap_or(0));
        }
    }
}

/// The rows in an order that has nothing to do with users, as events come in.
fn shuffled(columns: &Columns, dice: &mut Dice) -> Columns {
    let mut order: Vec<usize> = (0..columns.user.len()).collect();
    for i in (1..order.len()).rev() {
        let j = usize::try_from(dice.below(i as u64 + 1)).unwrap_or(0);
        order.swap(i, j);
    }
    Columns {
        user: order.iter().map(|i| columns.user[*i]).collect(),
        city: order.iter().map(|i| columns.city[*i].clone()).collect(),
        age: order.iter().map(|i| columns.age[*i]).collect(),
        income: order.iter().map(|i| columns.income[*i]).collect(),
        ts: order.iter().map(|i| columns.ts[*i]).collect(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (rows, path) = match (args.next(), args.next()) {
        (Some(rows), Some(path)) => (rows.parse::<usize>()?, path),
        _ => return Err("usage: workload ROWS FILE.parquet".into()),
    };
    let mut world = World {
        dice: Dice(0x9E37_79B9_7F4A_7C15),
        rows: Zipf::new(200, 1.5),
        common: Zipf::new(50, 0.5),
        rare: Zipf::new(5_000, 1.0),
    };
    let mut columns = Columns::default();
    let mut user = 0;
    while columns.user.len() < rows {
        user += 1;
        world.user(user, &mut columns);
    }
    let batch = shuffled(&columns, &mut world.dice).batch()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(File::create(&path)?, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    eprintln!("{} rows of {user} users in {path}", batch.num_rows());
    Ok(())
}
