//! Forward and backward, for up to [`ROWS`] records at a time.
//!
//! # What holds for each record
//! Its values and deltas are a function of itself and the weights alone: matrix products have one of a few
//! shapes (rows come in blocks; unused ones are there, and are not looked at), a row of a product is
//! computed in the same way wherever it is, how many rows there are, and whatever the others hold (the
//! library's products are; [`super::alike`] makes sure of it before data is touched), and all else is done
//! record by record.

use super::float::{exp, rows, tanh, whole, wide};
use super::goal::Truth;
use super::grid::{BLOCK, INPUT, MOST_INPUT, ROWS};
use super::layer::{Activation, Kind, Stage};

/// Numbers of up to [`ROWS`] records on their way through the layers.
#[derive(Debug)]
pub(super) struct Chunk {
    /// How many records there are.
    pub(super) count: usize,
    /// Products have a multiple of so many rows.
    pub(super) block: usize,
    /// The squares of the norms of the records, in steps.
    pub(super) squares: Vec<u64>,
    /// What goes into each stage, and what comes out of the last.
    pub(super) values: Vec<Vec<f32>>,
    /// Gradients of the loss with respect to the outputs of each stage, before the activation.
    pub(super) deltas: Vec<Vec<f32>>,
    /// The inputs of each dense stage on the grid; none for the first stage, whose inputs are on it.
    pub(super) inputs: Vec<Vec<f32>>,
    /// Gradients of the loss with respect to the parameters of each convolution, record by record.
    pub(super) filters: Vec<Vec<f32>>,
    unfolded: Vec<f32>,
    spread: Vec<f32>,
}

/// What becomes of the gradients with respect to parameters.
pub(super) enum Gradients<'a> {
    /// Those of convolutions are kept for each record, the others are left as products.
    Each,
    /// They are added up as they are.
    Sum(&'a mut [f32]),
}

impl Chunk {
    pub(super) fn new(stages: &[Stage]) -> Self {
        let zeros = |numbers: usize| vec![0.0; ROWS * numbers];
        let first = stages.first().map_or(0, |stage| stage.from.len());
        let outputs = || stages.iter().map(|stage| zeros(stage.onto.len()));
        let inputs = stages.iter().enumerate().map(|(at, stage)| match stage.kind {
            Kind::Dense if at > 0 => zeros(stage.from.len()),
            Kind::Dense | Kind::Convolution(_) | Kind::MaxPool(_) | Kind::AveragePool(_) => {
                Vec::new()
            }
        });
        let filters = stages.iter().map(|stage| match stage.kind {
            Kind::Convolution(_) => zeros(stage.parameters()),
            Kind::Dense | Kind::MaxPool(_) | Kind::AveragePool(_) => Vec::new(),
        });
        let covered = covered(stages);
        Self {
            count: 0,
            block: BLOCK,
            squares: Vec::with_capacity(ROWS),
            values: std::iter::once(zeros(first)).chain(outputs()).collect(),
            deltas: outputs().collect(),
            inputs: inputs.collect(),
            filters: filters.collect(),
            unfolded: vec![0.0; covered],
            spread: vec![0.0; covered],
        }
    }

    /// Room to go forward in, and no more.
    pub(super) fn forward_only(stages: &[Stage]) -> Self {
        let zeros = |numbers: usize| vec![0.0; ROWS * numbers];
        let first = stages.first().map_or(0, |stage| stage.from.len());
        let outputs = stages.iter().map(|stage| zeros(stage.onto.len()));
        Self {
            count: 0,
            block: ROWS,
            squares: Vec::with_capacity(ROWS),
            values: std::iter::once(zeros(first)).chain(outputs).collect(),
            deltas: Vec::new(),
            inputs: Vec::new(),
            filters: Vec::new(),
            unfolded: vec![0.0; covered(stages)],
            spread: Vec::new(),
        }
    }

    /// How many rows products have: those of the records, and some unused.
    pub(super) fn rows(&self) -> usize {
        self.count.next_multiple_of(self.block.max(1)).min(ROWS)
    }

    /// The inputs of a dense stage on the grid, row by row.
    pub(super) fn on_grid(&self, at: usize) -> &[f32] {
        let own = self.inputs.get(at).filter(|own| !own.is_empty());
        own.or_else(|| self.values.get(at)).map_or(&[], Vec::as_slice)
    }

    /// The outputs of the last stage.
    pub(super) fn scores(&self) -> &[f32] {
        self.values.last().map_or(&[], Vec::as_slice)
    }

    /// From the inputs to the scores.
    pub(super) fn forward(&mut self, stages: &[Stage], parameters: &[f32]) {
        let height = self.rows();
        for (at, stage) in stages.iter().enumerate() {
            let Some(([.., input], [output, ..])) = self.values.split_at_mut_checked(at + 1) else {
                return;
            };
            let input = &input[..height * stage.from.len()];
            let output = &mut output[..height * stage.onto.len()];
            let (weights, biases) = stage.of(parameters);
            match stage.kind {
                Kind::Dense => {
                    start_with(output, biases);
                    rows(input, stage.from.len()).times(
                        rows(weights, stage.onto.len()),
                        1.0,
                        output,
                    );
                }
                Kind::Convolution(window) => {
                    start_with(output, biases);
                    let unfolded = &mut self.unfolded[..window.count() * window.covered()];
                    for (image, out) in records(input, output, stage).take(self.count) {
                        window.unfold(image, unfolded);
                        let squares = rows(unfolded, window.covered());
                        squares.times(rows(weights, stage.onto.channels), 1.0, out);
                    }
                }
                Kind::MaxPool(window) => {
                    for (image, out) in records(input, output, stage).take(self.count) {
                        window.most(image, out);
                    }
                }
                Kind::AveragePool(window) => {
                    for (image, out) in records(input, output, stage).take(self.count) {
                        window.mean(image, out);
                    }
                }
            }
            activate(stage.activation, output);
        }
    }

    /// From the loss to the deltas of the last stage; the truths are those of the records.
    pub(super) fn lose(&mut self, outputs: usize, truths: impl Iterator<Item = Truth>) {
        let (Some(scores), Some(delta)) = (self.values.last(), self.deltas.last_mut()) else {
            return;
        };
        let (scores, delta) = (&scores[..self.count * outputs], &mut delta[..self.count * outputs]);
        match outputs {
            1 => delta.copy_from_slice(scores),
            _ => softmax(scores, outputs, delta),
        }
        for (delta, truth) in delta.chunks_exact_mut(outputs).zip(truths) {
            truth.slope(delta);
        }
    }

    /// From the deltas of the last stage to those of all, and to the gradients.
    pub(super) fn backward(
        &mut self,
        stages: &[Stage],
        parameters: &[f32],
        mut gradients: Gradients<'_>,
    ) {
        let height = self.rows();
        for (at, stage) in stages.iter().enumerate().rev() {
            let (before, from) = self.deltas.split_at_mut(at);
            let Some(delta) = from.first_mut() else { return };
            let delta = &mut delta[..height * stage.onto.len()];
            deactivate(stage.activation, &self.values[at + 1], delta);
            let back = before.last_mut().map(|back| &mut back[..height * stage.from.len()]);
            let (weights, _) = stage.of(parameters);
            match stage.kind {
                Kind::Dense => {
                    if let Gradients::Sum(sums) = &mut gradients {
                        add_dense(stage, &self.values[at], delta, self.count, sums);
                    }
                    if let Some(back) = back {
                        let columns = stage.onto.len();
                        rows(delta, columns).times_transposed(rows(weights, columns), back);
                    }
                }
                Kind::Convolution(window) => {
                    let unfolded = &mut self.unfolded[..window.count() * window.covered()];
                    let spread = &mut self.spread[..window.count() * window.covered()];
                    let mut back = back;
                    let filters = stage.onto.channels;
                    for row in 0..self.count {
                        let image = nth(&self.values[at], row, stage.from.len());
                        let delta = nth(delta, row, stage.onto.len());
                        window.unfold(image, unfolded);
                        let squares = rows(unfolded, window.covered());
                        let own = match &mut gradients {
                            Gradients::Each => {
                                let own = nth_mut(&mut self.filters[at], row, stage.parameters());
                                own.fill(0.0);
                                own
                            }
                            Gradients::Sum(sums) => {
                                let range = stage.start..stage.start + stage.parameters();
                                sums.get_mut(range).unwrap_or(&mut [])
                            }
                        };
                        let (own, biases) = own.split_at_mut(stage.weights());
                        squares.add_transposed_times(rows(delta, filters), own);
                        add_rows(delta, biases);
                        if let Some(back) = &mut back {
                            rows(delta, filters).times_transposed(rows(weights, filters), spread);
                            window.fold(spread, nth_mut(back, row, stage.from.len()));
                        }
                    }
                }
                Kind::MaxPool(window) => {
                    let Some(back) = back else { continue };
                    let sizes = (stage.from.len(), stage.onto.len());
                    for row in 0..self.count {
                        let image = nth(&self.values[at], row, sizes.0);
                        let out = nth(&self.values[at + 1], row, sizes.1);
                        let rest = nth_mut(delta, row, sizes.1);
                        window.most_back(image, out, rest, nth_mut(back, row, sizes.0));
                    }
                }
                Kind::AveragePool(window) => {
                    let Some(back) = back else { continue };
                    for row in 0..self.count {
                        let delta = nth(delta, row, stage.onto.len());
                        window.mean_back(delta, nth_mut(back, row, stage.from.len()));
                    }
                }
            }
        }
    }

    /// Puts the inputs of the dense stages on the grid.
    pub(super) fn round_inputs(&mut self) {
        let (height, all) = (self.rows(), ROWS);
        for (value, input) in self.values.iter().zip(&mut self.inputs) {
            let used = input.len() / all * height;
            wide!({
                for (x, rounded) in value.iter().zip(&mut input[..used]) {
                    *rounded = whole(x * INPUT, MOST_INPUT) * (1.0 / INPUT);
                }
            });
        }
    }
}

/// What the squares of a convolution cover, at most.
fn covered(stages: &[Stage]) -> usize {
    let covered = stages.iter().map(|stage| match stage.kind {
        Kind::Convolution(window) => window.count() * window.covered(),
        Kind::Dense | Kind::MaxPool(_) | Kind::AveragePool(_) => 0,
    });
    covered.max().unwrap_or(0)
}

/// For each row, e^(score) over the sum of those of the row.
pub(super) fn softmax(scores: &[f32], columns: usize, chances: &mut [f32]) {
    let rows = || scores.chunks_exact(columns.max(1));
    for (scores, chances) in rows().zip(chances.chunks_exact_mut(columns.max(1))) {
        let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        chances.iter_mut().zip(scores).for_each(|(chance, score)| *chance = score - most);
    }
    // Of all rows at once, so that many go into an instruction.
    let all = chances.iter_mut();
    wide!(all.for_each(|chance| *chance = exp(*chance)));
    for chances in chances.chunks_exact_mut(columns.max(1)) {
        let sum: f32 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= sum);
    }
}

fn add_dense(stage: &Stage, values: &[f32], delta: &[f32], count: usize, sums: &mut [f32]) {
    let (inputs, outputs) = (stage.from.len(), stage.onto.len());
    let (values, delta) = (&values[..count * inputs], &delta[..count * outputs]);
    let (weights, biases) = stage.of_mut(sums);
    rows(values, inputs).add_transposed_times(rows(delta, outputs), weights);
    add_rows(delta, biases);
}

/// sum += each row.
fn add_rows(rows: &[f32], sum: &mut [f32]) {
    for row in rows.chunks_exact(sum.len().max(1)) {
        for (sum, x) in sum.iter_mut().zip(row) {
            *sum += x;
        }
    }
}

fn start_with(output: &mut [f32], biases: &[f32]) {
    for row in output.chunks_exact_mut(biases.len().max(1)) {
        row.copy_from_slice(biases);
    }
}

fn records<'a>(
    input: &'a [f32],
    output: &'a mut [f32],
    stage: &Stage,
) -> impl Iterator<Item = (&'a [f32], &'a mut [f32])> {
    input.chunks_exact(stage.from.len()).zip(output.chunks_exact_mut(stage.onto.len()))
}

fn nth(values: &[f32], row: usize, columns: usize) -> &[f32] {
    &values[row * columns..(row + 1) * columns]
}

fn nth_mut(values: &mut [f32], row: usize, columns: usize) -> &mut [f32] {
    &mut values[row * columns..(row + 1) * columns]
}

fn activate(activation: Option<Activation>, values: &mut [f32]) {
    match activation {
        None => {}
        Some(Activation::Relu) => wide!(values.iter_mut().for_each(|x| *x = x.max(0.0))),
        Some(Activation::Tanh) => wide!(values.iter_mut().for_each(|x| *x = tanh(*x))),
    }
}

/// Gradients with respect to what an activation was given, from those with respect to what it gave.
fn deactivate(activation: Option<Activation>, values: &[f32], delta: &mut [f32]) {
    let pairs = values.iter().zip(delta);
    match activation {
        None => {}
        Some(Activation::Relu) => {
            wide!(pairs.for_each(|(x, delta)| *delta = if *x > 0.0 { *delta } else { 0.0 }));
        }
        Some(Activation::Tanh) => wide!(pairs.for_each(|(x, delta)| *delta *= 1.0 - x * x)),
    }
}
