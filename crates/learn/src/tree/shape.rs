//! The questions of a tree.

use serde::{Deserialize, Serialize};
use throng_mechanism::MechanismError;

use super::codes::{Codes, codes};
use crate::columns::{Column, Columns};
use crate::draws::Draws;

/// The most leaves of a tree.
pub(crate) const MOST_LEAVES: usize = 1 << 14;

/// A question about a column: which part of it a code is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Question {
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
    /// The part that a code is in.
    fn part(&self, code: u8) -> u16 {
        let part = match &self.division {
            Division::Before(cuts) => cuts.iter().filter(|cut| code >= **cut).count(),
            Division::Parts(parts) => parts.get(usize::from(code)).map_or(0, |p| usize::from(*p)),
        };
        u16::try_from(part).unwrap_or(0).min(self.parts.saturating_sub(1))
    }

    /// The part of each of the 256 codes.
    fn table(&self) -> [u16; 256] {
        std::array::from_fn(|code| self.part(u8::try_from(code).unwrap_or(u8::MAX)))
    }

    /// A division, at random, of a column; of its codes in `within`, if they are numbers.
    fn draw(
        column: usize,
        declared: &Column,
        parts: usize,
        (low, high): (u8, u8),
        draws: &mut Draws<'_>,
    ) -> Result<Self, MechanismError> {
        let division = match declared {
            Column::Number(_) => {
                let mut cuts = Vec::with_capacity(parts);
                let within = usize::from(high.saturating_sub(low)).max(1);
                for _ in 1..parts {
                    cuts.push(byte(usize::from(low) + 1 + draws.below(within)?));
                }
                cuts.sort_unstable();
                Division::Before(cuts)
            }
            Column::Category(_) => {
                let order = draws.order(codes(declared))?;
                Division::Parts(order.into_iter().map(|place| byte(place % parts)).collect())
            }
        };
        Ok(Self { column, parts: u16::try_from(parts).unwrap_or(1), division })
    }
}

fn byte(x: usize) -> u8 {
    u8::try_from(x).unwrap_or(u8::MAX)
}

/// All codes.
const WHOLE: (u8, u8) = (0, u8::MAX);

/// Who is asked the same question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asks {
    /// All rows of a level.
    #[default]
    Level,
    /// The rows of one node: each node asks its own.
    Node,
}

/// The shape of a tree: its questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shape {
    #[serde(default)]
    asks: Asks,
    /// One for each level; or one for each node, those of the nodes under the i-th at 2i + 1 and 2i + 2.
    questions: Vec<Question>,
}

impl Shape {
    /// A tree that asks nothing.
    pub(crate) const fn root() -> Self {
        Self { asks: Asks::Level, questions: Vec::new() }
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
                questions.push(Question::draw(*column, declared, parts, WHOLE, draws)?);
            }
        }
        Ok(Self { asks: Asks::Level, questions })
    }

    /// A tree each node of which halves a column drawn for it, a number somewhere within what the nodes
    /// above leave of it.
    pub(crate) fn draw_nodes(
        columns: &Columns,
        depth: u32,
        draws: &mut Draws<'_>,
    ) -> Result<Self, MechanismError> {
        let none = Question { column: 0, parts: 2, division: Division::Before(Vec::new()) };
        let mut questions = vec![none; (1_usize << depth).saturating_sub(1)];
        let mut left = vec![WHOLE; columns.count()];
        grow(0, columns, &mut questions, &mut left, draws)?;
        Ok(Self { asks: Asks::Node, questions })
    }

    /// Whether it is the shape of a tree for these columns.
    pub(crate) fn fits(&self, columns: &Columns) -> bool {
        let known = self.questions.iter().all(|question| question.column < columns.count());
        let mut parts = self.questions.iter().map(|question| usize::from(question.parts));
        known
            && match self.asks {
                Asks::Level => parts
                    .try_fold(1_usize, |all, parts| {
                        all.checked_mul(parts).filter(|all| (1..=MOST_LEAVES).contains(all))
                    })
                    .is_some(),
                Asks::Node => {
                    let leaves = self.questions.len() + 1;
                    leaves.is_power_of_two() && leaves <= MOST_LEAVES && parts.all(|n| n == 2)
                }
            }
    }

    /// How many leaves.
    pub(crate) fn leaves(&self) -> usize {
        match self.asks {
            Asks::Level => {
                self.questions.iter().map(|question| usize::from(question.parts)).product()
            }
            Asks::Node => self.questions.len() + 1,
        }
    }

    /// The leaf of each row.
    pub(crate) fn leaves_of(&self, codes: &Codes, leaves: &mut Vec<u16>) {
        leaves.clear();
        leaves.resize(codes.rows(), 0);
        match self.asks {
            Asks::Level => self.by_level(codes, leaves),
            Asks::Node => self.by_node(codes, leaves),
        }
    }

    fn by_level(&self, codes: &Codes, leaves: &mut [u16]) {
        for question in &self.questions {
            let (table, parts) = (question.table(), question.parts);
            for (leaf, code) in leaves.iter_mut().zip(codes.column(question.column)) {
                let part = table.get(usize::from(*code)).copied().unwrap_or(0);
                *leaf = leaf.wrapping_mul(parts).wrapping_add(part);
            }
        }
    }

    fn by_node(&self, codes: &Codes, leaves: &mut [u16]) {
        let nodes = u16::try_from(self.questions.len()).unwrap_or(u16::MAX);
        for (row, leaf) in leaves.iter_mut().enumerate() {
            while let Some(question) = self.questions.get(usize::from(*leaf)) {
                let code = codes.column(question.column).get(row).copied().unwrap_or(0);
                *leaf = 2 * *leaf + 1 + question.part(code);
            }
            *leaf -= nodes;
        }
    }
}

/// Draws the question of a node and of all below it; `left` is what the nodes above leave of numbers.
fn grow(
    place: usize,
    columns: &Columns,
    questions: &mut [Question],
    left: &mut [(u8, u8)],
    draws: &mut Draws<'_>,
) -> Result<(), MechanismError> {
    let Some(question) = questions.get_mut(place) else { return Ok(()) };
    let column = draws.below(columns.count())?;
    let (Some(declared), Some(whole)) = (columns.as_slice().get(column), left.get(column).copied())
    else {
        return Ok(());
    };
    *question = Question::draw(column, declared, 2, whole, draws)?;
    let cut = match &question.division {
        Division::Before(cuts) => cuts.first().copied(),
        Division::Parts(_) => None,
    };
    let halves = cut.map_or([whole; 2], |cut| {
        [(whole.0, cut.saturating_sub(1).max(whole.0)), (cut.min(whole.1), whole.1)]
    });
    for (below, half) in (1..).zip(halves) {
        if let Some(part) = left.get_mut(column) {
            *part = half;
        }
        grow(2 * place + below, columns, questions, left, draws)?;
    }
    if let Some(part) = left.get_mut(column) {
        *part = whole;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use throng_sample::SeededEntropy;

    use super::*;
    use crate::{Interval, Matrix};

    fn columns() -> Columns {
        let number = Column::Number(Interval::new(-1.0, 1.0).unwrap());
        Columns::new(vec![number, Column::Category(3), Column::Category(60_000)]).unwrap()
    }

    /// Rows with all that a cell may hold.
    fn rows() -> Matrix<f64> {
        let odd = [f64::NAN, f64::INFINITY, -1e300, -0.0, 0.7, 2.0, 1.0, 59_999.0];
        let mut values: Vec<f64> = (0..3000).map(|i| f64::from(i % 997) / 498.5 - 1.0).collect();
        values.extend(odd.iter().flat_map(|x| [*x; 3]));
        Matrix::new(values.len() / 3, 3, values).unwrap()
    }

    /// Every row is in one leaf of those that there are, whatever it holds, and not all in one.
    #[test]
    fn every_row_has_a_leaf() {
        let (columns, mut entropy) = (columns(), SeededEntropy::new(1));
        let mut draws = Draws::new(&mut entropy);
        let mut shapes = Vec::new();
        for parts in [2, 8, 100] {
            let shape = Shape::draw(&columns, &[0, 2], parts, &mut draws).unwrap();
            shapes.push((parts * parts, shape));
        }
        for depth in [1, 4, 14] {
            shapes.push((1 << depth, Shape::draw_nodes(&columns, depth, &mut draws).unwrap()));
        }
        let codes = Codes::of(&columns, &rows());
        let mut leaves = Vec::new();
        for (count, shape) in shapes {
            shape.leaves_of(&codes, &mut leaves);
            assert_eq!(shape.leaves(), count);
            assert!(shape.fits(&columns));
            assert!(leaves.iter().all(|leaf| usize::from(*leaf) < shape.leaves()));
            assert!(leaves.iter().any(|leaf| *leaf != leaves[0]));
            let text = serde_json::to_string(&shape).unwrap();
            assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), shape);
        }
    }

    /// Nodes divide what is left of a number: with one column, no leaf is cut off.
    #[test]
    fn nodes_divide_what_is_left() {
        let number = Column::Number(Interval::new(0.0, 256.0).unwrap());
        let columns = Columns::new(vec![number]).unwrap();
        let mut entropy = SeededEntropy::new(7);
        let shape = Shape::draw_nodes(&columns, 3, &mut Draws::new(&mut entropy)).unwrap();
        let all = Matrix::new(256, 1, (0..256).map(f64::from).collect()).unwrap();
        let mut leaves = Vec::new();
        shape.leaves_of(&Codes::of(&columns, &all), &mut leaves);
        assert!(leaves.is_sorted());
        leaves.dedup();
        assert!(leaves.len() >= 6, "{leaves:?}");
    }

    #[test]
    fn what_is_no_shape_does_not_fit() {
        let columns = columns();
        let ask = r#"{"column":0,"parts":2,"division":{"before":[7]}}"#;
        for (text, fits) in [
            (format!(r#"{{"questions":[{ask}]}}"#), true),
            (format!(r#"{{"asks":"node","questions":[{ask},{ask},{ask}]}}"#), true),
            (format!(r#"{{"asks":"node","questions":[{ask},{ask}]}}"#), false),
            (ask.replace("\"column\":0", "\"column\":3"), false),
            (ask.replace("\"parts\":2", "\"parts\":0"), false),
            (ask.replace("\"parts\":2", "\"parts\":60000"), false),
        ] {
            let text = if text.contains("questions") {
                text
            } else {
                format!(r#"{{"questions":[{text}]}}"#)
            };
            let shape: Shape = serde_json::from_str(&text).unwrap();
            assert_eq!(shape.fits(&columns), fits, "{text}");
        }
    }
}
