//! Data that may leave only through a release.

/// Private data on its way to a mechanism.
///
/// It cannot be printed, compared, cloned or serialised; a mechanism is the only way out. The
/// wrapper is a reminder to programmers, not a defence against hostile code in the same process.
///
/// ```compile_fail
/// let ages = throng_mechanism::Sensitive::new(vec![31_i64, 47]);
/// println!("{ages:?}");
/// ```
pub struct Sensitive<T: ?Sized>(T);

impl<T> Sensitive<T> {
    /// Marks data as private.
    pub const fn new(data: T) -> Self {
        Self(data)
    }
}

impl<T: ?Sized> Sensitive<T> {
    /// The data itself, for code that computes on rows: everything derived from it is private
    /// until a mechanism has released it.
    ///
    /// Calls are refused by a lint unless they give a reason.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T, const N: usize> Sensitive<[T; N]> {
    /// The same data as a slice.
    #[must_use]
    pub const fn as_slice(&self) -> &Sensitive<[T]> {
        self
    }
}
