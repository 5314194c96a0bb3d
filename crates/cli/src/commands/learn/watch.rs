//! Progress of a fit that goes in steps.

use throng_learn::any::AnyLearner;

use crate::progress::Progress;

/// The same learner, with a bar of its steps on a terminal. How many steps there are is public.
pub(super) fn steps(learner: AnyLearner) -> AnyLearner {
    if let AnyLearner::Network(training) = learner {
        let steps = usize::try_from(training.options().steps).unwrap_or(usize::MAX);
        let bar = Progress::new(steps, "steps");
        return AnyLearner::Network(Box::new(training.watched(move |step, _| bar.at(step))));
    }
    learner
}
