//! Specs with one number still to be found.

use std::fmt;
use std::str::FromStr;

use throng_numeric::Rational;

use super::MechanismSpec;
use super::text::tree::Tree;
use super::text::{build, parse, print};
use super::vocabulary::Kind;
use crate::AccountError;

/// A spec in which one number or count is written `?`.
///
/// ```
/// use throng_account::spec::{HoleKind, Template};
/// let template = Template::parse("100 * sampled(gaussian(sigma=?), rate=0.01)")?;
/// assert_eq!((template.hole().name.as_str(), template.hole().kind), ("sigma", HoleKind::Real));
/// let spec = template.fill(&2_u8.into())?;
/// assert_eq!(spec.to_string(), "100 * sampled(gaussian(sigma=2), rate=0.01)");
/// # Ok::<(), throng_account::AccountError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Template {
    tree: Tree,
    hole: Hole,
}

/// What is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// The argument it stands for: `sigma`, `rate`, `times`.
    pub name: String,
    /// What may be put there.
    pub kind: HoleKind,
}

/// What may be put in a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HoleKind {
    /// Any number.
    Real,
    /// A whole number.
    Count,
}

impl Template {
    /// Reads the text of a spec with exactly one `?` in place of a number or count.
    ///
    /// # Errors
    /// [`AccountError::Syntax`] if the text cannot be read, or has no `?` or several.
    pub fn parse(text: &str) -> Result<Self, AccountError> {
        let tree = parse(text)?;
        let syntax = |column, reason: &str| AccountError::Syntax { column, reason: reason.into() };
        match tree.holes().as_slice() {
            [] => Err(syntax(
                text.chars().count() + 1,
                "nothing to find; write \"?\" in place of one number",
            )),
            [(_, (name, kind))] => {
                let hole = Hole { name: (*name).to_owned(), kind: hole_kind(*kind) };
                Ok(Self { tree, hole })
            }
            [_, (column, _), ..] => {
                Err(syntax(*column, "a second \"?\"; only one number can be found at a time"))
            }
        }
    }

    /// What is to be found.
    #[must_use]
    pub fn hole(&self) -> &Hole {
        &self.hole
    }

    /// The spec with this value in place of `?`.
    ///
    /// # Errors
    /// Those of [`MechanismSpec::validate`], and [`AccountError::Invalid`] if a whole number is
    /// needed and `value` is none.
    pub fn fill(&self, value: &Rational) -> Result<MechanismSpec, AccountError> {
        build::spec(&self.tree.filled(value))?.validated()
    }
}

/// A hole in a list of numbers is a number, too.
fn hole_kind(kind: Kind) -> HoleKind {
    match kind {
        Kind::Count => HoleKind::Count,
        Kind::Real
        | Kind::Spec
        | Kind::Leaf
        | Kind::Specs
        | Kind::Reals
        | Kind::Pairs
        | Kind::Chances => HoleKind::Real,
    }
}

impl FromStr for Template {
    type Err = AccountError;

    fn from_str(text: &str) -> Result<Self, AccountError> {
        Self::parse(text)
    }
}

impl fmt::Display for Template {
    /// The canonical text, with `?` where the number is missing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::tree(&self.tree, f)
    }
}
