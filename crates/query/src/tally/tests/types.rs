//! The same values in other types and encodings.

use datafusion::arrow::array::{Float32Array, NullArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::TimeUnit;

use super::*;

const BOUNDING: Bounding = Bounding { groups: 2, rows: RowBound::PerCell { rows: 2 }, values: 1 };

/// Rows, units and groups by unit and key columns of any type.
fn cells(unit: &ArrayRef, key: &ArrayRef, pieces: usize) -> (Totals, Cells) {
    let layout = Layout {
        unit: Unit::Column { name: "unit".into(), kind: unit.data_type().clone() },
        keys: vec![Key {
            name: "key".into(),
            kind: key.data_type().clone(),
            domain: Domain::Private,
        }],
        inputs: 1,
        measures: vec![Measure::Rows, Measure::Distinct { input: 0 }],
    };
    let columns = [("unit", Arc::clone(unit)), ("key", Arc::clone(key)), ("x", Arc::clone(key))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut tally = Tally::new(&layout, KEY).unwrap();
    let step = batch.num_rows().div_ceil(pieces);
    for start in (0..batch.num_rows()).step_by(step) {
        let part = batch.slice(start, step.min(batch.num_rows() - start));
        let mut other = Tally::new(&layout, KEY).unwrap();
        other.update(&part).unwrap();
        tally.merge(other).unwrap();
    }
    let totals = tally.finish().unwrap();
    let cells = totals.bounded(&BOUNDING, &[0, 0]).unwrap();
    (totals, cells)
}

fn strings() -> (ArrayRef, ArrayRef) {
    let long = "a string beyond what a view holds";
    let unit = ["u", "u", "v", long, long, "u", "", "u"].map(Some);
    let unit: StringArray = unit.into_iter().chain([None, None]).collect();
    let key = [Some("x"), Some("x"), Some(long), Some("x"), None, Some("y"), Some(""), Some("z")];
    let key: StringArray = key.into_iter().chain([None, Some("x")]).collect();
    (Arc::new(unit), Arc::new(key))
}

#[test]
fn strings_are_the_same_in_every_encoding() {
    let (unit, key) = strings();
    let (_, expected) = cells(&unit, &key, 1);
    assert_eq!(expected.units.iter().sum::<u64>(), 8, "the unit of three groups keeps two");
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    for kind in [DataType::Utf8View, DataType::LargeUtf8, DataType::Binary, dictionary] {
        for pieces in [1, 3, 10] {
            let (unit, key) = (cast(&unit, &kind).unwrap(), cast(&key, &kind).unwrap());
            let (totals, found) = cells(&unit, &key, pieces);
            assert_eq!((&found.sums, &found.units), (&expected.sums, &expected.units), "{kind}");
            let keys = totals.key_batch(&found.keys).unwrap();
            assert_eq!(keys.column(0).data_type(), &kind);
            assert_eq!(keys.column(0).logical_null_count(), 1);
        }
    }
}

#[test]
fn numbers_are_told_apart_by_value() {
    let unit: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(1), Some(2), None, Some(0)]));
    let key = Float64Array::from(vec![0.0, -0.0, f64::NAN, -f64::NAN, 1.5]);
    let narrow: ArrayRef = Arc::new(Float32Array::from(vec![0.0, -0.0, f32::NAN, -f32::NAN, 1.5]));
    for key in [Arc::new(key) as ArrayRef, narrow] {
        let (_, found) = cells(&unit, &key, 2);
        assert_eq!(found.sums, [[2, 1, 2], [1, 1, 1]]);
        assert_eq!(found.units, [1, 1, 2]);
    }
}

#[test]
fn every_kind_of_unit_and_key_is_taken() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(1), Some(0), None, None]));
    let kinds = [
        DataType::Int8,
        DataType::UInt64,
        DataType::Float16,
        DataType::Decimal128(20, 2),
        DataType::Decimal256(40, 2),
        DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Date64,
        DataType::Duration(TimeUnit::Second),
        DataType::Boolean,
        DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Int64)),
    ];
    for kind in kinds {
        let column = cast(&numbers, &kind).unwrap();
        let (totals, found) = cells(&column, &column, 2);
        assert_eq!(found.units, [1, 1, 1], "{kind}");
        assert_eq!(found.sums, [[1, 2, 2], [1, 1, 0]], "{kind}");
        assert_eq!(totals.key_batch(&found.keys).unwrap().column(0).data_type(), &kind);
    }
    let nothing: ArrayRef = Arc::new(NullArray::new(3));
    let (_, found) = cells(&nothing, &nothing, 1);
    assert_eq!((found.units, found.sums), (vec![1], vec![vec![2], vec![0]]));
}

#[test]
fn wrong_columns_are_refused() {
    let layout = layout(by_user(), private());
    let mut tally = Tally::new(&layout, KEY).unwrap();
    let fine = batch(&[], &layout.unit);
    assert!(tally.update(&fine.project(&[0, 1, 2, 3]).unwrap()).is_err());
    assert!(tally.update(&fine.project(&[1, 1, 2, 3, 4]).unwrap()).is_err());
    assert!(tally.update(&fine.project(&[0, 0, 2, 3, 4]).unwrap()).is_err());
    assert!(tally.update(&fine.project(&[0, 1, 2, 1, 4]).unwrap()).is_err());
    assert!(tally.update(&fine).is_ok());
}
