//! What a network learns: classes, or a number.

use std::fmt;

use crate::math::single;
use crate::{Classes, Interval};

/// What a network learns: [`Classes`], or a number within an [`Interval`].
///
/// | goal | outputs | loss of a record | left out |
/// |---|---|---|---|
/// | [`Classes`] | one for each class | cross entropy of its class | labels that are no declared class |
/// | [`Interval`] | one | half the square of its error, where the interval runs from -1 to 1 | NaN |
///
/// Numbers beyond the interval count as its ends. What a record adds to a step is bounded by clipping, whatever its
/// loss is, so the guarantee of a training is the same for both.
pub trait Goal: sealed::Goal + Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// What records are labelled with.
    type Label: Clone + fmt::Debug;
}

impl Goal for Classes {
    type Label = u32;
}

impl Goal for Interval {
    type Label = f64;
}

/// What the outputs of a record are held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    /// The place of its class.
    Class(usize),
    /// A number from -1 to 1.
    Number(f32),
}

impl Truth {
    /// The gradient of the loss with respect to the outputs, in place of their softmax or of the one output: less 1
    /// at the class; or the error.
    pub(super) fn slope(self, delta: &mut [f32]) {
        match self {
            Self::Class(class) => {
                if let Some(own) = delta.get_mut(class) {
                    *own -= 1.0;
                }
            }
            Self::Number(number) => delta.iter_mut().for_each(|delta| *delta -= number),
        }
    }

    /// Some truth for a network with so many outputs, which has no meaning.
    pub(super) fn made_up(outputs: usize, salt: usize) -> Self {
        match outputs {
            1 => Self::Number(super::float::float(salt % 33) / 16.0 - 1.0),
            classes => Self::Class(salt % classes.max(1)),
        }
    }
}

/// What is declared about labels, as it is saved.
pub(super) type Declared = (Option<Classes>, Option<Interval>);

/// What only this crate does with goals.
pub(super) mod sealed {
    use super::{Classes, Declared, Interval, Truth, single};

    pub trait Goal: Sized {
        /// What a network of it is called.
        const NETWORK: &'static str;

        /// How many outputs the last layer has.
        fn outputs(self) -> usize;

        /// What a label says; none if that is nothing, and then the record is left out.
        fn truth(self, label: &<Self as super::Goal>::Label) -> Option<Truth>
        where
            Self: super::Goal;

        fn declared(self) -> Declared;

        fn of_declared(declared: Declared) -> Option<Self>;
    }

    impl Goal for Classes {
        const NETWORK: &'static str = "network";

        fn outputs(self) -> usize {
            self.count()
        }

        fn truth(self, label: &u32) -> Option<Truth> {
            self.place(*label).map(Truth::Class)
        }

        fn declared(self) -> Declared {
            (Some(self), None)
        }

        fn of_declared(declared: Declared) -> Option<Self> {
            match declared {
                (Some(classes), None) => Some(classes),
                (_, Some(_)) | (None, None) => None,
            }
        }
    }

    impl Goal for Interval {
        const NETWORK: &'static str = "network-regression";

        fn outputs(self) -> usize {
            1
        }

        fn truth(self, label: &f64) -> Option<Truth> {
            self.known(*label).map(|number| Truth::Number(single(number)))
        }

        fn declared(self) -> Declared {
            (None, Some(self))
        }

        fn of_declared(declared: Declared) -> Option<Self> {
            match declared {
                (None, Some(range)) => Some(range),
                (Some(_), _) | (None, None) => None,
            }
        }
    }
}
