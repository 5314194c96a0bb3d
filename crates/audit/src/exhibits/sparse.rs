//! The sparse vector technique, in the six published variants that Lyu, Su and Li tell apart: the
//! first two are private and mend the other four.

use super::{Exhibit, by};
use crate::dice::Dice;
use crate::{Neighbours, Outcome, World};

const LYU: &str = "Lyu, Su, Li, Understanding the sparse vector technique, VLDB 2017";

/// Which queries are above a threshold? The variants differ in these alone.
struct Sparse {
    /// Scale of the noise on the threshold.
    rho: f64,
    /// Scale of the noise on a query.
    nu: f64,
    /// Whether each positive answer draws a new threshold, and of which scale.
    redraw: Option<f64>,
    /// After how many positive answers it ends.
    most: usize,
    /// How a query above the threshold is answered.
    above: Above,
}

enum Above {
    /// Above.
    Yes,
    /// With the noisy value that was compared.
    Compared,
    /// With the value and fresh noise of this scale.
    Fresh(f64),
}

impl Sparse {
    /// Algorithm 1: the threshold's noise is drawn once, and that is enough.
    const fn lyu(epsilon: f64, most: usize, c: f64) -> Self {
        Self { rho: 2.0 / epsilon, nu: 4.0 * c / epsilon, redraw: None, most, above: Above::Yes }
    }

    /// Algorithm 2 (Dwork and Roth 2014).
    const fn book(epsilon: f64, most: usize, c: f64) -> Self {
        let rho = 2.0 * c / epsilon;
        Self { rho, nu: 4.0 * c / epsilon, redraw: Some(rho), most, above: Above::Yes }
    }

    /// Algorithm 3 (Roth 2011).
    const fn lecture(epsilon: f64, most: usize, c: f64) -> Self {
        let nu = 2.0 * c / epsilon;
        Self { rho: 2.0 / epsilon, nu, redraw: None, most, above: Above::Compared }
    }

    /// Algorithm 4 (Lee and Clifton 2014).
    const fn itemsets(epsilon: f64, most: usize) -> Self {
        let nu = 4.0 / (3.0 * epsilon);
        Self { rho: 4.0 / epsilon, nu, redraw: None, most, above: Above::Yes }
    }

    /// Algorithm 5 (Stoddard, Chen, Machanavajjhala 2014).
    const fn features(epsilon: f64) -> Self {
        Self { rho: 2.0 / epsilon, nu: 0.0, redraw: None, most: usize::MAX, above: Above::Yes }
    }

    /// Algorithm 6 (Chen, Xiao, Zhang, Xu 2015).
    const fn marginals(epsilon: f64) -> Self {
        let rho = 2.0 / epsilon;
        Self { rho, nu: rho, redraw: None, most: usize::MAX, above: Above::Yes }
    }

    fn run(&self, dice: &mut Dice, queries: &[i32], threshold: f64) -> Outcome {
        let (mut rho, mut positive, mut answers) = (dice.laplace(self.rho), 0, Vec::new());
        for query in queries {
            let noisy = f64::from(*query) + dice.laplace(self.nu);
            if noisy < threshold + rho {
                answers.push(self.below());
                continue;
            }
            answers.push(self.above(dice, *query, noisy));
            positive += 1;
            if positive >= self.most {
                break;
            }
            rho = self.redraw.map_or(rho, |scale| dice.laplace(scale));
        }
        Outcome::List(answers)
    }

    const fn below(&self) -> Outcome {
        match self.above {
            Above::Yes => Outcome::Integer(0),
            Above::Compared | Above::Fresh(_) => Outcome::Nothing,
        }
    }

    fn above(&self, dice: &mut Dice, query: i32, noisy: f64) -> Outcome {
        match self.above {
            Above::Yes => Outcome::Integer(1),
            Above::Compared => Outcome::Number(noisy),
            Above::Fresh(scale) => Outcome::Integer(i64::from(query) + dice.two_sided(scale)),
        }
    }
}

/// The number of queries before the first above 0.
fn first_above(dice: &mut Dice, query: f64, most: u32, rho: f64, nu: f64) -> Outcome {
    let bar = dice.laplace(rho);
    let first = (0..most).position(|_| query + dice.laplace(nu) >= bar);
    first.map_or(Outcome::Nothing, |i| Outcome::Integer(i64::try_from(i).unwrap_or(i64::MAX)))
}

/// The first half of the queries moves down by 1 and the second half up: what noise on the threshold
/// cannot hide.
const fn apart<const N: usize>(world: World) -> [i32; N] {
    let mut queries = [0; N];
    let mut i = 0;
    while i < N {
        queries[i] = match world {
            World::Zero => 0,
            World::One if 2 * i < N => -1,
            World::One => 1,
        };
        i += 1;
    }
    queries
}

/// Ten queries at 0 and one at 2, or ten at 1 and one at 1.
const fn late(world: World) -> [i32; 11] {
    match world {
        World::Zero => [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
        World::One => [1; 11],
    }
}

pub(super) const EXHIBITS: &[Exhibit] = &[
    Exhibit {
        name: "sparse-vector-roth",
        title: "sparse vector that also gives the noisy value of the query above",
        flaw: "The noisy value that was compared with the noisy threshold is published: it bounds the \
               threshold's noise from above, and then every query below costs again. Not private for any epsilon.",
        cure: "Algorithm 2 for half of the budget; the value with fresh noise for the other half.",
        reference: LYU,
        // Ten queries below and a value of at most 2 pin the threshold to at most 2: each of the ten
        // then moves the chance by up to e, not all of them together.
        claim: "pure(epsilon=2)",
        neighbours: Neighbours::AddRemove,
        runs: 50_000,
        broken: |dice, world| Sparse::lecture(2.0, 1, 1.0).run(dice, &late(world), 1.0),
        mended: Some(|dice, world| {
            let paid = Sparse { above: Above::Fresh(1.0), ..Sparse::book(1.0, 1, 1.0) };
            paid.run(dice, &late(world), 1.0)
        }),
    },
    Exhibit {
        name: "sparse-vector-lee-clifton",
        title: "sparse vector for frequent itemsets, eight positive answers",
        flaw: "The noise on the queries does not grow with the number of positive answers c: the cost is \
               (1 + 6c)/4 of the claim, here 12 times.",
        cure: "Algorithm 1: query noise of scale 4c/epsilon.",
        reference: LYU,
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 20_000,
        broken: |dice, world| Sparse::itemsets(1.0, 8).run(dice, &apart::<16>(world), 0.0),
        mended: Some(|dice, world| Sparse::lyu(1.0, 8, 8.0).run(dice, &apart::<16>(world), 0.0)),
    },
    Exhibit {
        name: "sparse-vector-stoddard",
        title: "sparse vector without noise on the queries",
        flaw: "Only the threshold is noisy: a query that is above while a larger one is below is impossible, \
               so some answers occur in one world only.",
        cure: "Algorithm 2, ending with the first positive answer.",
        reference: LYU,
        // (1, 0) has a chance of (1 - e^(-1/2))/2 = 0.197 in world 1, and none in world 0.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 2_000,
        broken: |dice, world| Sparse::features(1.0).run(dice, &by(world, [0, 1], [1, 0]), 0.0),
        mended: Some(|dice, world| {
            Sparse::book(1.0, 1, 1.0).run(dice, &by(world, [0, 1], [1, 0]), 0.0)
        }),
    },
    Exhibit {
        name: "sparse-vector-chen",
        title: "sparse vector that never ends",
        flaw: "Any number of positive answers for the price of one. Not private for any epsilon.",
        cure: "Algorithm 2, ending after four positive answers.",
        reference: LYU,
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| Sparse::marginals(1.0).run(dice, &apart::<20>(world), 0.0),
        mended: Some(|dice, world| Sparse::book(1.0, 4, 4.0).run(dice, &apart::<20>(world), 0.0)),
    },
    Exhibit {
        name: "sparse-vector-bare-threshold",
        title: "index of the first query above a public threshold",
        flaw: "The threshold is compared without noise of its own, because it is public; so every query \
               below it costs, not only the one above.",
        cure: "Algorithm 1: noise on the threshold as well.",
        reference: LYU,
        // A query of -2 is above with chance e^-2/2 = 0.068, of -1 with 0.184: eight of them are below
        // with 0.57 and 0.20, and after that the gap still grows.
        claim: "pure(epsilon=1)",
        neighbours: Neighbours::AddRemove,
        runs: 10_000,
        broken: |dice, world| first_above(dice, by(world, -2.0, -1.0), 16, 0.0, 1.0),
        mended: Some(|dice, world| first_above(dice, by(world, -2.0, -1.0), 16, 2.0, 4.0)),
    },
];
