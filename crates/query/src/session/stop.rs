//! Stopping a question that takes long.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use throng_numeric::patience::given_up;

/// How often it is asked whether to go on, while there is nothing else to do.
const EVERY: Duration = Duration::from_millis(50);

/// The end of some work, or nothing if it was given up before; what it had begun is dropped.
///
/// To be waited for on the thread of whoever asked the question: that is the one that is watched.
pub(super) async fn unless_given_up<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut rest = pin!(tokio::time::sleep(EVERY));
    poll_fn(|context| {
        if given_up() {
            return Poll::Ready(None);
        }
        // Woken by the work, or by the clock if there is nothing to do.
        while rest.as_mut().poll(context).is_ready() {
            rest.as_mut().reset(tokio::time::Instant::now() + EVERY);
        }
        work.as_mut().poll(context).map(Some)
    })
    .await
}
