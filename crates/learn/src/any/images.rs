use serde_json::{Map, Value};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Run};

use super::learners::{options, take};
use crate::image::{ImageClassifier, ImageModel};
use crate::math::single;
use crate::scattering::Shape;
use crate::schema::Encoding;
use crate::{Classified, Interval, LearnError, Learner, Matrix, Privacy, Schema};

/// A classifier of images whose pixels are the columns of a table, row by row, with the channels of a pixel
/// side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Images(ImageClassifier);

impl Images {
    /// With `height`, `width` and perhaps `channels` among the settings.
    pub(super) fn new(
        schema: &Schema,
        privacy: &Privacy,
        given: &Map<String, Value>,
    ) -> Result<Self, LearnError> {
        let (height, rest) = take(given, "height")?;
        let (width, mut rest) = take(&rest, "width")?;
        let channels = match rest.contains_key("channels") {
            true => {
                let (channels, others) = take(&rest, "channels")?;
                rest = others;
                channels
            }
            false => 1,
        };
        let shape = Shape { height, width, channels };
        let pixels = pixels(schema)?;
        crate::data::check_columns(schema.columns().len(), shape.len())?;
        let classes = schema.classes()?;
        Ok(Self(ImageClassifier::new(shape, pixels, classes, privacy, options(&rest)?)?))
    }
}

/// The bounds of all columns, if they are the same.
fn pixels(schema: &Schema) -> Result<Interval, LearnError> {
    let bounds = schema.bounds(Encoding::Places)?;
    match bounds.intervals() {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => Ok(*first),
        _ => Err(LearnError::invalid(
            "what is declared of the pixels",
            "not the same for all",
            "the same bounds for every column, such as [0, 255]",
        )),
    }
}

impl Mechanism for Images {
    type Input = Classified;
    type Output = ImageModel;

    fn spec(&self) -> MechanismSpec {
        self.0.spec()
    }

    fn neighbours(&self) -> Neighbours {
        self.0.neighbours()
    }

    fn answer(&self, input: &Classified, run: &mut Run<'_>) -> Result<ImageModel, MechanismError> {
        let features = input.features();
        let values = features.values().iter().map(|x| single(*x)).collect();
        let features = Matrix::new(features.rows(), features.columns(), values)?;
        self.0.answer(&Classified::new(features, input.labels().to_vec())?, run)
    }
}

impl Learner for Images {
    fn check(&self, input: &Classified) -> Result<(), LearnError> {
        let found = input.features().columns();
        self.0.check(&Classified::new(Matrix::filled(0, found, 0.0), Vec::new())?)
    }
}
