//! Rows without a number.

use std::borrow::Cow;

use arrow::array::{Array, PrimitiveArray};
use arrow::datatypes::Int64Type;

/// What becomes of rows without a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// They count as the allowed number nearest to 0, as in files of the command.
    Counted,
    /// They are left out.
    LeftOut,
}

impl Missing {
    pub(super) fn among_reals(self, all: &[f64]) -> Cow<'_, [f64]> {
        match self {
            Self::Counted => Cow::Borrowed(all),
            Self::LeftOut if all.iter().all(|x| !x.is_nan()) => Cow::Borrowed(all),
            Self::LeftOut => Cow::Owned(all.iter().copied().filter(|x| !x.is_nan()).collect()),
        }
    }

    pub(super) fn among_owned(self, mut all: Vec<f64>) -> Cow<'static, [f64]> {
        if self == Self::LeftOut {
            all.retain(|x| !x.is_nan());
        }
        Cow::Owned(all)
    }

    /// Among whole numbers there is no NaN; 0 goes where NaN goes, to the allowed number nearest to 0.
    pub(super) fn among_whole(self, all: &PrimitiveArray<Int64Type>) -> Vec<i64> {
        match self {
            Self::Counted => all.iter().map(|x| x.unwrap_or(0)).collect(),
            Self::LeftOut if all.null_count() == 0 => all.values().to_vec(),
            Self::LeftOut => all.iter().flatten().collect(),
        }
    }
}
