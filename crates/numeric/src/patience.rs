//! Giving up on long work, when whoever waits for it says so.
//!
//! Someone who waits for a calibration or a training may press a key. [`watched`] runs work under a
//! watcher, a function that says whether to stop; loops that take long ask [`given_up`] on the thread
//! that coordinates them, and hand back an error of their own if so. Without a watcher that is one
//! read of a variable of the thread.
//!
//! # What it may depend on
//! The watcher's word, and nothing else. The clock in here only spaces the questions; no number anywhere
//! depends on it, and work that is not given up is the same to the last bit with a watcher and
//! without. The clock's place is this file, so that the rooms above remain without one.
//!
//! ```
//! use throng_numeric::patience::{given_up, watched};
//! fn long_work() -> Option<u64> {
//!     (0..1_000_000_u64).try_fold(0, |sum, x| (!given_up()).then_some(sum + x))
//! }
//! assert_eq!(watched(|| true, long_work), None);
//! assert_eq!(long_work(), Some(499_999_500_000));
//! ```

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Watchers are asked no more often than this.
const PAUSE: Duration = Duration::from_millis(20);

/// A watcher at work.
#[derive(Clone, Copy)]
struct Watch {
    stop: fn() -> bool,
    /// When it was asked last.
    asked: Option<Instant>,
    gave_up: bool,
}

thread_local! {
    static WATCH: Cell<Option<Watch>> = const { Cell::new(None) };
}

/// Puts back what was there before, whichever way the work ends.
struct Restored(Option<Watch>);

impl Drop for Restored {
    fn drop(&mut self) {
        WATCH.set(self.0);
    }
}

/// Runs work that this thread gives up once `stop` says so.
///
/// Inside another watched call the inner watcher takes over until the inner work ends; work inside
/// something that was given up is given up too. Threads that the work starts are not watched: the one
/// that waits for them is.
pub fn watched<T>(stop: fn() -> bool, work: impl FnOnce() -> T) -> T {
    let outer = WATCH.get();
    let gave_up = outer.is_some_and(|watch| watch.gave_up);
    let restored = Restored(outer);
    WATCH.set(Some(Watch { stop, asked: None, gave_up }));
    let done = work();
    drop(restored);
    done
}

/// Whether the work on this thread is to be given up. The watcher is asked at most every 20 ms or so;
/// once it has said yes, the answer stays yes.
#[inline]
#[must_use]
pub fn given_up() -> bool {
    WATCH.get().is_some_and(ask)
}

#[cold]
fn ask(watch: Watch) -> bool {
    if watch.gave_up {
        return true;
    }
    let now = Instant::now();
    if watch.asked.is_some_and(|last| now.duration_since(last) < PAUSE) {
        return false;
    }
    // Noted before it is asked: a watcher that does watched work itself is not asked again by that.
    let watch = Watch { asked: Some(now), ..watch };
    WATCH.set(Some(watch));
    let gave_up = (watch.stop)();
    WATCH.set(Some(Watch { gave_up, ..watch }));
    gave_up
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    thread_local! {
        static ASKED: Cell<u32> = const { Cell::new(0) };
    }

    fn counts(most: u32) -> bool {
        ASKED.set(ASKED.get() + 1);
        ASKED.get() > most
    }

    fn wait_for_an_answer() -> u32 {
        let mut turns = 0;
        while !given_up() {
            turns += 1;
        }
        turns
    }

    #[test]
    fn nobody_watches_nobody_gives_up() {
        assert!((0..1000).all(|_| !given_up()));
    }

    #[test]
    fn watchers_are_asked_seldom_and_believed_for_good() {
        let start = Instant::now();
        let turns = watched(
            || counts(3),
            || {
                let turns = wait_for_an_answer();
                assert!(given_up() && given_up());
                turns
            },
        );
        // Asked at once and after three pauses, and never again.
        assert_eq!(ASKED.get(), 4);
        assert!(start.elapsed() >= 3 * PAUSE);
        assert!(turns > 100, "{turns} turns in 60 ms");
        assert!(!given_up());
    }

    #[test]
    fn inner_watchers_take_over_and_leave() {
        watched(
            || false,
            || {
                assert!(!given_up());
                assert!(watched(|| true, given_up));
                assert!(!given_up());
                watched(|| false, || assert!(!given_up()));
            },
        );
        let inside = watched(
            || true,
            || {
                assert!(given_up());
                watched(|| false, given_up)
            },
        );
        assert!(inside, "what was given up is given up all the way down");
        assert!(!given_up());
    }

    #[test]
    fn a_panic_takes_the_watcher_along() {
        let died = catch_unwind(|| watched(|| true, || assert!(!given_up(), "given up")));
        assert!(died.is_err());
        assert!(!given_up());
    }

    #[test]
    fn a_watcher_may_do_watched_work_itself() {
        fn busy() -> bool {
            ASKED.set(ASKED.get() + 1);
            let inside = given_up();
            watched(|| false, given_up) || inside || ASKED.get() > 1
        }
        watched(busy, wait_for_an_answer);
        assert_eq!(ASKED.get(), 2);
    }

    #[test]
    fn other_threads_are_not_watched() {
        let others = || std::thread::spawn(given_up).join();
        assert_eq!(watched(|| true, others).ok(), Some(false));
    }
}
