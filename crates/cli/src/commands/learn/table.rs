//! From the rows of a file to what a learner is fitted on.

use std::path::Path;

use throng_learn::any::{Table, Task};
use throng_learn::schema::{Cell, Column, Encoding, Label};
use throng_learn::{Classified, Matrix, Measured, Schema};

use super::rows;
use crate::failure::Failure;

/// Reads features and labels, as many as the task needs.
pub(super) fn read(
    path: &Path,
    schema: &Schema,
    encoding: Encoding,
    task: Task,
) -> Result<Table, Failure> {
    let label = match task {
        Task::Classes | Task::Number => Some(schema.label().ok_or_else(|| {
            Failure::usage(
                "the model learns a label, but none is declared",
                "add [label] with classes or bounds to the file of bounds",
            )
        })?),
        Task::Clusters | Task::Features | Task::Distribution => None,
    };
    let mut names: Vec<&str> = schema.columns().iter().map(Column::name).collect();
    names.extend(label.map(Label::name));
    let width = schema.columns().len();
    let (mut values, mut classes, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let mut count = 0_usize;
    rows::read(path, &names, &mut |cells| {
        schema.encode(cells.get(..width).unwrap_or(cells), encoding, &mut values);
        count += 1;
        let cell = cells.get(width).copied().unwrap_or(Cell::Missing);
        match (task, label) {
            (Task::Classes, Some(_)) => classes.push(schema.class(cell)),
            (Task::Number, Some(_)) => numbers.push(cell.number()),
            (Task::Classes | Task::Number, None) => {}
            (Task::Clusters | Task::Features | Task::Distribution, _) => {}
        }
    })?;
    let features = Matrix::new(count, schema.names(encoding).len(), values)?;
    Ok(match task {
        Task::Classes => Table::Classified(Classified::new(features, classes)?),
        Task::Number => Table::Measured(Measured::new(features, numbers)?),
        Task::Clusters | Task::Features | Task::Distribution => Table::Plain(features),
    })
}
