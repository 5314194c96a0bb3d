use super::super::chance::Chance;
use super::*;

fn exact(chance: &str) -> Split {
    Chance::Exact(chance.parse().unwrap()).enclosed()
}

fn counts(n: u64, hit: &str, stray: &str) -> Vec<ReportedCount> {
    let (hit, stray) = (exact(hit), exact(stray));
    (0..=n).map(|y| ReportedCount::new(y, n, hit, stray)).collect()
}

/// The exact coverage at every truth, rising and falling laws, one-sided ones included.
#[test]
fn intervals_cover_at_every_truth() {
    for (hit, stray) in [("3/4", "1/4"), ("1/2", "1/10"), ("1/10", "4/5"), ("1", "1/3")] {
        for confidence in [0.5, 0.9, 0.99] {
            let counts = counts(25, hit, stray);
            let intervals: Vec<_> =
                counts.iter().map(|c| c.interval(confidence).unwrap()).collect();
            for truth in 0..=25_u64 {
                let law = counts[0].law(truth);
                let x = of_count(truth).lower();
                let covered = (0_u64..).zip(&intervals);
                let covered = covered.filter(|(_, i)| i.lower <= x && x <= i.upper);
                let chance = covered.fold(Enclosure::ZERO, |sum, (y, _)| sum + law.mass(y));
                assert!(chance.upper() >= confidence, "{hit} {stray} {truth}: {chance}");
            }
        }
    }
}

/// E x̂ = x and E (x̂ - x)² = Var, summed over the exact law.
#[test]
fn estimates_have_the_stated_mean_and_variance() {
    let counts = counts(12, "4/5", "3/10");
    for truth in 0..=12_u64 {
        let law = counts[0].law(truth);
        let moment = |f: &dyn Fn(f64) -> f64| {
            counts.iter().zip(0..).fold(0.0, |sum, (count, y)| {
                sum + law.mass(y).lower() * f(count.estimate().unwrap())
            })
        };
        let x = of_count(truth).lower();
        assert!((moment(&|e| e) - x).abs() < 1e-10);
        let variance = counts[0].variance(truth).unwrap();
        assert!((moment(&|e| (e - x) * (e - x)) - variance.lower()).abs() < 1e-9);
        assert!(variance.upper() <= counts[0].largest_variance().unwrap().upper());
    }
}

/// Hoeffding's comparison, at every truth and every count; nearer the mean than one it fails.
#[test]
fn binomial_tails_are_larger_beyond_one_from_the_mean() {
    let (hit, stray) = (exact("9/10"), exact("1/20"));
    let mut nearer = 0;
    for (truth, y) in (1..30_u64).flat_map(|x| (1..30_u64).map(move |y| (x, y))) {
        let count = ReportedCount::new(y, 30, hit, stray);
        let (law, mean) = (count.law(truth), count.mean(truth));
        let chance = count.mixture(mean);
        let above = tails::binomial_survival(y - 1, 30, chance).unwrap();
        let below = tails::binomial_cdf(y, 30, chance).unwrap();
        let place = of_count(y).lower();
        if place >= mean.upper() + 1.0 {
            assert!(law.at_least(y).lower() <= above.upper(), "{truth} {y}");
        } else if place <= mean.lower() - 1.0 {
            assert!(law.at_most(y).lower() <= below.upper(), "{truth} {y}");
        } else if law.at_least(y).lower() > above.upper() {
            nearer += 1;
        }
    }
    assert!(nearer > 0);
}

/// Where Hoeffding's comparison takes over intervals get wider, by √(2/9 / 3/16) here.
#[test]
fn intervals_change_little_where_the_exact_law_ends() {
    let (hit, stray) = (exact("3/4"), exact("1/4"));
    let at = |n: u64| ReportedCount::new(n / 3, n, hit, stray).interval(0.95).unwrap();
    let (exact, compared) = (at(MOST_TRIALS), at(MOST_TRIALS + 2));
    let ratio = (compared.upper - compared.lower) / (exact.upper - exact.lower);
    assert!(1.08 < ratio && ratio < 1.09, "{exact} {compared}");
    assert!(compared.lower < exact.lower && exact.upper < compared.upper);
}

/// What is left out of the laws of many trials is accounted for.
#[test]
fn laws_of_many_trials_add_up() {
    let (hit, stray) = (exact("3/4"), exact("1/1000"));
    let law = ReportedCount::new(0, 3_000_000, hit, stray).law(1_000_000);
    let [below, above] = [law.at_most(751_500), law.at_least(751_501)];
    assert!((below + above).contains(1.0) && (below + above).width() < 1e-8, "{below} {above}");
    // The mean is 752 000 and the standard deviation 435.
    assert!(below.contains(0.125_6) || (below.lower() - 0.125_6).abs() < 5e-4, "{below}");
    assert!(law.at_most(0).upper() < 1e-59 && law.at_least(3_000_000).upper() < 1e-59);
    assert!(law.at_least(0).contains(1.0) && law.at_most(3_000_000).contains(1.0));
}
