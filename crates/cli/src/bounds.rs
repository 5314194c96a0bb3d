//! An interval as it is typed: `LO,HI`.

use throng_numeric::Rational;

use crate::number::{self, Number};

/// Two ends, the lower below the upper.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    lower: Number,
    upper: Number,
}

impl Bounds {
    /// The lower end.
    pub(crate) fn lower(&self) -> &Rational {
        self.lower.exact()
    }

    /// The upper end.
    pub(crate) fn upper(&self) -> &Rational {
        self.upper.exact()
    }
}

/// Reads `LO,HI`.
pub(crate) fn bounds(text: &str) -> Result<Bounds, String> {
    let (lower, upper) = text.split_once(',').ok_or("must be two numbers such as 0,100")?;
    let (lower, upper) = (number::any(lower)?, number::any(upper)?);
    if lower.exact() >= upper.exact() {
        return Err("the first must be below the second".to_owned());
    }
    Ok(Bounds { lower, upper })
}
