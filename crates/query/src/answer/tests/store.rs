//! Stored bytes.

use datafusion::arrow::array::{DictionaryArray, Float64Array};
use datafusion::arrow::datatypes::Int32Type;
use proptest::prelude::*;

use super::*;
use crate::answer::{decode, encode};
use crate::release::Clipping;

fn same(one: &[Answered], other: &[Answered]) -> bool {
    let bits = |list: &[Option<f64>]| -> Vec<Option<u64>> {
        list.iter().map(|x| x.map(f64::to_bits)).collect()
    };
    let column = |a: &NoisyColumn, b: &NoisyColumn| {
        bits(&a.values) == bits(&b.values)
            && bits(&a.low) == bits(&b.low)
            && bits(&a.high) == bits(&b.high)
            && a.whole == b.whole
    };
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| {
            a.keys == b.keys
                && a.columns.len() == b.columns.len()
                && a.columns.iter().zip(&b.columns).all(|(a, b)| column(a, b))
                && a.threshold.map(f64::to_bits) == b.threshold.map(f64::to_bits)
                && a.clipping == b.clipping
                && (&a.chosen, &a.facts) == (&b.chosen, &b.facts)
        })
}

fn some() -> Vec<Answered> {
    let odd =
        [(f64::from_bits(0x7ff8_dead_beef_0001), -0.0, f64::INFINITY), (1.5, f64::MIN, 5e-324)];
    let mut full = noisy(&odd, false);
    full.values[0] = Some(f64::from_bits(0x7ff8_dead_beef_0001));
    let words: DictionaryArray<Int32Type> = vec!["é\0", "\u{1f600}"].into_iter().collect();
    let keys: Vec<(&str, ArrayRef)> = vec![
        ("city", cities(&["a,\"b\n", ""])),
        ("x", Arc::new(Float64Array::from(vec![Some(f64::NAN), None]))),
        ("word", Arc::new(words)),
    ];
    let mut one = answered(keys, vec![full]);
    one.threshold = Some(17.25);
    one.clipping = Some(Clipping { lost: 0.1, low: 0.05, high: 0.2 });
    one.chosen = vec![("rows".to_owned(), "96".to_owned())];
    one.facts = vec![(String::new(), "α".to_owned())];
    vec![one, answered(vec![], vec![noisy(&[(1.0, 0.0, 2.0)], true)]), answered(vec![], vec![])]
}

#[test]
fn bytes_give_back_the_same() {
    let bytes = encode(&some()).unwrap();
    // NaN is not equal to itself as a key either: compare the bytes instead.
    let again = decode(&bytes).unwrap();
    assert_eq!(encode(&again).unwrap(), bytes);
    assert!(same(&some()[1..], &again[1..]));
    assert_eq!(again[0].columns[0].values[0].unwrap().to_bits(), 0x7ff8_dead_beef_0001);
    assert!(decode(&encode(&[]).unwrap()).unwrap().is_empty());
}

#[test]
fn other_versions_are_named() {
    use sha2::{Digest, Sha256};
    let mut bytes = b"throng answers\n\x02".to_vec();
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    assert!(decode(&bytes).unwrap_err().to_string().contains("version 2"));
}

proptest! {
    #[test]
    fn any_change_is_found(place in 0usize..4000, bit in 0u8..8, cut in 0usize..4000) {
        let bytes = encode(&some()).unwrap();
        let mut wrong = bytes.clone();
        let place = place % wrong.len();
        wrong[place] ^= 1 << bit;
        prop_assert!(decode(&wrong).is_err());
        prop_assert!(decode(&bytes[..cut % bytes.len()]).is_err());
    }

    #[test]
    fn nothing_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..300), sealed: bool) {
        if sealed {
            use sha2::{Digest, Sha256};
            bytes = [b"throng answers\n\x01".as_slice(), &bytes].concat();
            let digest = Sha256::digest(&bytes);
            bytes.extend_from_slice(&digest);
        }
        let _ = decode(&bytes);
    }

    #[test]
    fn numbers_round_trip(cells in prop::collection::vec(any::<(u64, u64, u64)>(), 0..20), whole: bool) {
        let number = |bits: u64| Some(f64::from_bits(bits)).filter(|_| !bits.is_multiple_of(5));
        let column = NoisyColumn {
            values: cells.iter().map(|cell| number(cell.0)).collect(),
            low: cells.iter().map(|cell| number(cell.1)).collect(),
            high: cells.iter().map(|cell| number(cell.2)).collect(),
            whole,
        };
        let answers = vec![answered(vec![], vec![column])];
        prop_assert!(same(&decode(&encode(&answers).unwrap()).unwrap(), &answers));
    }
}
