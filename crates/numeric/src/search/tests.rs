//! The search is fed honest, vague and hostile functions.

use proptest::prelude::*;

use super::*;

type Outcome<T> = Result<T, NumericError>;

fn claim_from(least: f64) -> impl Fn(f64) -> Outcome<Verdict> {
    move |x| Ok(if x >= least { Verdict::Holds } else { Verdict::Fails })
}

#[test]
fn ranks_are_in_order_and_come_back() {
    let points = [f64::MIN, -1.0, -f64::MIN_POSITIVE, -0.0, 0.0, 5e-324, 1.0, f64::MAX];
    for pair in points.windows(2) {
        assert!(rank(pair[0]) < rank(pair[1]));
    }
    for x in points {
        assert_eq!(of_rank(rank(x)).to_bits(), x.to_bits());
    }
}

#[test]
fn the_boundary_is_found_to_the_last_bit_anywhere() -> Outcome<()> {
    for least in [-1e300, -1e-310, 5e-324, 1e-310, 1e-5, 0.1, 1.0, 1e300] {
        let mut count = 0;
        let found = boundary(f64::MIN, f64::MAX, Tolerance::NONE, |x| {
            count += 1;
            claim_from(least)(x)
        })?;
        assert_eq!(found.holds, least);
        assert_eq!(found.not_shown, least.next_down());
        assert!(count <= 66, "{count} evaluations");
    }
    Ok(())
}

#[test]
fn the_claim_may_hold_below() -> Outcome<()> {
    let found = boundary(1.0, 0.0, Tolerance::NONE, |x| {
        Ok::<_, NumericError>(if x <= 0.3 { Verdict::Holds } else { Verdict::Unknown })
    })?;
    assert_eq!((found.holds, found.not_shown), (0.3, 0.3_f64.next_up()));
    assert_eq!(found.verdict, Verdict::Unknown);
    Ok(())
}

#[test]
fn a_tolerance_ends_the_search_early() -> Outcome<()> {
    let mut count = 0;
    let found = boundary(1e-9, 1e9, Tolerance::relative(1e-3), |x| {
        count += 1;
        claim_from(42.0)(x)
    })?;
    assert!(found.holds >= 42.0 && found.holds - found.not_shown <= 1e-3 * found.holds);
    assert!(count < 25, "{count} evaluations");
    Ok(())
}

#[test]
fn ends_that_do_not_bracket_are_refused() {
    let never = |_| Ok::<_, NumericError>(Verdict::Unknown);
    let always = |_| Ok::<_, NumericError>(Verdict::Holds);
    let unbracketed = |r| matches!(r, Err(NumericError::NotBracketed { .. }));
    assert!(unbracketed(boundary(0.0, 1.0, Tolerance::NONE, never)));
    assert!(unbracketed(boundary(0.0, 1.0, Tolerance::NONE, always)));
    assert!(boundary(0.0, f64::INFINITY, Tolerance::NONE, always).is_err());
    assert!(boundary(f64::NAN, 1.0, Tolerance::NONE, always).is_err());
    let flat = |_| Enclosure::point(1.0);
    assert!(solve(0.0, 1.0, 2.0, Trend::Rising, Tolerance::NONE, flat).is_err());
    assert!(solve(1.0, 0.0, 2.0, Trend::Rising, Tolerance::NONE, flat).is_err());
}

#[test]
fn errors_of_the_closure_come_through() {
    let fault = || NumericError::Zero { name: "x" };
    assert_eq!(boundary(0.0, 1.0, Tolerance::NONE, |_| Err::<Verdict, _>(fault())), Err(fault()));
}

#[test]
fn a_smooth_root_takes_few_evaluations() -> Outcome<()> {
    for trend in [Trend::Rising, Trend::Falling] {
        let mut count = 0;
        let root = solve(0.5, 4.0, 3.0, trend, Tolerance::relative(1e-12), |x| {
            count += 1;
            let square = Enclosure::point(x)?.square();
            Ok::<_, NumericError>(match trend {
                Trend::Rising => square,
                Trend::Falling => Enclosure::point(6.0)? - square,
            })
        })?;
        let (left, right) = (Enclosure::point(root.left)?, Enclosure::point(root.right)?);
        assert!(left.square().upper() <= 3.0 && right.square().lower() >= 3.0);
        assert!(root.right - root.left <= 1e-11 && count < 60, "{root:?} after {count}");
    }
    Ok(())
}

#[test]
fn a_vague_function_leaves_a_certified_gap() -> Outcome<()> {
    // f(x) = x known only to within 0.1: nothing between 0.9 and 1.1 can be decided.
    let vague = |x: f64| Enclosure::new(x - 0.1, x + 0.1);
    let root = solve(0.0, 5.0, 1.0, Trend::Rising, Tolerance::NONE, vague)?;
    assert!(root.left + 0.1 <= 1.0 && root.right - 0.1 >= 1.0);
    assert!(root.left > 0.899_999 && root.right < 1.100_001);
    Ok(())
}

#[test]
fn a_step_function_is_crossed_at_the_step() -> Outcome<()> {
    let mut count = 0;
    let root = solve(-1e300, 1e300, 0.0, Trend::Rising, Tolerance::NONE, |x| {
        count += 1;
        Enclosure::point(if x < 1e-3 { -1e200 } else { 1e-200 })
    })?;
    assert_eq!((root.left, root.right), (1e-3_f64.next_down(), 1e-3));
    assert!(count <= 260, "{count} evaluations");
    Ok(())
}

#[test]
fn counts_are_exact() -> Outcome<()> {
    for most in [0, 1, 41, u64::MAX - 1] {
        let found = boundary_of_count(u64::MAX, 0, |n| {
            Ok::<_, NumericError>(if n <= most { Verdict::Holds } else { Verdict::Fails })
        })?;
        assert_eq!((found.holds, found.not_shown), (most, most + 1));
    }
    Ok(())
}

proptest! {
    /// Whatever the closure answers, the search ends and returns only what it was told.
    #[test]
    fn hostile_claims_are_never_overstated(answers in prop::collection::vec(0..3_u8, 1..80), a in any::<f64>(), b in any::<f64>()) {
        let mut told = Vec::new();
        let found = boundary(a, b, Tolerance::NONE, |x| {
            let verdict = match answers[told.len() % answers.len()] {
                0 => Verdict::Holds,
                1 => Verdict::Fails,
                _ => Verdict::Unknown,
            };
            told.push((x.to_bits(), verdict));
            Ok::<_, NumericError>(verdict)
        });
        prop_assert!(told.len() <= 66);
        if let Ok(found) = found {
            prop_assert!(told.contains(&(found.holds.to_bits(), Verdict::Holds)));
            prop_assert!(told.contains(&(found.not_shown.to_bits(), found.verdict)));
            prop_assert!(found.verdict != Verdict::Holds);
        }
    }

    /// The same for enclosures thrown at random, infinite ends included.
    #[test]
    fn hostile_functions_are_never_overstated(
        values in prop::collection::vec((-10.0..10.0_f64, 0.0..8.0_f64), 1..60),
        a in -1e6..1e6_f64,
        b in -1e6..1e6_f64,
    ) {
        let mut told = Vec::new();
        let root = solve(a.min(b), a.max(b), 0.0, Trend::Rising, Tolerance::NONE, |x| {
            let (lower, width) = values[told.len() % values.len()];
            let upper = if width > 7.9 { f64::INFINITY } else { lower + width };
            told.push((x, lower, upper));
            Enclosure::new(lower, upper)
        });
        prop_assert!(told.len() <= 260);
        if let Ok(root) = root {
            prop_assert!(told.iter().any(|&(x, _, upper)| x == root.left && upper <= 0.0));
            prop_assert!(told.iter().any(|&(x, lower, _)| x == root.right && lower >= 0.0));
        }
    }
}
