//! What Throng's own mechanisms report.

use std::any::Any;

use throng_mechanism::NoiseLaw;
use throng_mechanism::replay::{Drawn, Observed, Primitive as Reported};

use super::{Declared, Draws, Primitive, Recorder};

/// Passes a report on to the recorder.
pub(super) fn report(recorder: &mut Recorder<'_>, event: &dyn Any) {
    match event.downcast_ref::<Observed>() {
        Some(Observed::Primitive(reported)) => recorder.primitive(primitive(reported)),
        Some(Observed::Keys(keys)) => recorder.keys(keys.iter().map(|key| format!("{key:016x}"))),
        Some(Observed::Released(what)) => recorder.released(what.to_lowercase()),
        None => {}
    }
}

fn primitive(reported: &Reported) -> Primitive {
    let draws = match &reported.law {
        Drawn::Noise(NoiseLaw::DiscreteLaplace { scale }) => Draws::laplace(scale.clone()),
        Drawn::Noise(NoiseLaw::DiscreteGaussian { sigma }) => Draws::gaussian(sigma.clone()),
        Drawn::Comparison(NoiseLaw::DiscreteLaplace { scale }) => Draws::comparison(scale.clone()),
        Drawn::Noise(law @ NoiseLaw::Staircase(_)) => Draws::Other(format!("{law:?}")),
        Drawn::Comparison(law @ (NoiseLaw::DiscreteGaussian { .. } | NoiseLaw::Staircase(_))) => {
            Draws::Other(format!("{law:?}"))
        }
        Drawn::Choice(rate) => {
            Draws::Choice { rate: rate.clone().into(), ranged: reported.what == "exponential" }
        }
        Drawn::Other => Draws::Other(reported.what.to_owned()),
    };
    Primitive {
        label: reported.what.to_owned(),
        draws,
        declared: reported.declared.as_ref().map(Declared::from),
        keys: None,
        inputs: reported.inputs.iter().map(|x| (*x).into()).collect(),
    }
}
