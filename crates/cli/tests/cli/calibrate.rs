//! `throng calibrate`.

use throng_numeric::Rational;

use crate::{ends, json, printed};

const GAUSSIAN: &str = "gaussian(sigma=?)";

#[test]
fn the_printed_value_reaches_the_target() {
    let answer = json(&["calibrate", GAUSSIAN, "--epsilon", "1", "--delta", "1e-5", "--json"]);
    assert_eq!(answer["parameter"], "sigma");
    assert_eq!(answer["target"]["kind"], "epsilon");
    assert_eq!(answer["target"]["delta"], 1e-5);
    assert!(ends(&answer["achieved"]).1 <= 1.0);
    // The analytic Gaussian mechanism needs 3.7306.
    let sigma: Rational = answer["value"].as_str().unwrap().parse().unwrap();
    assert!((sigma.to_f64_nearest() - 3.7306).abs() < 0.01, "{sigma}");
    // The filled spec is one that `account` reads, with the same answer.
    let spec = answer["spec"].as_str().unwrap();
    let again = json(&["account", spec, "--delta", "1e-5", "--json"]);
    assert!(ends(&again["epsilon"][0]).1 <= 1.0 + 1e-3);
}

#[test]
fn every_target_is_understood() {
    let targets: [(&[&str], &str); 5] = [
        (&["--epsilon", "1", "--delta", "1e-5"], "epsilon at delta 1e-5"),
        (&["--gdp", "1/2"], "mu"),
        (&["--zcdp", "0.1"], "rho"),
        (&["--fpr", "0.01", "--tpr", "0.02"], "part found at false alarms 0.01"),
        (&["--advantage", "0.1"], "total variation"),
    ];
    for (target, words) in targets {
        let text = printed(&[&["calibrate", GAUSSIAN], target].concat());
        assert!(text.starts_with("sigma = "), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(text.contains("neighbours add-remove"), "{text}");
        let answer = json(&[&["calibrate", GAUSSIAN, "--json"], target].concat());
        ends(&answer["achieved"]);
    }
}
