//! What one unit can do, by removing each.

use std::collections::BTreeMap;

use super::*;

/// Each measure of each group, by key.
type Table = BTreeMap<String, (u64, i64, Vec<i128>, Vec<Vec<i64>>)>;

fn table(layout: &Layout, rows: &[Row], bounding: &Bounding, bits: &[u32]) -> Table {
    let totals = totals(layout, rows);
    let (keys, cells) = shown(&totals, &totals.bounded(bounding, bits).unwrap());
    let cell = |i: usize| {
        let sums = cells.sums.iter().map(|sums| sums.get(i).copied().unwrap_or(0)).collect();
        let values = cells.values.iter().filter_map(|lists| lists.get(i).cloned()).collect();
        (cells.units[i], cells.scores[i], sums, values)
    };
    keys.into_iter().enumerate().map(|(i, key)| (key, cell(i))).collect()
}

fn of<'a>(
    table: &'a Table,
    key: &str,
    nothing: &'a (u64, i64, Vec<i128>, Vec<Vec<i64>>),
) -> &'a (u64, i64, Vec<i128>, Vec<Vec<i64>>) {
    table.get(key).unwrap_or(nothing)
}

/// Whether a vector of changes is within the bound of a measure.
fn within(changes: &[u128], bound: &RowBound, reach: u64, bits: u32) -> bool {
    let unit = u128::from(reach) << bits;
    match bound {
        RowBound::PerCell { rows } => {
            changes.iter().all(|change| *change <= u128::from(*rows).saturating_mul(unit))
        }
        RowBound::Norm { order: Order::L1, limit } => {
            changes.iter().sum::<u128>() << 10 <= u128::from(*limit).saturating_mul(unit)
        }
        RowBound::Norm { order: Order::L2, limit } => {
            let most = u128::from(*limit).saturating_mul(unit);
            changes.iter().map(|x| x * x).sum::<u128>() << 20 <= most.saturating_mul(most)
        }
    }
}

fn check(layout: &Layout, with: &Table, without: &Table, bounding: &Bounding, bits: &[u32]) {
    let nothing = (0, 0, vec![0; layout.measures.len()], vec![vec![]]);
    let keys: Vec<&String> = with.keys().collect();
    assert!(without.keys().all(|key| with.contains_key(key)), "removal adds no group");
    let pairs: Vec<_> =
        keys.iter().map(|key| (of(with, key, &nothing), of(without, key, &nothing))).collect();
    let changed = pairs.iter().filter(|(a, b)| a != b).count() as u64;
    assert!(changed <= bounding.groups, "{changed} groups changed");
    assert!(pairs.iter().all(|(a, b)| a.0 - b.0 <= 1));
    let scores: i64 = pairs.iter().map(|(a, b)| (a.1 - b.1).pow(2)).sum();
    assert!(scores <= 1 << 40);
    for (which, measure) in layout.measures.iter().enumerate() {
        let changes: Vec<u128> =
            pairs.iter().map(|(a, b)| (a.2[which] - b.2[which]).unsigned_abs()).collect();
        let fine = match measure {
            Measure::Distinct { .. } => changes.iter().all(|x| *x <= u128::from(bounding.values)),
            Measure::Clipped { most, .. } => {
                changes.iter().all(|x| *x <= u128::from(*most) << bits[which])
            }
            Measure::Values { .. } => pairs.iter().all(|(a, b)| {
                (a.3[0].len() - b.3[0].len()) as u64 <= bounding.values
                    && b.3[0].iter().all(|value| a.3[0].contains(value))
            }),
            Measure::Rows
            | Measure::Present { .. }
            | Measure::Sum { .. }
            | Measure::Squares { .. } => {
                within(&changes, &bounding.rows, measure.reach(), bits[which])
            }
        };
        assert!(fine, "{measure:?} moves by {changes:?} under {bounding:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_unit_moves_cells_by_no_more_than_is_stated(
        rows in any_rows(50),
        bounding in any_bounding(),
        bits in proptest::collection::vec(0..25_u32, 8),
        public in any::<bool>(),
    ) {
        let layout = layout(by_user(), if public { listed() } else { private() });
        let with = table(&layout, &rows, &bounding, &bits);
        for unit in [None, Some(0), Some(1), Some(-1), Some(i64::MAX)] {
            let rest: Vec<Row> = rows.iter().filter(|row| row.unit != unit).cloned().collect();
            let without = table(&layout, &rest, &bounding, &bits);
            check(&layout, &with, &without, &bounding, &bits);
        }
    }

    #[test]
    fn one_row_moves_cells_by_no_more_than_is_stated(
        rows in any_rows(20),
        bounding in any_bounding(),
        bits in proptest::collection::vec(0..25_u32, 8),
        public in any::<bool>(),
    ) {
        let layout = layout(Unit::Row, if public { listed() } else { private() });
        let with = table(&layout, &rows, &bounding, &bits);
        for out in 0..rows.len() {
            let mut rest = rows.clone();
            rest.remove(out);
            check(&layout, &with, &table(&layout, &rest, &bounding, &bits), &bounding, &bits);
        }
    }

    #[test]
    fn without_bounds_totals_are_the_plain_ones(rows in any_rows(60), by_row in any::<bool>()) {
        let unit = if by_row { Unit::Row } else { by_user() };
        let layout = layout(unit, private());
        let bounding = Bounding {
            groups: u64::MAX,
            rows: RowBound::PerCell { rows: u64::MAX },
            values: u64::MAX,
        };
        let found = table(&layout, &rows, &bounding, &[0; 8]);
        let mut expected: BTreeMap<String, (Vec<i128>, Vec<i64>)> = BTreeMap::new();
        let mut distinct = std::collections::BTreeSet::new();
        let mut own: BTreeMap<(String, usize, Option<i64>), i64> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            let city = ScalarValue::Utf8(row.city.map(String::from));
            let key = format!("{:?}", [city, ScalarValue::Int64(row.year)]);
            if let Some(age) = row.age && distinct.insert((key.clone(), age)) {
                expected.entry(key.clone()).or_insert_with(|| (vec![0; 8], vec![])).0[4] += 1;
            }
            let whose = if by_row { (place, None) } else { (0, row.unit) };
            let sum = own.entry((key.clone(), whose.0, whose.1)).or_default();
            *sum += row.income.map_or(0, |x| income().apply(x));
            let (sums, values) = expected.entry(key).or_insert_with(|| (vec![0; 8], vec![]));
            sums[0] += 1;
            if let Some(x) = row.income {
                sums[1] += 1;
                sums[2] += i128::from(income().apply(x) - 40);
                values.push(income().apply(x));
            }
            if let Some(x) = row.age {
                let x = i128::from(x.clamp(0, 100));
                sums[3] += (x - 50) * (x - 50) - 1250;
                sums[6] += x;
            }
        }
        for ((key, _, _), sum) in own {
            expected.get_mut(&key).unwrap().0[7] += i128::from(sum.clamp(-CLIP, CLIP));
        }
        for (_, values) in expected.values_mut() {
            values.sort_unstable();
        }
        let found: BTreeMap<_, _> =
            found.into_iter().map(|(key, (_, _, sums, values))| (key, (sums, values.concat()))).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_crowded_group_counts_as_its_average_rows() {
    let row = Row { unit: Some(1), city: None, year: None, income: Some(30.0), age: Some(100) };
    let layout = layout(by_user(), private());
    let totals = totals(&layout, &vec![row; 1000]);
    let bounding = Bounding { groups: 3, rows: RowBound::PerCell { rows: 10 }, values: 7 };
    let cells = totals.bounded(&bounding, &[1; 8]).unwrap();
    let sums: Vec<i128> = cells.sums.iter().filter_map(|sums| sums.first().copied()).collect();
    assert_eq!(sums, [20, 20, 20 * (120 - 40), 20 * 1250, 1, 20 * 100, 2 * i128::from(CLIP)]);
    assert_eq!(cells.values[5], [vec![120; 7]]);
    assert_eq!((cells.units, cells.scores), (vec![1], vec![1 << 20]));
    let norm = RowBound::Norm { order: Order::L2, limit: 10 << 10 };
    let cells = totals.bounded(&Bounding { rows: norm, ..bounding }, &[0; 8]).unwrap();
    assert_eq!(cells.sums[0], [10]);
}

#[test]
fn impossible_layouts_are_refused() {
    let far = Clamp::new(&Rational::ZERO, &Rational::from(1_i64 << 31), Grid::WHOLE).unwrap();
    let refused = |measure: Measure| {
        let layout = Layout { measures: vec![measure], ..layout(by_user(), private()) };
        Tally::new(&layout, KEY).is_err()
    };
    assert!(refused(Measure::Sum { input: 0, clamp: far, centre: 0 }));
    assert!(!refused(Measure::Sum { input: 0, clamp: far, centre: 1 << 30 }));
    assert!(refused(Measure::Sum { input: 0, clamp: far, centre: i64::MIN }));
    assert!(refused(Measure::Squares { input: 0, clamp: far, centre: 1 << 30, offset: 0 }));
    assert!(refused(Measure::Squares { input: 0, clamp: age(), centre: 0, offset: i64::MIN }));
    assert!(refused(Measure::Present { input: 2 }));
    let totals = totals(&layout(by_user(), private()), &[]);
    let bounding = Bounding { groups: 1, rows: RowBound::PerCell { rows: 1 }, values: 1 };
    assert!(totals.bounded(&bounding, &[0; 7]).is_err());
    assert!(totals.bounded(&bounding, &[25; 8]).is_err());
    assert!(totals.key_batch(&[0]).is_err());
}
