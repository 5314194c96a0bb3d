//! The sums of many groups.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Float64Array};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use super::{Exact, with, with_state};

/// One sum per group; `None` where nothing was added.
#[derive(Debug, Default)]
pub(super) struct Groups {
    sums: Vec<Option<Exact>>,
}

impl Groups {
    /// Calls `add` with the sum of each row's group, for the rows that are asked for.
    fn each(
        &mut self,
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
        mut add: impl FnMut(&mut Option<Exact>, usize) -> Result<()>,
    ) -> Result<()> {
        self.sums.resize(total.max(self.sums.len()), None);
        for (row, &group) in groups.iter().enumerate() {
            let wanted = filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if let Some(sum) = self.sums.get_mut(group).filter(|_| wanted) {
                add(sum, row)?;
            }
        }
        Ok(())
    }
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        let Some(values) = values.first() else { return Ok(()) };
        let values = values.as_primitive::<Float64Type>();
        self.each(groups, filter, total, |sum, row| {
            if values.is_valid(row) {
                with(sum, values.value(row));
            }
            Ok(())
        })
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let sums = emit.take_needed(&mut self.sums);
        let values = sums.iter().map(|sum| sum.as_ref().map(Exact::rounded));
        Ok(Arc::new(values.collect::<Float64Array>()))
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let sums = emit.take_needed(&mut self.sums);
        let states = sums.iter().map(|sum| sum.as_ref().map(Exact::to_bytes));
        Ok(vec![Arc::new(states.collect::<BinaryArray>())])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        let Some(states) = states.first() else { return Ok(()) };
        let states = states.as_binary::<i32>();
        self.each(groups, None, total, |sum, row| {
            if states.is_valid(row) {
                with_state(sum, states.value(row))?;
            }
            Ok(())
        })
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, Array::len);
        let mut each = Self::default();
        each.update_batch(values, &Vec::from_iter(0..rows), filter, rows)?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        let held: usize = self.sums.iter().flatten().map(Exact::size).sum();
        held + self.sums.capacity() * size_of::<Option<Exact>>()
    }
}
