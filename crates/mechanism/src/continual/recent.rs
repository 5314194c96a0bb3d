//! The last few values of a sequence.

/// The last `window` values pushed, in one piece of memory.
#[derive(Debug)]
pub(super) struct Recent<T> {
    window: usize,
    values: Vec<T>,
}

impl<T: Copy> Recent<T> {
    /// Keeps `window` values.
    pub(super) const fn new(window: usize) -> Self {
        Self { window, values: Vec::new() }
    }

    /// Adds a value; the oldest goes if there are too many. O(1) amortised.
    pub(super) fn push(&mut self, value: T) {
        if self.values.len() >= 2 * self.window.max(32) {
            let start = self.values.len() - self.window;
            self.values.copy_within(start.., 0);
            self.values.truncate(self.window);
        }
        self.values.push(value);
    }

    /// The values, the oldest first.
    pub(super) fn values(&self) -> &[T] {
        let start = self.values.len().saturating_sub(self.window);
        self.values.get(start..).unwrap_or_default()
    }

    /// The value pushed `back` before the last, if it is kept.
    pub(super) fn back(&self, back: usize) -> Option<T> {
        let values = self.values();
        values.len().checked_sub(back + 1).and_then(|index| values.get(index).copied())
    }
}

impl Recent<f64> {
    /// Σ c_k v_k, where the last value meets the last coefficient, the one before it the one before,
    /// and so on.
    pub(super) fn dot(&self, coefficients: &[f64]) -> f64 {
        let (values, coefficients) = aligned(self.values(), coefficients);
        // Four sums at a time, which the processor can add in parallel.
        let (v, c) = (values.as_chunks::<4>(), coefficients.as_chunks::<4>());
        let mut sums = [0.0; 4];
        for (v, c) in v.0.iter().zip(c.0) {
            for ((sum, v), c) in sums.iter_mut().zip(v).zip(c) {
                *sum += v * c;
            }
        }
        let rest: f64 = v.1.iter().zip(c.1).map(|(v, c)| v * c).sum();
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
    }
}

impl Recent<i64> {
    /// The same for integers, exactly; the caller makes sure that it fits.
    pub(super) fn dot(&self, coefficients: &[i64]) -> i64 {
        let (values, coefficients) = aligned(self.values(), coefficients);
        values.iter().zip(coefficients).map(|(v, c)| v * c).sum()
    }
}

/// The ends of two slices, of equal length.
fn aligned<'a, T>(a: &'a [T], b: &'a [T]) -> (&'a [T], &'a [T]) {
    let length = a.len().min(b.len());
    let end = |slice: &'a [T]| slice.get(slice.len() - length..).unwrap_or_default();
    (end(a), end(b))
}
