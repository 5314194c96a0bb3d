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
