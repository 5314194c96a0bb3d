//! Panics that are caught: nobody is told, as their texts may hold values of rows.
//!
//! The runtime of Rust prints the text of a panic before anything can catch it, by the process's
//! hook. The first use here puts a hook in front of that one which stays silent where panics are
//! caught, and on threads that work on rows, and otherwise passes them on. A program that sets a
//! hook of its own should do so before it asks its first question.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many times this thread is inside something that catches.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

static HOOK: Once = Once::new();

/// That there was a panic; what it said is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// What a computation gives; a panic in it is silent.
///
/// The computation writes to nothing that is used after a panic.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    let _inside = Inside::enter();
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| Panicked)
}

/// Panics on this thread are silent from now on: whoever waits for it learns of them.
pub(crate) fn hush_thread() {
    std::mem::forget(Inside::enter());
}

struct Inside;

impl Inside {
    fn enter() -> Self {
        if !std::thread::panicking() {
            HOOK.call_once(install);
        }
        INSIDE.set(INSIDE.get().saturating_add(1));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(INSIDE.get().saturating_sub(1));
    }
}

fn install() {
    let before = take_hook();
    set_hook(Box::new(move |panic| {
        // A thread that is ending has no such counter any more; it catches nothing either.
        if INSIDE.try_with(Cell::get).unwrap_or(0) == 0 {
            before(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::total::attempt;

    const CHILD: &str = "THRONG_TEST_PANICS";

    /// Panics inside and outside, as a process of its own: the hook is one for all of it.
    fn panics() {
        assert_eq!(caught(|| panic!("secret 1")), Err::<(), _>(Panicked));
        let nested = caught(|| caught::<()>(|| panic!("secret 2")));
        assert_eq!(nested, Ok(Err(Panicked)));
        assert!(attempt::<()>(|| panic!("secret 3")).is_err());
        let hushed = || {
            hush_thread();
            panic!("secret 4")
        };
        assert!(std::thread::spawn(hushed).join().is_err());
        assert_eq!(caught(|| 5), Ok(5));
        assert!(std::thread::spawn(|| panic!("loud 6")).join().is_err());
        assert!(catch_unwind(|| panic!("loud 7")).is_err());
    }

    #[test]
    fn what_is_caught_is_silent_and_nothing_else() {
        if std::env::var_os(CHILD).is_some() {
            return panics();
        }
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let name = "quiet::tests::what_is_caught_is_silent_and_nothing_else";
        let output = child.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
        let seen = [output.stdout, output.stderr].concat();
        let seen = String::from_utf8_lossy(&seen);
        assert!(output.status.success(), "{seen}");
        assert!(!seen.contains("secret"), "{seen}");
        assert!(seen.contains("loud 6") && seen.contains("loud 7"), "{seen}");
    }
}
