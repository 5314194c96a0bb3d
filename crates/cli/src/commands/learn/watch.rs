//! Progress of a fit that goes in steps.

use throng_learn::any::AnyLearner;
use throng_learn::network::{Goal, Training};

use crate::progress::Progress;

/// The same learner, with a bar of its steps on a terminal, and epsilon at a delta so far. How many steps
/// there are is public, and so is what they cost.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no steps to watch")]
pub(super) fn steps(learner: AnyLearner, delta: f64) -> AnyLearner {
    match learner {
        AnyLearner::Network(training) => AnyLearner::Network(watched(training, delta)),
        AnyLearner::NetworkRegression(training) => {
            AnyLearner::NetworkRegression(watched(training, delta))
        }
        other => other,
    }
}

#[expect(clippy::boxed_local, reason = "a box comes, and a box goes")]
fn watched<G: Goal>(training: Box<Training<G>>, delta: f64) -> Box<Training<G>> {
    let steps = usize::try_from(training.options().steps).unwrap_or(usize::MAX);
    let bar = Progress::new(steps, "steps");
    Box::new(training.watched(move |progress| {
        bar.at(progress.step());
        // The accountant takes a moment: it is asked only if somebody looks.
        if bar.is_shown()
            && let Ok(epsilon) = progress.epsilon(delta)
        {
            bar.say(format!("epsilon {epsilon:.3} at delta {delta:e}"));
        }
    }))
}
