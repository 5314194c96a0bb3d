//! The same rows give the same cells, in whatever order and pieces they come.

use super::*;

const BITS: [u32; 8] = [3, 0, 10, 24, 0, 0, 5, 4];

fn pieces(layout: &Layout, rows: &[Row], cut: usize) -> Totals {
    let mut tallies = rows.chunks(cut.max(1)).map(|part| {
        let mut tally = Tally::new(layout, KEY).unwrap();
        let half = part.len() / 2;
        tally.update(&batch(&part[..half], &layout.unit)).unwrap();
        tally.update(&batch(&part[half..], &layout.unit)).unwrap();
        tally
    });
    let mut all = Tally::new(layout, KEY).unwrap();
    let parts: Vec<Tally> = tallies.by_ref().collect();
    for part in parts.into_iter().rev() {
        all.merge(part).unwrap();
    }
    all.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn order_and_pieces_do_not_matter(
        (rows, shuffled) in any_rows(60).prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        bounding in any_bounding(),
        cut in 1..20_usize,
        public in any::<bool>(),
        by_row in any::<bool>(),
    ) {
        let unit = if by_row { Unit::Row } else { by_user() };
        let layout = layout(unit, if public { listed() } else { private() });
        let whole = totals(&layout, &rows);
        let other = pieces(&layout, &shuffled, cut);
        let expected = shown(&whole, &whole.bounded(&bounding, &BITS).unwrap());
        let found = shown(&other, &other.bounded(&bounding, &BITS).unwrap());
        prop_assert_eq!(found, expected);
        prop_assert_eq!(whole.unit_count(), other.unit_count());
        prop_assert_eq!(whole.row_count(), other.row_count());
    }
}

#[test]
fn nothing_gives_nothing_or_all_public_groups() {
    let bounding = Bounding { groups: 1, rows: RowBound::PerCell { rows: 1 }, values: 1 };
    for unit in [Unit::Row, by_user()] {
        let none = totals(&layout(unit.clone(), private()), &[]);
        assert_eq!(none.bounded(&bounding, &BITS).unwrap().keys.len(), 0);
        let all = totals(&layout(unit, listed()), &[]);
        let cells = all.bounded(&bounding, &BITS).unwrap();
        assert_eq!((cells.keys.len(), all.is_public()), (8, true));
        assert!(cells.sums[0].iter().all(|sum| *sum == 0));
    }
}

#[test]
fn keys_are_sorted_and_null_is_last() {
    let all = totals(&layout(by_user(), listed()), &[]);
    let bounding = Bounding { groups: 1, rows: RowBound::PerCell { rows: 1 }, values: 1 };
    let cells = all.bounded(&bounding, &BITS).unwrap();
    let keys = all.key_batch(&cells.keys).unwrap();
    let cities: Vec<Option<&str>> =
        keys.column(0).as_any().downcast_ref::<StringArray>().unwrap().iter().collect();
    let (a, nowhere, u) = (Some("a"), Some("nowhere"), Some("ü"));
    assert_eq!(cities, [a, a, nowhere, nowhere, u, u, None, None]);
    assert_eq!(keys.schema().field(1).name(), "year");
}

#[test]
fn without_keys_there_is_one_group() {
    let layout = Layout { unit: by_user(), keys: vec![], inputs: 0, measures: vec![Measure::Rows] };
    let empty = Tally::new(&layout, KEY).unwrap().finish().unwrap();
    let bounding = Bounding { groups: 1, rows: RowBound::PerCell { rows: 2 }, values: 1 };
    assert_eq!(empty.bounded(&bounding, &[0]).unwrap().sums, [[0]]);
    let mut tally = Tally::new(&layout, KEY).unwrap();
    let units: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(1), Some(1), None]));
    tally.update(&RecordBatch::try_from_iter([("unit", units)]).unwrap()).unwrap();
    let totals = tally.finish().unwrap();
    let cells = totals.bounded(&bounding, &[0]).unwrap();
    assert_eq!((cells.sums, cells.units), (vec![vec![3]], vec![2]));
    assert_eq!(totals.key_batch(&[0]).unwrap().num_rows(), 1);
}
