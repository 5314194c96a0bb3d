//! An example to try everything on: a made-up chain of clinics.
//!
//! The rows are drawn from a fixed seed and belong to nobody, so the same files come out every time.
//! The seeded generator here makes data; noise comes from the operating system.

mod draw;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, Int64Array, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::parquet::arrow::ArrowWriter;

use crate::QueryError;
use draw::Draw;

/// How many rows the table of visits has.
pub const ROWS: usize = 200_000;
/// How many people they belong to.
pub const PEOPLE: i64 = 20_000;

/// The clinics that everybody knows, with their region and beds.
pub const CLINICS: [(&str, &str, u32); 12] = [
    ("Alder", "north", 120),
    ("Birch", "north", 80),
    ("Cedar", "north", 45),
    ("Elm", "east", 200),
    ("Fir", "east", 60),
    ("Hazel", "east", 35),
    ("Juniper", "south", 150),
    ("Larch", "south", 90),
    ("Maple", "south", 40),
    ("Oak", "west", 260),
    ("Pine", "west", 75),
    ("Rowan", "west", 30),
];

/// Places where hardly anybody goes: that somebody was there is private.
const RARE: [&str; 5] = ["Home visit", "Prison ward", "Ship", "Mountain hut", "Tent 7"];

/// Why people come, the most frequent first; the last ones are hardly ever seen.
const REASONS: [&str; 14] = [
    "check-up",
    "cold",
    "back pain",
    "vaccination",
    "allergy",
    "flu",
    "skin",
    "diabetes",
    "sleep",
    "migraine",
    "burn",
    "snake bite",
    "frostbite",
    "lead poisoning",
];

/// The policy of the example.
pub const POLICY: &str = include_str!("example/throng.toml");

/// Writes `visits.parquet`, `clinics.csv` and `throng.toml` into a folder, which is made if there is
/// none. Files that are there already are not touched.
///
/// # Errors
/// [`QueryError::Invalid`] if a file exists or cannot be written.
pub fn write(folder: &Path) -> Result<(), QueryError> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let names = ["visits.parquet", "clinics.csv", "throng.toml"];
    let paths = names.map(|name| folder.join(name));
    if let Some(there) = paths.iter().find(|path| path.exists()) {
        return Err(QueryError::invalid(
            format!("{} exists already", there.display()),
            "name a new folder, or remove what is there",
        ));
    }
    let [visits, clinics, policy] = paths;
    write_visits(&visits)?;
    write_text(&clinics, &clinics_csv())?;
    write_text(&policy, POLICY)
}

fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> QueryError {
    QueryError::invalid(
        format!("{} cannot be written: {error}", path.display()),
        "name a folder that can be written to",
    )
}

/// A new file; one that is there is left alone.
fn fresh(path: &Path) -> Result<File, QueryError> {
    File::options().write(true).create_new(true).open(path).map_err(|e| unwritable(path, &e))
}

fn write_text(path: &Path, text: &str) -> Result<(), QueryError> {
    fresh(path)?.write_all(text.as_bytes()).map_err(|error| unwritable(path, &error))
}

fn clinics_csv() -> String {
    let line = |(name, region, beds): &(&str, &str, u32)| format!("{name},{region},{beds}\n");
    format!("clinic,region,beds\n{}", CLINICS.iter().map(line).collect::<String>())
}

fn write_visits(path: &Path) -> Result<(), QueryError> {
    let failed = |error: &dyn std::fmt::Display| unwritable(path, error);
    let batch = visits(ROWS).map_err(|error| failed(&error))?;
    let file = fresh(path)?;
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), None).map_err(|error| failed(&error))?;
    writer.write(&batch).map_err(|error| failed(&error))?;
    writer.close().map(drop).map_err(|error| failed(&error))
}

/// Visits of people to clinics: most come rarely, a few very often, and people stay with their
/// clinic.
fn visits(rows: usize) -> Result<RecordBatch, datafusion::arrow::error::ArrowError> {
    let mut draw = Draw::seeded(2026);
    let mut seen = Columns::default();
    for _ in 0..rows {
        seen.visit(&mut draw);
    }
    let fields = [
        Field::new("person_id", DataType::Int64, false),
        Field::new("clinic", DataType::Utf8, false),
        Field::new("reason", DataType::Utf8, true),
        Field::new("age", DataType::Int64, true),
        Field::new("minutes", DataType::Int64, true),
        Field::new("cost", DataType::Float64, true),
        Field::new("day", DataType::Date32, false),
    ];
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(seen.person)),
        Arc::new(StringArray::from(seen.clinic)),
        Arc::new(StringArray::from(seen.reason)),
        Arc::new(Int64Array::from(seen.age)),
        Arc::new(Int64Array::from(seen.minutes)),
        Arc::new(Float64Array::from(seen.cost)),
        Arc::new(Date32Array::from(seen.day)),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), columns)
}

#[derive(Default)]
struct Columns {
    person: Vec<i64>,
    clinic: Vec<&'static str>,
    reason: Vec<&'static str>,
    age: Vec<Option<i64>>,
    minutes: Vec<Option<i64>>,
    cost: Vec<Option<f64>>,
    day: Vec<i32>,
}

impl Columns {
    /// One visit.
    fn visit(&mut self, draw: &mut Draw) {
        /// 2025-01-01.
        const NEW_YEAR: i32 = 20_089;
        // The least of three is small: few people have most of the visits.
        let person = draw.below(PEOPLE).min(draw.below(PEOPLE)).min(draw.below(PEOPLE));
        let minutes = 5 + draw.below(40) + if draw.one_in(12) { draw.below(150) } else { 0 };
        let cents = 1_500 + minutes * (90 + draw.below(160));
        self.person.push(person + 1);
        self.clinic.push(clinic(person, draw));
        self.reason.push(reason(draw));
        self.age.push((!draw.one_in(200)).then(|| age(person)));
        self.minutes.push((!draw.one_in(100)).then_some(minutes));
        self.cost.push((!draw.one_in(80)).then(|| euros(cents)));
        self.day.push(NEW_YEAR + i32::try_from(draw.below(365)).unwrap_or(0));
    }
}

/// A person has one age.
fn age(person: i64) -> i64 {
    let mut own = Draw::seeded(person.unsigned_abs() + 77);
    own.below(50) + own.below(48)
}

/// Three visits of four go to the person's own clinic; large clinics have more people.
fn clinic(person: i64, draw: &mut Draw) -> &'static str {
    if draw.one_in(2500) {
        let place = draw.below(12).min(draw.below(12));
        return RARE.get(usize::try_from(place).unwrap_or(0)).copied().unwrap_or("Oak");
    }
    if draw.one_in(4) {
        return by_beds(draw);
    }
    by_beds(&mut Draw::seeded(person.unsigned_abs() + 1))
}

/// Each reason is about half as frequent as the one before.
fn reason(draw: &mut Draw) -> &'static str {
    let halvings = REASONS.iter().take_while(|_| draw.below(100) < 52).count();
    REASONS.get(halvings).or(REASONS.first()).copied().unwrap_or("check-up")
}

fn by_beds(draw: &mut Draw) -> &'static str {
    let beds: i64 = CLINICS.iter().map(|(_, _, beds)| i64::from(*beds)).sum();
    let mut left = draw.below(beds);
    for (name, _, beds) in CLINICS {
        left -= i64::from(beds);
        if left < 0 {
            return name;
        }
    }
    "Oak"
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn euros(cents: i64) -> f64 {
    cents as f64 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_the_same_every_time() {
        let (one, other) = (visits(500).unwrap(), visits(500).unwrap());
        assert_eq!(one, other);
        assert_eq!(one.num_rows(), 500);
    }

    #[test]
    fn clinics_are_public_and_rare_places_are_not() {
        let csv = clinics_csv();
        assert_eq!(csv.lines().count(), 1 + CLINICS.len());
        let all = visits(60_000).unwrap();
        let names = all.column(1).as_any().downcast_ref::<StringArray>().unwrap();
        for (name, _, _) in CLINICS {
            assert!(names.iter().flatten().any(|seen| seen == name), "{name}");
            assert!(POLICY.contains(&format!("\"{name}\"")), "{name} is a public key");
        }
        assert!(names.iter().flatten().any(|name| RARE.contains(&name)));
        assert!(RARE.iter().all(|name| !csv.contains(name) && !POLICY.contains(name)));
    }
}
