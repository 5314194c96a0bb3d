//! A sum of floats that does not depend on the order of rows.
//!
//! Where an inner query adds the values of one unit, two tables that differ in another unit must
//! give this unit the same sum, to the last bit: but the engine spreads rows over threads, and
//! float addition is not associative. Here the sum is exact and is rounded once.

mod exact;
mod groups;

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, Signature, Volatility,
};

pub use exact::Exact;
use groups::Groups;

/// The aggregate `exact_sum(DOUBLE)`.
///
/// NULL, NaN and ±infinity are left out; the sum of nothing is NULL; a sum beyond the largest
/// double is the largest double of its sign. Otherwise it is the exact sum, rounded once, to
/// nearest and ties to even: it is the same for every order of rows and every partitioning.
#[must_use]
pub fn exact_sum() -> AggregateUDF {
    let signature = Signature::exact(vec![DataType::Float64], Volatility::Immutable);
    ExactSum { signature }.into()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ExactSum {
    signature: Signature,
}

impl AggregateUDFImpl for ExactSum {
    fn name(&self) -> &'static str {
        "exact_sum"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        refuse_distinct(args.is_distinct)?;
        Ok(Box::new(Running { sum: None }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format!("{}[exact]", args.name);
        Ok(vec![Arc::new(Field::new(name, DataType::Binary, true))])
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        !args.is_distinct
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Groups::default()))
    }
}

fn refuse_distinct(distinct: bool) -> Result<()> {
    if distinct {
        return datafusion::common::not_impl_err!("exact_sum(DISTINCT)");
    }
    Ok(())
}

/// The sum of one group; `None` if nothing was added.
#[derive(Debug)]
struct Running {
    sum: Option<Exact>,
}

/// A sum with one more value, if that is a number.
fn with(sum: &mut Option<Exact>, value: f64) {
    if value.is_finite() {
        sum.get_or_insert_default().add(value);
    }
}

/// A sum with the state of another.
fn with_state(sum: &mut Option<Exact>, state: &[u8]) -> Result<()> {
    sum.get_or_insert_default().merge(&Exact::from_bytes(state)?);
    Ok(())
}

impl Accumulator for Running {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for values in values {
            let values = values.as_primitive::<Float64Type>();
            values.iter().flatten().for_each(|value| with(&mut self.sum, value));
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Float64(self.sum.as_ref().map(Exact::rounded)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.sum.as_ref().map_or(0, Exact::size)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Binary(self.sum.as_ref().map(Exact::to_bytes))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for states in states {
            for state in states.as_binary::<i32>().iter().flatten() {
                with_state(&mut self.sum, state)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
