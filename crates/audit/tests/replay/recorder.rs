//! The recorder and the comparison by themselves.

use throng_audit::Outcome;
use throng_audit::replay::{Declared, Draws, Finding, Number, Recorder, Tape, Watch, replay};
use throng_sample::{Entropy, EntropyError};

use super::tape;

fn found(
    run: impl Fn(&bool, &mut Recorder<'_>) -> Result<Outcome, String>,
    watch: &Watch,
) -> Vec<Finding> {
    replay(&run, [&false, &true], &mut tape(), watch).unwrap()
}

fn noise(recorder: &mut Recorder<'_>, x: f64, declared: Declared) {
    recorder.noise("noise", Draws::laplace(1.0), declared, &[Number::from(x), 0.0.into()]);
}

#[test]
fn primitives_read_the_same_bytes_whatever_was_read_before() {
    let run = |one: &bool, recorder: &mut Recorder<'_>| {
        for _ in 0..if *one { 5 } else { 1 } {
            recorder.uniform()?;
        }
        noise(recorder, 0.0, Declared::l1(1.0));
        recorder.uniform().map(Outcome::Number)
    };
    let all = found(run, &Watch::default());
    assert_eq!(all, [Finding::RandomnessDiffers { after: None, bytes: [4, 20] }]);
    assert!(found(run, &Watch { randomness: false, ..Watch::default() }).is_empty());
}

#[test]
fn distances_are_exact_in_every_norm() {
    let moved = |x: f64, declared: Declared| {
        found(
            move |one: &bool, recorder: &mut Recorder<'_>| {
                noise(recorder, if *one { x } else { 0.0 }, declared.clone());
                Ok(Outcome::Nothing)
            },
            &Watch::default(),
        )
    };
    for declared in [Declared::l1(1.0), Declared::l2(1.0), Declared::each(1.0), Declared::span(1.0)]
    {
        assert!(moved(1.0, declared.clone()).is_empty());
        assert!(moved(-1.0, declared.clone()).is_empty());
        for x in [1.0_f64.next_up(), f64::NAN, f64::INFINITY, f64::MAX] {
            let all = moved(x, declared.clone());
            assert!(matches!(all[..], [Finding::InputsTooFar { .. }]), "{declared:?} {x} {all:?}");
        }
    }
    assert!(!moved(1.0, Declared::cells(0, 1.0)).is_empty());
    assert!(!moved(0.5, Declared::l1(f64::NAN)).is_empty());
    assert!(moved(f64::MAX, Declared::l1(f64::INFINITY)).is_empty());
}

#[test]
fn what_follows_a_release_may_depend_on_it() {
    let session = |announced: bool| {
        move |one: &bool, recorder: &mut Recorder<'_>| {
            noise(recorder, 0.0, Declared::l1(1.0));
            if announced {
                recorder.released(one.to_string());
            }
            recorder.branch("more", *one);
            Ok(Outcome::Nothing)
        }
    };
    assert!(found(session(true), &Watch::default()).is_empty());
    let all = found(session(false), &Watch::default());
    assert!(matches!(all[..], [Finding::DifferentFlow { after: 1, .. }]), "{all:?}");
    assert!(all[0].to_string().contains("more"));
}

#[test]
fn missing_keys_count_as_nothing() {
    let run = |rows: i64| {
        move |one: &bool, recorder: &mut Recorder<'_>| {
            let (keys, counts) =
                if *one { (vec!["a", "b"], vec![rows, 3]) } else { (vec!["b"], vec![3]) };
            recorder.keys(keys.into_iter().map(String::from));
            let counts: Vec<Number> = counts.into_iter().map(Number::from).collect();
            recorder.noise("counts", Draws::laplace(1.0), Declared::cells(1, 1.0), &counts);
            Ok(Outcome::Nothing)
        }
    };
    assert!(found(run(1), &Watch::default()).is_empty());
    assert!(matches!(found(run(2), &Watch::default())[..], [Finding::InputsTooFar { .. }]));
}

#[test]
fn kinds_lengths_and_errors_are_compared() {
    let releases = |a: Result<Outcome, String>, b: Result<Outcome, String>| {
        found(
            move |one: &bool, recorder: &mut Recorder<'_>| {
                noise(recorder, f64::from(u8::from(*one)), Declared::l1(1.0));
                if *one { b.clone() } else { a.clone() }
            },
            &Watch::default(),
        )
    };
    let list = |n: usize| Ok(Outcome::List(vec![Outcome::Nothing; n]));
    assert!(releases(list(2), list(2)).is_empty());
    assert_eq!(releases(list(2), list(3)), [Finding::LengthDiffers { zero: 2, one: 3 }]);
    let all = releases(Ok(Outcome::Number(1.0)), Ok(Outcome::Integer(1)));
    assert!(matches!(all[..], [Finding::KindDiffers { .. }]));
    assert!(releases(Err("no".into()), Err("no".into())).is_empty());
    let all = releases(Err("7 rows".into()), Err("8 rows".into()));
    assert!(matches!(all[..], [Finding::ErrorDiffers { .. }]));
}

/// Without randomness there is no comparison: a failure must not look like agreement.
#[test]
fn a_source_that_fails_is_an_error() {
    struct Dead;
    impl Entropy for Dead {
        fn fill(&mut self, _: &mut [u8]) -> Result<(), EntropyError> {
            Err(EntropyError::new("gone"))
        }
    }
    let run = |_: &bool, recorder: &mut Recorder<'_>| recorder.uniform().map(Outcome::Number);
    let mut tape = Tape::new(Box::new(Dead));
    assert!(replay(&run, [&false, &true], &mut tape, &Watch::default()).is_err());
}

#[test]
fn coupled_runs_go_on_from_the_same_answers() {
    let coupled = Watch::default().coupled();
    // A second primitive whose input is the answer of the first, and something of the data.
    let chain = |leak: i64| {
        move |one: &bool, recorder: &mut Recorder<'_>| {
            noise(recorder, f64::from(u8::from(*one)), Declared::l1(1.0));
            let mut answer = [40 + i64::from(*one)];
            recorder.settle(&mut answer);
            let input = [Number::from(answer[0] + leak * i64::from(*one))];
            recorder.noise("second", Draws::laplace(1.0), Declared::l1(0.0), &input);
            let mut last = [7 * answer[0]];
            recorder.settle(&mut last);
            Ok(Outcome::Integer(last[0]))
        }
    };
    assert!(found(chain(0), &coupled).is_empty());
    let apart = found(chain(0), &Watch::default());
    assert!(matches!(apart[..], [Finding::InputsTooFar { .. }]), "{apart:?}");
    let leaky = found(chain(1), &coupled);
    assert!(matches!(leaky[..], [Finding::InputsTooFar { .. }]), "{leaky:?}");
    // Something beside the answers is released.
    let beside = |one: &bool, recorder: &mut Recorder<'_>| {
        noise(recorder, f64::from(u8::from(*one)), Declared::l1(1.0));
        recorder.settle(&mut [0]);
        Ok(Outcome::Integer(i64::from(*one)))
    };
    assert_eq!(found(beside, &coupled), [Finding::BypassesNoise]);
}
