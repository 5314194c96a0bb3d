//! Stopping a question that takes long.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

/// Whether somebody wants the work to end; asked some twenty times a second, on the thread of whoever asked
/// the question.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(50);

/// Nobody does.
pub(super) fn never() -> Stop {
    Arc::new(|| false)
}

/// Somebody who is asked no more after a yes, and the yes.
pub(super) struct Remembered {
    pub(super) ask: Stop,
    wanted: Arc<AtomicBool>,
}

pub(super) fn remembered(stop: &Stop) -> Remembered {
    let wanted = Arc::new(AtomicBool::new(false));
    let (stop, kept) = (Arc::clone(stop), Arc::clone(&wanted));
    let ask: Stop = Arc::new(move || {
        let now = kept.load(Ordering::Relaxed) || stop();
        kept.store(now, Ordering::Relaxed);
        now
    });
    Remembered { ask, wanted }
}

impl Remembered {
    pub(super) fn was_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }
}

/// The end of some work, or nothing if it was stopped before; what it had begun is dropped.
pub(super) async fn unless<T>(stop: &Stop, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut rest = pin!(tokio::time::sleep(EVERY));
    let mut asked = Instant::now();
    poll_fn(|context| {
        // The clock is looked at whenever there is something to do, and woken by if there is nothing.
        if rest.as_mut().poll(context).is_ready() || asked.elapsed() >= EVERY {
            asked = Instant::now();
            rest.as_mut().reset(tokio::time::Instant::now() + EVERY);
            let _ = rest.as_mut().poll(context);
            if stop() {
                return Poll::Ready(None);
            }
        }
        work.as_mut().poll(context).map(Some)
    })
    .await
}
