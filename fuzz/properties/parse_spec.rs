//! What must hold for every text read as a spec or as a template. Shared by the fuzzer and by
//! the property test that `make test` runs.

use throng_account::spec::Template;
use throng_account::{AccountError, MechanismSpec};
use throng_numeric::Rational;

/// Reading is total; what is read is valid, prints and reads back as the same spec, and an
/// error points into the text.
pub(crate) fn check(text: &str) {
    match text.parse::<MechanismSpec>() {
        Ok(spec) => {
            assert_eq!(spec.validate(), Ok(()));
            let printed = spec.to_string();
            assert_eq!(printed.parse(), Ok(spec), "{printed} reads back differently");
        }
        Err(error) => check_column(text, &error),
    }
    match Template::parse(text) {
        Ok(template) => check_template(&template),
        Err(error) => check_column(text, &error),
    }
}

fn check_column(text: &str, error: &AccountError) {
    if let AccountError::Syntax { column, .. } = error {
        let end = text.chars().count() + 1;
        assert!((1..=end).contains(column), "column {column} of {end}");
    }
}

/// A template that prints short enough reads back, and fills to the same specs.
fn check_template(template: &Template) {
    let printed = template.to_string();
    if printed.len() > throng_account::spec::MAX_TEXT {
        return;
    }
    let again = Template::parse(&printed).expect("a template reads back");
    assert_eq!((again.hole(), again.to_string()), (template.hole(), printed));
    for value in [Rational::ZERO, Rational::ONE, Rational::from(3_u8)] {
        assert_eq!(again.fill(&value), template.fill(&value));
    }
}
