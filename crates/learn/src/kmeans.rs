//! K-means: a start found on a private sketch, then a few steps on the data with noise.
//!
//! 1. *Moments.* The mean and the principal axes of the points, with noise.
//! 2. *Sketch.* Along those axes, the space is cut in halves, level by level, where noisy counts say
//!    that there are many points. The cells and their noisy counts are a small public
//!    table that resembles the data.
//! 3. *Start.* Ordinary k-means runs on the sketch, as often as one likes.
//! 4. *Steps.* All centres move together by the noisy mean of the ways to their points, then each by what is
//!    left of its own, as far as that is not noise. A point counts from its centre and
//!    no further than a radius, which the sketch suggests: so noise is as small as a cluster, not as
//!    large as the bounds.
//!
//! Columns are measured in half-widths of their bounds, so that distances do not depend on units.

mod aggregate;
mod lloyd;
mod model;
mod sketch;
mod start;

use serde::{Deserialize, Serialize};
use throng_account::{MechanismSpec, Neighbours};
use throng_mechanism::{Mechanism, MechanismError, Noise, Run};
use throng_numeric::Rational;

use crate::data::check_columns;
use crate::draws::Draws;
use crate::pca::moments::Moments;
use crate::{Bounds, LearnError, Learner, Matrix, Privacy, contribution};
pub use model::KMeansModel;

/// How centres are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A private sketch, then noisy steps.
    Sketch,
    /// K-means on blocks of the data, and the noisy mean of their centres, each block's in order from
    /// left to right. Good only if all blocks find the same clusters; blocks without points are left out.
    /// The sketch is nearly always better.
    SampleAndAggregate,
}

/// How k-means is fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KMeansOptions {
    /// How centres are found.
    pub method: Method,
    /// How many blocks there are, if there are blocks.
    pub blocks: u32,
    /// How many steps on the data follow the start.
    pub steps: u32,
    /// How often the space is cut for the sketch.
    pub levels: u32,
    /// In how many directions each time: each cell becomes 2 to that power.
    pub cuts: u32,
    /// The share of the budget that the moments take.
    pub share_of_moments: f64,
    /// The share of the budget that the sketch takes.
    pub share_of_sketch: f64,
    /// How far from the middle rows may be in the moments, as a fraction of the largest distance.
    pub reach: f64,
    /// How far from its centre a point counts, in root mean squared distances.
    pub radius: f64,
    /// How many starts are tried on the sketch, or on each block.
    pub starts: u32,
}

impl Default for KMeansOptions {
    fn default() -> Self {
        Self {
            method: Method::Sketch,
            blocks: 50,
            steps: 3,
            levels: 6,
            cuts: 2,
            share_of_moments: 0.1,
            share_of_sketch: 0.4,
            reach: 0.5,
            radius: 1.5,
            starts: 16,
        }
    }
}

/// Shares are counted in so many parts.
const PARTS: u32 = 10_000;

impl KMeansOptions {
    /// The parts for moments, sketch and steps.
    fn parts(&self) -> Result<[u32; 3], LearnError> {
        let within = |name: &str, value: u32, most: u32| {
            if (1..=most).contains(&value) {
                return Ok(());
            }
            Err(LearnError::invalid(name, value, format!("from 1 to {most}")))
        };
        within("the number of steps", self.steps, 100)?;
        within("the number of levels", self.levels, 20)?;
        within("the number of cuts", self.cuts, 6)?;
        within("the number of levels times cuts", self.levels.saturating_mul(self.cuts), 20)?;
        within("the number of starts", self.starts, 1000)?;
        within("the number of blocks", self.blocks, 1 << 20)?;
        if !(0.01..=1000.0).contains(&self.radius) {
            return Err(LearnError::invalid("the radius", self.radius, "in [0.01, 1000]"));
        }
        let part = |name: &str, share: f64| {
            if !(0.001..=0.998).contains(&share) {
                return Err(LearnError::invalid(name, share, "in [0.001, 0.998]"));
            }
            Ok(u32::try_from(crate::math::nearest(share * f64::from(PARTS))).unwrap_or(1))
        };
        let moments = part("the share of the moments", self.share_of_moments)?;
        let sketch = part("the share of the sketch", self.share_of_sketch)?;
        let steps = PARTS.checked_sub(moments + sketch).filter(|rest| *rest >= 10);
        let steps = steps.ok_or_else(|| {
            LearnError::invalid(
                "the shares together",
                self.share_of_moments + self.share_of_sketch,
                "at most 0.999: the steps need the rest",
            )
        })?;
        Ok([moments, sketch, steps])
    }
}

/// K-means on a private sketch and with noisy steps.
///
/// # Guarantee
/// Three kinds of Gaussian releases that share one budget, each made of integers and adaptive to those
/// before: the moments; for each level of the sketch the counts of its new cells, of which a record is
/// in at most one; for each step the counts of the clusters and the sums of their points, to which
/// a record adds a vector of integers within a bound that is checked. How many releases there are
/// and what noise they take is fixed by the parameters; cells are cut and centres kept on noisy numbers
/// only. By sample and aggregate there is one release: how many blocks say something, and the sum of what
/// they say, a coordinate at most one unit in size; a record is in one block, drawn for it alone,
/// so what that says moves by at most two units in each of k d coordinates.
///
/// # Reference
/// Su, Cao, Li, Bertino, Jin, *Differentially Private K-Means Clustering* (2016); for sketches, Cohen,
/// Kaplan, Mansour, Stemmer, Tsfadia, *Differentially-Private Clustering of Easy Instances* (2021);
/// for blocks, Nissim, Raskhodnikova, Smith, *Smooth Sensitivity and Sampling* (2007).
///
/// ```
/// use throng_learn::kmeans::{KMeans, KMeansOptions};
/// use throng_learn::{Bounds, Privacy};
/// let privacy = Privacy::approximate(1.0, 1e-5)?;
/// let places = Bounds::new(&[(32.0, 42.0), (-125.0, -114.0)])?;
/// let learner = KMeans::new(places, 8, &privacy, KMeansOptions::default())?;
/// # drop(learner);
/// # Ok::<(), throng_learn::LearnError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    bounds: Bounds,
    clusters: usize,
    options: KMeansOptions,
    plan: Plan,
    spec: MechanismSpec,
    under: Neighbours,
}

/// The noise of each release.
#[derive(Debug, Clone, PartialEq)]
enum Plan {
    Sketch(Box<Releases>),
    Blocks(Box<Noise>),
}

/// The releases of a fit by a sketch.
#[derive(Debug, Clone, PartialEq)]
struct Releases {
    moments: Moments,
    sketch: Noise,
    step: Noise,
}

/// The most clusters.
const MOST_CLUSTERS: u32 = 4096;

impl KMeans {
    /// K-means with so many clusters.
    ///
    /// # Errors
    /// If an option is out of range, there are no clusters or more than 4096 of them, the target is pure
    /// epsilon, or nothing reaches it.
    pub fn new(
        bounds: Bounds,
        clusters: u32,
        privacy: &Privacy,
        options: KMeansOptions,
    ) -> Result<Self, LearnError> {
        if !(1..=MOST_CLUSTERS).contains(&clusters) {
            return Err(LearnError::invalid("the number of clusters", clusters, "from 1 to 4096"));
        }
        let parts = options.parts()?;
        let clusters = usize::try_from(clusters).unwrap_or(1);
        let plan = match options.method {
            Method::Sketch => sketch_plan(&bounds, privacy, &options, parts)?,
            Method::SampleAndAggregate => {
                Plan::Blocks(Box::new(noise_of_blocks(privacy, clusters, bounds.columns())?))
            }
        };
        let spec = plan.spec(&options)?;
        privacy.certify(&spec)?;
        let under = privacy.neighbours();
        Ok(Self { bounds, clusters, options, plan, spec, under })
    }
}

impl KMeans {
    /// The centres by a sketch and steps.
    fn by_sketch(
        &self,
        releases: &Releases,
        input: &Matrix<f64>,
        points: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<Matrix<f64>, MechanismError> {
        let spectrum = releases.moments.release(input, run)?;
        let sketch = sketch::of(points, &spectrum, &self.options, &releases.sketch, run)?;
        let mut draws = Draws::new(run.entropy());
        let start = start::best(&sketch, self.clusters, self.options.starts, &mut draws)?;
        let radius = self.options.radius * sketch.distance(&start, &spectrum);
        let mut centres = sketch.place(&start, &spectrum);
        for _ in 0..self.options.steps {
            lloyd::step(points, &mut centres, radius, &releases.step, run)?;
        }
        Ok(centres)
    }
}

fn sketch_plan(
    bounds: &Bounds,
    privacy: &Privacy,
    options: &KMeansOptions,
    [moments, sketch, steps]: [u32; 3],
) -> Result<Plan, LearnError> {
    let (all, under) = (privacy.gaussian()?, privacy.neighbours());
    let moments = Moments::new(bounds.clone(), options.reach, &all, (moments, PARTS), under)?;
    let share = (sketch, PARTS * options.levels);
    let sketch = contribution::of_counts(&all, share, sketch::MOST, under)?;
    let share = (steps, PARTS * options.steps);
    let step = contribution::gaussian(&all, share, lloyd::MOST, under)?;
    Ok(Plan::Sketch(Box::new(Releases { moments, sketch, step })))
}

/// The distance is that of neighbours under both relations: what a block says is exchanged for something
/// else, whether a record is added or replaced.
fn noise_of_blocks(
    privacy: &Privacy,
    clusters: usize,
    columns: usize,
) -> Result<Noise, LearnError> {
    let square = aggregate::furthest(clusters, columns).ok_or_else(|| {
        LearnError::invalid("the number of columns", columns, "fewer, for blocks")
    })?;
    let (all, square) = (privacy.gaussian()?, Rational::from(square));
    contribution::apart(&all, (1, 1), &square, privacy.neighbours())
}

impl Plan {
    fn spec(&self, options: &KMeansOptions) -> Result<MechanismSpec, LearnError> {
        let times = |times: u32, noise: &Noise| {
            MechanismSpec::repeated(u64::from(times), noise.spec().clone())
        };
        Ok(match self {
            Self::Sketch(releases) => MechanismSpec::composed(vec![
                releases.moments.noise().spec().clone(),
                times(options.levels, &releases.sketch)?,
                times(options.steps, &releases.step)?,
            ])?,
            Self::Blocks(noise) => noise.spec().clone(),
        })
    }
}

impl Mechanism for KMeans {
    type Input = Matrix<f64>;
    type Output = KMeansModel;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(
        &self,
        input: &Matrix<f64>,
        run: &mut Run<'_>,
    ) -> Result<KMeansModel, MechanismError> {
        self.check(input)?;
        let points = model::scaled(&self.bounds, input);
        let centres = match &self.plan {
            Plan::Sketch(releases) => self.by_sketch(releases, input, &points, run)?,
            Plan::Blocks(noise) => {
                let blocks = usize::try_from(self.options.blocks).unwrap_or(1);
                let shape = (self.clusters, blocks, self.options.starts);
                aggregate::centres(&points, shape, noise, run)?
            }
        };
        Ok(KMeansModel { bounds: self.bounds.clone(), centres })
    }
}

impl Learner for KMeans {
    fn check(&self, input: &Matrix<f64>) -> Result<(), LearnError> {
        check_columns(input.columns(), self.bounds.columns())
    }
}
