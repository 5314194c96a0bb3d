//! Sums, means, variances, quantiles, bounds, and noise on numbers computed elsewhere.

use std::borrow::Cow;

use pyo3::prelude::*;
use throng_mechanism::bounds::Bounds;
use throng_mechanism::mean::Mean;
use throng_mechanism::number::Number;
use throng_mechanism::parts::{InParts, Scattered};
use throng_mechanism::quantile::{Quantile, Quantiles};
use throng_mechanism::sum::Sum;
use throng_mechanism::variance::Variance;
use throng_mechanism::{AddNoise, Clamp, Grid, Neighbours, Noisy, PerCell, Sensitive, Uncovered};
use throng_numeric::Rational;

use super::asked::{Ask, Asked};
use super::found::{Found, Released};
use super::released;
use crate::budget::for_rows;
use crate::column::{Column, Missing, Numbers, places};
use crate::error::{Answer, invalid};
use crate::number::Exact;
use crate::work::work;

/// Two ends, the lower below the upper.
fn checked(lower: &Exact, upper: &Exact) -> Answer<()> {
    if lower.0 < upper.0 {
        return Ok(());
    }
    let text = format!("the lower bound is {}, but must be below {}", lower.0, upper.0);
    Err(invalid(text, "give the lower bound first"))
}

/// Leaving rows out changes how many there are, which only add-remove allows.
fn missing(skip: bool, under: Neighbours) -> Answer<Missing> {
    match (skip, under) {
        (false, _) => Ok(Missing::Counted),
        (true, Neighbours::AddRemove) => Ok(Missing::LeftOut),
        (true, Neighbours::Replace | Neighbours::ZeroOut) => Err(throng_cli::Failure::refused(
            format!("under {under} neighbours the number of records is public"),
            "leave skip_missing out, or use add-remove neighbours",
        )
        .into()),
    }
}

/// Runs a mechanism on numbers where they lie.
fn on_parts<T, M>(
    asked: &Asked,
    mechanism: M,
    parts: &[Cow<'_, [T]>],
    found: impl FnOnce(M::Output) -> Found,
) -> Answer<Released>
where
    T: Number,
    M: InParts<Record = T>,
{
    for_rows(asked.budget())?;
    released(asked, &Scattered::new(mechanism), &Sensitive::new(places(parts)), found)
}

/// The sum of clamped numbers.
#[pyfunction]
fn release_sum(
    py: Python<'_>,
    column: Column<'_>,
    bounds: (Exact, Exact),
    integers: bool,
    skip: bool,
    ask: Ask,
) -> Answer<Released> {
    fn sum<T: Number>(asked: &Asked, clamp: Clamp, parts: &[Cow<'_, [T]>]) -> Answer<Released> {
        let mechanism = Sum::<T>::new(clamp, &asked.protection(), asked.under())?;
        on_parts(asked, mechanism, parts, Found::Noisy)
    }
    let asked = Asked::checked(ask)?;
    let (lower, upper) = bounds;
    checked(&lower, &upper)?;
    let numbers = column.numbers(missing(skip, asked.under())?)?;
    work(py, || {
        let clamp = if integers {
            Clamp::new(&lower.0, &upper.0, Grid::WHOLE)?
        } else {
            Clamp::between(&lower.0, &upper.0)?
        };
        match &numbers {
            Numbers::Reals(parts) => sum(&asked, clamp, parts),
            Numbers::Whole(parts) => sum(&asked, clamp, parts),
        }
    })
}

/// How many records there are, where that is public.
fn public_count(column: &Column<'_>, under: Neighbours) -> Answer<Option<u64>> {
    Ok(match under {
        Neighbours::AddRemove => None,
        Neighbours::Replace | Neighbours::ZeroOut => {
            Some(u64::try_from(column.len()?).unwrap_or(u64::MAX))
        }
    })
}

/// The mean of clamped numbers.
#[pyfunction]
fn release_mean(
    py: Python<'_>,
    column: Column<'_>,
    bounds: (Exact, Exact),
    skip: bool,
    ask: Ask,
) -> Answer<Released> {
    fn mean<T: Number>(
        asked: &Asked,
        clamp: Clamp,
        records: Option<u64>,
        parts: &[Cow<'_, [T]>],
    ) -> Answer<Released> {
        let protection = asked.protection();
        let mechanism = match records {
            None => Mean::<T>::new(clamp, &protection)?,
            Some(n) => Mean::<T>::of_public_count(clamp, &protection, n, asked.under())?,
        };
        on_parts(asked, mechanism, parts, Found::Mean)
    }
    let asked = Asked::checked(ask)?;
    let (lower, upper) = bounds;
    checked(&lower, &upper)?;
    let records = public_count(&column, asked.under())?;
    let numbers = column.numbers(missing(skip, asked.under())?)?;
    work(py, || {
        let clamp = Clamp::between(&lower.0, &upper.0)?;
        match &numbers {
            Numbers::Reals(parts) => mean(&asked, clamp, records, parts),
            Numbers::Whole(parts) => mean(&asked, clamp, records, parts),
        }
    })
}

/// The variance of clamped numbers, and their standard deviation.
#[pyfunction]
fn release_variance(
    py: Python<'_>,
    column: Column<'_>,
    bounds: (Exact, Exact),
    skip: bool,
    ask: Ask,
) -> Answer<Released> {
    fn variance<T: Number>(
        asked: &Asked,
        clamp: Clamp,
        records: Option<u64>,
        parts: &[Cow<'_, [T]>],
    ) -> Answer<Released> {
        let protection = asked.protection();
        let mechanism = match records {
            None => Variance::<T>::new(clamp, &protection)?,
            Some(n) => Variance::<T>::of_public_count(clamp, &protection, n, asked.under())?,
        };
        on_parts(asked, mechanism, parts, Found::Variance)
    }
    let asked = Asked::checked(ask)?;
    let (lower, upper) = bounds;
    checked(&lower, &upper)?;
    let records = public_count(&column, asked.under())?;
    let numbers = column.numbers(missing(skip, asked.under())?)?;
    work(py, || {
        let clamp = Clamp::between(&lower.0, &upper.0)?;
        match &numbers {
            Numbers::Reals(parts) => variance(&asked, clamp, records, parts),
            Numbers::Whole(parts) => variance(&asked, clamp, records, parts),
        }
    })
}

/// Quantiles of clamped numbers, of rising fractions.
#[pyfunction]
fn release_quantiles(
    py: Python<'_>,
    column: Column<'_>,
    at: Vec<Exact>,
    bounds: (Exact, Exact),
    integers: bool,
    skip: bool,
    ask: Ask,
) -> Answer<Released> {
    let asked = Asked::checked(ask)?;
    let Some(epsilon) = asked.pure().cloned() else {
        return Err(invalid("quantiles take epsilon alone", "give epsilon, and no delta"));
    };
    let (lower, upper) = bounds;
    checked(&lower, &upper)?;
    let under = asked.under();
    let parts = column.numbers(missing(skip, under)?)?.into_reals();
    work(py, || {
        let grid = if integers {
            Grid::WHOLE
        } else {
            let steps = Rational::from(1_u32 << 16);
            Grid::at_most(&(&upper.0 - &lower.0).checked_div(&steps)?)?
        };
        let clamp = Clamp::new(&lower.0, &upper.0, grid)?;
        let fractions: Vec<Rational> = at.into_iter().map(|q| q.0).collect();
        if let [one] = fractions.as_slice() {
            let mechanism = Quantile::fraction(one, clamp, &epsilon, under)?;
            return on_parts(&asked, mechanism, &parts, Found::Ranked);
        }
        let mechanism = Quantiles::new(fractions, clamp, &epsilon, under)?;
        on_parts(&asked, mechanism, &parts, Found::Ranked)
    })
}

/// Powers of two between which numbers seem to lie.
#[pyfunction]
fn release_bounds(
    py: Python<'_>,
    column: Column<'_>,
    step: Exact,
    beta: Exact,
    ask: Ask,
) -> Answer<Released> {
    fn bounds<T: Number>(
        asked: &Asked,
        grid: Grid,
        beta: f64,
        parts: &[Cow<'_, [T]>],
    ) -> Answer<Released> {
        let mechanism = Bounds::<T>::new(grid, &asked.protection(), beta, asked.under())?;
        on_parts(asked, mechanism, parts, Found::Bounds)
    }
    let asked = Asked::checked(ask)?;
    // What zero-out leaves of a unit is 0 in a column of whole numbers, which has a bin, and NaN in others, which
    // has none; and which of the two a column is may hang on its rows.
    if asked.under() == Neighbours::ZeroOut {
        return Err(throng_cli::Failure::refused(
            "bounds are not found under zero-out neighbours",
            "use add-remove or replace neighbours",
        )
        .into());
    }
    // Rows without a number are in no bin, under every relation.
    let numbers = column.numbers(Missing::LeftOut)?;
    work(py, || {
        let grid = Grid::at_most(&step.0)?;
        match &numbers {
            Numbers::Reals(parts) => bounds(&asked, grid, beta.down(), parts),
            Numbers::Whole(parts) => bounds(&asked, grid, beta.down(), parts),
        }
    })
}

/// Numbers that were computed elsewhere, of which one unit changes a few by so much.
#[pyfunction]
fn release_noise(
    py: Python<'_>,
    column: Column<'_>,
    sensitivity: Exact,
    cells: u64,
    integers: bool,
    ask: Ask,
) -> Answer<Released> {
    let asked = Asked::checked(ask)?;
    let values = column.cells()?;
    if values.is_empty() {
        return Err(invalid("there are no numbers to add noise to", "give at least one"));
    }
    work(py, || {
        let moves = PerCell::of(cells, sensitivity.0.clone(), asked.under())?;
        let protection = asked.protection();
        if integers {
            if !moves.distance().is_integer() {
                return Err(invalid(
                    "whole numbers differ by whole numbers, but the sensitivity is none",
                    "give a whole sensitivity, or leave integers out",
                ));
            }
            let mechanism = AddNoise::new(protection.noise_per_cell(&moves, Grid::WHOLE)?);
            let steps: Vec<i64> = values.iter().map(|cell| cell.below()).collect();
            return released(&asked, &mechanism, &Sensitive::new(steps), Found::Noisy);
        }
        let grid = asked.grid(moves.distance())?;
        let noise = protection.noise_per_cell(&moves.rounded(grid)?, grid)?;
        let steps: Vec<i64> = values.iter().map(|cell| cell.nearest(grid)).collect();
        let mechanism = AddNoise::new(noise.clone());
        released(&asked, &mechanism, &Sensitive::new(steps), |noisy| {
            let rounded = vec![Uncovered::Rounding];
            Found::Noisy(Noisy::new(noisy.steps().to_vec(), &noise, rounded))
        })
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(release_sum, module)?)?;
    module.add_function(wrap_pyfunction!(release_mean, module)?)?;
    module.add_function(wrap_pyfunction!(release_variance, module)?)?;
    module.add_function(wrap_pyfunction!(release_quantiles, module)?)?;
    module.add_function(wrap_pyfunction!(release_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(release_noise, module)?)
}
