//! Whatever is valid reads back as itself, from text and from JSON.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test")]

use std::collections::HashSet;

use crate::support::strategy;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use throng_account::spec::{MAX_DEPTH, SpecDocument, vocabulary};
use throng_account::{Leaf, MechanismSpec, Neighbours};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn text_reads_back(spec in strategy::spec()) {
        prop_assert_eq!(spec.validate(), Ok(()));
        let text = spec.to_string();
        prop_assert_eq!(text.parse::<MechanismSpec>(), Ok(spec.clone()), "{}", text);
        let spaced = "(),[]+*=/".chars().fold(text, |text, sign| {
            text.replace(sign, &format!("\t{sign}\n "))
        });
        prop_assert_eq!(spaced.parse::<MechanismSpec>(), Ok(spec), "{}", spaced);
    }

    #[test]
    fn json_reads_back(spec in strategy::spec()) {
        let document = SpecDocument::new(spec);
        let json = serde_json::to_string(&document).unwrap();
        let read = serde_json::from_str::<SpecDocument>(&json);
        prop_assert_eq!(read.map_err(|e| e.to_string()), Ok(document), "{}", json);
    }

    #[test]
    fn a_leaf_prints_as_its_spec(leaf in strategy::leaf()) {
        prop_assert_eq!(leaf.to_string(), MechanismSpec::from(leaf).to_string());
    }

    #[test]
    fn relations_read_back(neighbours in strategy::neighbours()) {
        prop_assert_eq!(neighbours.to_string().parse::<Neighbours>(), Ok(neighbours));
        let json = serde_json::to_string(&neighbours).unwrap();
        prop_assert_eq!(serde_json::from_str::<Neighbours>(&json).unwrap(), neighbours);
    }
}

/// The strategy has to make every word of the language, or the properties above prove little.
#[test]
fn the_strategy_makes_every_word() {
    let mut runner = TestRunner::deterministic();
    let mut seen = HashSet::new();
    for _ in 0..2000 {
        let spec = strategy::spec().new_tree(&mut runner).unwrap().current();
        let document = serde_json::to_string(&spec).unwrap();
        for entry in vocabulary() {
            if document.contains(&format!("\"{}\":", entry.name)) {
                seen.insert(entry.name);
            }
        }
    }
    let missing: Vec<_> =
        vocabulary().map(|entry| entry.name).filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "never made: {missing:?}");
}

/// The deepest specs need the most brackets; the limits must leave room for all of them.
#[test]
fn the_deepest_specs_read_back() {
    let leaf = || MechanismSpec::Leaf(Leaf::Renyi { table: vec![(2_u8.into(), 1_u8.into())] });
    let wrap: [fn(MechanismSpec) -> MechanismSpec; 4] = [
        |inner| MechanismSpec::Mixed(vec![(1_u8.into(), inner)]),
        |inner| MechanismSpec::Repeated { times: 1, inner: Box::new(inner) },
        |inner| MechanismSpec::Composed(vec![inner, MechanismSpec::Leaf(Leaf::NonPrivate)]),
        |inner| MechanismSpec::PostProcessed(Box::new(inner)),
    ];
    for wrap in wrap {
        let deepest = (1..MAX_DEPTH).fold(leaf(), |inner, _| wrap(inner));
        assert_eq!(deepest.to_string().parse(), Ok(deepest.clone()));
        let json = serde_json::to_string(&SpecDocument::new(deepest.clone())).unwrap();
        assert_eq!(serde_json::from_str::<SpecDocument>(&json).unwrap().spec, deepest);
        assert!(wrap(deepest).validate().is_err());
    }
}
