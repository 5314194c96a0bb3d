//! What a design will do, in numbers for people; no data is read.

use serde::{Serialize, Serializer};
use throng_numeric::Rational;

use super::design::{Design, Planned};
use super::estimate::{Precision, from_steps};
use super::family::Family;
use super::measure::Scaled;
use super::plan::{Base, Plan, Recipe, Rows, name_of};
use super::price::{Amount, number};
use super::threshold::SCORE;
use crate::QueryError;
use crate::question::Unit;
use crate::tally::Measure;

/// What will be released, and how well.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// What the accountant is told.
    pub spec: String,
    /// Which noise: `Gaussian` or `Laplace`.
    pub family: String,
    /// The confidence of its intervals.
    pub confidence: f64,
    /// One per question.
    pub questions: Vec<Explained>,
    /// What looks wrong.
    pub warnings: Vec<String>,
}

/// One question of a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Whose privacy is protected, e.g. `user_id` or `each row`.
    pub unit: String,
    /// The largest number of groups of one unit.
    pub groups: u64,
    /// How the rows of one unit are bounded.
    pub bound: RowRule,
    /// The same in words, e.g. `at most 10 in each group`.
    pub rows: String,
    /// Which keys appear.
    pub keys: KeyRule,
    /// One per aggregate.
    pub aggregates: Vec<ExplainedAggregate>,
    /// What else is paid for: name and share of the cost.
    #[serde(serialize_with = "by_name")]
    pub besides: Vec<(String, f64)>,
}

/// How the rows of one unit are bounded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum RowRule {
    /// At most so many in each group.
    Each {
        /// How many.
        rows: u64,
    },
    /// A join with a fan-out: one unit changes so many of its rows in all.
    Join {
        /// How many.
        rows: u64,
    },
    /// By a norm of its numbers of rows over all groups.
    Norm {
        /// `L1` or `L2`.
        order: String,
        /// The largest norm, if it was chosen before; otherwise this answer chooses it.
        limit: Option<f64>,
    },
}

/// Which keys appear in an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum KeyRule {
    /// There is one group.
    None,
    /// All that are listed.
    Public {
        /// How many.
        count: u64,
    },
    /// Those that enough units have.
    Private {
        /// A key appears if about this many units have it and no other key; a unit with g keys
        /// counts 1/√g.
        threshold: f64,
        /// The chance that a key which one unit alone has is shown.
        leak: f64,
    },
}

/// One aggregate of a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedAggregate {
    /// Its name, e.g. `sum(income)`.
    pub name: String,
    /// The columns of the answer that show it, where that is known.
    pub columns: Vec<String>,
    /// What is released for it: each part's name, sensitivity and noise.
    pub parts: Vec<ExplainedPart>,
    /// The half width of its interval in each cell, if it does not depend on the data.
    pub half_width: Option<f64>,
    /// The half width in other words, e.g. `4 100 / rows` for a mean, or that bounds come first.
    pub precision: String,
    /// Its share of the cost; what aggregates have in common is divided among them.
    pub share: f64,
}

/// One noisy number per cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedPart {
    /// What it is, e.g. `rows` or `sum of age - 60`.
    pub name: String,
    /// How much one unit contributes at most, in the norm of the noise, if known in advance.
    pub sensitivity: Option<f64>,
    /// The law, e.g. `Gaussian of deviation 12.5 sensitivities`.
    pub noise: String,
    /// The standard deviation of the noise, if known in advance.
    pub deviation: Option<f64>,
}

impl Design {
    /// What will be released, and how well.
    ///
    /// # Errors
    /// Never for a design that was made.
    pub fn explain(&self) -> Result<Explanation, QueryError> {
        let questions = (0..).zip(&self.planned).map(|(i, planned)| self.question(i, planned));
        Ok(Explanation {
            spec: self.described().to_string(),
            family: self.family().name().to_owned(),
            confidence: self.confidence(),
            questions: questions.collect::<Result<_, _>>()?,
            warnings: self.warnings(),
        })
    }

    fn question(&self, i: usize, planned: &Planned) -> Result<Explained, QueryError> {
        let plan = &planned.plan;
        let mut besides = Vec::new();
        for search in self.searches.iter().filter(|search| search.question == i) {
            besides.push((format!("range of {}", search.column), search.share));
        }
        if let Some((_, share)) = &planned.contributions {
            besides.push((String::from("contributions of units"), *share));
        }
        if let Some(selection) = &planned.selection {
            besides.push((String::from("selection of keys"), selection.share));
        }
        let aggregates = (0..plan.recipes.len()).map(|i| self.aggregate(planned, i));
        Ok(Explained {
            unit: match &plan.question.unit {
                Unit::Row if plan.changed() > 1 => String::from("who has rows in the join"),
                Unit::Row => String::from("each row"),
                Unit::Column { name, .. } => name.clone(),
            },
            groups: plan.groups,
            bound: row_rule(plan, self.family()),
            rows: match plan.changed() {
                rows if plan.is_by_row() && rows > 1 => {
                    format!("one unit changes at most {rows} of the join in all")
                }
                _ => rows_in_words(plan.rows, self.family()),
            },
            keys: key_rule(planned),
            aggregates: aggregates.collect::<Result<_, _>>()?,
            besides,
        })
    }

    fn aggregate(&self, planned: &Planned, i: usize) -> Result<ExplainedAggregate, QueryError> {
        let plan = &planned.plan;
        let recipe = plan.recipes.get(i).copied();
        let places = recipe.map(Recipe::parts).unwrap_or_default();
        let known = self.measures(plan, &self.known).ok();
        let mut parts = Vec::new();
        let mut deviations = Vec::new();
        let mut share = 0.0;
        for place in &places {
            let part = self.part(planned, *place, known.as_deref())?;
            let users = plan.recipes.iter().filter(|recipe| recipe.parts().contains(place)).count();
            let own = planned.amounts.get(*place).map_or(0.0, |(_, share)| *share);
            share += own / number(u64::try_from(users.max(1)).unwrap_or(1));
            deviations.push(part.deviation);
            parts.push(part);
        }
        let centre = known.as_ref().and_then(|known| {
            known.get(*places.first()?)?.as_ref().map(|scaled| scaled.centre.abs())
        });
        let (half_width, precision) = self.precision(planned, recipe, &deviations, centre)?;
        let name = name_of(&plan.question, i);
        Ok(ExplainedAggregate { name, columns: Vec::new(), parts, half_width, precision, share })
    }

    /// A part, as far as it is known in advance.
    fn part(
        &self,
        planned: &Planned,
        place: usize,
        known: Option<&[Option<Scaled>]>,
    ) -> Result<ExplainedPart, QueryError> {
        let plan = &planned.plan;
        let missing = || QueryError::invalid("the parts of a design do not match", "");
        let base = plan.bases.get(place).ok_or_else(missing)?;
        let (amount, _) = planned.amounts.get(place).ok_or_else(missing)?;
        let scaled = known.and_then(|known| known.get(place));
        let reach = match (scaled, base, plan.rows) {
            (_, Base::End { .. }, _) => None,
            (Some(None), _, _) | (Some(_), Base::Distinct { .. }, _) => {
                let reach = self.reach(plan, base, &Rational::ONE, None)?;
                Some(reach.to_f64_up() / number(SCORE.unsigned_abs()))
            }
            (Some(Some(scaled)), Base::Clipped { .. }, _) => {
                Some(self.reach(plan, base, &scaled.each, None)?.to_f64_up() * scaled.unit)
            }
            (Some(Some(scaled)), base, rows) if base.is_total() && rows != Rows::Norm(None) => {
                Some(self.reach(plan, base, &scaled.each, None)?.to_f64_up() * scaled.unit)
            }
            _ => None,
        };
        let (noise, deviation) = match amount {
            Amount::Noise(relative) => {
                let family = self.family().name();
                let deviation = relative.deviation();
                let text = format!("{family}, {deviation:.3} sensitivities of deviation");
                (text, reach.map(|reach| reach * deviation))
            }
            Amount::Selection { epsilon, cells } => {
                let epsilon = epsilon.to_f64_nearest();
                (format!("selection of range {epsilon:.3} in each of {cells} groups"), None)
            }
        };
        let name = base_in_words(plan, base, scaled.and_then(Option::as_ref));
        Ok(ExplainedPart { name, sensitivity: reach, noise, deviation })
    }

    fn precision(
        &self,
        planned: &Planned,
        recipe: Option<Recipe>,
        deviations: &[Option<f64>],
        centre: Option<f64>,
    ) -> Result<(Option<f64>, String), QueryError> {
        let precision = Precision { family: self.family(), confidence: self.confidence() };
        let later = || (None, String::from("known once bounds are found"));
        let all: Option<Vec<f64>> = deviations.iter().copied().collect();
        Ok(match (recipe, all.as_deref()) {
            (Some(Recipe::Count { .. } | Recipe::Direct { .. }), Some(all)) => {
                let width = precision.half_width(all);
                (Some(width), format!("± {width:.4}"))
            }
            (Some(Recipe::Shifted { .. }), Some([sum, count])) => {
                let width = precision.half_width(&[*sum, centre.unwrap_or(0.0) * count]);
                (Some(width), format!("± {width:.4}"))
            }
            (Some(Recipe::Mean { .. }), Some([sum, _])) => {
                let width = precision.half_width(&[*sum]);
                (None, format!("about ± {width:.4} / rows of the group"))
            }
            (Some(Recipe::Variance { .. }), Some([_, squares, _])) => {
                let width = precision.half_width(&[*squares]);
                (None, format!("about ± {width:.4} / rows of the group"))
            }
            (Some(Recipe::Quantile { place, .. }), _) => (None, self.ranks(planned, place)?),
            _ => later(),
        })
    }

    fn ranks(&self, planned: &Planned, place: usize) -> Result<String, QueryError> {
        let plan = &planned.plan;
        let measures = self.measures(plan, &self.known).ok();
        let scaled = measures.as_ref().and_then(|all| all.get(place)?.as_ref());
        let (Some(scaled), Some((Amount::Selection { epsilon, .. }, _)), Some(base)) =
            (scaled, planned.amounts.get(place), plan.bases.get(place))
        else {
            return Ok(String::from("known once bounds are found"));
        };
        let (Measure::Values { clamp, .. }, Base::Quantile { fraction, .. }) =
            (&scaled.measure, base)
        else {
            return Ok(String::new());
        };
        let found = super::run::quantile(fraction, *clamp, epsilon, plan.values, self.under)?;
        let ranks = found.rank_error(self.confidence())?;
        Ok(format!("off by at most {ranks:.1} ranks of the group"))
    }

    /// What looks wrong before any data is seen.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for planned in &self.planned {
            let amounts = planned.amounts.iter();
            let weak = amounts.filter(|(amount, _)| match amount {
                Amount::Noise(relative) => relative.deviation() > 1000.0,
                Amount::Selection { epsilon, .. } => epsilon.to_f64_nearest() < 1e-3,
            });
            if weak.count() > 0 {
                warnings.push(String::from(
                    "the noise is as large as a thousand units: ask for less at once, or pay more",
                ));
            }
        }
        warnings
    }
}

/// A list of names and numbers as an object.
fn by_name<S: Serializer>(shares: &[(String, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(shares.iter().map(|(name, share)| (name, share)))
}

fn row_rule(plan: &Plan, family: Family) -> RowRule {
    match plan.rows {
        Rows::Each(rows) if plan.is_by_row() && rows > 1 => RowRule::Join { rows },
        Rows::Each(rows) => RowRule::Each { rows },
        Rows::Norm(limit) => RowRule::Norm {
            order: format!("{:?}", family.order()),
            limit: limit.map(|limit| number(limit) / 1024.0),
        },
    }
}

fn rows_in_words(rows: Rows, family: Family) -> String {
    let norm = match family {
        Family::Gaussian => "root of the sum of squares of rows per group",
        Family::Laplace => "number of rows",
    };
    match rows {
        Rows::Each(1) => String::from("at most 1 in each group"),
        Rows::Each(rows) => format!("at most {rows} in each group"),
        Rows::Norm(None) => {
            format!("{norm} of a unit, bounded by a limit that is chosen privately")
        }
        Rows::Norm(Some(limit)) => {
            format!("{norm} of a unit at most {:.1}, as chosen before", number(limit) / 1024.0)
        }
    }
}

fn key_rule(planned: &Planned) -> KeyRule {
    let plan = &planned.plan;
    match (&planned.selection, plan.public_keys()) {
        (Some(selection), _) => KeyRule::Private {
            threshold: from_steps(selection.threshold.at_least, 1.0)
                / from_steps(selection.one, 1.0),
            leak: selection.leak.to_f64_up(),
        },
        (None, _) if plan.is_single() => KeyRule::None,
        (None, count) => KeyRule::Public { count: count.unwrap_or(0) },
    }
}

fn base_in_words(plan: &Plan, base: &Base, scaled: Option<&Scaled>) -> String {
    let name = |i: usize| plan.question.inputs.get(i).map_or("?", |input| input.name.as_str());
    let centre = scaled.map_or_else(|| String::from("centre"), |scaled| scaled.centre.to_string());
    match base {
        Base::Rows => String::from("rows"),
        Base::Present { input } => format!("rows with {}", name(*input)),
        Base::Units => String::from("units"),
        Base::Distinct { input } => format!("distinct {}", name(*input)),
        Base::Sum { input, centred: true } => format!("sum of {} - {centre}", name(*input)),
        Base::Sum { input, centred: false } => format!("sum of {}", name(*input)),
        Base::Clipped { input, .. } => format!("sum of {}, clipped by unit", name(*input)),
        Base::Squares { input } => format!("sum of ({} - {centre})²", name(*input)),
        Base::End { above: false, .. } => String::from("lower end of its interval"),
        Base::End { above: true, .. } => String::from("upper end of its interval"),
        Base::Quantile { input, fraction } => format!("quantile {fraction} of {}", name(*input)),
    }
}
