//! A small forest with two steps, and what can be wrong with it: the replay finds each flaw, and none in the
//! original.

use serde_json::json;
use throng_account::{MechanismSpec, Neighbours};
use throng_audit::replay::{Finding, compare};
use throng_learn::Matrix;
use throng_learn::any::{Table, Task};
use throng_mechanism::{Grid, L2, Mechanism, MechanismError, Noise, Run, Sensitivity};
use throng_numeric::Rational;
use throng_sample::Entropy;

use super::{pairs, traces, watch};
use crate::audited::{Subject, ran};

const TREES: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// Half the noise that is paid for.
    HalfTheNoise,
    /// The distance of one tree, though a record is in all of them.
    OneTree,
    /// √2 for a record that is replaced, though its contribution may turn round.
    RootOfTwo,
    /// The number of records is told.
    Number,
    /// As many steps as there are records, up to two.
    Steps,
    /// What is empty gets no noise.
    Empty,
    /// Noise for the largest number there is.
    Bounds,
    /// The second step looks at what the first had before noise, as no single record's.
    Peek,
}

/// One cell for each tree; a record moves each by one, up or down.
struct Forest {
    flaw: Flaw,
    under: Neighbours,
    noise: Noise,
    spec: MechanismSpec,
}

fn noise(sigma: u32, square: u32, under: Neighbours) -> Noise {
    let distance = Sensitivity::<L2>::of_square(&Rational::from(square), under).unwrap();
    Noise::gaussian_as(&Rational::from(sigma), &distance, Grid::WHOLE).unwrap()
}

impl Forest {
    fn new(flaw: Flaw, under: Neighbours) -> Self {
        // 2² for four trees; a record that is replaced moves them by twice that.
        let square = match (flaw, under) {
            (Flaw::OneTree, Neighbours::AddRemove) => 1,
            (Flaw::OneTree, _) => 4,
            (Flaw::RootOfTwo, Neighbours::Replace) => 8,
            (_, Neighbours::AddRemove) => 4,
            _ => 16,
        };
        let paid = noise(20, square, under);
        let spec = MechanismSpec::repeated(2, paid.spec().clone()).unwrap();
        let noise = if flaw == Flaw::HalfTheNoise { noise(10, square, under) } else { paid };
        Self { flaw, under, noise, spec }
    }

    fn subject(self) -> Subject {
        let (spec, under, title) = (self.spec(), self.under, format!("{:?}", self.flaw));
        let run = move |table: &Table, entropy: &mut dyn Entropy| {
            ran(&self, table.features().clone(), entropy).map(|found| json!(found))
        };
        Subject { title, task: Task::Features, columns: 2, spec, under, run: Box::new(run) }
    }
}

impl Mechanism for Forest {
    type Input = Matrix<f64>;
    type Output = Vec<i64>;

    fn spec(&self) -> MechanismSpec {
        self.spec.clone()
    }

    fn neighbours(&self) -> Neighbours {
        self.under
    }

    fn answer(&self, input: &Matrix<f64>, run: &mut Run<'_>) -> Result<Vec<i64>, MechanismError> {
        let way = |row: &[f64]| if row[0] > 0.5 { 1 } else { -1 };
        let records = i64::try_from(input.rows()).unwrap();
        let steps = if self.flaw == Flaw::Steps { records.min(2) } else { 2 };
        let (mut released, mut signs) = (Vec::new(), vec![1; TREES]);
        for _ in 0..steps {
            let sum: i64 = input.iter().map(way).sum();
            let mut cells: Vec<i64> = signs.iter().map(|sign| sign * sum).collect();
            if self.flaw == Flaw::Peek && !released.is_empty() {
                cells.iter_mut().for_each(|cell| *cell *= sum);
            }
            if self.flaw == Flaw::Empty {
                cells.retain(|cell| *cell != 0);
            }
            if self.flaw == Flaw::Bounds {
                let most = input.values().iter().copied().fold(1.0, f64::max).min(9.0);
                let sigma = if most > 1.0 { 40 } else { 20 };
                noise(sigma, 4, self.under).add(&mut cells, run)?;
            } else {
                self.noise.add(&mut cells, run)?;
            }
            // The next step goes by what came out.
            for (sign, cell) in signs.iter_mut().zip(&cells) {
                *sign = if *cell < 0 { -1 } else { 1 };
            }
            released.extend(cells);
        }
        if self.flaw == Flaw::Number {
            released.push(records);
        }
        Ok(released)
    }
}

/// Whether a finding shows a flaw.
type Shows = fn(&Finding) -> bool;

/// Everything that is found on all pairs.
fn findings(flaw: Flaw, under: Neighbours) -> Vec<Finding> {
    let subject = Forest::new(flaw, under).subject();
    let watch = watch(&subject, false);
    let found = |pair| {
        let [zero, one] = traces(&subject, pair, 20);
        compare([&zero, &one], &watch)
    };
    pairs(&subject).iter().flat_map(found).collect()
}

#[test]
fn flaws_are_found_and_the_original_has_none() {
    use Neighbours::{AddRemove, Replace};
    for under in [AddRemove, Replace] {
        assert_eq!(findings(Flaw::None, under), []);
    }
    let far = |finding: &Finding| matches!(finding, Finding::InputsTooFar { .. });
    let dear = |finding: &Finding| matches!(finding, Finding::CostsMore { .. });
    let beside = |finding: &Finding| matches!(finding, Finding::BypassesNoise);
    let flow = |finding: &Finding| matches!(finding, Finding::DifferentFlow { .. });
    let cells = |finding: &Finding| matches!(finding, Finding::InputsDiffer { .. });
    let scale = |finding: &Finding| matches!(finding, Finding::ScaleDependsOnData { .. });
    let shown: [(Flaw, Neighbours, Shows); 11] = [
        (Flaw::HalfTheNoise, AddRemove, dear),
        (Flaw::HalfTheNoise, Replace, dear),
        (Flaw::OneTree, AddRemove, far),
        (Flaw::OneTree, Replace, far),
        (Flaw::RootOfTwo, Replace, far),
        (Flaw::Number, AddRemove, beside),
        (Flaw::Steps, AddRemove, flow),
        (Flaw::Empty, AddRemove, cells),
        (Flaw::Empty, Replace, cells),
        (Flaw::Bounds, AddRemove, scale),
        (Flaw::Peek, AddRemove, far),
    ];
    for (flaw, under, is_shown) in shown {
        let found = findings(flaw, under);
        assert!(found.iter().any(is_shown), "{flaw:?} {under:?}: {found:?}");
    }
}
