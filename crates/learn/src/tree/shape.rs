//! The questions of a tree.

use serde::{Deserialize, Serialize};
use throng_mechanism::MechanismError;

use super::codes::{Codes, codes};
use crate::columns::{Column, Columns};
use crate::draws::Draws;

/// A question about a column: which part of it a code is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    column: usize,
    /// How many parts there are.
    parts: u16,
    division: Division,
}

/// How the codes of a column are divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Division {
    /// A part ends before each of these codes, in order.
    Before(Vec<u8>),
    /// The part of each code.
    Parts(Vec<u8>),
}

impl Question {
    /// The part of each of the 256 codes.
    fn table(&self) -> [u16; 256] {
        let part = |code: u8| -> u16 {
            let part = match &self.division {
                Division::Before(cuts) => cuts.iter().filter(|cut| code >= **cut).count(),
                Division::Parts(parts) => {
                    parts.get(usize::from(code)).map_or(0, |p| usize::from(*p))
                }
            };
            u16::try_from(part).unwrap_or(0).min(self.parts.saturating_sub(1))
        };
        std::array::from_fn(|code| part(u8::try_from(code).unwrap_or(u8::MAX)))
    }

    fn draw(
        column: usize,
        declared: &Column,
        parts: usize,
        draws: &mut Draws<'_>,
    ) -> Result<Self, MechanismError> {
        let most = codes(declared);
        let byte = |x: usize| u8::try_from(x).unwrap_or(u8::MAX);
        let division = match declared {
            Column::Number(_) => {
                let mut cuts = Vec::with_capacity(parts);
                for _ in 1..parts {
                    cuts.push(byte(1 + draws.below(most - 1)?));
                }
                cuts.sort_unstable();
                Division::Before(cuts)
            }
            Column::Category(_) => {
                let order = draws.order(most)?;
                Division::Parts(order.into_iter().map(|place| byte(place % parts)).collect())
            }
        };
        Ok(Self { column, parts: u16::try_from(parts).unwrap_or(1), division })
    }
}

/// The shape of a tree: its questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shape {
    questions: Vec<Question>,
}

impl Shape {
    /// A tree that asks nothing.
    pub(crate) const fn root() -> Self {
        Self { questions: Vec::new() }
    }

    /// A tree that divides these columns, at random, into some parts each.
    pub(crate) fn draw(
        columns: &Columns,
        asked: &[usize],
        parts: usize,
        draws: &mut Draws<'_>,
    ) -> Result<Self, MechanismError> {
        let mut questions = Vec::with_capacity(asked.len());
        for column in asked {
            if let Some(declared) = columns.as_slice().get(*column) {
                questions.push(Question::draw(*column, declared, parts, draws)?);
            }
        }
        Ok(Self { questions })
    }

    /// How many leaves.
    pub(crate) fn leaves(&self) -> usize {
        self.questions.iter().map(|question| usize::from(question.parts.max(1))).product()
    }

    /// The leaf of each row.
    pub(crate) fn leaves_of(&self, codes: &Codes, leaves: &mut Vec<u16>) {
        leaves.clear();
        leaves.resize(codes.rows(), 0);
        for question in &self.questions {
            let (table, parts) = (question.table(), question.parts);
            for (leaf, code) in leaves.iter_mut().zip(codes.column(question.column)) {
                let part = table.get(usize::from(*code)).copied().unwrap_or(0);
                *leaf = leaf.wrapping_mul(parts).wrapping_add(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use throng_sample::SeededEntropy;

    use super::*;
    use crate::{Interval, Matrix};

    /// Every row is in one leaf of those that there are, whatever it holds, and not all in one.
    #[test]
    fn every_row_has_a_leaf() {
        let number = Column::Number(Interval::new(-1.0, 1.0).unwrap());
        let columns =
            Columns::new(vec![number, Column::Category(3), Column::Category(60_000)]).unwrap();
        let mut entropy = SeededEntropy::new(1);
        let mut draws = Draws::new(&mut entropy);
        let odd = [f64::NAN, f64::INFINITY, -1e300, -0.0, 0.7, 2.0, 1.0, 59_999.0];
        let mut values: Vec<f64> = (0..3000).map(|i| f64::from(i % 997) / 498.5 - 1.0).collect();
        values.extend(odd.iter().flat_map(|x| [*x; 3]));
        let rows = Matrix::new(values.len() / 3, 3, values).unwrap();
        let codes = Codes::of(&columns, &rows);
        let mut leaves = Vec::new();
        for parts in [2, 8, 100] {
            let shape = Shape::draw(&columns, &[0, 2], parts, &mut draws).unwrap();
            shape.leaves_of(&codes, &mut leaves);
            assert_eq!(shape.leaves(), parts * parts);
            assert!(leaves.iter().all(|leaf| usize::from(*leaf) < shape.leaves()));
            assert!(leaves.iter().any(|leaf| *leaf != leaves[0]));
            let text = serde_json::to_string(&shape).unwrap();
            assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape);
        }
    }
}
