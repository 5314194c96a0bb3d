//! Degrees of a graph.

use throng_account::{Leaf, MechanismSpec, Neighbours};
use throng_numeric::Rational;

use super::{Effect, PoissonCounts, PoissonRelease, RateMap, RatePair};
use crate::replay::Distance;
use crate::{Mechanism, MechanismError, Run};

/// The degree of every node of a graph, each as a Poisson variable (linear map, w = 1).
///
/// The nodes 0, 1, ..., n-1 are public, the edges private. Each edge adds 1 to both of its ends;
/// one that is listed again, either way round, counts once, and loops and edges to nodes that are
/// not there are left out.
///
/// # Guarantee
/// [`DegreeSequence::of_edges`]: the unit is an edge, which adds 1 to two degrees.
///
/// [`DegreeSequence::of_nodes`]: the unit is a node with all its edges, under zero-out (its edges
/// vanish, its place remains), **provided it is publicly known that no node has more than D
/// edges**. The mechanism does not make it so: cutting edges off until it is so changes the degrees
/// of nodes that are not neighbours of the unit, which is not covered.
///
/// # Why this is right
/// Edges: two cells rise by 1. Nodes: d <= D neighbours rise by 1 each, as no edge counts twice,
/// which is at most D draws of the pair, (Dμ1, Dμ2); the node's own degree goes from 0 to d, rates
/// μ1 and μ1 + dΔ, which by the theorem for the pair (μ1, μ1 + DΔ) is no easier to see than that.
///
/// ```
/// use throng_mechanism::poisson::{DegreeSequence, RatePair};
/// use throng_mechanism::{Mechanism, Neighbours};
/// let pair = RatePair::new(50.into(), 52.into())?;
/// let mechanism = DegreeSequence::of_edges(1_000, pair, Neighbours::AddRemove)?;
/// assert_eq!(mechanism.spec().to_string(), "2 * poisson(mu1=52, mu2=50)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DegreeSequence {
    nodes: usize,
    counts: PoissonCounts,
    /// Else nodes are.
    edges_are_units: bool,
}

impl DegreeSequence {
    /// For privacy of edges; under replace one edge gives way to another.
    ///
    /// # Errors
    /// None for a valid pair.
    pub fn of_edges(
        nodes: usize,
        pair: RatePair,
        under: Neighbours,
    ) -> Result<Self, MechanismError> {
        let map = RateMap::linear(pair, 1)?;
        let counts = PoissonCounts::new(map, Effect::Rises { cells: 2 }, under)?;
        Ok(Self { nodes, counts, edges_are_units: true })
    }

    /// For privacy of nodes under zero-out, in graphs known to have at most `most` edges per node.
    ///
    /// # Errors
    /// If `most` is 0.
    pub fn of_nodes(nodes: usize, most: u64, pair: RatePair) -> Result<Self, MechanismError> {
        if most == 0 {
            return Err(MechanismError::invalid("the most edges of a node", most, "at least 1"));
        }
        let bound = Rational::from(most);
        let (low, high) = (pair.low(), pair.high());
        let own = (low + &(pair.difference() * bound.clone()), low.clone());
        let others = (high * &bound, low * &bound);
        let leaf = Leaf::InfinitelyDivisible { s2: Rational::ZERO, jumps: vec![own, others] };
        let spec = MechanismSpec::leaf(leaf)?;
        let map = RateMap::linear(pair, 1)?;
        // Its own degree by at most D, and those of at most D neighbours by 1.
        let distance = Distance::L1(&bound + &bound);
        let counts = PoissonCounts::described(map, distance, spec, Neighbours::ZeroOut);
        Ok(Self { nodes, counts, edges_are_units: false })
    }

    fn degrees(&self, edges: &[(usize, usize)]) -> Vec<i64> {
        let there = |&(a, b): &(usize, usize)| a != b && a < self.nodes && b < self.nodes;
        let sorted = |&(a, b): &(usize, usize)| (a.min(b), a.max(b));
        let mut edges: Vec<_> = edges.iter().filter(|edge| there(edge)).map(sorted).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut degrees = vec![0_i64; self.nodes];
        for end in edges.into_iter().flat_map(|(a, b)| [a, b]) {
            if let Some(degree) = degrees.get_mut(end) {
                *degree = degree.saturating_add(1);
            }
        }
        degrees
    }
}

impl Mechanism for DegreeSequence {
    type Input = [(usize, usize)];
    type Output = PoissonRelease;

    fn spec(&self) -> MechanismSpec {
        self.counts.spec()
    }

    fn neighbours(&self) -> Neighbours {
        self.counts.neighbours()
    }

    fn units_are_records(&self) -> bool {
        self.edges_are_units
    }

    fn answer(
        &self,
        edges: &[(usize, usize)],
        run: &mut Run<'_>,
    ) -> Result<PoissonRelease, MechanismError> {
        self.counts.answer(&self.degrees(edges), run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A neighbour that counted twice would rise by 2, which one node's description does not cover.
    #[test]
    fn every_edge_counts_once() {
        let pair = RatePair::new(1.into(), 2.into()).unwrap();
        let graph = DegreeSequence::of_nodes(4, 2, pair).unwrap();
        let list = [(0, 1), (1, 0), (0, 1), (2, 1), (3, 3), (3, 4), (usize::MAX, 0)];
        assert_eq!(graph.degrees(&list), [1, 2, 1, 0]);
        assert_eq!(graph.degrees(&[]), [0; 4]);
    }
}
