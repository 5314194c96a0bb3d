//! The files that `bench/learn_data.py` makes.

use std::fs::{File, read_to_string};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use throng_learn::columns::{self, Columns};
use throng_learn::{Bounds, Classes, Classified, Interval, Matrix, Measured};

use crate::Fault;

/// What is public about a data set.
#[derive(Deserialize)]
pub(crate) struct Schema {
    #[serde(default)]
    pub(crate) classes: Vec<String>,
    pub(crate) label_bounds: Option<[f64; 2]>,
    pub(crate) columns: Vec<Column>,
}

#[derive(Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    lower: Option<f64>,
    upper: Option<f64>,
    #[serde(default)]
    pub(crate) levels: Vec<String>,
}

impl Column {
    /// Where its numbers lie; a category is its place among the levels.
    pub(crate) fn ends(&self) -> (f64, f64) {
        let last = u32::try_from(self.levels.len()).unwrap_or(u32::MAX).saturating_sub(1);
        (self.lower.unwrap_or(0.0), self.upper.unwrap_or_else(|| f64::from(last)))
    }
}

impl Schema {
    pub(crate) fn read(directory: &Path) -> Result<Self, Fault> {
        Ok(serde_json::from_str(&read_to_string(directory.join("schema.json"))?)?)
    }

    /// Numbers and categories as they are.
    pub(crate) fn mixed(&self) -> Result<Columns, Fault> {
        let kind = |column: &Column| -> Result<_, Fault> {
            let (lower, upper) = column.ends();
            Ok(match u32::try_from(column.levels.len())? {
                0 => columns::Column::Number(Interval::new(lower, upper)?),
                levels => columns::Column::Category(levels),
            })
        };
        Ok(Columns::new(self.columns.iter().map(kind).collect::<Result<_, _>>()?)?)
    }

    pub(crate) fn bounds(&self) -> Result<Bounds, Fault> {
        let ends: Vec<_> = self.columns.iter().map(Column::ends).collect();
        Ok(Bounds::new(&ends)?)
    }

    pub(crate) fn classes(&self) -> Result<Classes, Fault> {
        Ok(Classes::new(u32::try_from(self.classes.len())?)?)
    }

    pub(crate) fn label(&self) -> Result<Interval, Fault> {
        let [lower, upper] = self.label_bounds.ok_or("the data set has no label bounds")?;
        Ok(Interval::new(lower, upper)?)
    }
}

/// Rows of numbers; the label, if there is one, is the last column.
pub(crate) struct Rows(Matrix<f64>);

impl Rows {
    fn read(path: &Path) -> Result<Self, Fault> {
        let text = read_to_string(path)?;
        let mut lines = text.lines();
        let columns = lines.next().ok_or("no header")?.split(',').count();
        let mut values = Vec::new();
        for field in lines.flat_map(|line| line.split(',')) {
            values.push(field.parse()?);
        }
        Ok(Self(Matrix::new(values.len() / columns, columns, values)?))
    }

    pub(crate) fn features(&self, columns: usize) -> Result<Matrix<f64>, Fault> {
        let kept = self.0.iter().flat_map(|row| row.iter().take(columns).copied()).collect();
        Ok(Matrix::new(self.0.rows(), columns, kept)?)
    }

    pub(crate) fn labels(&self) -> Vec<f64> {
        self.0.iter().filter_map(|row| row.last().copied()).collect()
    }

    /// One column of the table.
    pub(crate) fn column(&self, at: usize) -> Vec<f64> {
        self.0.iter().filter_map(|row| row.get(at).copied()).collect()
    }

    pub(crate) fn classified(&self, columns: usize) -> Result<Classified, Fault> {
        let labels = self.labels().iter().map(|label| *label as u32).collect();
        Ok(Classified::new(self.features(columns)?, labels)?)
    }

    pub(crate) fn measured(&self, columns: usize) -> Result<Measured, Fault> {
        Ok(Measured::new(self.features(columns)?, self.labels())?)
    }
}

/// A data set and its splits.
pub(crate) struct Set {
    pub(crate) schema: Schema,
    /// (training rows, held-out rows), one pair for each seed; one pair for all if it was published so.
    splits: Vec<(Rows, Rows)>,
}

impl Set {
    pub(crate) fn open(directory: &Path, runs: usize) -> Result<Self, Fault> {
        let schema = Schema::read(directory)?;
        let splits = if directory.join("data.csv").exists() {
            let all = Rows::read(&directory.join("data.csv"))?;
            (0..runs).map(|seed| split(&all, directory, seed)).collect::<Result<_, _>>()?
        } else {
            let test = directory.join("test.csv");
            let test = if test.exists() { test } else { directory.join("train.csv") };
            vec![(Rows::read(&directory.join("train.csv"))?, Rows::read(&test)?)]
        };
        Ok(Self { schema, splits })
    }

    pub(crate) fn columns(&self) -> usize {
        self.schema.columns.len()
    }

    /// (training rows, held-out rows) of a run.
    pub(crate) fn rows(&self, run: usize) -> &(Rows, Rows) {
        &self.splits[run % self.splits.len()]
    }
}

/// The rows that are not held out, and those that are.
fn split(all: &Rows, directory: &Path, seed: usize) -> Result<(Rows, Rows), Fault> {
    let held = read_to_string(directory.join(format!("splits/{seed:02}.txt")))?;
    let held: Vec<usize> = held.lines().map(str::parse).collect::<Result<_, _>>()?;
    let kept: Vec<usize> =
        (0..all.0.rows()).filter(|row| held.binary_search(row).is_err()).collect();
    Ok((Rows(all.0.select(&kept)), Rows(all.0.select(&held))))
}

/// The first images of MNIST with their digits, `train` or `t10k`; pixels run from 0 to 1.
pub(crate) fn mnist(directory: &Path, part: &str, most: usize) -> Result<Classified, Fault> {
    let images = first(&directory.join(format!("{part}-images-idx3-ubyte")), 16, 784 * most)?;
    let labels = first(&directory.join(format!("{part}-labels-idx1-ubyte")), 8, most)?;
    let pixels = images.iter().map(|byte| f64::from(*byte) / 255.0).collect();
    let labels: Vec<u32> = labels.into_iter().map(u32::from).collect();
    Ok(Classified::new(Matrix::new(labels.len(), 784, pixels)?, labels)?)
}

/// Bytes after the head of a file, at most so many.
fn first(path: &Path, head: u64, most: usize) -> Result<Vec<u8>, Fault> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(head))?;
    let mut bytes = Vec::new();
    file.take(u64::try_from(most)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}
