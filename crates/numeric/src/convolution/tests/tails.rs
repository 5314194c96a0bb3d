//! Tails far below the error of a plain transform.
#![allow(clippy::disallowed_methods, reason = "inputs of a test may be anything")]

use super::*;

/// Lower and upper bounds of Σ_{j >= i} C(k, j) 3^(k-j) / 4^k, in integers.
fn binomial_tail(k: u64, i: u64) -> Outcome<(Rational, Rational)> {
    let mut term = Natural::ONE;
    for j in 0..i {
        term = term * Natural::from(k - j) / Natural::from(j + 1);
    }
    let small = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    term *= Natural::from(3_u8).pow(small(k - i));
    let mut sum = Natural::ZERO;
    let mut j = i;
    while j <= k && j < i + 4000 {
        sum += &term;
        term = term * Natural::from(k - j) / Natural::from(3 * (j + 1));
        j += 1;
    }
    // The ratios of successive terms fall and are below 9/10 beyond here: the rest is below ten
    // times the first term left out.
    assert!(j > k || 10 * (k - j) < 27 * (j + 1));
    let four = Natural::ONE << small(2 * k);
    Ok((
        Rational::new(sum.clone(), four.clone())?,
        Rational::new(sum + term * Natural::from(10_u8), four)?,
    ))
}

#[test]
fn binomial_tails_of_1e_20_and_1e_50_have_six_digits() -> Outcome {
    for k in [1000, 10_000, 100_000] {
        let coin = Composition::new(vec![Factor::new(&[0.75, 0.25], k)?])?;
        for deviations in [0.0, 9.3, 15.0, 25.0] {
            let spread = (count(usize::try_from(k).unwrap_or(0)) * 3.0 / 16.0).sqrt();
            let shift: u64 = format!("{:.0}", deviations * spread).parse().unwrap_or(0);
            let i = k / 4 + shift;
            for window in [Window::Whole, Window::Covering { outside: 1e-15 }] {
                let law = coin.tilted(coin.saddle(i)?)?.within(window)?.convolve()?;
                let tail = law.tail_from(i);
                let (lower, upper) = binomial_tail(k, i)?;
                assert!(Rational::from_f64(tail.lower())? <= upper, "{k} {i} {tail}");
                assert!(Rational::from_f64(tail.upper())? >= lower, "{k} {i} {tail}");
                let width = tail.width() / tail.lower();
                let middle = f64::midpoint(tail.lower(), tail.upper());
                let error = (middle / lower.to_f64_nearest() - 1.0).abs();
                println!(
                    "k = {k}, tail {middle:.1e}: relative width {width:.1e}, error {error:.1e}"
                );
                assert!(width <= 1e-6);
            }
        }
    }
    Ok(())
}

#[test]
fn a_privacy_profile_comes_out_of_weighted_sums() -> Outcome {
    // Randomised response with truth 3/4, 2000 times: each answer loses +ln 3 or -ln 3, and
    // delta at epsilon = m ln 3 is the sum over 2j - k > m of c_j (1 - 3^(m - (2j - k))).
    let (k, m) = (2000_usize, 1360_usize);
    let first = (k + m) / 2 + 1;
    let answers = Composition::new(vec![Factor::new(&[0.25, 0.75], at(k))?])?;
    let law = answers.tilted(answers.saddle(at(first))?)?.convolve()?;
    let third = Enclosure::ONE / Enclosure::point(3.0)?;
    let delta = law.sum(at(first)..u64::MAX, |j| {
        let over = 2 * (j - at(first)) + 2;
        Enclosure::ONE - third.powi(i32::try_from(over).unwrap_or(i32::MAX))
    })?;
    let three = |n: usize| Natural::from(3_u8).pow(n);
    let mut ways = Natural::ONE;
    let mut truth = Natural::ZERO;
    for j in 0..=k {
        if j >= first {
            truth += &ways * (three(j) - three(k + m - j));
        }
        ways = ways * Natural::from(k - j) / Natural::from(j + 1);
    }
    let truth = as_f64(&truth, 2 * k);
    println!("delta = {truth:e}, certified [{:e}, {:e}]", delta.lower(), delta.upper());
    assert!(delta.lower() <= truth.next_up() && truth.next_down() <= delta.upper());
    assert!(truth < 1e-18 && delta.width() <= 1e-8 * truth);
    Ok(())
}

#[test]
fn tails_of_a_poisson_like_law_are_accurate_relative_to_themselves() -> Outcome {
    // Masses of a Poisson law with mean 2, rounded to multiples of 2^-60, 24 times.
    let mut mass = (-2_f64).exp();
    let law: Vec<f64> = (1..30)
        .map(|j| {
            let rounded = (mass * 2_f64.powi(60)).floor() / 2_f64.powi(60);
            mass *= 2.0 / f64::from(j);
            rounded
        })
        .collect();
    let base: Vec<Natural> = law.iter().map(|x| units(*x) >> (PLACES - 60)).collect();
    let truth = (1..24).fold(base.clone(), |c, _| multiply(&c, &base));
    let sum = Composition::new(vec![Factor::new(&law, 24)?])?;
    for i in [20_usize, 48, 100, 130, 180, 250, 400, 490] {
        let computed = sum.tilted(sum.saddle(at(i))?)?.convolve()?;
        let tail: Natural = truth.get(i..).unwrap_or(&[]).iter().sum();
        let got = computed.tail_from(at(i));
        let expected = as_f64(&tail, 24 * 60);
        assert!(got.lower() <= expected.next_up() && expected.next_down() <= got.upper());
        assert!(got.width() <= 1e-10 * got.upper() || expected == 0.0, "{i}: {got}");
    }
    Ok(())
}

#[test]
fn a_billion_convolutions_fit_a_window() -> Outcome {
    let k = 1_000_000_000_u64;
    let coin = Composition::new(vec![Factor::new(&[0.5, 0.5], k)?])?;
    let law = coin.within(Window::Covering { outside: 1e-12 })?.convolve()?;
    // C(k, k/2) / 2^k = (π k / 2)^-1/2 (1 - 1/(4k) + O(1/k^2)).
    let peak = (std::f64::consts::PI * 5e8).sqrt().recip() * (1.0 - 0.25e-9);
    let mass = law.mass(k / 2);
    println!("peak of 1e9 throws: {mass}, error bounds {:?}", law.error());
    assert!(mass.lower() < peak && peak < mass.upper());
    assert!(mass.width() < 1e-3 * peak);
    let above = law.tail_from(k / 2 + 1);
    assert!(above.contains(0.5 - peak / 2.0), "{above}");
    Ok(())
}
