//! What every mechanism of the crate promises, whatever it computes: one table, one suite.
//!
//! A mechanism that is not in the table (`conformance/table.rs`) makes the first test fail.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests issue permits that nobody paid for, and may fail"
)]

#[path = "conformance/table.rs"]
pub(crate) mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{rational, roughly};
use table::inputs::SENTINEL;
use table::{Case, Data, table};
use throng_account::MechanismSpec;
use throng_account::filter::{Budget as Amount, Filter};
use throng_mechanism::{Budget, MechanismError, Neighbours, Permit};
use throng_numeric::Rational;
use throng_sample::{Entropy, EntropyError, SeededEntropy};

fn cases() -> Vec<Case> {
    table(&Rational::ONE)
}

fn title(case: &Case) -> String {
    format!("{} {} under {}", case.name, case.variant, case.under)
}

/// All sources, with their text.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// The identifier that a text starts with.
fn word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The types that are mechanisms, and those that start sessions.
fn mechanisms() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for text in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        names.extend(text.split(" Mechanism for ").skip(1).map(word));
        if text.contains("pub fn start(") {
            names.extend(text.split("pub struct ").nth(1).map(word));
        }
    }
    names
}

#[test]
fn every_mechanism_is_in_the_table() {
    let named: BTreeSet<String> = cases().iter().map(|case| case.name.to_owned()).collect();
    let written = mechanisms();
    assert!(written.len() > 40, "{written:?}");
    assert_eq!(written, named);
}

/// Capacities of every currency, as large as can be.
fn currencies() -> Vec<Amount> {
    let large = || rational("1e6");
    let half = || rational("1/2");
    vec![
        Amount::Pure { epsilon: large() },
        Amount::Approximate { epsilon: large(), delta: half() },
        Amount::Zcdp { rho: large(), delta: half() },
        Amount::Gdp { mu_squared: large() },
        Amount::Renyi { orders: vec![(rational("2"), large())] },
    ]
}

#[test]
fn specs_are_valid_have_a_price_and_survive_their_text() {
    for case in cases() {
        let spec = case.spec();
        let title = title(&case);
        assert_eq!(spec.clone().validated().as_ref(), Ok(&spec), "{title}");
        assert_eq!(spec.to_string().parse::<MechanismSpec>().as_ref(), Ok(&spec), "{title}");
        let has_price =
            |capacity: Amount| Filter::new(capacity, case.under).unwrap().preview(&spec).is_ok();
        assert!(currencies().into_iter().any(has_price), "{title}: {spec} has no price");
        // Not at the largest loss of anything, where delta is 0 and a narrow bracket takes long.
        let delta = roughly(&spec, case.under).delta(0.3).unwrap();
        assert!(delta.lower >= 0.0 && delta.upper < 1.0, "{title}: {delta:?}");
    }
}

/// A source that fails after so many bytes.
struct Dying {
    source: SeededEntropy,
    left: usize,
    fresh: bool,
}

impl Dying {
    fn after(bytes: usize) -> Self {
        Self { source: SeededEntropy::new(5), left: bytes, fresh: true }
    }

    /// Not even a new key can be had.
    fn dead() -> Self {
        Self { fresh: false, ..Self::after(0) }
    }
}

fn no_entropy() -> EntropyError {
    EntropyError::new("gone")
}

impl Entropy for Dying {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(no_entropy)?;
        self.source.fill(bytes)
    }

    fn refresh(&mut self) -> Result<(), EntropyError> {
        if self.fresh { Ok(()) } else { Err(no_entropy()) }
    }
}

#[test]
fn a_permit_for_something_else_is_refused_and_spent() {
    let other: MechanismSpec = "pure(eps=1/8)".parse().unwrap();
    for case in cases() {
        let title = title(&case);
        let cost = || Amount::Pure { epsilon: Rational::ZERO };
        let foreign = match case.under {
            Neighbours::AddRemove => Neighbours::ZeroOut,
            Neighbours::Replace | Neighbours::ZeroOut => Neighbours::AddRemove,
        };
        let permits = || {
            [
                Permit::issue(other.clone(), case.under, cost()),
                Permit::issue(case.spec(), foreign, cost()),
            ]
        };
        // Not a byte is drawn before the permit is looked at: the source is dead.
        let refusal = |side: bool, permit: Permit| match case.judged(
            Data::Side(0, side),
            permit,
            &mut Dying::dead(),
        ) {
            Err(error @ MechanismError::Refused { .. }) => error.to_string(),
            other => panic!("{title}: {other:?}"),
        };
        for (a, b) in permits().into_iter().zip(permits()) {
            assert_eq!(refusal(false, a), refusal(true, b), "{title}");
        }
        let mut budget = Budget::pure(1.into(), case.under).unwrap();
        let permit = budget.authorise(&other).unwrap();
        assert!(case.judged(Data::Side(0, true), permit, &mut Dying::after(0)).is_err());
        assert_eq!(budget.spent().to_string(), "epsilon = 0.125", "{title}");
    }
}

#[test]
fn hostile_inputs_give_releases_without_faults() {
    for case in cases() {
        let spec = case.spec();
        for i in 0..case.hostile {
            let mut entropy = SeededEntropy::new(i as u64);
            let outcome = case.judged(Data::Hostile(i), case.permit(), &mut entropy);
            let outcome = outcome.unwrap_or_else(|e| panic!("{} input {i}: {e}", title(&case)));
            assert!(outcome.faults.is_empty(), "{} {i}: {:?}", title(&case), outcome.faults);
            let printed = outcome.shown.contains(&SENTINEL.to_string());
            assert!(!printed, "{} prints data", title(&case));
        }
        assert_eq!(case.spec(), spec, "{}: the cost depends on the data", title(&case));
    }
}

#[test]
fn neighbours_are_all_answered_and_misfits_refused_alike() {
    for case in cases() {
        let run =
            |data: Data, seed: u64| case.judged(data, case.permit(), &mut SeededEntropy::new(seed));
        for pair in 0..case.pairs {
            for seed in 0..20 {
                for side in [false, true] {
                    let outcome = run(Data::Side(pair, side), seed).unwrap();
                    assert!(outcome.faults.is_empty(), "{} {:?}", title(&case), outcome.faults);
                }
            }
        }
        for pair in 0..case.misfits {
            let [a, b] = [false, true].map(|side| run(Data::Misfit(pair, side), 1).unwrap_err());
            assert_eq!(a.to_string(), b.to_string(), "{}", title(&case));
        }
    }
}

#[test]
fn without_entropy_nothing_is_released() {
    for case in cases() {
        let run = |entropy: &mut dyn Entropy| {
            case.judged(Data::Side(0, true), case.permit(), entropy).map(|outcome| outcome.bin)
        };
        let whole = run(&mut SeededEntropy::new(5)).unwrap();
        for mut source in [Dying::dead(), Dying::after(0)] {
            let found = run(&mut source);
            assert!(matches!(found, Err(MechanismError::Sample(_))), "{} {found:?}", title(&case));
        }
        // It fails, or it did not need what was missing.
        for bytes in [1, 8, 24, 64, 200, 1000, 5000, 50_000] {
            match run(&mut Dying::after(bytes)) {
                Ok(bin) => assert_eq!(bin, whole, "{} {bytes}", title(&case)),
                Err(error) => {
                    let sample = matches!(error, MechanismError::Sample(_));
                    assert!(sample, "{} {bytes}: {error}", title(&case));
                }
            }
        }
    }
}

/// The words of a text in order: hash tables print theirs in any.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    words.sort_unstable();
    words
}

/// A mechanism prints the same after a run whatever the data was. What a session prints may
/// depend on what it has released.
#[test]
fn mechanisms_print_nothing_of_their_data() {
    for (a, b) in cases().into_iter().zip(cases()) {
        if a.name.ends_with("Threshold") {
            continue; // shows how many Above are left, which the answers tell
        }
        let shown = |case: &Case, side: bool| {
            let mut entropy = SeededEntropy::new(9);
            case.judged(Data::Side(0, side), case.permit(), &mut entropy).unwrap().shown
        };
        assert_eq!(words(&shown(&a, false)), words(&shown(&b, true)), "{}", title(&a));
    }
}
