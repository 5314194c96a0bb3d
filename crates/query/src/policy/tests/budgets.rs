//! Budgets and quotas.

use super::*;

fn budget(lines: &str) -> Result<Policy, QueryError> {
    parse(&format!("[budget]\n{lines}\n[tables.t]\npath = \"t.csv\"\nunit = \"u\"\n"))
}

#[test]
fn every_currency_has_its_amounts() {
    let capacity = |lines: &str| budget(lines).unwrap().capacity();
    assert_eq!(capacity("epsilon = 0.3"), Amount::Pure { epsilon: rational("3/10") });
    let (epsilon, delta) = (rational("1"), rational("1e-6"));
    let pair = Amount::Approximate { epsilon: epsilon.clone(), delta: delta.clone() };
    assert_eq!(capacity("epsilon = 1\ndelta = 1e-6"), pair);
    let rho = Amount::Zcdp { rho: rational("0.1"), delta: Rational::ZERO };
    assert_eq!(capacity("rho = 0.1"), rho);
    assert_eq!(capacity("mu = 0.5"), Amount::Gdp { mu_squared: rational("1/4") });
    let leak = rational("5e-7");
    let zcdp = Amount::for_epsilon_delta(&Currency::Zcdp { leak: leak.clone() }, &epsilon, &delta);
    let stated = capacity("epsilon = 1\ndelta = 1e-6\ncurrency = \"zcdp\"");
    assert_eq!(stated, zcdp.unwrap());
    let Amount::Zcdp { delta: aside, .. } = &stated else { panic!() };
    assert_eq!(*aside, leak);
    let gdp = Amount::for_epsilon_delta(&Currency::Gdp, &epsilon, &delta).unwrap();
    assert_eq!(capacity("epsilon = 1\ndelta = 1e-6\ncurrency = \"gdp\""), gdp);
}

#[test]
fn a_converted_budget_keeps_its_promise() {
    for currency in ["zcdp", "gdp"] {
        for (epsilon, delta) in [("0.1", "1e-9"), ("1", "1e-6"), ("8", "1e-3")] {
            let lines = format!("epsilon = {epsilon}\ndelta = {delta}\ncurrency = \"{currency}\"");
            let capacity = budget(&lines).unwrap().capacity();
            let at = rational(delta).to_f64_up();
            let lost = Rational::from_f64(capacity.epsilon_at(at).unwrap()).unwrap();
            let (promised, slack) = (rational(epsilon), rational("1.000001"));
            assert!(lost <= &promised * &slack, "{currency} {epsilon} {delta}: {lost}");
        }
    }
}

#[test]
fn amounts_that_do_not_fit_are_refused() {
    for lines in [
        "",
        "delta = 1e-6",
        "epsilon = 0",
        "epsilon = -1",
        "epsilon = 1e9",
        "epsilon = nan",
        "epsilon = \"1\"",
        "epsilon = 1\ndelta = 0",
        "epsilon = 1\ndelta = 1",
        "epsilon = 1\ndelta = -1e-6",
        "epsilon = 1\nrho = 1",
        "rho = 1\nmu = 1",
        "mu = 1\ndelta = 1e-6",
        "epsilon = 1\ncurrency = \"approximate\"",
        "epsilon = 1\ndelta = 1e-6\ncurrency = \"pure\"",
        "epsilon = 1\ncurrency = \"gdp\"",
        "epsilon = 1\ncurrency = \"euro\"",
        "epsilon = 1\nneighbours = \"add\"",
        "epsilon = 1\nanalysts = { a = { epsilon = 1, delta = 1e-9 } }",
        "epsilon = 1\nanalysts = { a = { rho = 1 } }",
        "epsilon = 1\nanalysts = { \"\" = { epsilon = 1 } }",
        "epsilon = 1\nanalysts = { a = 1 }",
        "epsilon = 1\nanalysts = { a = { epsilon = 1, sigma = 1 } }",
    ] {
        let error = budget(lines).unwrap_err().to_string();
        assert!(error.starts_with("dir/throng.toml:"), "{lines}: {error}");
    }
}

#[test]
fn what_is_unwise_is_said() {
    let warned = |lines: &str, part: &str| {
        let warnings = budget(lines).unwrap().warnings;
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{lines}: {warnings:?}");
    };
    warned("epsilon = 50\ndelta = 1e-6", "protects little");
    warned("epsilon = 1\ndelta = 0.01", "above 1/1000");
    warned("epsilon = 1", "no delta");
    warned("epsilon = 1\nanalysts = { a = { epsilon = 2 } }", "the quota of a");
    let text = format!("{}[query]\nepsilon = 2\n", one("unit = \"u\""));
    assert!(parse(&text).unwrap().warnings[0].contains("more than the budget"));
}
