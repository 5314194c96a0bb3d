//! Counts, and counts by key.

use pyo3::prelude::*;
use throng_mechanism::contribution::{ByUnit, Contributions, Layout, Rows};
use throng_mechanism::count::{BoundedRecords, Count, Counted, Matches, Records};
use throng_mechanism::histogram::{Histogram, HistogramRelease, ThresholdHistogram};
use throng_mechanism::noise::Protection;
use throng_mechanism::{MechanismError, Neighbours, Sensitive};

use super::asked::{Ask, Asked};
use super::found::{Found, Released};
use super::released;
use crate::budget::for_rows;
use crate::column::{Column, Key, Missing};
use crate::error::{Answer, Raised, invalid};
use crate::work::work;

fn counting<Q: Counted>(what: Q, asked: &Asked) -> Result<Count<Q>, MechanismError> {
    match asked.protection() {
        Protection::Pure { epsilon } => Count::pure(what, &epsilon, asked.under()),
        Protection::Target(target) => Count::gaussian_for(what, &target, asked.under()),
        Protection::Gaussian { multiplier } => Count::gaussian(what, &multiplier, asked.under()),
    }
}

/// The number of rows.
#[pyfunction]
fn release_rows(py: Python<'_>, rows: usize, ask: Ask) -> Answer<Released> {
    let asked = Asked::checked(ask)?;
    work(py, || {
        for_rows(asked.budget())?;
        let mechanism = counting(Records::default(), &asked)?;
        released(&asked, &mechanism, &Sensitive::new(vec![(); rows]), Found::Noisy)
    })
}

/// The number of rows that say yes.
#[pyfunction]
fn release_matches(py: Python<'_>, column: Column<'_>, ask: Ask) -> Answer<Released> {
    let asked = Asked::checked(ask)?;
    let rows = column.truths()?;
    let rows = Sensitive::new(rows.as_ref());
    work(py, || {
        for_rows(asked.budget())?;
        let mechanism = counting(Matches, &asked)?;
        released(&asked, &mechanism, &rows, Found::Noisy)
    })
}

/// The number of rows, at most some of each unit; of those that say yes, if there is a condition.
#[pyfunction]
#[pyo3(signature = (unit, condition, most, ask))]
fn release_bounded_rows(
    py: Python<'_>,
    unit: Column<'_>,
    condition: Option<Column<'_>>,
    most: u64,
    ask: Ask,
) -> Answer<Released> {
    let asked = Asked::checked(ask)?;
    let mut units = unit.coded(&[])?.codes;
    if let Some(condition) = condition {
        let yes = condition.truths()?;
        same_length(units.len(), yes.len())?;
        // A row is looked at by itself: what is left of a unit's rows depends on no other unit.
        let mut each = yes.iter();
        units.retain(|_| each.next().copied().unwrap_or(false));
    }
    let rows = Sensitive::new(units);
    work(py, || {
        let mechanism = counting(BoundedRecords::of(most)?, &asked)?;
        released(&asked, &mechanism, &rows, Found::Noisy)
    })
}

/// Columns of one table. How long they are may be private: it is not said.
fn same_length(one: usize, other: usize) -> Answer<()> {
    if one == other {
        return Ok(());
    }
    Err(invalid("the columns have different lengths", "give columns of one table"))
}

/// Whose rows they are, and how much of a unit is counted.
type Owners<'py> = (Column<'py>, u64, u64);

/// Which law of noise hides private keys; none: the one with the lower threshold.
#[derive(Clone, Copy)]
enum Law {
    Laplace,
    Gaussian,
    Lower,
}

fn law(name: Option<&str>) -> Answer<Law> {
    match name {
        None => Ok(Law::Lower),
        Some("laplace") => Ok(Law::Laplace),
        Some("gaussian") => Ok(Law::Gaussian),
        Some(other) => {
            Err(invalid(format!("there is no noise {other:?}"), "choose laplace or gaussian"))
        }
    }
}

/// What zero-out leaves of a row, null or 0, may be a key or in a bin: the row then moves to another cell, and does not
/// just leave its own.
fn no_zero_out(asked: &Asked) -> Answer<()> {
    match asked.under() {
        Neighbours::AddRemove | Neighbours::Replace => Ok(()),
        Neighbours::ZeroOut => Err(throng_cli::Failure::refused(
            "columns are not counted by key under zero-out neighbours",
            "use add-remove or replace neighbours",
        )
        .into()),
    }
}

/// Rows counted by key: by those listed, or by those that pass a threshold.
#[pyfunction]
#[pyo3(signature = (column, owners, keys, noise, ask))]
fn release_histogram(
    py: Python<'_>,
    column: Column<'_>,
    owners: Option<Owners<'_>>,
    keys: Option<Vec<Bound<'_, PyAny>>>,
    noise: Option<&str>,
    ask: Ask,
) -> Answer<Released> {
    let (asked, law) = (Asked::checked(ask)?, law(noise)?);
    no_zero_out(&asked)?;
    let listed = keys.map(|keys| keys.iter().map(Key::of_object).collect::<PyResult<Vec<Key>>>());
    let listed = listed.transpose()?;
    let coded = column.coded(listed.as_deref().unwrap_or(&[]))?;
    let codes = listed.map(|keys| keys.iter().filter_map(|key| coded.code(key)).collect());
    let (names, rows) = (coded.names, coded.codes);
    counted(py, &asked, owners, codes, law, rows, move |code| {
        usize::try_from(code)
            .ok()
            .and_then(|place| names.get(place).cloned())
            .unwrap_or(Key::Nothing)
    })
}

/// Rows counted by the bin their number is in; what is in none is left out.
#[pyfunction]
#[pyo3(signature = (column, owners, edges, ask))]
fn release_bins(
    py: Python<'_>,
    column: Column<'_>,
    owners: Option<Owners<'_>>,
    edges: Vec<f64>,
    ask: Ask,
) -> Answer<Released> {
    let asked = Asked::checked(ask)?;
    no_zero_out(&asked)?;
    if edges.len() < 2 || !edges.is_sorted_by(|a, b| a < b) || edges.iter().any(|x| x.is_nan()) {
        let hint = "give public edges such as [0, 18, 65, 120]";
        return Err(invalid("the edges of bins are not two or more rising numbers", hint));
    }
    let bins = u32::try_from(edges.len() - 1)
        .map_err(|_| invalid("there are more than 2^32 bins", "give fewer"))?;
    let parts = column.numbers(Missing::Counted)?.into_reals();
    let rows = work(py, || {
        let bin = |x: &f64| bin(*x, &edges);
        Ok::<_, Raised>(parts.iter().flat_map(|part| part.iter()).map(bin).collect::<Vec<u32>>())
    })?;
    let codes = Some((0..bins).collect());
    counted(py, &asked, owners, codes, Law::Lower, rows, |code| Key::Whole(i64::from(code)))
}

/// The bin from an edge to below the next; the last one holds its upper edge.
fn bin(x: f64, edges: &[f64]) -> u32 {
    let last = edges.len() - 2;
    let below = edges.partition_point(|edge| *edge <= x);
    let place = match below.checked_sub(1) {
        Some(place) if place <= last && !x.is_nan() => Some(place),
        Some(_) if edges.last() == Some(&x) => Some(last),
        _ => None,
    };
    place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX)
}

fn counted(
    py: Python<'_>,
    asked: &Asked,
    owners: Option<Owners<'_>>,
    listed: Option<Vec<u32>>,
    law: Law,
    rows: Vec<u32>,
    name: impl Fn(u32) -> Key + Send,
) -> Answer<Released> {
    let Some((unit, keys, rows_per_key)) = owners else {
        for_rows(asked.budget())?;
        let rows = Sensitive::new(rows);
        return work(py, || by_key(asked, || Rows, listed, law, &rows, name));
    };
    let units = unit.coded(&[])?.codes;
    same_length(units.len(), rows.len())?;
    let bounds = Contributions::of(keys, rows_per_key)?;
    let rows = Sensitive::new(units.into_iter().zip(rows).collect::<Vec<(u32, u32)>>());
    work(py, || by_key(asked, || ByUnit::<u32>::of(bounds), listed, law, &rows, name))
}

fn by_key<L: Layout<u32>>(
    asked: &Asked,
    layout: impl Fn() -> L,
    listed: Option<Vec<u32>>,
    law: Law,
    rows: &Sensitive<Vec<L::Row>>,
    name: impl Fn(u32) -> Key,
) -> Answer<Released> {
    let shown = |release: HistogramRelease<u32>, threshold| Found::Keyed {
        keys: release.keys().iter().map(|code| name(*code)).collect(),
        counts: release.counts().clone(),
        threshold,
    };
    if let Some(codes) = listed {
        let under = asked.under();
        let mechanism = match asked.protection() {
            Protection::Pure { epsilon } => Histogram::pure(codes, layout(), &epsilon, under)?,
            Protection::Target(target) => Histogram::gaussian_for(codes, layout(), &target, under)?,
            Protection::Gaussian { multiplier } => {
                Histogram::gaussian(codes, layout(), &multiplier, under)?
            }
        };
        return released(asked, &mechanism, rows, |release| shown(release, None));
    }
    let mechanism = over_unknown(asked, layout, law)?;
    let threshold = mechanism.threshold().at_least();
    released(asked, &mechanism, rows, |release| shown(release, Some(threshold)))
}

fn over_unknown<L: Layout<u32>>(
    asked: &Asked,
    layout: impl Fn() -> L,
    law: Law,
) -> Answer<ThresholdHistogram<u32, L>> {
    let Some((epsilon, delta)) = asked.pair() else {
        return Err(invalid(
            "private keys take epsilon and delta",
            "list public keys with keys=[...], or give both",
        ));
    };
    let laplace = || ThresholdHistogram::laplace(layout(), epsilon, delta, asked.under());
    let gaussian = || ThresholdHistogram::gaussian(layout(), epsilon, delta, asked.under());
    Ok(match law {
        Law::Laplace => laplace()?,
        Law::Gaussian => gaussian()?,
        // Known before any data is read.
        Law::Lower => match (laplace(), gaussian()) {
            (Ok(one), Ok(other)) => {
                let less = other.threshold().at_least() < one.threshold().at_least();
                if less { other } else { one }
            }
            (Ok(only), Err(_)) | (Err(_), Ok(only)) => only,
            (Err(error), Err(_)) => return Err(error.into()),
        },
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(release_rows, module)?)?;
    module.add_function(wrap_pyfunction!(release_matches, module)?)?;
    module.add_function(wrap_pyfunction!(release_bounded_rows, module)?)?;
    module.add_function(wrap_pyfunction!(release_histogram, module)?)?;
    module.add_function(wrap_pyfunction!(release_bins, module)?)
}
